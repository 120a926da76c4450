"""Compiling a program's objects in parallel and linking them, with the result kept by content."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from portgpu import process
from portgpu.errors import BuildError, OutputError
from portgpu.run.sources import key


def compile_all(
    jobs: Sequence[tuple[Path, Sequence[str | Path]]],
    env: Mapping[str, str],
    *,
    verbose: bool,
    hint: str = "",
) -> None:
    """Run compile commands that lack their output `(object, command)`, as many at once as cores."""
    missing = [(out, command) for out, command in jobs if not out.is_file()]

    def one(job: tuple[Path, Sequence[str | Path]]) -> None:
        out, command = job
        partial = out.with_suffix(f".{os.getpid()}.tmp{out.suffix}")
        out.parent.mkdir(parents=True, exist_ok=True)
        try:
            done = process.run(
                [*command, "-o", partial],
                env=env,
                error=BuildError,
                what=f"compiling {out.stem}",
                hint=hint,
            )
            if verbose:
                print(done.transcript(), end="")
            partial.replace(out)
        finally:
            partial.unlink(missing_ok=True)

    if missing:
        _room(missing[0][0].parent)
        process.each(one, missing)


def compiler_key(compiler: Path, version: str) -> str:
    """Identity of a compiler: path, version and date of the file."""
    real = Path(shutil.which(str(compiler)) or compiler).resolve()
    stat = real.stat() if real.exists() else None
    return key(str(real), version, stat.st_mtime_ns if stat else 0, stat.st_size if stat else 0)


def _room(folder: Path) -> None:
    if shutil.disk_usage(folder if folder.exists() else folder.parent).free < 16 << 20:
        raise OutputError(
            f"{folder}: less than 16 MiB are free", hint="make room, or --build-dir DIR"
        )
