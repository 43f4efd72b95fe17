"""Temporary files of processes that end in every way, by real signals."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import onnx.parser
import pytest

from dlc.core.cache import Cache, cache_key
from dlc.scratch import ScratchFolder, remove_abandoned

HOLDS_A_FOLDER = """
import sys, time
from pathlib import Path
from dlc.scratch import ScratchFolder
folder = ScratchFolder(".dlc-test-", Path(sys.argv[1]))
(folder.path / "file").write_text("data")
print(folder.path, flush=True)
time.sleep(600)  # until the test ends it
"""


def holder(place: Path) -> "tuple[subprocess.Popen[str], Path]":
    """Return a process that has a folder in ``place``, and the folder."""
    command = [sys.executable, "-c", HOLDS_A_FOLDER, str(place)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout
    return child, Path(child.stdout.readline().strip())


def end(child: "subprocess.Popen[str]", number: int = signal.SIGKILL) -> int:
    child.send_signal(number)
    child.communicate(timeout=60)
    return child.returncode


def test_a_folder_goes_when_its_process_was_killed_and_not_before(tmp_path: Path) -> None:
    child, folder = holder(tmp_path)
    remove_abandoned(tmp_path)
    assert (folder / "file").read_text() == "data"
    end(child)
    assert folder.exists()
    remove_abandoned(tmp_path)
    assert not folder.exists()


def test_folders_of_this_process_stay(tmp_path: Path) -> None:
    with ScratchFolder("dlc-one-", tmp_path) as one:
        remove_abandoned(tmp_path)
        assert one.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_what_is_of_others_stays(tmp_path: Path) -> None:
    with ScratchFolder("dlc-", tmp_path) as ours:
        start = ours.name.split("-")[1]
    kept = {
        tmp_path / "dlc-build-00000000-abcdefgh": Path.mkdir,  # of another machine
        tmp_path / f"other-{start}-abcdefgh": Path.mkdir,
        tmp_path / f"dlc-{start}-abcdefgh.so": Path.mkdir,
        tmp_path / f"dlc-{start}-abcdefgh": Path.touch,
        tmp_path / f"dlc-{start}-abcdefgi": lambda path: path.symlink_to(tmp_path),
    }
    for path, make in kept.items():
        make(path)
    remove_abandoned(tmp_path)
    assert set(tmp_path.iterdir()) == set(kept)


def test_a_place_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    remove_abandoned(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_a_forked_child_leaves_a_folder_to_its_parent(tmp_path: Path) -> None:
    folder = ScratchFolder("dlc-", tmp_path)
    child = os.fork()
    if child == 0:
        folder.remove()
        os._exit(0)
    os.waitpid(child, 0)
    assert folder.path.is_dir()
    folder.remove()
    assert not folder.path.exists()


def test_many_makers_and_removers_do_not_meet(tmp_path: Path) -> None:
    """A folder that was just made and is not locked yet must not be lost to its maker."""
    script = (
        "import sys; from pathlib import Path\n"
        "from dlc.scratch import ScratchFolder, remove_abandoned\n"
        "for _ in range(300):\n"
        "    remove_abandoned(Path(sys.argv[1]))\n"
        "    with ScratchFolder('dlc-', Path(sys.argv[1])) as folder:\n"
        "        (folder / 'file').write_text('data')\n"
        "        assert (folder / 'file').read_text() == 'data'\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    children = [subprocess.Popen(command) for _ in range(4)]
    assert [child.wait(timeout=120) for child in children] == [0] * 4
    assert list(tmp_path.iterdir()) == []


MODEL = '<ir_version: 8, opset_import: ["" : 17]> m (float[4,8] x) => (float[4,8] y) { y = Exp(x) }'

SLOW_COMPILER = """#!/bin/sh
[ "$1" = --version ] && exec cc --version
echo $$ > {marker}
exec sleep {seconds}
"""


@pytest.fixture
def compile_slowly(tmp_path: Path) -> "Callable[[int], subprocess.Popen[str]]":
    """Return a function that starts a compile and waits until the C compiler runs, for a while."""
    onnx.save(onnx.parser.parse_model(MODEL), tmp_path / "model.onnx")
    marker, compiler = tmp_path / "marker", tmp_path / "slow-cc"
    for name in ("out", "tmp", "cache"):
        (tmp_path / name).mkdir()

    def start(seconds: int) -> "subprocess.Popen[str]":
        compiler.write_text(SLOW_COMPILER.format(marker=marker, seconds=seconds))
        compiler.chmod(0o755)
        command = compile_command(tmp_path)
        environment = compile_environment(tmp_path) | {"CC": str(compiler)}
        child = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        while not (marker.exists() and marker.read_text().strip()):
            assert child.poll() is None, child.communicate()
            time.sleep(0.05)  # until the compiler runs
        return child

    return start


def compile_command(place: Path) -> list[str]:
    tool = [sys.executable, "-m", "dlc.tools.dlc_compile", str(place / "model.onnx")]
    return [*tool, "--target", "cpu", "-o", str(place / "out" / "model.so")]


def compile_environment(place: Path) -> dict[str, str]:
    return os.environ | {"TMPDIR": str(place / "tmp"), "DLC_CACHE_DIR": str(place / "cache")}


def left(place: Path) -> list[str]:
    return sorted(path.name for name in ("out", "tmp") for path in (place / name).iterdir())


def test_the_next_compile_removes_what_a_killed_one_left(
    tmp_path: Path, compile_slowly: "Callable[[int], subprocess.Popen[str]]"
) -> None:
    assert end(compile_slowly(600)) == -signal.SIGKILL
    os.kill(int((tmp_path / "marker").read_text()), signal.SIGKILL)
    assert len(left(tmp_path)) >= 3
    subprocess.run(
        compile_command(tmp_path), env=compile_environment(tmp_path), check=True, timeout=300
    )
    assert left(tmp_path) == ["model.so"]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_compile_that_is_ended_leaves_nothing(
    tmp_path: Path, compile_slowly: "Callable[[int], subprocess.Popen[str]]", number: signal.Signals
) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    try:
        child = compile_slowly(2)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert end(child, number) == 128 + number
    assert left(tmp_path) == []


def test_a_compile_under_nohup_goes_on(
    tmp_path: Path, compile_slowly: "Callable[[int], subprocess.Popen[str]]"
) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup has it
    try:
        child = compile_slowly(3)
    finally:
        signal.signal(signal.SIGHUP, before)
    child.send_signal(signal.SIGHUP)
    time.sleep(0.5)  # time enough to end, if the signal were not ignored
    assert child.poll() is None
    assert end(child, signal.SIGTERM) == 128 + signal.SIGTERM
    assert left(tmp_path) == []


@pytest.mark.parametrize("limit", [0, 4096, 15000])
def test_a_compile_without_room_for_its_files_leaves_nothing(tmp_path: Path, limit: int) -> None:
    """Every file may have so many bytes: a stand-in for a full disk."""
    onnx.save(onnx.parser.parse_model(MODEL), tmp_path / "model.onnx")
    for name in ("out", "tmp", "cache"):
        (tmp_path / name).mkdir()
    script = (
        "import resource, runpy, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "sys.argv = ['-m', *sys.argv[1:]]\n"
        "runpy.run_module('dlc.tools.dlc_compile', run_name='__main__', alter_sys=True)\n"
    )
    command = [sys.executable, "-c", script, *compile_command(tmp_path)[3:]]
    done = subprocess.run(
        command, env=compile_environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(errors) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert left(tmp_path) == []


def test_a_cache_that_cannot_be_written_to_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, key = Cache("object", tmp_path), cache_key("text")
    cache.put(key, b"code")

    def refuse(*arguments: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    assert cache.get(key) == b"code"
    cache.copy_from(key, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes().endswith(b"code")


needs_mounts = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare"), reason="needs root to mount a file system"
)


@needs_mounts
def test_a_read_only_mount_of_a_filled_cache_is_used(tmp_path: Path) -> None:
    filled = tmp_path / "filled"
    cache, key = Cache("object", filled), cache_key("text")
    cache.put(key, b"code")
    script = (
        "from pathlib import Path; import sys; from dlc.core.cache import Cache\n"
        "cache = Cache('object', Path(sys.argv[1])); cache.put('ab' * 32, b'new')\n"
        "assert not cache.path('ab' * 32).exists()\n"
        "assert cache.get(sys.argv[2]) == b'code'\n"
    )
    mount = f"mount --bind {filled} {filled} && mount -o remount,bind,ro {filled} && exec "
    words = 'exec "$0" "$@"'
    command = ["unshare", "-m", "sh", "-c", mount.removesuffix("exec ") + words]
    done = subprocess.run(
        [*command, sys.executable, "-c", script, filled, key],
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"no mounts here: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
