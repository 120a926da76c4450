"""`python -m portgpu.testing`: test a built library with nothing but NumPy installed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from portgpu.errors import Exit, PortgpuError
from portgpu.run import names
from portgpu.testing.cases import LEVELS
from portgpu.testing.report import FORMATS
from portgpu.testing.session import WIDTHS, Options, parse_libs, run


def parser() -> argparse.ArgumentParser:
    """The options of the stand-alone runner."""
    p = argparse.ArgumentParser(
        prog="python -m portgpu.testing",
        description="Run the op library's test plan on a built library. Needs NumPy only.",
    )
    p.add_argument("--target", choices=names(), action="append", default=[])
    p.add_argument("--lib", action="append", required=True, metavar="[TARGET=]PATH")
    p.add_argument("--warp-size", choices=("32", "64", "both"), default="both")
    p.add_argument("--level", choices=LEVELS, default="default")
    p.add_argument("--quick", dest="level", action="store_const", const="quick")
    p.add_argument("--full", dest="level", action="store_const", const="full")
    p.add_argument(
        "--large", action="store_true", help="also cases beyond 2^31 elements (20 GB of memory)"
    )
    p.add_argument(
        "--fuzz", type=int, default=8, metavar="N", help="random wrong calls of each op (8)"
    )
    p.add_argument(
        "--sample", type=int, default=0, metavar="N", help="only N good cases of each op and type"
    )
    p.add_argument("--types", choices=("core", "all"), default="core")
    p.add_argument("--op", action="append", default=[], metavar="NAME")
    p.add_argument("-k", dest="match", default="", metavar="TEXT")
    p.add_argument("--seed", type=int)
    p.add_argument("--device", type=int, default=0)
    p.add_argument("--timeout", type=float, default=300.0, metavar="SECONDS")
    p.add_argument("--torch", action=argparse.BooleanOptionalAction, default=None)
    p.add_argument("--format", choices=FORMATS, default="text")
    p.add_argument("--output", type=Path, metavar="FILE")
    p.add_argument("--json", type=Path, metavar="FILE", help="short for --format json --output")
    p.add_argument("--registry", type=Path, help="another registry than kernels/registry.toml")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Run and return the exit code of the `portgpu` table."""
    args = parser().parse_args(argv)
    if args.json:
        args.format, args.output = "json", args.json
    try:
        run(
            Options(
                libs=parse_libs(args.lib, args.target),
                widths=WIDTHS if args.warp_size == "both" else (int(args.warp_size),),
                level=args.level,
                types=args.types,
                large=args.large,
                fuzz=args.fuzz,
                sample=args.sample,
                ops=args.op,
                match=args.match,
                seed=args.seed,
                form=args.format,
                output=args.output,
                device=args.device,
                torch=args.torch,
                timeout=args.timeout,
                registry=args.registry,
                rerun="python -m portgpu.testing --lib LIB",
            )
        )
    except PortgpuError as error:
        if error.detail:
            print(error.detail.rstrip("\n"), file=sys.stderr)
        print(f"portgpu: error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  next: {error.hint}", file=sys.stderr)
        return int(error.exit_code)
    except KeyboardInterrupt:
        print("portgpu: interrupted", file=sys.stderr)
        return int(Exit.INTERRUPTED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
