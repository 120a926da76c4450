"""C++ names for people, by the C++ runtime's own demangler when one is here."""

from __future__ import annotations

import ctypes
import functools
from typing import Any


def demangle(name: str) -> str:
    """`_Z3sumIfEvPT_` → `void sum<float>(float*)`; the name itself where that is not possible."""
    call = _demangler()
    if call is None or not name.startswith("_Z"):
        return name
    status = ctypes.c_int()
    pointer = call(name.encode(), None, None, ctypes.byref(status))
    if status.value != 0 or not pointer:
        return name
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        _free()(pointer)


def short(name: str) -> str:
    """The function with its template arguments: without return type and parameters."""
    full = demangle(name)
    depth = 0
    cut = len(full)
    for at, char in enumerate(full):
        if char == "<":
            depth += 1
        elif char == ">" and full[at - 1] != "-":
            depth -= 1
        elif char == "(" and depth == 0 and at and not full.startswith("(anonymous namespace)", at):
            cut = at
            break
    head = full[:cut].replace("(anonymous namespace)::", "")
    depth = 0
    for at in range(len(head) - 1, -1, -1):
        if head[at] == ">":
            depth += 1
        elif head[at] == "<":
            depth -= 1
        elif head[at] == " " and depth == 0:
            return head[at + 1 :]
    return head


@functools.cache
def _demangler() -> Any:
    for name in ("libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib", "libc++.1.dylib"):
        try:
            call = ctypes.CDLL(name).__cxa_demangle
        except (OSError, AttributeError):
            continue
        call.restype = ctypes.c_void_p
        call.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        return call
    return None


@functools.cache
def _free() -> Any:
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free.restype = None
    return free
