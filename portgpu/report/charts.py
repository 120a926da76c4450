"""Timings as inline SVG. Colours and fonts come from the page's style; shapes tell series apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from portgpu.report.model import Bench, Series

_LEFT, _RIGHT, _TOP, _ROW = 210, 24, 34, 22
_WIDTH = 760
_MOST = 200  # cases drawn; the table beneath has all


def svg(bench: Bench, name: str) -> str:
    """The chart of one file. `name` makes its ids unique on the page."""
    return _lines(bench, name) if bench.kind == "sizes" else _dots(bench, name)


def number(value: float | None) -> str:
    """Three significant digits, no exponent between 0.001 and 10 million."""
    if value is None:
        return "-"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 4
        return f"{value:,.{digits}f}".replace(",", " ")
    return f"{value:.2e}"


def legend(series: Sequence[Series]) -> str:
    """Shapes with names, for sighted readers; the chart's description says the same in words."""
    parts = [
        f'<span><svg class="key" viewBox="0 0 16 16" aria-hidden="true">{_shape(i, 8, 8)}</svg> '
        f"{escape(s.name)}</span>"
        for i, s in enumerate(series)
    ]
    return f'<p class="legend">{" ".join(parts)}</p>'


def _dots(bench: Bench, name: str) -> str:
    count = min(len(bench.labels), _MOST)
    values = [v for s in bench.series for v in s.values[:count] if v]
    low, high = _decades(values)
    height = _TOP + count * _ROW + 30
    room = _WIDTH - _LEFT - _RIGHT

    def x(value: float) -> float:
        return _LEFT + room * (math.log10(value) - low) / (high - low)

    parts = []
    for tick in _ticks(low, high):
        at = x(tick)
        parts.append(
            f'<path class="grid" d="M{at:.1f} {_TOP - 6}V{height - 28}"/>'
            f'<text class="tick" x="{at:.1f}" y="{_TOP - 12}">{_tick(tick)}</text>'
        )
    for row in range(count):
        y = _TOP + row * _ROW + _ROW / 2
        own = [(i, s.values[row]) for i, s in enumerate(bench.series)]
        shown = [(i, v) for i, v in own if v]
        parts.append(
            f'<text class="label" x="{_LEFT - 10}" y="{y + 4:.1f}">'
            f"{escape(_cut(bench.labels[row], 28))}</text>"
        )
        if shown:
            ends = [x(v) for _, v in shown]
            parts.append(f'<path class="span" d="M{min(ends):.1f} {y:.1f}H{max(ends):.1f}"/>')
        for i, v in reversed(shown):
            hint = f"{bench.labels[row]}: {bench.series[i].name} {number(v)} {bench.unit}"
            parts.append(f"<g>{_shape(i, x(v), y)}<title>{escape(hint)}</title></g>")
    parts.append(
        f'<text class="axis" x="{_LEFT + room / 2:.0f}" y="{height - 8}">'
        f"{escape(bench.unit)}, logarithmic</text>"
    )
    title = f"{bench.file}: time of {len(bench.labels)} cases"
    names = ", ".join(s.name for s in bench.series)
    words = f"Times of {names} in {bench.unit}, one row a case. The table below has the numbers."
    return _frame(name, title, words, height, parts)


