"""Device architectures by name: parse, compare, and say which toolkit knows one.

Names are spelt as the vendors' compilers spell them: `sm_90a` and `compute_90` (PTX) for NVIDIA,
`gfx90a:sramecc+:xnack-` (target IDs) for AMD, `host` for the CPU target. Facts come from
`portgpu/data/archs.toml`.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from portgpu import resources
from portgpu.errors import ToolchainError, UsageError, nearest

TARGETS = ("cuda", "rocm", "cpu")
HOST = "host"
NATIVE = "native"

_NVIDIA = re.compile(r"(sm|compute)_(\d+)([af]?)")
_AMD = re.compile(r"gfx[0-9a-z-]+")
_FEATURE = re.compile(r"(sramecc|xnack)([+-])")


@dataclass(frozen=True, slots=True)
class Arch:
    """What the table says about one architecture; `limits` is empty where nobody looked it up."""

    name: str
    vendor: str  # nvidia | amd
    title: str
    first: str = ""
    last: str = ""
    llvm: int = 0
    wave: int = 32
    variants: Mapping[str, str] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)


@functools.cache
def table() -> dict[str, Arch]:
    """All known architectures by base name (`sm_90`, `gfx90a`)."""
    data = tomllib.loads(resources.data("archs.toml").read_text(encoding="utf-8"))
    found = {}
    for vendor in ("nvidia", "amd"):
        for row in data[vendor]:
            found[row["name"]] = Arch(
                name=row["name"],
                vendor=vendor,
                title=row["title"],
                first=row.get("first", row.get("rocm", "")),
                last=row.get("last", ""),
                llvm=row.get("llvm", 0),
                wave=row.get("wave", 32),
                variants=row.get("variants", {}),
                features=tuple(row.get("features", ())),
                limits=row.get("limits", {}),
            )
    return found


def lookup(name: str) -> Arch | None:
    """The table's row of an architecture, its variant (`sm_90a`) or target ID (`gfx90a:xnack-`)."""
    base = base_name(name)
    return table().get(base) or table().get(base.rstrip("af"))


def base_name(name: str) -> str:
    """The processor without target features; PTX spelt like it: `compute_90` becomes `sm_90`."""
    return name.split(":", 1)[0].replace("compute_", "sm_")


def target_of(name: str) -> str:
    """The target that an architecture belongs to; raises `UsageError` when it looks like none."""
    if name.startswith(("sm_", "compute_")):
        return "cuda"
    if name.startswith("gfx"):
        return "rocm"
    if name == HOST:
        return "cpu"
    raise _unknown(name)


def parse(text: str) -> str:
    """The canonical spelling of an architecture; raises `UsageError` with the nearest name.

    Only the form is checked and, for names that no table row has, the spelling is accepted when it
    has the vendor's form: a newer compiler may know it, and `require_known` asks the compiler.
    """
    name = text.strip().lower()
    if name in (HOST, NATIVE):
        return name
    if _NVIDIA.fullmatch(name):
        return name
    base, *features = name.split(":")
    if not _AMD.fullmatch(base) or (
        base not in table() and not re.fullmatch(r"gfx\d+[0-9a-f]*", base)
    ):
        raise _unknown(text)
    return ":".join([base, *_features(text, base, features)])


def _features(text: str, base: str, features: Sequence[str]) -> list[str]:
    row = table().get(base)
    for feature in features:
        match = _FEATURE.fullmatch(feature)
        if match is None:
            raise UsageError(
                f"{text!r}: {feature!r} is not a target feature",
                hint="features are sramecc+, sramecc-, xnack+, xnack-: gfx90a:sramecc+:xnack-",
            )
        if row is not None and match[1] not in row.features:
            can = ", ".join(row.features) or "none"
            raise UsageError(f"{text!r}: {base} has no feature {match[1]}", hint=f"it has: {can}")
    names = [feature[:-1] for feature in features]
    if len(set(names)) != len(names):
        raise UsageError(f"{text!r}: a feature is given twice")
    return sorted(features)


def parse_list(texts: Iterable[str]) -> list[str]:
    """Architectures from options that may repeat and hold comma lists; duplicates are dropped."""
    found: dict[str, None] = {}
    for text in texts:
        for part in text.split(","):
            if part.strip():
                found[parse(part)] = None
    _refuse_mixed(list(found))
    return list(found)


def _refuse_mixed(names: Sequence[str]) -> None:
    # Clang: a feature is on, off or unspecified for all images of a processor in one object.
    by_base: dict[str, set[frozenset[str]]] = {}
    for name in names:
        base, *features = name.split(":")
        by_base.setdefault(base, set()).add(frozenset(f[:-1] for f in features))
    for base, kinds in by_base.items():
        if len(kinds) > 1:
            mixed = ", ".join(name for name in names if name.split(":")[0] == base)
            raise UsageError(
                f"{mixed} cannot be in one binary",
                hint=f"spell the same features for each {base}: {base}:xnack+,{base}:xnack-",
            )


def require_known(
    names: Sequence[str], known: Sequence[str], *, toolkit: str, vendor: str, hint: str = ""
) -> None:
    """Refuse the first architecture that the found compiler does not know.

    `ToolchainError` names the toolkit releases that do; `UsageError` when nobody knows it.
    """
    bases = set(known)
    for name in names:
        base = base_name(name)
        if name == HOST or base in bases:
            continue
        row = lookup(name)
        if row is None:
            every = {*known, *(n for n, a in table().items() if a.vendor == vendor)}
            guess = nearest(base, sorted(every, key=sort_key))
            raise UsageError(
                f"{name}: neither {toolkit} nor portgpu's table knows this architecture",
                hint=guess or f"it knows {', '.join(known)}",
            )
        raise ToolchainError(
            f"{toolkit} does not build for {name} ({row.title}); "
            f"{which_toolkit(row, base)} (PG3003)",
            hint=hint or f"install such a release, or choose from: {', '.join(known)}",
        )


def which_toolkit(row: Arch, base: str) -> str:
    """A phrase such as `CUDA 9.0 to 12.9 does`."""
    suffix = base[len(row.name) :]
    first = row.variants.get(suffix, row.first) if suffix else row.first
    if row.vendor == "nvidia":
        return f"CUDA {first} to {row.last} does" if row.last else f"CUDA {first} or newer does"
    return f"ROCm {first} or newer does (clang {row.llvm} or newer)"


def sort_key(name: str) -> tuple[str, int, str]:
    """Orders names by vendor and number: sm_80 < sm_90 < sm_90a < sm_100."""
    match = re.match(r"(\D+)(\d*)", name)
    assert match is not None
    if name.startswith("gfx"):
        return ("gfx", int(re.sub(r"[^0-9a-f].*", "", name[3:]) or "0", 16), name)
    return (match[1], int(match[2] or 0), name)


def _unknown(text: str) -> UsageError:
    names = [*table(), *(n + v for n, a in table().items() for v in a.variants)]
    return UsageError(
        f"{text!r} is not an architecture",
        hint=nearest(text.strip().lower(), names) or "examples: sm_80, sm_90a, gfx90a, gfx1030",
    )
