"""Collective calls on cooperative groups: which threads they need."""

from __future__ import annotations

import re
from collections.abc import Callable

from portgpu.lint.consts import Scope, evaluate
from portgpu.lint.nodes import Expr, words

_BLOCK = re.compile(r"\b(?:this_thread_block|thread_block|this_grid|grid_group)\b")
_TILE = re.compile(r"\b(?:tiled_partition|thread_block_tile)\b(?:\s*<\s*(\d+))?")
_COLLECTIVE = words("shfl shfl_up shfl_down shfl_xor ballot any all match_any match_all sync")
_FREE = words("sync reduce inclusive_scan exclusive_scan")


def operation(call: Expr, alias: Callable[[str], str]) -> str:
    """`barrier` for a whole block or grid, `warp` for a tile of a warp, else empty."""
    group = _group(call)
    if group is None:
        return ""
    text = _description(group, alias)
    if _TILE.search(text):
        return "warp"
    return "barrier" if _BLOCK.search(text) and call.callee == "sync" else ""


def is_group(expr: Expr, alias: Callable[[str], str]) -> bool:
    """Whether a value is a block, a grid or a tile."""
    text = _description(expr, alias)
    return bool(_TILE.search(text) or _BLOCK.search(text))


def width(call: Expr, scope: Scope, alias: Callable[[str], str]) -> int | None:
    """Lanes of the tile that a collective call is made on; None when that cannot be told."""
    group = _group(call)
    if group is None:
        return None
    made = group
    while made.kind == "name" and made.var is not None and made.var.init is not None:
        made = made.var.init
    if made.kind == "call" and made.callee == "tiled_partition" and made.args[0].targs:
        return evaluate(made.args[0].targs[0], scope)
    found = _TILE.search(_description(group, alias))
    return int(found.group(1)) if found and found.group(1) else None


def _group(call: Expr) -> Expr | None:
    """The group of `tile.sync()` or `cg::reduce(tile, …)`."""
    head = call.args[0]
    if head.kind == "member" and head.text in _COLLECTIVE:
        return head.args[0]
    qualified = head.kind == "name" and "::" in head.text
    if qualified and call.callee in _FREE and call.arguments:
        space = head.text.rpartition("::")[0]
        return call.arguments[0] if space in ("cg", "cooperative_groups") else None
    return None


def _description(group: Expr, alias: Callable[[str], str], depth: int = 0) -> str:
    """What a group is made of, as text: its type and what it is initialised with."""
    text = repr(group)
    if group.kind == "name" and group.var is not None:
        kind = group.var.type.replace("&", "").replace("const", "").strip()
        text = f"{kind} {alias(kind)}"
        if group.var.init is not None and depth < 4:
            text += " " + _description(group.var.init, alias, depth + 1)
    return text
