"""How often Python looks for garbage."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def rare_collections() -> Generator[None]:
    """Let Python look for garbage rarely: IR is large, linked and alive, so looking is all cost."""
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
