"""A host program as C for the CPU: tables for ``native/cpu.c``."""

from collections.abc import Sequence

from dlc.backends.host.c_text import c_list, c_string
from dlc.backends.host.libraries import print_libraries
from dlc.backends.host.program import HostProgram
from dlc.backends.host.signature import print_signature
from dlc.backends.host.steps import print_steps, steps_row
from dlc.libraries import Library


def print_cpu_program(
    program: HostProgram, features: Sequence[str], libraries: Sequence[Library] = ()
) -> str:
    """Return the C file of a CPU artifact's program.

    features: instruction-set extensions that the kernels use, by the names of
    ``__builtin_cpu_supports``. libraries: those that they call.
    """
    kernels = list(dict.fromkeys(launch.kernel for launch in program.launches))
    position = {name: number for number, name in enumerate(kernels)}
    return "\n".join(
        [
            '#include "cpu_program.h"\n',
            print_signature(program),
            print_libraries(libraries),
            *(f"dlc_kernel {name};" for name in kernels),
            f"dlc_kernel *const dlc_kernels[] = {c_list(kernels)};\n",
            print_steps(program, position),
            f"const dlc_steps dlc_program = {steps_row(program)};\n",
            *_missing_feature(features),
        ]
    )


def _missing_feature(features: Sequence[str]) -> list[str]:
    checks = [
        f"  if (!__builtin_cpu_supports({c_string(x)})) return {c_string(x)};" for x in features
    ]
    return ["const char *dlc_missing_feature(void) {", *checks, "  return NULL;", "}\n"]
