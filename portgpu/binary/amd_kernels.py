"""AMD kernels as something to call: arguments, limits, entry points, and packed kernel arguments.

Everything comes from the object file: metadata note, kernel descriptor and program headers of the
code object. Source: LLVM's "User Guide for AMDGPU Backend" (code object metadata V2 to V5, kernel
descriptor).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from portgpu.binary.amd import Entry, metadata
from portgpu.binary.demangle import demangle, short
from portgpu.binary.elf import Elf, Segment
from portgpu.binary.read import code_objects, damage
from portgpu.errors import InputError, UsageError, nearest

_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


@dataclass(frozen=True, slots=True)
class Argument:
    """One kernel argument: `size` bytes at `offset` of the kernel argument block.

    `kind` is the metadata's `.value_kind`: `by_value`, `global_buffer`, `dynamic_shared_pointer`, …
    for what the caller gives, `hidden_…` for what the runtime fills in. `space` and `name` are
    empty where the compiler wrote none.
    """

    offset: int
    size: int
    kind: str
    space: str = ""
    name: str = ""

    @property
    def hidden(self) -> bool:
        """Whether the runtime gives it, not the caller."""
        return self.kind.startswith("hidden_")


@dataclass(frozen=True, slots=True)
class KernelImage:
    """One kernel of one code object, ready to be called by whatever can execute it.

    Sizes are in bytes, `threads` (the most of a block) and `wave` in lanes. `block` is the required
    block size, None without. `entry` and `descriptor` are addresses within the code object, whose
    `segments` an executor copies to memory.
    """

    name: str
    arch: str
    arguments: tuple[Argument, ...]
    kernarg_size: int
    kernarg_align: int
    shared: int
    private: int
    threads: int
    wave: int
    block: tuple[int, int, int] | None
    dynamic_stack: bool
    descriptor: int
    entry: int
    registers: Mapping[str, int]  # compute_pgm_rsrc1 … 3, kernel_code_properties, as in the file
    segments: tuple[Segment, ...] = field(repr=False)
    code: bytes = field(repr=False)  # the whole code object

    @property
    def display(self) -> str:
        """The demangled name."""
        return demangle(self.name)

    @property
    def explicit(self) -> tuple[Argument, ...]:
        """The arguments that a caller gives, in order."""
        return tuple(argument for argument in self.arguments if not argument.hidden)

    @property
    def hidden(self) -> tuple[Argument, ...]:
        """The arguments that a runtime fills in."""
        return tuple(argument for argument in self.arguments if argument.hidden)

    def pack(
        self,
        values: Sequence[Any],
        *,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        dynamic_shared: int = 0,
        hidden: Mapping[str, int] | None = None,
    ) -> bytes:
        """The kernel argument block of a launch of `grid` blocks of `block` threads.

        `values`: one for each explicit argument. Buffers take an address (int); values take int,
        float, bool, a NumPy scalar, or bytes (any buffer) of exactly the argument's size, which is
        the way for structs. `hidden` gives addresses of services such as
        `hidden_hostcall_buffer`; what nobody gives is 0, as the language's default is.

        Raises `UsageError` for a wrong number, size or range of values, and for a block that the
        kernel does not allow.
        """
        self._check_block(block)
        explicit = self.explicit
        if len(values) != len(explicit):
            raise UsageError(
                f"{self.display} takes {len(explicit)} arguments, not {len(values)}",
                hint="portgpu inspect --arguments shows them",
            )
        out = bytearray(self.kernarg_size)
        for index, (argument, value) in enumerate(zip(explicit, values, strict=True)):
            out[argument.offset : argument.offset + argument.size] = _encode(
                argument, value, f"{short(self.name)}: argument {index + 1}"
            )
        facts = _launch_facts(grid, block, dynamic_shared) | dict(hidden or {})
        for argument in self.hidden:
            number = facts.get(argument.kind, 0)
            out[argument.offset : argument.offset + argument.size] = number.to_bytes(
                argument.size, "little"
            )
        return bytes(out)

    def _check_block(self, block: tuple[int, int, int]) -> None:
        count = block[0] * block[1] * block[2]
        if self.block is not None and block != self.block:
            raise UsageError(
                f"{short(self.name)} requires blocks of {self.block}, not {block}",
                hint="launch it with the size that its source states",
            )
        if not 0 < count <= (self.threads or 1024):
            raise UsageError(
                f"{short(self.name)}: a block of {block} has {count} threads; "
                f"1 to {self.threads or 1024} are allowed",
                hint="its launch bound is the limit",
            )

    def to_json(self) -> dict[str, Any]:
        """Plain data, without code."""
        return {
            "name": self.name,
            "display": self.display,
            "arch": self.arch,
            "kernarg_size": self.kernarg_size,
            "kernarg_align": self.kernarg_align,
            "shared": self.shared,
            "private": self.private,
            "threads": self.threads,
            "wave": self.wave,
            "block": self.block,
            "dynamic_stack": self.dynamic_stack,
            "arguments": [
                {"offset": a.offset, "size": a.size, "kind": a.kind, "space": a.space,
                 "name": a.name}
                for a in self.arguments
            ],
        }  # fmt: skip


def load(path: Path, arch: str = "") -> list[KernelImage]:
    """All AMD kernels of an object, library, archive, bundle or code object, in file order.

    `arch` keeps one architecture (`gfx90a`; with feature suffixes, exactly that one). Raises
    `InputError` for a file that is damaged, or whose kernels lack their descriptor.
    """
    found: list[KernelImage] = []
    for entry in code_objects(path):
        if not arch or arch in (entry.arch, entry.arch.split(":")[0]):
            with damage(path):
                found += kernels_of(entry, str(path))
    return found


def find(kernels: Sequence[KernelImage], name: str) -> KernelImage:
    """The one kernel of a name: mangled, demangled, or without parameters (`sum<float>`).

    Raises `UsageError` when there is none, or several (of several architectures, or overloads).
    """
    hits = [k for k in kernels if name in (k.name, k.display, short(k.name))]
    if len(hits) == 1:
        return hits[0]
    if hits:
        which = sorted({f"{k.display} ({k.arch})" for k in hits})
        raise UsageError(
            f"{len(hits)} kernels are called {name!r}: {'; '.join(which[:4])}",
            hint="give the full name, and load one architecture",
        )
    names = sorted({short(k.name) for k in kernels})
    raise UsageError(
        f"no kernel is called {name!r}",
        hint=nearest(name, names) or "portgpu inspect lists the kernels of a file",
    )


def kernels_of(entry: Entry, where: str) -> list[KernelImage]:
    """The kernels of one code object."""
    elf = Elf(entry.body, where)
    symbols = {symbol.name: symbol for symbol in elf.symbols()}
    segments = tuple(elf.segments())
    found = []
    for kernel in metadata(elf).get("amdhsa.kernels", []):
        name = str(kernel.get(".name", "?"))
        symbol = symbols.get(str(kernel.get(".symbol", f"{name}.kd")))
        if symbol is None:
            raise InputError(
                f"{where}: kernel {name} has no descriptor",
                hint="an object of hipcc -c without -fgpu-rdc, or a linked library, has them",
            )
        found.append(_kernel(kernel, name, entry, symbol.value, segments, where))
    return found


def _kernel(
    kernel: Mapping[str, Any],
    name: str,
    entry: Entry,
    descriptor: int,
    segments: tuple[Segment, ...],
    where: str,
) -> KernelImage:
    raw = next(
        (
            s.data[descriptor - s.address : descriptor - s.address + 64]
            for s in segments
            if s.address <= descriptor and descriptor + 64 <= s.address + len(s.data)
        ),
        None,
    )
    if raw is None:
        raise InputError(f"{where}: the descriptor of kernel {name} lies outside its segments")
    shared, private, _, offset = struct.unpack_from("<IIIxxxxq", raw)
    rsrc3, rsrc1, rsrc2, properties, preload = struct.unpack_from("<IIIHH", raw, 44)
    arguments = tuple(
        Argument(
            int(a[".offset"]),
            int(a[".size"]),
            str(a[".value_kind"]),
            str(a.get(".address_space", "")),
            str(a.get(".name", "")),
        )
        for a in kernel.get(".args", [])
    )
    size = int(kernel.get(".kernarg_segment_size", 0))
    if any(a.offset < 0 or a.size < 0 or a.offset + a.size > size for a in arguments):
        raise InputError(f"{where}: kernel {name} has an argument outside its argument block")
    required = kernel.get(".reqd_workgroup_size")
    return KernelImage(
        name=name,
        arch=entry.arch,
        arguments=arguments,
        kernarg_size=size,
        kernarg_align=int(kernel.get(".kernarg_segment_align", 8)),
        shared=shared,
        private=private,
        threads=int(kernel.get(".max_flat_workgroup_size", 0)),
        wave=int(kernel.get(".wavefront_size", 0)),
        block=tuple(int(n) for n in required) if required else None,  # type: ignore[arg-type]
        dynamic_stack=bool(kernel.get(".uses_dynamic_stack", properties >> 11 & 1)),
        descriptor=descriptor,
        entry=descriptor + offset,
        registers={
            "compute_pgm_rsrc1": rsrc1,
            "compute_pgm_rsrc2": rsrc2,
            "compute_pgm_rsrc3": rsrc3,
            "kernel_code_properties": properties,
            "kernarg_preload": preload,
        },
        segments=segments,
        code=entry.body,
    )


def _launch_facts(
    grid: tuple[int, int, int], block: tuple[int, int, int], dynamic_shared: int
) -> dict[str, int]:
    facts = {"hidden_dynamic_lds_size": dynamic_shared}
    for axis, blocks, threads in zip("xyz", grid, block, strict=True):
        if blocks < 1 or blocks * threads >= 1 << 32:
            raise UsageError(
                f"a grid of {blocks} blocks of {threads} threads along {axis} cannot be launched",
                hint="AMD's limit is below 2^32 threads along each axis",
            )
        facts[f"hidden_block_count_{axis}"] = blocks
        facts[f"hidden_group_size_{axis}"] = threads
    last = 3 if grid[2] * block[2] > 1 else 2 if grid[1] * block[1] > 1 else 1
    return facts | {"hidden_grid_dims": last}


def _encode(argument: Argument, value: Any, what: str) -> bytes:
    size = argument.size
    if hasattr(value, "__index__"):  # int, bool, NumPy's integers
        number = int(value)
        low = 0 if argument.kind != "by_value" else -(1 << (8 * size - 1))
        if not low <= number < 1 << 8 * size:
            raise UsageError(
                f"{what}: {number} does not fit in {size} bytes", hint=_describe(argument)
            )
        return (number % (1 << 8 * size)).to_bytes(size, "little")
    if isinstance(value, float) and argument.kind == "by_value" and size in _FLOATS:
        return struct.pack(_FLOATS[size], value)
    try:
        data = memoryview(value).tobytes()
    except TypeError:
        raise UsageError(
            f"{what}: {type(value).__name__} cannot be passed", hint=_describe(argument)
        ) from None
    if argument.kind != "by_value" or len(data) != size:
        raise UsageError(f"{what}: {len(data)} bytes given", hint=_describe(argument))
    return data


def _describe(argument: Argument) -> str:
    if argument.kind == "by_value":
        return f"it takes a value of {argument.size} bytes: a number, or bytes of that size"
    return f"it takes an address of {argument.size} bytes ({argument.kind})"