def _lines(bench: Bench, name: str) -> str:
    sizes = [float(label) for label in bench.labels]
    values = [v for s in bench.series for v in s.values if v]
    low, high = _decades(values)
    first, last = math.log2(min(sizes) or 1), math.log2(max(sizes) or 1)
    height, left, right, bottom = 380, 60, 130, 44
    room, tall = _WIDTH - left - right, height - _TOP - bottom

    def x(value: float) -> float:
        return left + room * (math.log2(value or 1) - first) / max(last - first, 1e-9)

    def y(value: float) -> float:
        return _TOP + tall * (high - math.log10(value)) / (high - low)

    parts = []
    for tick in _ticks(low, high):
        parts.append(
            f'<path class="grid" d="M{left} {y(tick):.1f}H{_WIDTH - right}"/>'
            f'<text class="label" x="{left - 8}" y="{y(tick) + 4:.1f}">'
            f"{_tick(tick)}</text>"
        )
    step = max(1, math.ceil(len(sizes) / 9))
    for size in sizes[::step]:
        parts.append(f'<text class="tick" x="{x(size):.1f}" y="{height - 26}">{_size(size)}</text>')
    ends = []
    for i, series in enumerate(bench.series):
        points = [(x(s), y(v)) for s, v in zip(sizes, series.values, strict=True) if v]
        path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
        dashed = " dashed" if i // 6 % 2 else ""
        parts.append(f'<path class="line s{i % 6}{dashed}" d="{path}"/>')
        parts += [_shape(i, a, b) for a, b in points]
        ends.append((points[-1][1], points[-1][0], series.name))
    free = float(_TOP)
    for at, right_end, label in sorted(ends):
        free = max(at, free)  # names of lines that end at the same height stand below each other
        parts.append(
            f'<text class="name" x="{right_end + 10:.1f}" y="{free + 4:.1f}">'
            f"{escape(_cut(label, 15))}</text>"
        )
        free += 14
    parts.append(
        f'<text class="axis" x="{left + room / 2:.0f}" y="{height - 6}">elements</text>'
        f'<text class="label" x="{left - 8}" y="{_TOP - 14}">{escape(bench.unit)}</text>'
    )
    title = f"{bench.file}: rates by size"
    names = ", ".join(s.name for s in bench.series)
    words = f"{bench.unit} of {names} over the number of elements. The table below has the numbers."
    return _frame(name, title, words, height, parts)


def _frame(name: str, title: str, words: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
        f'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{escape(title)}</title>'
        f'<desc id="{name}-d">{escape(words)}</desc>{"".join(parts)}</svg>'
    )


def _shape(index: int, x: float, y: float) -> str:
    kind = f's{index % 6}{" hollow" if index // 6 % 2 else ""}" '
    match index % 6:
        case 0:
            return f'<circle class="dot {kind}cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
        case 1:
            return f'<path class="bar {kind}d="M{x:.1f} {y - 7:.1f}v14"/>'
        case 2:
            return f'<path class="dot {kind}d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6-6z"/>'
        case 3:
            return f'<path class="dot {kind}d="M{x - 5:.1f} {y - 5:.1f}h10v10h-10z"/>'
        case 4:
            return f'<path class="dot {kind}d="M{x:.1f} {y - 6:.1f}l6 11h-12z"/>'
        case _:
            return f'<path class="bar {kind}d="M{x - 5:.1f} {y - 5:.1f}l10 10m0-10l-10 10"/>'


def _decades(values: Sequence[float]) -> tuple[float, float]:
    low = math.floor(math.log10(min(values)) * 3) / 3
    high = math.ceil(math.log10(max(values)) * 3) / 3
    return (low, high) if high - low > 0.3 else (low - 1 / 3, high + 1 / 3)


def _ticks(low: float, high: float) -> list[float]:
    steps: tuple[int, ...] = (1, 2, 5) if high - low < 2.5 else (1, 3) if high - low < 4 else (1,)
    found = []
    for power in range(math.floor(low), math.ceil(high) + 1):
        for step in steps:
            value = step * 10.0**power
            if low - 1e-9 <= math.log10(value) <= high + 1e-9:
                found.append(value)
    return found


def _tick(value: float) -> str:
    return f"{value:g}" if 1e-3 <= value < 1e6 else f"{value:.0e}"


def _size(value: float) -> str:
    for unit, power in (("G", 30), ("M", 20), ("k", 10)):
        if value >= 2**power:
            return f"{value / 2**power:.3g} {unit}"
    return f"{value:.3g}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
