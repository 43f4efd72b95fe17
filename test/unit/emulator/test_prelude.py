"""The emulator knows every instruction that a function of the CUDA text stands for."""

from pathlib import Path

from dlc.backends.cuda.prelude import PRELUDE, prelude_for
from dlc.backends.cuda.products import products
from dlc.emulator.build import Image, build_kernels


def test_all_functions_compile(tmp_path: Path) -> None:
    text = prelude_for("\n".join(PRELUDE | products()))
    build_kernels([Image(b"any bytes", text, ())], 1, tmp_path)
