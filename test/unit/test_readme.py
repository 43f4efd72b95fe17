"""What the README and the pages for users show is what the tools do."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path
from shlex import split

import attention
import bounds
import convolutions
import decoding
import gemm
import models
import numpy as np
import pytest
import streams
import xla_kernels
from onnx import TensorProto, helper, save

import dlc
from dlc.core.c_compiler import find_c_compiler
from dlc.tools import dlc_analyze, dlc_bench, dlc_compile, dlc_db, dlc_opt, dlc_run
from dlc.tools._opt_arguments import parse_arguments

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
LEVELS = (ROOT / "docs" / "levels.md").read_text()
CONSOLE = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", LEVELS, re.S)


def _run(command: str) -> str:
    """Return what a command of a page prints."""
    tool, *arguments = command.split()
    assert tool == "dlc-opt"
    module = [sys.executable, "-m", "dlc.tools.dlc_opt", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(module, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[c.split()[-1] for c, _ in CONSOLE])
def test_console_examples(command: str, shown: str) -> None:
    assert _run(command) == shown


def test_the_words_about_a_product_are_of_the_kernel_that_is_shown() -> None:
    section = LEVELS.split("## A matrix product\n")[1].split("## ")[0]
    prose, shown = section.split("```console", 1)
    words = prose.split("At the `loop` level", 1)[1].rsplit("A large product", 1)[0]
    named = [word for word in re.findall(r"`([^`]+)`", words) if word != "lower-to-gpu"]
    assert len(named) > 10
    assert [word for word in named if word not in shown] == []
    decided = set(re.findall(r"\b(?:cluster|threads|pipeline|interleave|parts) = \d+", shown))
    assert [each for each in decided if each not in " ".join(named)] == []


def test_the_graph_level_example_is_the_file() -> None:
    assert (ROOT / "docs" / "example.mlir").read_text() in LEVELS


def test_an_edited_schedule_is_the_one_that_is_compiled(tmp_path: Path) -> None:
    _, shown = CONSOLE[0]
    threads = re.search(r"threads = (\d+)", shown)
    assert threads is not None
    assert threads[1] != "128"
    edited = tmp_path / "edited.mlir"
    edited.write_text(shown.replace(threads[0], "threads = 128"))
    lowered = _run(
        f"dlc-opt {edited} --tile=arch=sm_90a --lower-to-loop --lower-to-gpu=arch=sm_90a"
    )
    assert "block = array<i64: 128, 1, 1>" in lowered


@pytest.mark.parametrize(
    ("blocks", "carry"), [(8, "cluster"), (1, "block"), (132, "grid")], ids=lambda each: str(each)
)
def test_the_stages_of_the_page_compile_in_all_ways_that_it_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], blocks: int, carry: str
) -> None:
    text, on_page = (ROOT / "docs" / "stages.mlir").read_text(), 'blocks = 8, carry = ["cluster"]'
    assert text in LEVELS
    assert on_page in text
    edited, artifact = tmp_path / "edited.mlir", tmp_path / "stages.so"
    edited.write_text(text.replace(on_page, f'blocks = {blocks}, carry = ["{carry}"]'))
    assert dlc_compile.main([str(edited), "--target", "sm_90a", "-o", str(artifact)]) == 0
    assert "1 launch of 1 kernel" in capsys.readouterr().out


@pytest.mark.parametrize("key", ["split = 2", "producers = 1", 'copies = "tensor"'])
def test_the_page_says_what_cannot_be_a_stage(tmp_path: Path, key: str) -> None:
    edited = tmp_path / "edited.mlir"
    edited.write_text(
        (ROOT / "docs" / "stages.mlir").read_text().replace("stages = 3}]", f"stages = 3, {key}}}]")
    )
    with pytest.raises(AssertionError, match="stage 1 has a schedule of no such threads"):
        _run(f"dlc-opt {edited} --tile=arch=sm_90a")


def _commands(start: str) -> Iterator[tuple[str, str]]:
    """Yield the page and the text of each command that begins so in an ``sh`` block."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.S):
            for line in block.replace("\\\n", " ").splitlines():
                if line.startswith(start):
                    yield page.name, line


