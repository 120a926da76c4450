"""The op library's C header, `portgpu_ops.h`, from the registry.

`python -m portgpu.ops.header [FILE]` writes it (standard output by default). It needs
`pg_ops_abi.h` beside it and is usable from C99 and C++.
"""

from __future__ import annotations

import sys
from pathlib import Path

from portgpu.ops.registry import Op, Registry, load

_TYPES = {"i32": "int32_t", "i64": "int64_t", "f64": "double", "bool": "int32_t"}


def render(registry: Registry | None = None) -> str:
    """The text of `portgpu_ops.h`."""
    registry = registry or load()
    lines = [
        "/* Generated from kernels/registry.toml by portgpu; do not edit. */",
        "#ifndef PORTGPU_OPS_H",
        "#define PORTGPU_OPS_H",
        "",
        '#include "pg_ops_abi.h"',
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
    ]
    for op in registry:
        lines += ["", f"/* {op.summary.replace('*/', '* /')}", f" * {_types(op)} */"]
        lines.append(f"PG_API int pg_{op.name}({', '.join(_arguments(op, run=True))});")
        if op.workspace:
            query = ", ".join(_arguments(op, run=False))
            lines.append(f"PG_API int pg_{op.name}_workspace({query});")
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "#endif /* PORTGPU_OPS_H */", ""]
    return "\n".join(lines)


def _arguments(op: Op, *, run: bool) -> list[str]:
    args = [f"const pg_tensor* {_c(t.name)}" for t in (*op.inputs, *op.outputs)]
    for param in op.params:
        if param.type == "axes":
            args += [f"const int32_t* {param.name}", f"int32_t n{param.name}"]
        else:
            args.append(f"{_TYPES[param.type]} {_c(param.name)}")
    if not run:
        return [*args, "size_t* bytes"]
    if op.workspace:
        args += ["void* workspace", "size_t workspace_bytes"]
    return [*args, "void* stream"]


def _types(op: Op) -> str:
    extra = [t for t in op.all_types if t not in op.core_types]
    text = f"Types: {', '.join(op.core_types)}"
    if extra:
        text += f"; in `all` builds also {', '.join(extra)}"
    optional = [t.name for t in op.inputs if t.optional]
    return text + (f". May be NULL: {', '.join(optional)}." if optional else ".")


# Names that a C or C++ compiler does not take as an argument.
_KEYWORDS = {"default", "float", "double", "int", "and", "or", "not", "xor", "register", "new"}


def _c(name: str) -> str:
    return f"{name}_" if name in _KEYWORDS else name


def main(argv: list[str] | None = None) -> int:
    """Write the header to the named file, or print it."""
    args = sys.argv[1:] if argv is None else argv
    if args:
        Path(args[0]).write_text(render(), "utf-8")
    else:
        sys.stdout.write(render())
    return 0


if __name__ == "__main__":
    sys.exit(main())
