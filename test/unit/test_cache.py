from pathlib import Path

import pytest

from dlc.core.cache import Cache, cache_key, write_atomically


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
        write_atomically(path, "text is no bytes")  # pyright: ignore[reportArgumentType]
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert path.read_bytes() == b"old"
