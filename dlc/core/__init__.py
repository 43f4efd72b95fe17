"""The thin own core over xDSL: everything that touches its private names or works around its defaults."""
