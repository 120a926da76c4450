#!/usr/bin/env python3
"""Starts the portgpu command line from a bare checkout: `python cli.py build --target cpu`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from portgpu.cli import main

if __name__ == "__main__":
    main()
