"""The cache folder of the tests of the JIT."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def cache(jit_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("PORTGPU_CACHE_DIR", str(jit_folder))
    yield jit_folder
