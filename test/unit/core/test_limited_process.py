"""Programs run within limits, and within those of the process that runs them."""

import subprocess
import sys

_RUN = """
from dlc.core.limited_process import Limits, run_limited
print(run_limited(["echo", "done"], ".", Limits(600, 8 << 30)))
"""


def test_a_process_that_is_limited_itself_runs_programs() -> None:
    """Its limits are below those that are wanted, and may not be raised."""
    limited = ["sh", "-c", 'ulimit -t 300; ulimit -v 4000000; exec "$@"', "sh"]
    done = subprocess.run(
        [*limited, sys.executable, "-c", _RUN], capture_output=True, text=True, check=True
    )
    assert done.stdout == "Finished(status=0, output='done\\n', errors='')\n"
