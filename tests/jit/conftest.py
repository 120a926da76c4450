"""One cache folder for the tests of the JIT, so that equal kernels compile once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def jit_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jit-cache")


@pytest.fixture
def cache(jit_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("PORTGPU_CACHE_DIR", str(jit_folder))
    yield jit_folder
