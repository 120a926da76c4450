"""`hip_added` against headers whose version is known: Debian's packages of the libraries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portgpu.mapping import load
from portgpu.translate.api import version

# family -> folder of installed headers, their package
_INSTALLED = {
    "sparse": ("hipsparse", "libhipsparse-dev"),
    "rand": ("hiprand", "libhiprand-dev"),
}


def _release(package: str) -> tuple[int, ...]:
    status = Path("/var/lib/dpkg/status")
    text = status.read_text(encoding="utf-8", errors="replace") if status.exists() else ""
    found = re.search(rf"^Package: {package}\n(?:.+\n)*?Version: (\d+)\.(\d+)", text, re.MULTILINE)
    if found is None:
        pytest.skip(f"{package} is not installed")
    return tuple(map(int, found.groups()))


@pytest.mark.parametrize("family", sorted(_INSTALLED))
def test_installed_headers_have_what_is_that_old(family: str) -> None:
    folder, package = _INSTALLED[family]
    release = _release(package)
    paths = [p for p in Path("/usr/include", folder).rglob("*.h*") if "nvcc" not in p.name]
    texts = [p.read_text("utf-8") for p in paths]
    words = set(re.findall(r"[A-Za-z_]\w*", "\n".join(texts)))
    rows = [r for r in load().family(family) if r.hip.lower().startswith(folder) and r.hip_added]
    assert len(rows) > 50
    wrong = [
        (r.hip, r.hip_added)
        for r in rows
        if not r.hip_removed and (version(r.hip_added)[:2] <= release) != (r.hip in words)
    ]
    assert not wrong


def test_names_that_are_old() -> None:
    """As in the tags of hipCUB, rocThrust and rccl."""
    tables = load()
    for name in ("cub::DeviceReduce::Sum", "thrust::sort", "ncclCommInitRank"):
        row = tables.get(name)
        assert row is not None and (0,) < version(row.hip_added) <= (5, 2, 0), row
    late = tables.get("CUDNN_ATTR_ENGINE_GLOBAL_INDEX")
    assert late is not None and late.hip_added == "6.2.0"
