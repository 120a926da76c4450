"""Our compat header pasted into a translation, so that a single file stands alone."""

from __future__ import annotations

import re

from portgpu import resources

_INCLUDE = re.compile(rb'^#include "(portgpu/hip_compat\w*\.h)"\r?\n?', re.MULTILINE)
_PART = re.compile(rb'^#include "((?:compat/)?\w+\.h)"\n', re.MULTILINE)


def paste(text: bytes) -> bytes:
    """`text` with each include of our headers replaced by what it includes, once."""
    done: set[bytes] = set()

    def expand(name: bytes) -> bytes:
        if name in done:
            return b""
        done.add(name)
        body = resources.templates("compat", name.decode()).read_bytes()
        return _PART.sub(lambda m: expand(b"portgpu/" + m.group(1)), body)

    return _INCLUDE.sub(lambda m: expand(m.group(1)), text)
