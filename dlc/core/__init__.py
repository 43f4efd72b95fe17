"""The thin own core over xDSL: all that touches its private names or works around its defaults."""
