import os
import time
from pathlib import Path

import pytest

from dlc.core.cache import Cache, cache_key, cache_root, write_atomically


@pytest.mark.parametrize(
    ("own", "of_user", "root"),
    [
        ("/own", "/user", "/own"),
        ("here", "/user", "here"),
        (None, "/user", "/user/dlc"),
        ("", "/user", "/user/dlc"),
        (None, None, "/home/me/.cache/dlc"),
        (None, "", "/home/me/.cache/dlc"),
        (None, "here", "/home/me/.cache/dlc"),  # the XDG specification allows no relative path
    ],
)
def test_where_the_cache_is(
    monkeypatch: pytest.MonkeyPatch, own: str | None, of_user: str | None, root: str
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in (("DLC_CACHE_DIR", own), ("XDG_CACHE_HOME", of_user)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert cache_root() == Path(root)


def test_a_key_tells_where_its_parts_end() -> None:
    assert cache_key("ab", "c") != cache_key("a", "bc")
    assert cache_key("ab", b"c") == cache_key(b"ab", "c")


def test_stored_bytes_come_back_and_unknown_keys_give_none(tmp_path: Path) -> None:
    cache = Cache("object", tmp_path)
    key = cache_key("text")
    assert cache.get(key) is None
    cache.put(key, b"\x00bytes")
    assert Cache("object", tmp_path).get(key) == b"\x00bytes"
    assert Cache("cubin", tmp_path).get(key) is None


def test_damaged_bytes_are_none(tmp_path: Path) -> None:
    cache, key = Cache("object", tmp_path), cache_key("text")
    cache.put(key, b"bytes")
    stored = cache.path(key).read_bytes()
    for damaged in (b"", stored[:-1], stored + b"x", stored[:-1] + b"S"):
        cache.path(key).write_bytes(damaged)
        assert cache.get(key) is None


def test_what_was_used_last_is_kept(tmp_path: Path) -> None:
    cache, keys = Cache("object", tmp_path), [cache_key(str(n)) for n in range(4)]
    for age, key in enumerate(keys):
        cache.put(key, bytes(68))  # 100 with the seal
        os.utime(cache.path(key), (age, age))
    cache.get(keys[0])
    cache.trim(250)
    assert [cache.path(key).exists() for key in keys] == [True, False, False, True]


def test_many_small_files_are_looked_over_once_an_hour(tmp_path: Path) -> None:
    cache, key = Cache("object", tmp_path), cache_key("text")
    cache.trim_hourly(0)  # before there is anything
    cache.put(key, b"first")
    cache.trim_hourly(0)
    assert not cache.path(key).exists()
    cache.put(key, b"second")
    cache.trim_hourly(0)
    assert cache.path(key).exists()
    (note,) = cache.folder.glob("looked-over")
    hour_ago = time.time() - 3601
    os.utime(note, (hour_ago, hour_ago))
    cache.trim_hourly(0)
    assert not cache.path(key).exists()


def test_files_of_others_are_not_trimmed(tmp_path: Path) -> None:
    cache, key = Cache("object", tmp_path), cache_key("text")
    cache.put(key, b"bytes")
    (cache.path(key).parent / "notes.txt").write_text("of a user")
    cache.trim(0)
    assert [path.name for path in tmp_path.glob("*/*/*")] == ["notes.txt"]


def test_lookups_are_counted(tmp_path: Path) -> None:
    before = Cache.lookups.copy()
    Cache("counted", tmp_path).put("k" * 64, b"x")
    found = [Cache("counted", tmp_path).get(key * 64) for key in "kkn"]
    assert found == [b"x", b"x", None]
    assert Cache.lookups - before == {("counted", True): 2, ("counted", False): 1}


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))
    assert Cache("object").folder == tmp_path / "object"


def test_a_folder_that_cannot_be_written_costs_only_the_reuse(tmp_path: Path) -> None:
    (tmp_path / "object").write_text("a file where the folder should be")
    cache = Cache("object", tmp_path)
    cache.put("k" * 64, b"x")
    assert cache.get("k" * 64) is None


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    write_atomically(path, b"old")
    with pytest.raises(TypeError):
        write_atomically(path, "text is no bytes")  # pyright: ignore[reportArgumentType]  (wrong on purpose)
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert path.read_bytes() == b"old"
