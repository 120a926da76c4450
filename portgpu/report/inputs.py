"""Reads what other commands have written: build.json, test results, timings."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from portgpu.binary import Kernel
from portgpu.errors import InputError
from portgpu.report.model import Bench, Built, Leg, Series

_MICRO = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "seconds": 1e6}
_TIME_UNITS = _MICRO | {"s": 1e6}
_LABELS = ("case", "name", "op", "label", "kernel")


def build(folder: Path) -> tuple[Built, ...]:
    """The targets of a build folder, as its build.json records them."""
    record = folder / "build.json"
    if not record.is_file():
        raise InputError(
            f"{folder}: no build.json in this folder",
            hint="run portgpu build, or give the folder that it wrote to",
        )
    data = _load(record, "portgpu build writes it")
    try:
        if data["format"] != 1:
            raise ValueError(f"format {data['format']!r}")
        return tuple(_built(entry) for entry in data["targets"].values())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{record}: not a build record of this portgpu ({_why(error)})", hint="build again"
        ) from error


def _built(entry: Mapping[str, Any]) -> Built:
    return Built(
        target=str(entry["target"]),
        name=str(entry["name"]),
        toolchain=str(entry["toolchain"]["name"]),
        requested=tuple(entry["archs"]["requested"]),
        found=tuple(entry["archs"]["found"]),
        size=int(entry["size"]),
        kernels=tuple(Kernel(**k) for report in entry["objects"] for k in report["kernels"]),
    )


def tests(path: Path) -> tuple[Leg, ...]:
    """The legs of a test run that `portgpu test --format json` wrote."""
    hint = f"portgpu test --format json -o {path.name} writes such a file"
    data = _load(path, hint)
    try:
        if data["format"] != 1:
            raise ValueError(f"format {data['format']!r}")
        return tuple(_leg(path.name, entry) for entry in data["legs"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not a test result ({_why(error)})", hint=hint) from error


def distinct(legs: Sequence[Leg]) -> tuple[Leg, ...]:
    """The legs, with the file's name in the names of those that would be called the same."""
    names = [leg.name for leg in legs]
    return tuple(
        replace(leg, name=f"{leg.name}, {leg.file}") if names.count(leg.name) > 1 else leg
        for leg in legs
    )


def _leg(file: str, entry: Mapping[str, Any]) -> Leg:
    library = entry["library"]
    device = library.get("device") or {}
    return Leg(
        file=file,
        name=str(entry["name"]),
        target=str(entry["target"]),
        arch=str(device.get("arch", "")),
        device=str(device.get("name", "")),
        archs=tuple(library.get("archs") or ()),
        built_only=bool(entry["built_only"]),
        planned=int(entry["planned"]),
        run=int(entry["run"]),
        failed=int(entry["failed"]),
        not_run=int(entry["not_run"]),
        seconds=float(entry["seconds"]),
        note=str(entry["note"]),
        passed=bool(entry["passed"]),
        ops=tuple(_op(op) for op in entry["ops"]),
        failures=tuple(
            {"id": str(f["id"]), "case": str(f["case"]), "message": str(f["message"])}
            for f in entry["failures"]
        ),
    )


def _op(entry: Mapping[str, Any]) -> dict[str, Any]:
    worst = {str(k): v for k, v in entry["worst_ulp"].items() if v}
    used = entry["tolerance_used"]
    return {
        "op": str(entry["op"]),
        "cases": int(entry["cases"]),
        "failed": int(entry["failed"]),
        "ulp": {k: float(v) for k, v in worst.items()},
        "used": None if used is None else float(used),
    }


def bench(path: Path) -> tuple[Bench, ...]:
    """Timings: a list of rows (or an object with `results` or `benchmarks`).

    A row has a label (`case`, `name`, `op`, `label` or `kernel`) and times: `us`, `ms`, `ns`,
    `seconds`, or names that end so (`torch_us`). Rows with `elements` in place of a label are
    rates by size, in GB/s. Google Benchmark's `real_time` with `time_unit` is a time too.
    """
    hint = (
        "python bench/ops/bench_ops.py --json FILE writes such a file; docs/report.md has the form"
    )
    data = _load(path, hint)
    if isinstance(data, dict):
        data = data.get("results", data.get("benchmarks"))
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise InputError(f"{path}: not a list of timings", hint=hint)
    if not data:
        raise InputError(f"{path}: no timing in it", hint=hint)
    sizes = [row for row in data if _number(row.get("elements")) is not None]
    times = [row for row in data if row not in sizes]
    found = ([_sizes(path, sizes)] if sizes else []) + ([_times(path, times)] if times else [])
    for item in found:
        if not any(v is not None for s in item.series for v in s.values):
            raise InputError(f"{path}: rows without any time or rate", hint=hint)
    return tuple(found)


def _times(path: Path, rows: Sequence[Mapping[str, Any]]) -> Bench:
    labels = []
    names: dict[str, dict[int, float]] = {}
    for at, row in enumerate(rows):
        label = next((row[k] for k in _LABELS if isinstance(row.get(k), str)), None)
        labels.append(label if label is not None else f"row {at + 1}")
        for name, value in _row_times(row):
            if value > 0:
                names.setdefault(name, {})[at] = value
    series = [
        Series(name, tuple(values.get(i) for i in range(len(rows))))
        for name, values in names.items()
    ]
    return Bench(path.name, "times", "µs", tuple(labels), tuple(series))


def _row_times(row: Mapping[str, Any]) -> list[tuple[str, float]]:
    found = []
    for key, raw in row.items():
        value = _number(raw)
        if value is None:
            continue
        stem, _, unit = key.rpartition("_")
        if key in _MICRO:
            found.append(("measured", value * _MICRO[key]))
        elif stem and unit in _MICRO:
            found.append((stem.replace("_", " "), value * _MICRO[unit]))
        elif key in ("real_time", "cpu_time"):
            found.append((stem + " time", value * _TIME_UNITS.get(str(row.get("time_unit")), 1e-3)))
    return found


def _sizes(path: Path, rows: Sequence[Mapping[str, Any]]) -> Bench:
    rows = sorted(rows, key=lambda r: float(r["elements"]))
    names = dict.fromkeys(k for row in rows for k in row if k != "elements")
    series = []
    for name in names:
        values = [_number(row.get(name)) for row in rows]
        if any(v is not None and v > 0 for v in values):
            series.append(Series(name, tuple(v if v and v > 0 else None for v in values)))
    labels = tuple(str(int(float(row["elements"]))) for row in rows)
    return Bench(path.name, "sizes", "GB/s", labels, tuple(series))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def _load(path: Path, hint: str) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file", hint=hint) from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}", hint="check its permissions") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}", hint=hint) from error


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return str(error) if isinstance(error, ValueError) else "a value is not of the right kind"
