"""Every way portgpu can end: one error type and one exit code a kind.

`docs/exit-codes.md` is rendered from `EXIT_CODES`. An error says what went wrong, where, and what
to do next (`hint`); the command line prints it and exits with the type's code.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the `portgpu` command."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    TOOLCHAIN = 3
    TRANSLATE = 4
    BUILD = 5
    TEST = 6
    NO_DEVICE = 7
    UNPROVEN = 8
    IO = 9
    INTERNAL = 70
    INTERRUPTED = 130


EXIT_CODES: dict[Exit, str] = {
    Exit.OK: "done; nothing to report",
    Exit.FINDINGS: "done; there are findings (translate, lint, headers), or files differ (--check)",
    Exit.USAGE: "bad command line, configuration or input file; nothing was changed",
    Exit.TOOLCHAIN: "a compiler or tool is missing, too old, or does not know the architecture",
    Exit.TRANSLATE: "a source cannot be translated at all",
    Exit.BUILD: "a compiler or linker failed",
    Exit.TEST: "a test failed",
    Exit.NO_DEVICE: "the device that a test names is not here",
    Exit.UNPROVEN: "the build finished, but its binaries do not hold what was asked for",
    Exit.IO: "a file or folder cannot be read or written",
    Exit.INTERNAL: "a fault of portgpu itself",
    Exit.INTERRUPTED: "stopped by Ctrl-C or a signal; the build folder can be used again",
}


class PortgpuError(Exception):
    """Base of all errors that a user can meet.

    `message` says what and where, `hint` what to do next, `detail` carries long text such as a
    compiler's output, printed as it is.
    """

    exit_code: Exit = Exit.INTERNAL

    def __init__(self, message: str, *, hint: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail = detail


class UsageError(PortgpuError):
    """A wrong option, target, architecture or argument."""

    exit_code = Exit.USAGE


class ConfigError(UsageError):
    """A mistake in portgpu.toml; the message starts with file:line where that is known."""


class InputError(UsageError):
    """An input file that is missing or cannot be understood."""


class ToolchainError(PortgpuError):
    """A compiler or tool is missing, too old, or does not know what was asked of it."""

    exit_code = Exit.TOOLCHAIN


class TranslateError(PortgpuError):
    """A source that cannot be translated at all."""

    exit_code = Exit.TRANSLATE


class BuildError(PortgpuError):
    """A compiler or linker failed; `detail` has its command and output."""

    exit_code = Exit.BUILD


class TestError(PortgpuError):
    """At least one test failed."""

    __test__ = False  # not a pytest class
    exit_code = Exit.TEST


class NoDeviceError(PortgpuError):
    """A device that was asked for is not here."""

    exit_code = Exit.NO_DEVICE


class UnprovenError(PortgpuError):
    """The binaries do not hold what was asked for."""

    exit_code = Exit.UNPROVEN


class OutputError(PortgpuError):
    """A file or folder cannot be read or written."""

    exit_code = Exit.IO


class InternalError(PortgpuError):
    """A fault of portgpu itself."""


def nearest(word: str, choices: Sequence[str]) -> str:
    """A "did you mean" sentence for a misspelt `word`, or an empty string."""
    import difflib

    close = difflib.get_close_matches(word, choices, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else ""
