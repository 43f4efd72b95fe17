"""What holds for the call of a library in a kernel, at every level."""

from collections.abc import Iterable, Sequence

from xdsl.ir import BlockArgument
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError


def verify_call(
    call: CallAttr | None,
    inputs: Iterable[BlockArgument],
    outputs: Sequence[BlockArgument],
    scratch: Sequence[int],
) -> None:
    """Raise VerifyException for a call of nothing, one that does not name each output once, or one
    whose workspace is not there. scratch: the bytes of the scratch buffers of the kernel.
    """
    if call is None:
        return
    try:
        named, count, workspace = call.library and call.function, call.count, call.workspace
        given = [*call.buffers]
    except CompileError as error:
        raise VerifyException(str(error)) from error
    if not named or count < 1:
        raise VerifyException("a call names library and function, and counts iterations from 1")
    known = {x.index for x in (*inputs, *outputs)}
    if not known.issuperset(given):
        raise VerifyException(f"buffers = {given} of a call should be inputs or outputs")
    for output in (x.index for x in outputs):
        if output not in given:
            raise VerifyException(f"the call leaves out buffer {output}, an output")
        if given.count(output) > 1:
            raise VerifyException(f"the call names buffer {output}, an output, more than once")
    if workspace and [workspace] != [*scratch[-1:]]:
        raise VerifyException(
            f"workspace = {workspace} of a call should be the bytes of the last scratch buffer"
        )
