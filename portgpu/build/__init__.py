"""From sources to shared libraries, proven from the binaries."""

from portgpu.build.model import ObjectReport, Plan, Request, TargetResult
from portgpu.build.run import build

__all__ = ["ObjectReport", "Plan", "Request", "TargetResult", "build"]
