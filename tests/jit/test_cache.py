"""The disk cache of compiled kernels: keys, torn files, bounds, concurrent processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from portgpu import cli
from portgpu.errors import Exit, UsageError
from portgpu.jit.cache import Cache, digest, limit


def test_digests_know_borders() -> None:
    assert digest(["ab", "c"]) != digest(["a", "bc"]) != digest(["abc"])
    assert digest(["a", b"b"]) == digest([b"a", "b"])


def test_torn_files_are_not_used(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 20)
    key = digest(["x"])
    assert cache.get(key) is None
    cache.put(key, b"content" * 100)
    assert cache.get(key) == b"content" * 100
    path = cache.path(key)
    whole = path.read_bytes()
    for torn in (whole[:-1], whole[:20], b"", whole[:-3] + b"xyz", b"other" + whole):
        path.write_bytes(torn)
        assert cache.get(key) is None and not path.exists()


def test_size_is_bounded(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 5000)
    keys = [digest([str(i)]) for i in range(20)]
    for i, key in enumerate(keys):
        cache.put(key, bytes(1000))
        os.utime(cache.path(key), (i, i))
        if i > 1:
            assert cache.get(keys[0]) is not None  # used again: it stays
    assert cache.info().size <= 5000
    assert cache.get(keys[0]) is not None and cache.get(keys[1]) is None
    cache.put(digest(["big"]), bytes(6000))
    assert cache.get(digest(["big"])) is None


def test_processes_share_a_folder(tmp_path: Path) -> None:
    """Writers of the same keys at once: every read is whole."""
    code = (
        "import sys; from pathlib import Path; from portgpu.jit.cache import Cache, digest\n"
        "cache = Cache(Path(sys.argv[1]), 1 << 20)\n"
        "for turn in range(60):\n"
        "    for n in range(4):\n"
        "        key = digest([str(n)])\n"
        "        cache.put(key, bytes([n]) * 20000)\n"
        "        found = cache.get(key)\n"
        "        assert found is None or found == bytes([n]) * 20000\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    assert [child.wait() for child in children] == [0, 0, 0]
    assert Cache(tmp_path, 1 << 20).info().entries == 4
    assert not list(tmp_path.rglob(".new-*"))


def test_an_unusable_folder_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "jit").write_text("in the way")
    cache = Cache(tmp_path, 1 << 20)
    cache.put(digest(["x"]), b"y")
    assert cache.get(digest(["x"])) is None


def test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORTGPU_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PORTGPU_CACHE_LIMIT", "123456")
    Cache().put(digest(["x"]), bytes(1000))
    assert cli.run(["cache", "info"]) == Exit.OK
    said = capsys.readouterr().out
    assert str(tmp_path) in said and "entries  1" in said and "123,456" in said
    assert cli.run(["cache", "clear"]) == Exit.OK
    assert "removed 1 entries" in capsys.readouterr().out
    assert Cache().info().entries == 0
    monkeypatch.setenv("PORTGPU_CACHE_LIMIT", "1G")
    with pytest.raises(UsageError, match="no number of bytes"):
        limit()
