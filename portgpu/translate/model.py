"""What the rules of a translation share: options, result, and the context they write into."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from portgpu.errors import UsageError
from portgpu.findings import Edit, Finding, Severity, page
from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source

# What a file tests that has a branch of its own for AMD.
HIP_TESTS = frozenset(
    b"__HIPCC__ __HIP__ __HIP_PLATFORM_AMD__ __HIP_PLATFORM_HCC__ __HIP_DEVICE_COMPILE__ USE_ROCM"
    b" USE_HIP __HIP_PLATFORM_NVIDIA__ __HIP_PLATFORM_NVCC__".split()
)
TARGETS = ("rocm", "cuda", "cpu")
# In `Options.known`: a local header brings the runtime, so the file needs no include of its own.
HAS_RUNTIME = b"#runtime"
_ALLOW = re.compile(rb"portgpu:\s*allow\s+((?:PG\d{4}(?:\s*,\s*)?)+)")
_ID = re.compile(rb"PG\d{4}")


@dataclass(frozen=True, slots=True)
class Options:
    """How to translate.

    `to` is where the code goes; `warp` "logical" keeps CUDA's warp of 32 lanes, "native" takes the
    device's; `launches` "keep" leaves `<<<>>>`, "convert" writes hipLaunchKernelGGL. `hip_version`
    and `cuda_version` ("6.3") narrow the output to one version; empty means every version. `compat`
    is the path to include for our shims, None does without them. `roc` prefers AMD's own libraries
    (rocBLAS) over hip* ones. `allow` holds what is accepted: finding IDs, names, or "ID:name".
    `known` are names that the project declares elsewhere; they are neither API nor residue.
    `hipify` ("perl" or "clang") spells the output as that tool does and leaves out what only we do;
    `skip_excluded` leaves code alone that the preprocessor excludes (by `#if 0` and macros that are
    neither in `known` nor in `defines`, "NAME" or "NAME=VALUE"). `hip_types` keeps hipDataType with
    `roc`. HIPIFY's text has hipDNN for cuDNN, unless `roc` or `miopen`; everything else has MIOpen.
    """

    to: str = "rocm"
    warp: str = "logical"
    launches: str = "keep"
    hip_version: str = ""
    cuda_version: str = ""
    roc: bool = False
    compat: str | None = "portgpu/hip_compat.h"
    allow: tuple[str, ...] = ()
    known: frozenset[bytes] = frozenset()
    hipify: str = ""
    skip_excluded: bool = False
    defines: tuple[str, ...] = ()
    hip_types: bool = False
    miopen: bool = False

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("to", self.to, TARGETS),
            ("warp", self.warp, ("logical", "native")),
            ("launches", self.launches, ("keep", "convert")),
            ("hipify", self.hipify, ("", "perl", "clang")),
        ):
            if value not in choices:
                raise UsageError(
                    f"{name}={value!r} is not a choice", hint=f"choose one of {', '.join(choices)}"
                )
        for label, version in (("HIP", self.hip_version), ("CUDA", self.cuda_version)):
            if version and not re.fullmatch(r"\d+(\.\d+){0,2}", version):
                raise UsageError(
                    f"{version!r} is not a {label} version", hint="write it as 6.3 or 12.4"
                )


@dataclass(slots=True)
class Result:
    """What became of one file. `text` is the input itself when nothing changed."""

    text: bytes
    edits: list[Edit]
    findings: list[Finding]
    shims: frozenset[str] = frozenset()  # names of our compat header that the text uses

    @property
    def changed(self) -> bool:
        return bool(self.edits)


@dataclass
class Context:
    """One file under translation. Rules add edits and findings, and claim tokens they decided."""

    source: Source
    options: Options
    edits: list[Edit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    claimed: set[int] = field(default_factory=set)
    shims: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)  # "runtime", "device", ... for the includes
    _allowed: dict[int, set[str]] | None = None

    @functools.cached_property
    def spots(self) -> list[int]:
        """Indices of the identifiers that any rule looks at, in order."""
        from portgpu.translate import api

        known = api.interesting
        code = self.source.code
        return [
            i for i, word in enumerate(self.source.text) if known[word] and code[i][0] == Kind.IDENT
        ]

    @functools.cached_property
    def is_hip(self) -> bool:
        """Whether the file is HIP already: then names that both sides have keep HIP's meaning."""
        from portgpu.translate.covered import branches_of
        from portgpu.translate.headers import is_cuda_header

        names = [i.name for i in self.source.includes]
        if not any(n.startswith("hip/") or "portgpu/hip_compat" in n for n in names):
            return False
        branches = branches_of(self.source)
        # `#ifdef USE_ROCM` around HIP's header is the AMD branch of a CUDA file.
        always = [
            i.name
            for i in self.source.includes
            if not any(word in HIP_TESTS for text in branches.at(i.start) for word in text.split())
        ]
        return any(n.startswith("hip/") or "portgpu/hip_compat" in n for n in always) and not any(
            is_cuda_header(n) for n in names
        )

    def replace(self, i: int, text: bytes) -> None:
        """Replaces one code token and claims it."""
        token = self.source.code[i]
        self.claimed.add(i)
        if self.source.data[token.start : token.end] != text:
            self.edits.append(Edit(token.start, token.end, text))

    def replace_span(self, first: int, last: int, text: bytes) -> None:
        """Replaces `code[first..last]` (and what lies between) and claims all of it."""
        start, end = self.source.span(first, last)
        self.claimed.update(range(first, last + 1))
        if self.source.data[start:end] != text:
            self.edits.append(Edit(start, end, text))

    def insert_before(self, i: int, text: bytes) -> None:
        start = self.source.code[i].start
        self.edits.append(Edit(start, start, text))

    def insert_after(self, i: int, text: bytes) -> None:
        end = self.source.code[i].end
        self.edits.append(Edit(end, end, text))

    def wrap(self, first: int, last: int, before: bytes, after: bytes) -> None:
        self.insert_before(first, before)
        self.insert_after(last, after)

    def shim(self, name: str) -> bytes:
        """Spelling of a name of our compat header; the header is then included."""
        self.shims.add(name)
        return b"pg_compat::" + name.encode()

    def needs_part_of_cub(self, name: bytes) -> None:
        """Includes our header for a member of `cub` that hipCUB's main header leaves out."""
        from portgpu.translate.homes import CUB_PARTS, home

        if home(name.decode("utf-8", "replace")) == CUB_PARTS:
            self.shims.add(name.decode())

    def report(
        self,
        finding_id: str,
        i: int,
        message: str,
        *,
        last: int | None = None,
        hint: str = "",
        symbol: str | None = None,
        severity: Severity | None = None,
        confidence: str = "certain",
        fix: tuple[Edit, ...] = (),
    ) -> None:
        """Adds a finding at `code[i]` (to `code[last]`) unless it is allowed there."""
        source = self.source
        start = source.code[i].start
        end = source.code[i if last is None else last].end
        name = source.text[i].decode("utf-8", "replace") if symbol is None else symbol
        self.report_span(
            finding_id,
            start,
            end,
            message,
            hint=hint,
            symbol=name,
            severity=severity,
            confidence=confidence,
            fix=fix,
        )

    def report_span(
        self,
        finding_id: str,
        start: int,
        end: int,
        message: str,
        *,
        hint: str = "",
        symbol: str = "",
        severity: Severity | None = None,
        confidence: str = "certain",
        fix: tuple[Edit, ...] = (),
    ) -> None:
        """As `report`, for a byte span."""
        line, column = self.source.lines.position(start)
        if self._is_allowed(finding_id, symbol, line):
            return
        self.findings.append(
            Finding(
                path=self.source.path,
                line=line,
                column=column,
                id=finding_id,
                severity=severity or page(finding_id).severity,
                message=message,
                hint=hint,
                start=start,
                end=end,
                symbol=symbol,
                confidence=confidence,
                fix=fix,
            )
        )

    def _is_allowed(self, finding_id: str, symbol: str, line: int) -> bool:
        for rule in self.options.allow:
            allowed_id, _, pattern = rule.partition(":")
            if not _ID.fullmatch(allowed_id.encode()):
                allowed_id, pattern = finding_id, rule  # a name alone accepts every finding on it
            if allowed_id == finding_id and (not pattern or fnmatchcase(symbol, pattern)):
                return True
        if self._allowed is None:
            self._allowed = _allow_comments(self.source)
        return finding_id in self._allowed.get(line, ())


def _allow_comments(source: Source) -> dict[int, set[str]]:
    """Line -> IDs that a comment `portgpu: allow PGnnnn` accepts on its line and the next one."""
    allowed: dict[int, set[str]] = {}
    if b"portgpu:" not in source.data:
        return allowed
    for _, start, end in source.comments:
        m = _ALLOW.search(source.data, start, end)
        if m:
            ids = {found.decode() for found in _ID.findall(m.group(1))}
            for line in (source.lines.position(start)[0], source.lines.position(end)[0] + 1):
                allowed.setdefault(line, set()).update(ids)
    return allowed
