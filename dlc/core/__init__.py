"""The thin own core over xDSL: all that touches private names of it or works around its defaults."""
