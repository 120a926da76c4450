"""The source model: bytes, tokens, spans, lines, includes, launches. It knows no vendor names."""

from __future__ import annotations

from portgpu.source.edits import apply_edits, invert_edits
from portgpu.source.lexer import Kind, Token, tokenize
from portgpu.source.lines import LineIndex

__all__ = ["Kind", "LineIndex", "Token", "apply_edits", "invert_edits", "tokenize"]
