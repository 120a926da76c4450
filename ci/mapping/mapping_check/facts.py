"""What the headers of one vendor say about one name, and how two such facts compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Handles that one vendor declares as an integer and the other as a pointer; the types are mapped.
_DEVICE_POINTERS = {"CUdeviceptr", "hipDeviceptr_t", "CUdeviceptr_v2"}


@dataclass(frozen=True, slots=True)
class Type:
    """A parameter type: `depth` pointers to `base` (as spelled), whose canonical kind is `kind`.

    Kinds: v void, b bool, i1…i8 and u1…u8 integers by size in bytes, e enum, f2…f16 floating,
    p a typedef of a pointer, r record, fn function, d device pointer, ? unknown. `const` is that of
    the first pointee.
    """

    depth: int
    base: str
    kind: str
    const: bool = False

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.base}{'*' * self.depth}"


@dataclass(slots=True)
class Fact:
    """One name in one header set. `overloads` holds parameter types; None values are unknown."""

    name: str
    kinds: set[str] = field(default_factory=set)
    header: str = ""
    overloads: list[tuple[Type, ...]] = field(default_factory=list)
    defaults: int = 0  # parameters that have a default, in the overload with most of them
    value: int | None = None
    alias: str = ""  # a macro whose body is one identifier
    body: str = ""  # a macro's tokens

    def to_json(self) -> list[Any]:
        return [
            self.name,
            sorted(self.kinds),
            self.header,
            [[[t.depth, t.base, t.kind, t.const] for t in o] for o in self.overloads],
            self.defaults,
            self.value,
            self.alias,
            self.body,
        ]

    @classmethod
    def from_json(cls, row: list[Any]) -> Fact:
        overloads = [tuple(Type(*t) for t in o) for o in row[3]]
        return cls(row[0], set(row[1]), row[2], overloads, row[4], row[5], row[6], row[7])


Facts = dict[str, Fact]


def merge(into: Facts, other: Facts) -> None:
    """Adds `other` to `into`; what is already known stays."""
    for name, fact in other.items():
        old = into.setdefault(name, fact)
        if old is fact:
            continue
        old.kinds |= fact.kinds
        old.overloads += [o for o in fact.overloads if o not in old.overloads]
        old.defaults = max(old.defaults, fact.defaults)
        old.value = fact.value if old.value is None else old.value
        old.alias = old.alias or fact.alias
        old.body = old.body or fact.body


def resolve_aliases(facts: Facts) -> None:
    """A macro that stands for one other name takes over what is known of that name."""
    for fact in list(facts.values()):
        seen = {fact.name}
        target = fact
        while target.alias and target.alias in facts and target.alias not in seen:
            seen.add(target.alias)
            target = facts[target.alias]
        if target is not fact:
            fact.kinds |= target.kinds
            # `#define cuMemAlloc cuMemAlloc_v2`: the macro hides the function of the same name.
            if target.overloads:
                fact.overloads = list(target.overloads)
                fact.defaults = target.defaults
            fact.value = target.value if fact.value is None else fact.value


# Differences that a compiler takes or reports at once, and that lose nothing: worth a note only.
_SOFT = (" (not const record)", " (sign differs)", " (narrower)", "optional")


def is_soft(reason: str) -> bool:
    """Whether a reason of `difference` is worth a note, and does not make the row `differs`."""
    return not reason or any(mark in reason for mark in _SOFT) or reason.startswith("no overload")


def difference(cuda: Fact, hip: Fact, types: dict[str, str]) -> str:
    """Why a call written for `cuda` would not mean `hip`; "" when it would.

    `types` maps CUDA type names to their HIP names. A function of either side without parameters
    on record (a macro, a template) cannot be compared and counts as alike. "no overload for …" says
    that some of CUDA's overloads are missing, others are there.
    """
    if not cuda.overloads or not hip.overloads:
        return ""
    reasons = []
    for wanted in cuda.overloads:
        found = (_mismatch(wanted, have, cuda, hip, types) for have in hip.overloads)
        best = min(found, key=lambda why: (why != "", not is_soft(why), why.startswith("takes")))
        if best:
            reasons.append((wanted, best))
    if not reasons:
        return ""
    if len(reasons) == len(cuda.overloads):
        return min((why for _, why in reasons), key=lambda why: (not is_soft(why), len(why)))
    hard = [wanted for wanted, why in reasons if not is_soft(why)]
    forms = "; ".join(f"({', '.join(map(str, w))})" for w in hard[:4])
    more = f" and {len(hard) - 4} more" if len(hard) > 4 else ""
    return f"no overload for {forms}{more}" if hard else reasons[0][1]


def _mismatch(
    cuda: tuple[Type, ...], hip: tuple[Type, ...], a: Fact, b: Fact, types: dict[str, str]
) -> str:
    missing = len(cuda) - len(hip)
    if missing > a.defaults or -missing > b.defaults:
        return f"takes {len(hip)} parameters, CUDA {len(cuda)}"
    for index, (left, right) in enumerate(zip(cuda, hip, strict=False), 1):
        reason = _incompatible(left, right, types)
        if reason:
            return f"parameter {index} is {right}, CUDA {left}{reason}"
    return f"CUDA's optional parameter {len(hip) + 1} is missing" if missing > 0 else ""


def _incompatible(cuda: Type, hip: Type, types: dict[str, str]) -> str:
    """Why an argument of type `cuda` does not convert to `hip`; "" when it does."""
    a, b = _flat(cuda), _flat(hip)
    if cuda.depth and hip.depth and cuda.const and not hip.const:
        return " (not const record)" if a[1] in "r?" and a[0] < 2 else " (not const)"
    mapped = types.get(cuda.base, cuda.base)
    if cuda.depth == hip.depth and mapped == hip.base:
        return ""
    if "?" in (a[1], b[1]):
        return "" if a[0] == b[0] or b == (1, "v") else " (another kind)"
    if a[0] and b == (1, "v"):
        return ""  # any object pointer converts to void*
    if a[0] != b[0]:
        return " (another kind)"
    if a[1] == b[1] == "e":
        # Enumerations are told apart by name; unknown ones get the benefit of the doubt.
        known = cuda.base in types and types[cuda.base] != hip.base
        return " (another enumeration)" if known else ""
    if a == b:
        return ""
    if a[0] == 0:
        return _scalar(a[1], b[1])
    if a[1][0] in "iu" and b[1][0] in "iu" and a[1][1:] == b[1][1:]:
        return " (sign differs)"
    return " (another kind)"


def _scalar(a: str, b: str) -> str:
    if a[0] in "iub" and b[0] in "iub":
        return "" if b[1:] >= a[1:] or b[0] == "b" else " (narrower)"
    if a == "e" and b[0] in "iu":
        return ""
    if a[0] in "iu" and b == "e":
        return " (needs a cast)"
    if a[0] == b[0] == "f":
        return "" if int(b[1:]) >= int(a[1:]) else " (narrower)"
    return " (another kind)"


def _flat(value: Type) -> tuple[int, str]:
    """Pointers in all and what they point to; a handle's pointee is unknown ("?")."""
    if value.kind == "p":
        return value.depth + 1, "?"
    if value.kind == "d":
        return value.depth + 1, "v"  # an integer in CUDA, void* in HIP; the type itself is mapped
    return value.depth, value.kind
