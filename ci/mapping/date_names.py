"""Finds since when AMD's libraries have a name, in the tags of their repositories.

    python ci/mapping/date_names.py FOLDER [--write]

FOLDER holds AMD's repositories with their tags: `FOLDER/hipBLAS`, `FOLDER/hipCUB`, … A name counts
from the oldest release on since when every later one has it in a public header, comments aside. One
that the oldest release there is has already gets that version if it is older than 5.2, the oldest
HIP that portgpu knows; else its row stays empty. Rows with a version from AMD's own lists, and of
names that no header there has, stay as they are.
"""

from __future__ import annotations

import csv
import functools
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

MAPPING = Path(__file__).resolve().parents[2] / "portgpu" / "data" / "mapping"
# family -> repository, the folder of its public headers
WHERE = {
    "blas": ("hipBLAS", "library/include/"),
    "fft": ("hipFFT", "library/include/"),
    "rand": ("hipRAND", "library/include/"),
    "sparse": ("hipSPARSE", "library/include/"),
    "solver": ("hipSOLVER", "library/include/"),
    "dnn": ("MIOpen", "include/miopen/"),
    "nccl": ("rccl", "src/nccl.h.in"),
    "cub": ("hipCUB", "hipcub/include/"),
    "thrust": ("rocThrust", "thrust/"),
    "nvtx": ("roctracer", "inc/"),
    "runtime": ("HIP", "include/"),
    "driver": ("HIP", "include/"),
    "errors": ("HIP", "include/"),
    "half": ("clr", "hipamd/include/"),
    "device": ("clr", "hipamd/include/"),
}
OLDEST = (5, 2)
_TAG = re.compile(r"rocm-(\d+)\.(\d+)(?:\.(\d+))?\Z")
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_HEADERS = (".h", ".hpp", ".h.in", ".inl")
_NOT_AMD = re.compile(r"/detail/|/nvidia_detail/|_nvcc|/backend/cub/|/system/cuda/")

Version = tuple[int, int, int]


class Repository:
    """One library's releases, and the identifiers of its headers in each."""

    def __init__(self, folder: Path, under: str) -> None:
        self._folder, self._under = folder, under
        found = {}
        for tag in self._git("tag").decode().split():
            match = _TAG.match(tag)
            if match:
                major, minor, patch = match.groups()
                found[(int(major), int(minor), int(patch or 0))] = tag
        self.versions = sorted(found)
        self._tags = found

    def _git(self, *words: str) -> bytes:
        command = ["git", "-C", str(self._folder), *words]
        return subprocess.run(command, capture_output=True, check=True).stdout

    @functools.cached_property
    def files(self) -> dict[Version, dict[str, str]]:
        """Version -> header -> hash of its content."""
        every = {}
        for version in self.versions:
            listing = self._git("ls-tree", "-r", self._tags[version], self._under).decode()
            rows = [line.split(maxsplit=3) for line in listing.splitlines()]
            every[version] = {
                path: blob
                for _, _, blob, path in rows
                if path.endswith(_HEADERS) and not _NOT_AMD.search(path)
            }
        return every

    @functools.cache  # noqa: B019 -- lives as long as the program
    def words(self, blob: str) -> frozenset[str]:
        text = _COMMENT.sub(b" ", self._git("cat-file", "blob", blob))
        return frozenset(w.decode() for w in re.findall(rb"[A-Za-z_]\w*", text))

    def has(self, version: Version, name: str) -> bool:
        """Whether one header has every part of a qualified name."""
        parts = set(name.split("::")) - {"hipcub", "thrust"}
        if not self.files[version]:
            return False
        return any(parts <= self.words(blob) for blob in self.files[version].values())

    def has_header(self, version: Version, name: str) -> bool:
        return any(f"/{path}".endswith(f"/{name}") for path in self.files[version])

    def since(self, name: str, header: bool = False) -> Version | None:
        """The oldest release from which on all have it; None where the newest lacks it."""
        first = None
        for version in reversed([v for v in self.versions if self.files[v]]):
            if not (self.has_header if header else self.has)(version, name):
                break
            first = version
        return first

    def begins(self) -> Version:
        return next(v for v in self.versions if self.files[v])


def dated(row: dict[str, str], where: Repository, header: bool) -> str | None:
    """The row's `hip_added` by the tags; None where they do not tell."""
    since = where.since(row["hip"], header)
    if since is None:
        return None
    if since == where.begins() and since[:2] > OLDEST:
        return ""
    return ".".join(map(str, since))


def main(arguments: Iterable[str]) -> int:
    words = [a for a in arguments if a != "--write"]
    if len(words) != 1 or not Path(words[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    write = "--write" in arguments
    repositories = {}
    for family, (name, under) in WHERE.items():
        place = Path(words[0], name)
        if not place.is_dir():
            print(f"{name}: no clone in {words[0]}", file=sys.stderr)
            return 2
        repositories[family] = Repository(place, under)
    for family in [*WHERE, "headers"]:
        path = MAPPING / f"{family}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            columns, rows = list(reader.fieldnames or ()), list(reader)
        changed: Counter[tuple[str, str]] = Counter()
        for row in rows:
            header = family == "headers"
            owner = family
            if header:
                owner = {"thrust": "thrust", "hipcub": "cub"}.get(row["hip"].split("/")[0], "")
            if not row["hip"] or owner not in repositories or row["hip_removed"]:
                continue
            # Values older than the newest set of headers come from AMD's own lists.
            if row["hip_added"] != "6.3.0":
                continue
            value = dated(row, repositories[owner], header)
            if value is not None and value != row["hip_added"]:
                changed[row["hip_added"], value or "unknown"] += 1
                row["hip_added"] = value
        print(f"{family}: {sum(changed.values())} changed", dict(changed.most_common(12)))
        if write and changed:
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
