"""The rules of the repository that a machine can check: names, places, docstrings and sizes."""

import ast
import inspect
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import onnx
import pytest
from xdsl.ir import Operation

from dlc import registry
from dlc.dialects.graph.structure import GraphOp
from dlc.pipelines import PIPELINES
from dlc.registry import load_dialect

ROOT = Path(__file__).resolve().parents[2]
FILE_LINES = 600
FUNCTION_LINES = 60
TEST_LINES = 60
FORBIDDEN_STEMS = {"utils", "common", "misc", "helpers"}


@cache
def tracked_files() -> tuple[Path, ...]:
    """Return the files of the repository, new ones that git does not ignore included."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return tuple(ROOT / line for line in listing.split("\n") if (ROOT / line).is_file())


def python_files(*folders: str) -> list[Path]:
    """Return the Python files below some of the repository's folders."""
    return [
        path
        for path in tracked_files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders
    ]


SOURCES = python_files("dlc", "dialects", "passes", "tools")


def relative(path: Path) -> str:
    """Return a path as a test's name shows it."""
    return str(path.relative_to(ROOT))


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    """Yield every function and method of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            yield node


@pytest.mark.parametrize(
    "flag", [n for n in registry.pass_names() if n not in registry.XDSL_PASSES]
)
def test_pass_is_named_after_its_file_and_tested(flag: str) -> None:
    kind = registry.load_pass(flag)
    assert kind.name == flag
    assert kind.__name__ == "".join(word.capitalize() for word in flag.split("-")) + "Pass"
    assert (kind.__doc__ or "").strip(), f"{kind.__name__} needs a docstring"
    assert list((ROOT / "test" / "passes" / flag).glob("*.mlir")), f"test/passes/{flag} has no test"


def test_no_lit_folder_without_its_pass() -> None:
    folders = {path.name for path in (ROOT / "test" / "passes").glob("*") if path.is_dir()}
    assert folders <= {*registry.pass_names(), *PIPELINES}


@pytest.mark.parametrize("name", registry.dialect_names())
def test_dialect(name: str) -> None:
    dialect = registry.load_dialect(name)
    assert dialect.name == name
    for op in dialect.operations:
        assert op.name.startswith(f"{name}."), op.name
        assert op.__name__.endswith("Op"), op.__name__
        assert (op.__doc__ or "").strip(), f"{op.name} needs a docstring"


@pytest.mark.parametrize("name", registry.dialect_names())
def test_dialect_ops_have_round_trip_and_verifier_tests(name: str) -> None:
    folder = ROOT / "test" / "dialects" / name
    texts = "".join(path.read_text() for path in sorted(folder.glob("*.mlir")))
    untested = [op.name for op in registry.load_dialect(name).operations if op.name not in texts]
    assert not untested, f"not in test/dialects/{name}: {untested}"
    assert list(folder.glob("invalid*.mlir")), f"test/dialects/{name} has no invalid.mlir"


@pytest.mark.parametrize(
    "op", list(registry.load_dialect("graph").operations), ids=lambda op: op.name
)
def test_an_op_that_reads_places_states_their_limits(op: type[Operation]) -> None:
    """What states none is not checked at run time, and is given any number in verification."""
    own = [each for each in op.__mro__ if issubclass(each, GraphOp) and each is not GraphOp]
    if any("indexed(" in inspect.getsource(each) for each in own):
        assert any("index_limits" in vars(each) for each in own), f"{op.name} has no index_limits"


@pytest.mark.parametrize("name", [n for n in registry.backend_names() if n != "mlir"])
def test_backend_is_named_after_its_file(name: str) -> None:
    assert registry.load_backend(name).name == name


@pytest.mark.parametrize("name", PIPELINES)
def test_pipeline_resolves(name: str) -> None:
    assert registry.build_passes(name)
    assert name not in registry.pass_names()
    assert PIPELINES[name].summary


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_file_is_small_and_well_named(path: Path) -> None:
    assert path.stem not in FORBIDDEN_STEMS
    assert len(path.read_text().splitlines()) <= FILE_LINES
    long = [
        f"{f.name}: {f.end_lineno - f.lineno + 1} lines"
        for f in functions(path)
        if f.end_lineno is not None and f.end_lineno - f.lineno >= FUNCTION_LINES
    ]
    assert not long


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_nothing_is_left_undone(path: Path) -> None:
    text = path.read_text()
    for word in ("TODO", "FIXME", "XXX", "NotImplementedError"):
        assert not re.search(rf"\b{word}\b", text), f"{word} in {relative(path)}"


@pytest.mark.parametrize("path", python_files("passes"), ids=relative)
def test_pass_asks_for_capabilities_not_for_chips(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"\bsm_\d", text), "a pass asks the arch row for a capability"
    assert not re.search(r"arch\.name\s*[=!<>]", text)


ASKING = [
    path
    for path in SOURCES
    if path.is_relative_to(ROOT / "passes")
    or any(
        path.is_relative_to(ROOT / "dlc" / f) for f in ("analysis", "lowering", "search", "simt")
    )
]
CONCRETE_OPS = 3


@pytest.mark.parametrize("path", ASKING, ids=relative)
def test_graph_ops_are_asked_through_their_interfaces(path: Path) -> None:
    """A file may match or make a few concrete ops (a transpose, a constant); it lists none."""
    graph_ops = {op.__name__ for op in registry.load_dialect("graph").operations}
    names = {n.id for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Name)}
    assert len(names & graph_ops) <= CONCRETE_OPS, sorted(names & graph_ops)


def package_of(name: str) -> str:
    """Return the package that a dotted name belongs to: two levels, three for a dialect."""
    parts = name.split(".")
    return ".".join(parts[: 3 if parts[1:2] == ["dialects"] else 2])


def private_imports(text: str, importer: str) -> list[str]:
    """Return what the module ``importer`` imports of other packages by a name with underscore."""
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return [
        name
        for name in names
        if name.startswith("dlc.") and package_of(name) != package_of(importer)
        if re.search(r"\._(?!_)", name)
    ]


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_no_package_imports_a_name_with_underscore_of_another(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    importer = ".".join(parts if parts[0] == "dlc" else ("dlc", *parts))
    assert private_imports(path.read_text(), importer) == []


def test_imports_of_names_with_underscore_are_found() -> None:
    text = (
        "from dlc.core.affine import _a\nimport dlc.dialects.gpu._b\nfrom dlc.dialects import loop"
    )
    assert private_imports(text, "dlc.dialects.loop.c") == [
        "dlc.core.affine._a",
        "dlc.dialects.gpu._b",
    ]
    assert private_imports(text, "dlc.core.affine_syntax") == ["dlc.dialects.gpu._b"]


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_public_names_have_docstrings(path: Path) -> None:
    """Beyond ruff's D rules: nested packages and names without an underscore in private files."""
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), "the module needs a docstring"
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} needs a docstring"


