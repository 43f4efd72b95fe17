import pytest
from launch import Gpu


@pytest.fixture(scope="session")
def gpu() -> Gpu:
    """The GPU; the tests that use it are skipped where there is none."""
    try:
        return Gpu()
    except (OSError, RuntimeError) as error:
        pytest.skip(f"no GPU: {error}")
