"""The call of a library as a shared library for a trial on a GPU: the C that an artifact has."""

from dlc import libraries
from dlc.backends.host.calls import CudaCall, print_call, print_texts
from dlc.backends.host.libraries import print_libraries
from dlc.dialects.gpu import KernelOp
from dlc.dialects.loop.attributes import CallAttr
from dlc.tuning.calling import calling_sources, linked


def call_code(kernel: KernelOp, call: CallAttr) -> bytes:
    """Return a shared library whose ``dlc_trial_call`` points to the call of a kernel.

    Raises CompileError for a call that does not fit the kernel.
    """
    given = CudaCall.of(kernel, call)
    assert given is not None
    found = [libraries.by_name(given.library)]
    texts = (
        '#include "cuda_program.h"\n',
        print_libraries(found),
        print_texts(found),
        print_call(given, "call", 0),
        "extern const dlc_call *const dlc_trial_call;",
        "const dlc_call *const dlc_trial_call = &call;\n",
    )
    return linked(calling_sources(found, "\n".join(texts)))
