"""How many threads numpy's matrix products take."""

from collections.abc import Generator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_blas_thread() -> Generator[None]:
    """Let matrix products run on one core.

    Threads of a BLAS library wait for each other by turning in circles. The products of a model are
    so small that this takes longer than they do: on two cores that others use, too, four to eight
    times as long.
    """
    with threadpool_limits(limits=1, user_api="blas"):
        yield
