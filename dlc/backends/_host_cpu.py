"""A host program as C for the CPU: calls of the kernels, one after the other."""

from collections.abc import Sequence

from dlc.backends._c_text import c_string
from dlc.backends._host_program import Address, HostProgram
from dlc.backends._host_signature import print_signature


def print_cpu_program(program: HostProgram, features: Sequence[str]) -> str:
    """Return the C file of a CPU artifact's program.

    features: instruction-set extensions that the kernels use, by the names of
    ``__builtin_cpu_supports``.
    """
    return "\n".join(
        [
            '#include <string.h>\n\n#include "cpu_program.h"\n',
            print_signature(program),
            f"const uint64_t dlc_workspace_bytes = {program.workspace_bytes}u;\n",
            *_declarations(program),
            *_main(program),
            *_missing_feature(features),
        ]
    )


def _declarations(program: HostProgram) -> list[str]:
    arity = {launch.kernel: len(launch.operands) for launch in program.launches}
    return [f"void {name}({', '.join(['void *'] * count)});" for name, count in arity.items()]


def _main(program: HostProgram) -> list[str]:
    launches = [f"  {x.kernel}({', '.join(map(_pointer, x.operands))});" for x in program.launches]
    copies = [
        f"  memcpy({_pointer(x.target)}, {_pointer(x.source)}, {x.bytes}u);" for x in program.copies
    ]
    return [
        "\nvoid dlc_program(const void *const *inputs, void *const *outputs,",
        "                 const unsigned char *weights, unsigned char *workspace) {",
        "  (void)inputs, (void)outputs, (void)weights, (void)workspace;",
        *launches,
        *copies,
        "}\n",
    ]


def _pointer(address: Address) -> str:
    match address.space:
        case "input":
            return f"(unsigned char *)inputs[{address.buffer}] + {address.offset}u"
        case "output":
            return f"(unsigned char *)outputs[{address.buffer}] + {address.offset}u"
        case "weight":
            return f"(void *)(weights + {address.offset}u)"
        case "workspace":
            return f"workspace + {address.offset}u"


def _missing_feature(features: Sequence[str]) -> list[str]:
    checks = [
        f"  if (!__builtin_cpu_supports({c_string(x)})) return {c_string(x)};" for x in features
    ]
    return ["const char *dlc_missing_feature(void) {", *checks, "  return NULL;", "}\n"]
