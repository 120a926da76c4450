#!/usr/bin/env python3
"""Starts the portgpu command line from a bare checkout: `python cli.py build --target cpu`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from portgpu.cli import main  # noqa: E402  (the checkout must be on the path first)

if __name__ == "__main__":
    main()
