import pytest
from launch import Gpu
from simulated import Runner, Simulated


@pytest.fixture(scope="session")
def gpu() -> Gpu:
    """The GPU; the tests that use it are skipped where there is none."""
    try:
        return Gpu()
    except (OSError, RuntimeError) as error:
        pytest.skip(f"no GPU: {error}")


@pytest.fixture(
    scope="session", params=["simulated", pytest.param("device", marks=pytest.mark.gpu)]
)
def runner(request: pytest.FixtureRequest) -> Runner:
    """The simulator, and the GPU where there is one."""
    return Simulated() if request.param == "simulated" else request.getfixturevalue("gpu")