LIT_FILES = [
    path
    for path in tracked_files()
    if path.suffix in {".mlir", ".test"} and path.is_relative_to(ROOT / "test")
]


@pytest.mark.parametrize("path", LIT_FILES, ids=relative)
def test_lit_file(path: Path) -> None:
    text = path.read_text()
    assert "RUN:" in text
    assert len(text.splitlines()) <= TEST_LINES or "invalid" in path.stem or path.stem == "ops"
    assert re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", path.stem), "hyphenated words, lower case"
    wrong = unknown_directives(text)
    assert not wrong, f"filecheck ignores {wrong}"
    if "CHECK" in text:
        assert "filecheck" in text or "%roundtrip" in text


LIT_KEYWORDS = {"RUN", "COM", "REQUIRES", "UNSUPPORTED", "XFAIL"}
KNOWN_DIRECTIVES = {"", "NEXT", "SAME", "NOT", "DAG", "LABEL", "EMPTY"}


def unknown_directives(text: str) -> list[str]:
    """Return what looks like a check directive but is none, such as ``CHECK-NXT:``."""
    prefixes = {"CHECK"}
    for match in re.finditer(r"--check-prefix(?:es)?[= ](\S+)", text):
        prefixes.update(match[1].split(","))
    wrong: list[str] = []
    for match in re.finditer(r"^\s*(?://|#)\s*([A-Z][A-Z0-9_-]*)\s*(:?)", text, re.MULTILINE):
        word = match[1]
        prefix = max((p for p in prefixes if word.startswith(p)), key=len, default=None)
        if prefix is None:
            if word.startswith("CHECK") or (match[2] and word not in LIT_KEYWORDS):
                wrong.append(word)
            continue
        suffix = word.removeprefix(prefix).removeprefix("-")
        known = suffix in KNOWN_DIRECTIVES or re.fullmatch(r"COUNT-\d+", suffix)
        if not known or not match[2]:
            wrong.append(word)
    return wrong


