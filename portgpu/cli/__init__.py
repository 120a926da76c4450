"""The command line. One module a command; a module is imported only when its command runs."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from portgpu import __version__, console
from portgpu.errors import BuildError, Exit, PortgpuError, nearest

# Command name -> one-line help. The module is portgpu.cli.<name>; its click command is `command`.
COMMANDS: dict[str, str] = {
    "build": "Build sources for CUDA, ROCm or the CPU, and read the result back.",
    "test": "Run a project's tests, or the op library's, on a target.",
    "run": "Compile and run a CUDA, HIP or dialect program.",
    "translate": "Rewrite CUDA sources to HIP (or back) and report what is left.",
    "hipify": "Drop-in for hipify-clang and hipify-perl: their flags and output.",
    "headers": "Render the headers that compile CUDA sources unchanged for ROCm.",
    "lint": "Find code that does not mean the same on NVIDIA and AMD.",
    "mapping": "Explain what a CUDA or HIP name becomes on the other side.",
    "explain": "Show the page of a finding ID.",
    "inspect": "Show architectures, kernels, registers and spills of binaries.",
    "report": "Write an HTML, Markdown or text report about a project.",
    "doctor": "Show compilers and devices, and how to install what is missing.",
    "wheel": "Build the op library as a wheel for a target.",
    "cache": "Show or clear the cache of kernels compiled at run time.",
    "matrix": "Print the vendor x arch x toolchain matrix for CI.",
}


# Other names of a command, under which it behaves as the tool of that name.
ALIASES = {"hipify-clang": "hipify", "hipify-perl": "hipify"}


# What writing to standard output fails with.
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF))


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"portgpu.cli.{cmd_name}").command
        # Importing the module portgpu.cli.run must not hide the function of that name.
        globals()["run"] = _run
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            hint = nearest(name, list(COMMANDS)) or "portgpu --help lists the commands"
            raise click.UsageError(f"no command is called {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table, so that --help imports no command module.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="portgpu")
def cli() -> None:
    """GPU kernels written once, built and tested for CUDA, ROCm and the CPU.

    Exit codes: 0 clean, 1 findings, 2 usage, 3 toolchain, 4 translation, 5 build, 6 tests,
    7 no device, 8 unproven binaries, 9 files, 70 internal, 130 interrupted.
    """


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line in this process and return its exit code; prints errors to stderr."""
    try:
        result: Any = cli.main(args=args, prog_name="portgpu", standalone_mode=False)
        sys.stdout.flush()  # so that a full disk is told here, and ends with 9
        return int(result) if isinstance(result, int) else int(Exit.OK)
    except PortgpuError as error:
        _print_error(error)
        return int(error.exit_code)
    except click.ClickException as error:
        error.show()
        return int(Exit.USAGE)
    except (click.Abort, KeyboardInterrupt):
        click.echo("portgpu: interrupted; the build folder can be used again", err=True)
        return int(Exit.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away (`portgpu … | head`); not an error of ours.
        console.discard_output()
        return int(Exit.OK)
    except OSError as error:
        unnamed = "standard output" if error.errno in _FULL else ""
        place = f"{name}: " if (name := error.filename or unnamed) else ""
        click.echo(f"portgpu: error: {place}{error.strerror or error}", err=True)
        click.echo("  next: check that the path exists, is writable, and has room", err=True)
        if unnamed and not error.filename:
            console.discard_output()
        return int(Exit.IO)
    except Exception as error:
        if os.environ.get("PORTGPU_DEBUG"):
            raise
        click.echo(f"portgpu: internal error: {type(error).__name__}: {error}", err=True)
        click.echo("  next: run again with PORTGPU_DEBUG=1 and report the traceback", err=True)
        return int(Exit.INTERNAL)


_run = run


def main() -> None:
    """Entry point of the console script. SIGTERM and SIGHUP act like Ctrl-C: children end too."""
    import gc
    import signal

    _open_closed_streams()
    gc.set_threshold(50_000)  # what a run makes lives to its end: looking for garbage costs a tenth

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for kind in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(kind) is signal.SIG_DFL:  # nohup ignores SIGHUP
            signal.signal(kind, interrupt)
    sys.exit(run())


def _open_closed_streams() -> None:
    """Standard streams that are closed become /dev/null: no file may get their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        opened = os.open(os.devnull, os.O_RDWR)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def _print_error(error: PortgpuError) -> None:
    if error.detail:
        click.echo(error.detail.rstrip("\n"), err=True)
    click.echo(f"portgpu: error: {error.message}", err=True)
    hint = error.hint
    if isinstance(error, BuildError) and "PG4" not in error.message:
        from portgpu.toolchain import libraries

        hint = libraries.advice(error.detail) or hint
    if hint:
        click.echo(f"  next: {hint}", err=True)