@pytest.mark.parametrize(("page", "command"), list(_commands("dlc-")))
def test_each_command_line_is_one_that_the_tool_takes(
    page: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = split(command, comments=True)
    tool, *arguments = words[: words.index(">")] if ">" in words else words  # the shell's
    modules = {
        "dlc-analyze": dlc_analyze,
        "dlc-bench": dlc_bench,
        "dlc-compile": dlc_compile,
        "dlc-db": dlc_db,
        "dlc-opt": dlc_opt,
        "dlc-run": dlc_run,
    }
    module = modules[tool]
    taken: list[str] = []
    monkeypatch.setattr(module, "run_command", lambda name, _: taken.append(name) or 0)
    if tool == "dlc-opt":
        parse_arguments(arguments)  # main reads them within run_command
    assert module.main(arguments) == 0, f"{page}: {command}"
    assert taken == [tool]


@pytest.mark.parametrize(("page", "command"), list(_commands("python test/benchmarks/")))
def test_each_benchmark_is_one_that_its_script_takes(
    page: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, script, *arguments = split(command, comments=True)
    scripts = (attention, bounds, convolutions, decoding, gemm, models, streams, xla_kernels)
    module = {each.__name__: each for each in scripts}[Path(script).stem]
    assert (ROOT / script).samefile(str(module.__file__))
    taken: list[str] = []
    steps = {"build", "run", *(("measure", "table") if module is bounds else ())}
    for name in steps & vars(module).keys():
        monkeypatch.setattr(module, name, lambda *_, name=name: taken.append(name) or 0)
    monkeypatch.chdir(tmp_path)
    for model in (each for each in arguments if each.endswith(".onnx")):
        (tmp_path / model).touch()
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    module.main()
    assert taken == [arguments[0] if arguments[0] in steps else "run"], page


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=[str(p.relative_to(ROOT)) for p in PAGES])
def test_links_lead_to_pages_and_their_headings(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        name, _, heading = target.partition("#")
        if "://" in target:
            continue
        other = (page.parent / name) if name else page
        assert other.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", other.read_text(), re.M)
            anchors = [re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles]
            assert heading in anchors, target


def test_the_first_screen_and_the_c_program(tmp_path: Path) -> None:
    """What the README's first commands and its C program give, on a model of one product."""
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Exp", ["r"], ["y"])],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])],
    )
    save(helper.make_model(graph, ir_version=10), tmp_path / "model.onnx")
    artifact = tmp_path / "model.so"
    assert dlc_compile.main([str(tmp_path / "model.onnx"), "-o", str(artifact)]) == 0
    assert dlc_run.main([str(artifact), "--random"]) == 0
    (y,) = dlc.load(artifact).run({"x": np.zeros((1, 3), np.float32)}).values()
    (program,) = re.findall(r"```c\n(.*?)```", README, re.S)
    source, binary = tmp_path / "main.c", tmp_path / "main"
    source.write_text(program)
    compiler = [*find_c_compiler().command, "-Wall", "-Wextra", "-Werror"]
    command = [*compiler, str(source), "-I", dlc.get_include(), "-o", str(binary), "-ldl"]
    subprocess.run(command, check=True)
    done = subprocess.run([binary, artifact], capture_output=True, text=True, check=True)
    assert done.stdout == f"y: {y[0, 0]:g} ...\n"
    absent, other = str(tmp_path / "absent.so"), find_library("c") or ""
    for wrong, said in ((absent, f"{absent}: cannot open"), (other, "undefined symbol: dlc_entry")):
        done = subprocess.run([binary, wrong], capture_output=True, text=True)
        assert done.returncode == 1
        assert said in done.stderr
