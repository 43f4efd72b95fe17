"""What one sees when passes run and when one of them fails."""

from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr

from dlc import registry
from dlc.core.instrumentation import Dumps, PassManager
from dlc.core.parser import parse_module
from dlc.core.passes import DlcPass
from dlc.core.timing import Timing
from dlc.core.verify import InvalidModule
from dlc.errors import CompileError
from dlc.tools import dlc_opt


@dataclass(frozen=True)
class MarkPass(DlcPass):
    """Writes an attribute on the first op."""

    name = "mark"
    text: str = "x"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Mark the first op."""
        next(iter(op.ops)).attributes["test.mark"] = StringAttr(self.text)


@dataclass(frozen=True)
class FailPass(DlcPass):
    """Changes the module and gives up."""

    name = "fail"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Mark the first op, then fail."""
        MarkPass("half done").apply(ctx, op)
        raise CompileError("cannot go on")


@dataclass(frozen=True)
class BreakPass(DlcPass):
    """Leaves a use before its definition."""

    name = "break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Move the first op to the end."""
        first = next(iter(op.ops))
        first.detach()
        op.body.block.add_op(first)


TEXT = '%0 = "test.op"() : () -> i32\n"test.op"(%0) : (i32) -> ()'


def module() -> ModuleOp:
    """Return a module of two ops."""
    context = registry.new_context()
    context.register_dialect("test", lambda: test.Test)
    return parse_module(TEXT, context, "here.mlir")


def run(manager: PassManager) -> None:
    """Run passes on the module."""
    manager.run(registry.new_context(), module())


def test_failure_is_dumped_and_reproduced(tmp_path: Path) -> None:
    stream = StringIO()
    file = tmp_path / "crash.mlir"
    passes = [MarkPass("a b"), FailPass(), MarkPass("never")]
    dumps = Dumps(after_failure=True, stream=stream)
    manager = PassManager(passes, dumps=dumps, reproducer=file, arguments=["--weights", "w.npz"])
    with pytest.raises(CompileError, match="pass fail: cannot go on"):
        run(manager)
    assert "IR Dump After Failure FailPass (fail)" in stream.getvalue()
    assert "half done" in stream.getvalue()
    first, text = file.read_text().split("\n", 1)
    assert first == "// configuration: -p 'fail,mark{text=never}' --weights w.npz"
    assert 'mark = "a b"' in text
    assert "half done" not in text


def test_reproducer_runs_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "crash.mlir"
    file.write_text("// configuration: -p 'dce'\n%0 = arith.constant 1 : i32\n")
    assert dlc_opt.main(["--run-reproducer", str(file)]) == 0
    assert "arith.constant" not in capsys.readouterr().out


def test_a_pass_that_breaks_the_module_is_named() -> None:
    with pytest.raises(InvalidModule, match=r"after break: test.op: operand 0 is not defined"):
        run(PassManager([BreakPass(), MarkPass()]))
    with pytest.raises(InvalidModule, match=r"after mark: test.op"):
        run(PassManager([BreakPass(), MarkPass()], verify_each=False))
    run(PassManager([BreakPass()], verify=False))


def test_what_was_verified_is_not_verified_again() -> None:
    broken = module()
    BreakPass().apply(registry.new_context(), broken)
    PassManager([BreakPass()], verified=True).run(registry.new_context(), broken)  # repairs it
    with pytest.raises(InvalidModule, match=r"after break: test.op"):
        PassManager([BreakPass()], verified=True).run(registry.new_context(), broken)


def test_dumps_only_what_changed(tmp_path: Path) -> None:
    stream = StringIO()
    dumps = Dumps(after_change=True, stream=stream)
    run(PassManager([MarkPass(), MarkPass()], dumps=dumps))
    assert stream.getvalue().count("IR Dump After MarkPass (mark)") == 1
    folder = tmp_path / "dumps"
    dumps = Dumps(before_all=True, after=frozenset({"mark"}), folder=folder)
    run(PassManager([MarkPass()], dumps=dumps))
    assert sorted(p.name for p in folder.iterdir()) == [
        "000-before-mark.mlir",
        "001-after-mark.mlir",
    ]


def test_timing_adds_up() -> None:
    timing = Timing({"Parser": 1.0, "Output": 3.0})
    with timing.measure("Output"):
        pass
    assert list(timing.seconds) == ["Parser", "Output"]
    assert timing.seconds["Output"] >= 3.0
    assert "1.0000 ( 25.0%)  Parser" in timing.report()


def test_internal_errors_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.mlir"
    file.write_text("func.func @main() {\n  func.return\n}\n")
    driver = dlc_opt.Driver(dlc_opt.parse_arguments([str(file)]), "")
    driver.text = file.read_text()
    driver.passes = [_Crash()]
    assert driver.run() == dlc_opt.INTERNAL_ERROR
    captured = capsys.readouterr()
    assert "error: internal error: KeyError: 'lost' (see --traceback)" in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


@dataclass(frozen=True)
class _Crash(DlcPass):
    name = "crash"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("lost")
