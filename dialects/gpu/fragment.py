"""Fragments: what a lane holds of a matrix, in neighbouring elements of a register buffer."""

from xdsl.utils.exceptions import VerifyException

from dlc.ir.access import Access
from dlc.ir.space import Space, space_of


def verify_fragment(access: Access, what: str) -> None:
    """Raise VerifyException unless a lane's elements are neighbours in a register buffer."""
    if space_of(access.buffer) is not Space.REGISTER:
        raise VerifyException(f"{what} is a fragment in registers, got {access.type}")
    sizes = access.type.get_shape()
    if not sizes or sizes[-1] % access.elements:
        raise VerifyException(
            f"{what} has {access.elements} elements per lane; the last axis of {access.type} "
            "should be a multiple of it"
        )
