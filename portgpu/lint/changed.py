"""Lines that changed since a git revision."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from portgpu.errors import UsageError
from portgpu.findings import Finding

_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def changed_lines(revision: str, root: Path) -> dict[str, set[int]]:
    """Added and changed lines of each file in the work tree, by path relative to `root`.

    Files that git does not track yet count as changed as a whole (an empty set). Raises
    `UsageError` when git is missing, `root` is no repository or the revision is unknown.
    """
    diff = _git(
        root, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--relative", "--no-prefix",
        "--diff-filter=d", "--end-of-options", revision, "--", ".",
    )  # fmt: skip
    found: dict[str, set[int]] = {}
    path = ""
    for line in diff.split("\n"):
        if line.startswith("+++ "):
            path = _unquote(line[4:].rstrip("\t\r"))
        hunk = _HUNK.match(line)
        if hunk and path:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            found.setdefault(path, set()).update(range(first, first + count))
    for name in _git(root, "ls-files", "--others", "--exclude-standard", "-z").split("\0"):
        if name:
            found[name] = set()
    return found


def keep_changed(findings: Iterable[Finding], lines: dict[str, set[int]]) -> list[Finding]:
    """The findings on changed lines."""
    kept = []
    for finding in findings:
        here = lines.get(os.path.normpath(finding.path))
        if here is not None and (not here or finding.line in here):
            kept.append(finding)
    return kept


def _unquote(path: str) -> str:
    """Git quotes unusual bytes as C strings with octal escapes."""
    if not path.startswith('"'):
        return path
    raw = path[1:-1].encode("latin-1", "replace").decode("unicode_escape").encode("latin-1")
    return raw.decode("utf-8", "replace")


def _git(root: Path, *args: str) -> str:
    try:
        done = subprocess.run(
            ["git", *args], cwd=root, capture_output=True, text=True, errors="replace", check=False
        )
    except FileNotFoundError as error:
        raise UsageError("--since needs git", hint="install git, or leave --since out") from error
    if done.returncode != 0:
        reason = done.stderr.strip().split("\n")[0]
        raise UsageError(
            f"git could not compare with the revision: {reason}",
            hint="name a commit, branch or tag of this repository, for example origin/main",
        )
    return done.stdout