def test_unknown_directives_are_found() -> None:
    assert unknown_directives("// CHECK-NXT: a\n// CHECK-COUNT-2: b\n// CHECK: c") == ["CHECK-NXT"]
    assert unknown_directives("// RUN: x --check-prefix=A\n// A-SAME: a\n// A-FOO: b") == ["A-FOO"]
    assert unknown_directives("// CHEK: a\n// CHECK  b") == ["CHEK", "CHECK"]


ERRORS = {"CompileError", "InputError", "ArtifactError", "VerifyException"}


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_errors_are_one_lower_case_line_without_a_full_stop(path: Path) -> None:
    wrong: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        if node.func.id in ERRORS and (text := _literal_text(node.args[0])) is not None:
            first_word = re.match(r"[A-Z]\w*", text)
            sentence = first_word is not None and not _is_name(first_word[0])
            if sentence or re.search(r"(?<!\.)\.$|\n", text):
                wrong.append(f"line {node.lineno}: {text}")
    assert not wrong


def _is_name(word: str) -> bool:
    """Return whether a capital is part of the word: an abbreviation or an ONNX operator."""
    return word.isupper() or onnx.defs.has(word)


MAKERS = (
    "passes",
    "dialects/graph",
    "dialects/loop/scalar.py",
    "dlc/lowering",
    "dlc/simt",
    "dlc/strategies",
)
"""Where the compiler makes ops of loops and of the GPU."""
UNUSED = "No lowering uses it"


def _is_made(op: type[Operation]) -> bool:
    """Return whether a pass or a lowering names the class of an op to make one."""
    makers = [p for p in SOURCES if relative(p).startswith(MAKERS)]
    call = rf"\b{op.__name__}\(|\(.*, {op.__name__}, "
    return any(re.search(call, path.read_text()) for path in makers)


@pytest.mark.parametrize("op", [*load_dialect("gpu").operations, *load_dialect("loop").operations])
def test_an_op_that_nothing_makes_says_why(op: type[Operation]) -> None:
    doc = " ".join((op.__doc__ or "").split())
    assert _is_made(op) != (UNUSED in doc)


def _literal_text(node: ast.expr) -> str | None:
    """Return the text of a string with ``{}`` for what is computed, ``None`` for anything else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_literal_text(part) or "{}" for part in parts)
        case _:
            return None


@pytest.mark.parametrize("name", ["dialects", "passes", "tools"])
def test_link(name: str) -> None:
    assert (ROOT / "dlc" / name).readlink() == Path("..") / name


def test_every_folder_of_modules_is_a_package() -> None:
    """Else it is missing from the wheel, though it can be imported from a checkout."""
    bare = {path.parent for path in SOURCES if not (path.parent / "__init__.py").is_file()}
    assert not bare


def test_every_other_file_of_the_package_is_in_the_wheel() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["dlc"]
    data = [p.relative_to(ROOT / "dlc") for p in tracked_files() if p.is_relative_to(ROOT / "dlc")]
    data = [p for p in data if p.suffix != ".py" and not (ROOT / "dlc" / p).is_symlink()]
    assert [p for p in data if not any(p.match(pattern) for pattern in patterns)] == []
