"""Our compat header pasted into a translation, so that a single file stands alone."""

from __future__ import annotations

import re
from collections.abc import Collection

from portgpu import resources
from portgpu.translate.shake import shake

_INCLUDE = re.compile(rb'^#include "(portgpu/hip_compat\w*\.h)"\r?\n?', re.MULTILINE)
_OWN = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\r\n]*)"', re.MULTILINE)
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


def own_includes(text: bytes) -> set[str]:
    """Names that a text includes between quotes, our headers aside."""
    return {
        m.group(1).decode("utf-8", "surrogateescape")
        for m in _OWN.finditer(_INCLUDE.sub(b"", text))
    }


def paste_needed(text: bytes, harmless: Collection[str] = ()) -> bytes:
    """As `paste`, with what `text` needs of our headers alone.

    A text that includes files of its own gets all of them: those files may need more, and the
    guards keep it to one copy. `harmless` are names of such files that need none of our headers.
    """
    includes = list(_INCLUDE.finditer(text))
    if not includes or own_includes(text) - set(harmless):
        return paste(text)
    whole = paste(b"".join(m.group() for m in includes))
    start = includes[0].start()
    rest = _INCLUDE.sub(b"", text[start:])
    return text[:start] + shake(whole, text[:start] + rest) + rest
