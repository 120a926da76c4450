"""Reads compile_commands.json: sources, include folders and the words of commands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from portgpu.errors import UsageError


def entries(where: str | Path) -> Iterator[tuple[Path, Path, list[str]]]:
    """(source, working folder, words of the command) of a compile_commands.json or its folder.

    Raises `UsageError` for a file that is missing or no compile database.
    """
    path = Path(where)
    path = path / "compile_commands.json" if path.is_dir() else path
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint="give the file or its folder") from error
    except ValueError as error:
        raise _no_database(path, f"no JSON: {error}") from error
    if not isinstance(listed, list):
        raise _no_database(path, "not a list of entries")
    for number, entry in enumerate(listed, 1):
        texts = [entry.get(key) for key in ("directory", "file")] if isinstance(entry, dict) else []
        if not texts or not all(isinstance(text, str) for text in texts):
            raise _no_database(path, f'entry {number} has no texts "directory" and "file"')
        words = entry.get("arguments")
        if words is None:
            try:
                words = shlex.split(entry.get("command") or "")
            except (ValueError, AttributeError, TypeError) as error:
                text = f'the "command" of entry {number} cannot be read'
                raise _no_database(path, text) from error
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise _no_database(path, f'"arguments" of entry {number} is no list of texts')
        base = Path(entry["directory"])
        yield base / entry["file"], base, words


def _no_database(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{path}: not a compile database: {why}", hint="cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
    )


def sources(where: str) -> tuple[list[Path], list[Path]]:
    """CUDA sources and include folders of a compile_commands.json."""
    found: dict[Path, None] = {}
    folders: dict[Path, None] = {}
    for source, base, words in entries(where):
        if source.suffix in (".cu", ".cuh"):
            found[source] = None
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word == "-I":
                folders[base / following] = None
            elif word.startswith("-I"):
                folders[base / word[2:]] = None
    return list(found), list(folders)
