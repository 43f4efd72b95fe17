"""Addresses in an emulated cluster are those of a real one: first the rank of the block."""

from pathlib import Path

import pytest
from attention_text import Case

from dlc.arch.matrix_descriptor import ADDRESS_MASK
from dlc.backends.cuda.prelude import PRELUDE
from dlc.compiler import Options, compile_to
from dlc.verification.miscompile import MiscompileError

WIDE = 'rows = 64, step = 64, warps = 4, instruction = "wgmma.m64k16", split = 2, exchange = true'


def compiled(folder: Path) -> Path:
    """Compile attention whose keys a cluster shares; its values lie in two tiles each."""
    text, path = folder / "attention.mlir", folder / "attention.so"
    text.write_text(Case(WIDE, 1, 64, 128, 64, 128).text())
    compile_to(path, text, Options("sm_90a"))
    return path


def test_a_right_kernel(tmp_path: Path) -> None:
    assert compiled(tmp_path).exists()


def test_a_descriptor_that_takes_the_rank_of_its_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, masked = PRELUDE["matrix_descriptor"], f" & {ADDRESS_MASK:#x}u"
    assert masked in text
    monkeypatch.setitem(PRELUDE, "matrix_descriptor", text.replace(masked, ""))
    with pytest.raises(MiscompileError, match="verification failed: "):
        compiled(tmp_path)
