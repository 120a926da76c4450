"""Downloads the header sets of `sets.toml` into a folder. Headers are never committed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

_HEADERS = (".h", ".hpp", ".cuh", ".hip", ".inl", ".ipp", ".pxd", ".so", ".py", ".in")


def sets() -> list[dict[str, Any]]:
    """The header sets, in the order of the file: each vendor's from old to new."""
    text = Path(__file__).with_name("sets.toml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)["set"]
    return found


def mentions() -> list[dict[str, Any]]:
    """The other texts of the file, as `mentions` reads them."""
    text = Path(__file__).with_name("sets.toml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)["mention"]
    return found


def fetch(folder: Path, git_base: str, names: list[str]) -> None:
    """Downloads the sets called `names` (all when empty) that `folder` does not hold yet."""
    others = [{**e, "name": f"mention-{e['name']}"} for e in mentions() if "of" not in e]
    for entry in [*sets(), *(e for e in others if "clang" not in e)]:
        target = folder / entry["name"]
        if (names and entry["name"] not in names) or (target / ".complete").exists():
            continue
        print(f"{entry['name']} …", flush=True)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for wheel in entry.get("wheels", []):
            _wheel(wheel, folder / "wheels", target)
        for source in entry.get("git", []):
            _git(source, git_base, target / "include")
        (target / ".complete").touch()


def root(folder: Path, entry: dict[str, Any]) -> Path:
    """The include folder of a set (the import root for bindings)."""
    if "system" in entry:
        return Path("/usr/include")
    return folder / str(entry["name"]) / ("" if "bindings" in entry else "include")


def _wheel(requirement: str, cache: Path, target: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    name, version = requirement.split("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(cache.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(cache)]
        subprocess.run([*command, requirement], check=True)
    with zipfile.ZipFile(next(cache.glob(pattern))) as archive:
        for item in archive.namelist():
            # nvidia/…/include/x.h, triton/backends/amd/include/x.h; bindings keep their paths.
            _, found, below = item.partition("/include/")
            if name.startswith("rocm-bindings"):
                below = item
            elif not found or not (item.startswith("nvidia/") or "/amd/include/" in item):
                continue
            below = below.removeprefix("cccl/")
            if item.endswith("/") or not (Path(item).suffix in _HEADERS or "cccl" in item):
                continue
            base = target if name.startswith("rocm-bindings") else target / "include"
            path = base / below
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(item))


def _git(source: dict[str, Any], git_base: str, target: Path) -> None:
    url = f"{git_base}{source['repo']}"
    commit = source["commit"]
    work = target.parent / "git"
    if Path(url).is_dir():
        git = ["git", "-C", url]
    else:
        shutil.rmtree(work, ignore_errors=True)
        subprocess.run(["git", "init", "-q", str(work)], check=True)
        git = ["git", "-C", str(work)]
        subprocess.run([*git, "remote", "add", "origin", url], check=True)
        # Blobs come on demand: a few folders of large repositories are needed.
        part = ["fetch", "-q", "--depth", "1", "--filter=blob:none", "origin", commit]
        subprocess.run([*git, *part], check=True)
    for path, place in source["paths"].items():
        archive = subprocess.run(
            [*git, "archive", commit, path], check=True, capture_output=True
        ).stdout
        with tarfile.open(fileobj=BytesIO(archive)) as tar:
            for member in tar.getmembers():
                if not member.isfile():
                    continue
                below = member.name.removeprefix(path).lstrip("/")
                out = target / place / below if below else target / place
                # A template that CMake fills in: what it defines is good enough to be read.
                out = out.with_suffix("") if out.suffix == ".in" else out
                out.parent.mkdir(parents=True, exist_ok=True)
                file = tar.extractfile(member)
                assert file is not None
                out.write_bytes(file.read())
    shutil.rmtree(work, ignore_errors=True)
