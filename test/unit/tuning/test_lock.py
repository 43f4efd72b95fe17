"""Lock files: what is written is read back, and what does not fit is said in one line."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module
from dlc.errors import CompileError
from dlc.tuning.lock import lock_text, read_lock

SCHEDULE = '#loop.schedule<strategy = "map", target = "gpu", threads = 256, vector = 4>'
MEASURED = "#loop.measured<time_us = 3.4, spread_us = 0.1, count = 9>"


def module(*decisions: str) -> ModuleOp:
    """Return a chain of groups, one for each text of attributes: relu, exp, relu, ..."""
    lines, last = list[str](), "%x"
    for number, text in enumerate(decisions):
        op = ("relu", "exp")[number % 2]
        types = "(tensor<8xf32>) -> tensor<8xf32>"
        lines.append(f"""
        %y{number} = fused_group.group @g{number}({last}) : {types} {text} {{
        ^bb0(%a: tensor<8xf32>):
          %b = graph.{op} %a : tensor<8xf32> -> tensor<8xf32>
          fused_group.yield %b : tensor<8xf32>
        }}""")
        last = f"%y{number}"
    text = f"func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{ {''.join(lines)}\n"
    return parse_module(f"{text}func.return {last} : tensor<8xf32> }}", registry.new_context())


def attributes(measured: str = "") -> str:
    return f"attributes {{schedule = {SCHEDULE}{measured and f', measured = {measured}'}}}"


def test_a_lock_gives_the_groups_of_another_compile_their_schedules() -> None:
    text = lock_text({"sm_80": module(attributes(), attributes(MEASURED), attributes())})
    first, *lines = text.splitlines()
    assert first == "dlc lock 1"
    assert [line[33:] for line in lines[1:]] == [f"{SCHEDULE} estimated", f"{SCHEDULE} {MEASURED}"]
    other = module("", "", "")
    read_lock(text, "dlc.lock").write_on(other, "sm_80")
    assert [str(group.schedule) for group in groups(find_main(other))] == [SCHEDULE] * 3
    assert [str(g.measured) for g in groups(find_main(other))] == ["None", MEASURED, "None"]
    assert lock_text({"sm_80": other}) == text


def test_a_lock_says_which_libraries_could_be_called() -> None:
    text = lock_text({"sm_80": module(attributes())}, ["openblas", "cublaslt", "openblas"])
    assert text.splitlines()[1] == "libraries cublaslt,openblas"
    assert read_lock(text, "dlc.lock").libraries == ("cublaslt", "openblas")
    assert read_lock(lock_text({"sm_80": module(attributes())}), "dlc.lock").libraries == ()


def test_a_lock_may_have_divisions() -> None:
    modules = {"sm_80": module(attributes()), "sm_90a": module(attributes())}
    text = lock_text(modules, (), {"sm_80": ["0 0 1", ""], "sm_90a": []})
    assert text.splitlines()[1:4] == ["target sm_80", "division 0 0 1", "division"]
    assert read_lock(text, "dlc.lock").divisions == {"sm_80": ["0 0 1", ""]}


def test_each_target_has_its_own_choices() -> None:
    one, two = module(attributes()), module(attributes(MEASURED))
    lock = read_lock(lock_text({"sm_80": one, "sm_90a": two}), "dlc.lock")
    for target, wanted in (("sm_80", "None"), ("sm_90a", MEASURED)):
        lock.write_on(one, target)
        assert [str(group.measured) for group in groups(find_main(one))] == [wanted]
    with pytest.raises(CompileError, match=r"^dlc.lock: the lock is for sm_80 and sm_90a, not for"):
        lock.write_on(one, "sm_86")


def test_a_group_that_the_lock_does_not_have_is_named() -> None:
    lock = read_lock(lock_text({"sm_80": module(attributes())}), "dlc.lock")
    with pytest.raises(CompileError) as raised:
        lock.write_on(module("", ""), "sm_80")
    assert str(raised.value).startswith("dlc.lock: the lock has no schedule for fused_group.group")
    assert "<text>:" in str(raised.value)


@pytest.mark.parametrize(
    ("spoil", "line", "reason"),
    [
        (lambda t: t.replace("target", "libraries mkl\ntarget"), ":2", "there is no library 'mkl'"),
        (lambda t: t + "libraries openblas\n", ":4", "this is none of: a target"),
        (lambda t: t + "division 0 x\n", ":4", "this is none of: a target"),
        (lambda t: t.replace("target", "division 0\ntarget"), ":2", "this is none of: a target"),
        (lambda t: "", "", "this is no lock file; its first line should be 'dlc lock 1'"),
        (lambda t: t.replace("dlc lock", "lock"), "", "this is no lock file"),
        (lambda t: t.replace("lock 1", "lock 2"), "", "this is 'dlc lock 2', of another version"),
        (lambda t: t + "0123 x\n", ":4", "this is none of: a target"),
        (lambda t: t.replace("target sm_80\n", ""), ":2", "this is none of: a target"),
        (lambda t: t.replace("vector", "vectro"), ":3", "schedule key vectro is unknown"),
        (lambda t: t.replace("threads = 256", "threads = 0"), ":3", "schedule key threads should"),
        (lambda t: t.replace("= 4>", "= 4>>"), ":3", "this should be written as #loop.schedule"),
        (lambda t: t.replace("estimated", "guessed"), ":3", "this is none of: a target"),
        (lambda t: t.replace("estimated", "#loop.measured<3>"), ":3", "expected the name"),
        (lambda t: t + t.splitlines()[-1].replace("= 4", "= 2"), ":4", "has another choice"),
    ],
)
def test_a_wrong_line_is_named(spoil: Callable[[str], str], line: str, reason: str) -> None:
    text = spoil(lock_text({"sm_80": module(attributes())}))
    with pytest.raises(CompileError) as raised:
        read_lock(text, "dlc.lock")
    assert str(raised.value).startswith(f"dlc.lock{line}: ")
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)
