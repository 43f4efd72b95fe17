"""Of all tests."""

import os

os.environ["DLC_CACHE_GB"] = "0"  # what a test compiles is compiled, and no copy of another test's
