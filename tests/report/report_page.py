"""Reads a report page back with the standard library's parser."""

from __future__ import annotations

import base64
import json
import zlib
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "br", "input", "col", "img", "hr"}


class Page(HTMLParser):
    """Elements, ids, links and text of a page; `problems` are tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.problems: list[str] = []
        self.texts: list[tuple[str, str]] = []  # (innermost tag, text)
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of every element with this name."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def ids(self) -> list[str]:
        return [a["id"] or "" for _, a in self.elements if "id" in a]

    @property
    def blobs(self) -> list[Any]:
        """Unpacked views and, last, the kernel table when there is one."""
        found, at = [], iter([t for tag, t in self.texts if tag == "script"])
        for attributes in self.all("script"):
            text = next(at)
            if attributes.get("type"):
                found.append(json.loads(zlib.decompress(base64.b64decode(text))))
        return found

    def visible(self) -> str:
        """All text but scripts and style."""
        return " ".join(t for tag, t in self.texts if tag not in ("script", "style"))
