"""What the user chose; apart, so that a run answered from the cache imports little else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """What changes findings. warp: `logical`, `native`; mode: `auto`, `cuda`, `hip`, `dialect`."""

    warp: str = "logical"
    mode: str = "auto"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    semantics: bool = True  # ask libclang for types and constants


def chosen(finding_id: str, options: Options) -> bool:
    """Whether the options leave an ID, by itself or by a prefix."""

    def named(words: tuple[str, ...]) -> bool:
        return finding_id.startswith(tuple(word.upper() for word in words))

    return (not options.select or named(options.select)) and not named(options.ignore)
