"""PTX to portable C++: a small reader of straight-line PTX.

Every instruction becomes an assignment or a call; predicates become `if`, PTX registers become
local variables. Branches, labels and unknown instructions are refused (`Unreadable`), hardware that
AMD does not have is `Unsupported`. The meaning of instructions: NVIDIA's PTX ISA document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from portgpu.translate import ptx_matrix
from portgpu.translate.ptx_table import NVIDIA_ONLY, SPECIAL, expression, statement


class _Operand(Protocol):
    @property
    def name(self) -> bytes: ...
    @property
    def constraint(self) -> bytes: ...
    @property
    def expression(self) -> bytes: ...
    @property
    def pointer(self) -> bool: ...  # a variable that is one, for 64-bit results


class Unreadable(Exception):
    """PTX that has no portable form here."""

    def __init__(self, instruction: str) -> None:
        super().__init__(instruction)
        self.instruction = " ".join(instruction.split())[:120]


class Unsupported(Unreadable):
    """PTX for hardware that AMD does not have."""


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PTX = re.compile(r"(?:^|[;{}\n]|@!?%?\w+)\s*[a-z][a-z0-9]*(?:(?:\.|::)[a-zA-Z0-9_]+)+(?=[\s;]|\Z)"
                  r"|%%?[a-z_]+mask|^\s*(?:trap|exit|brkpt|ret)\s*;?\s*\Z|\.reg\b")  # fmt: skip
_REG = re.compile(r"\.reg\s+\.(\w+)\s+(.*)\Z", re.DOTALL)
_GUARD = re.compile(r"@(!?)\s*(%?\w+)\s+(.*)\Z", re.DOTALL)
_SETP = re.compile(r"setp\.(\w+)\.(\w+)\Z")
_REF = re.compile(r"%(\d+)|%\[(\w+)\]")
_NUMBER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|\d+)[uU]?\Z")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_FLOAT = re.compile(r"0[fF]([0-9a-fA-F]{8})\Z")
C_TYPES = {
    "u8": "unsigned char", "s8": "signed char", "b8": "unsigned char",
    "u16": "unsigned short", "s16": "short", "b16": "unsigned short",
    "u32": "unsigned", "s32": "int", "b32": "unsigned",
    "u64": "unsigned long long", "s64": "long long", "b64": "unsigned long long",
    "f32": "float", "f64": "double", "pred": "bool",
}  # fmt: skip
_BY_CONSTRAINT = {"h": "unsigned short", "r": "unsigned", "l": "unsigned long long",
                  "f": "float", "d": "double"}  # fmt: skip
_SET = re.compile(r"set\.(\w+)\.([us]32|f32)\.(\w+)\Z")
_COMPARE = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "lo": "<", "ls": "<=", "hi": ">", "hs": ">=",
}  # fmt: skip


def looks_like_ptx(template: str) -> bool:
    """Whether an asm text is PTX rather than the host's assembly."""
    return _PTX.search(_COMMENT.sub(" ", template)) is not None


def to_cpp(template: str, outputs: Sequence[_Operand], inputs: Sequence[_Operand]) -> bytes:
    """C++ text that does what the PTX does: one expression, or `do { ... } while (0)`.

    Raises `Unreadable` or `Unsupported` naming the first instruction that is in the way.
    """
    return _Reader(template, outputs, inputs).text().encode("latin-1")


class _Reader:
    def __init__(
        self, template: str, outputs: Sequence[_Operand], inputs: Sequence[_Operand]
    ) -> None:
        body = _COMMENT.sub(" ", template).replace("{\n", "{ ")
        self.instructions = [t for t in (s.strip() for s in _split(body)) if t]
        self.operands = [*outputs, *inputs]
        self.outputs = len(outputs)
        self.registers: dict[str, str] = {}
        self.carry_waits = ""  # the carry-out that nobody has read yet
        self.kept: dict[int, str] = {}
        self.arrays = 0
        self.names = {o.name.decode("latin-1"): i for i, o in enumerate(self.operands) if o.name}

    def text(self) -> str:
        lines: list[str] = []
        if len(self.instructions) > 1:
            self._keep_inputs()
        for instruction in self.instructions:
            lines += self._instruction(instruction)
        if self.carry_waits:  # the next asm statement would read it
            raise Unreadable(self.carry_waits)
        declarations = [f"{kind} pg_{name};" for name, kind in self.registers.items()]
        declarations += [
            f"const auto pg_in{i} = {self.operands[i].expression.decode('latin-1')};"
            for i in self.kept
        ]
        if len(lines) == 1 and not declarations and not lines[0].startswith("if "):
            return lines[0]
        if not lines:
            return "(void)0"
        return "do { " + " ".join([*declarations, *(line + ";" for line in lines)]) + " } while (0)"

    def _keep_inputs(self) -> None:
        """Inputs are registers of their own: those that an output changes are read first."""
        words = [set(_WORD.findall(o.expression)) for o in self.operands]
        changed: set[bytes] = set().union(*words[: self.outputs])
        for i in range(self.outputs, len(self.operands)):
            if words[i] & changed and self.operands[i].constraint.strip(b'"')[:1] != b"n":
                self.kept[i] = f"pg_in{i}"

    def _instruction(self, text: str) -> list[str]:
        if m := _REG.match(text):
            for name in m.group(2).split(","):
                name = name.strip()
                if many := re.fullmatch(r"(%?[A-Za-z_$]\w*)<(\d{1,3})>", name):  # r<4>: r0 to r3
                    if m.group(1) not in C_TYPES:
                        raise Unreadable(text)
                    for n in range(int(many[2])):
                        self.registers[f"{many[1].lstrip('%')}{n}"] = C_TYPES[m.group(1)]
                    continue
                if not re.fullmatch(r"%?[A-Za-z_$]\w*", name) or m.group(1) not in C_TYPES:
                    raise Unreadable(text)
                self.registers[name.lstrip("%")] = C_TYPES[m.group(1)]
            return []
        if m := _GUARD.match(text):
            guard = self._register(m.group(2), text)
            inner = self._instruction(m.group(3))
            return [f"if ({m.group(1)}{guard}) {{ {'; '.join(inner)}; }}"]
        opcode, _, rest = text.partition(" ")
        opcode = opcode.rstrip(",")
        args = _arguments(rest)
        if NVIDIA_ONLY.match(opcode):
            done = ptx_matrix.statement(opcode, args, self._reader(text))
            if done is None:
                raise Unsupported(opcode)
            return done
        if m := _SETP.match(opcode):
            if m.group(1) not in _COMPARE or len(args) != 3 or m.group(2) not in C_TYPES:
                raise Unreadable(text)
            kind = m.group(2)
            a, b = (self._read(x, kind, text) for x in args[1:])
            return [f"{self._register(args[0], text)} = {a} {_COMPARE[m.group(1)]} {b}"]
        if (m := _SET.match(opcode)) and len(args) == 3 and m[1] in _COMPARE and m[3] in C_TYPES:
            a, b = (self._read(x, m[3], text) for x in args[1:])
            yes, no = ("1.0f", "0.0f") if m[2] == "f32" else ("0xffffffffu", "0u")
            return [self._write(args[0], f"{a} {_COMPARE[m[1]]} {b} ? {yes} : {no}", m[2], text)]
        if opcode.startswith("selp.") and len(args) == 4:
            kind = opcode[5:]
            a, b = (self._read(x, kind, text) for x in args[1:3])
            p = self._register(args[3], text)
            return [self._write(args[0], f"{p} ? {a} : {b}", kind, text)]
        done = statement(opcode, args, self._reader(text))
        if done is not None:
            return done
        result = expression(opcode, args[1:], self._reader(text))
        if result is None or not args:
            raise Unreadable(text)
        value, kind = result
        return [self._write(args[0], value, kind, text)]

    def _reader(self, text: str) -> Access:
        return Access(self, text)

    def _register(self, name: str, text: str) -> str:
        bare = name.strip().lstrip("%")
        if bare not in self.registers:
            raise Unreadable(text)
        return f"pg_{bare}"

    def _place(self, arg: str, text: str) -> tuple[str, str]:
        """(C++ text, C type or "") of an operand reference or register."""
        if m := _REF.fullmatch(arg):
            index = int(m.group(1)) if m.group(1) else self.names.get(m.group(2), 10**6)
            if index >= len(self.operands):
                raise Unreadable(text)
            operand = self.operands[index]
            kind = _BY_CONSTRAINT.get(operand.constraint.decode("latin-1").strip("=+&%")[:1], "")
            if index in self.kept:
                return self.kept[index], kind
            return operand.expression.decode("latin-1"), kind
        bare = arg.lstrip("%")
        if bare in self.registers:
            return f"pg_{bare}", self.registers[bare]
        raise Unreadable(text)

    def _read(self, arg: str, kind: str, text: str) -> str:
        """An operand as a value of PTX type `kind`."""
        arg = arg.strip()
        if arg in SPECIAL or arg.replace("%%", "%") in SPECIAL:
            return SPECIAL[arg.replace("%%", "%")]
        if _NUMBER.match(arg):
            return arg.rstrip("uU") + ("u" if kind[:1] in "ub" and not arg.startswith("-") else "")
        if m := _FLOAT.match(arg):
            return f"__uint_as_float(0x{m.group(1)}u)"
        place, own = self._place(arg, text)
        want = C_TYPES.get(kind, "")
        if not want or kind == "pred":
            return f"({place})"
        if want.startswith(("float", "double")) and own.startswith("unsigned"):
            return (
                f"__uint_as_float({place})" if want == "float" else f"__longlong_as_double({place})"
            )
        if own == "float" and kind in ("b32", "u32", "s32"):
            return f"__float_as_uint({place})"
        return f"({want})({place})"

    def _write(self, arg: str, value: str, kind: str, text: str) -> str:
        place, own = self._place(arg.strip(), text)
        if kind == "f32" and own == "unsigned":
            value = f"__float_as_uint({value})"
        elif kind in ("b32", "u32") and own == "float":
            value = f"__uint_as_float({value})"
        if any(o.pointer and o.expression.decode("latin-1") == place for o in self.operands):
            value = f"(__typeof__({place}))({value})"
        return f"{place} = {value}"


class Access:
    """What the instruction table needs of the reader, for one instruction."""

    def __init__(self, reader: _Reader, text: str) -> None:
        self._reader = reader
        self._text = text

    def read(self, arg: str, kind: str) -> str:
        return self._reader._read(arg, kind, self._text)

    def write(self, arg: str, value: str, kind: str) -> str:
        return self._reader._write(arg, value, kind, self._text)

    def address(self, arg: str) -> tuple[str, int]:
        """(C++ text of the address, byte offset) of `[%1]`, `[%1+16]`."""
        m = re.fullmatch(r"\[\s*(%\d+|%\[\w+\]|%?\w+)\s*(?:\+\s*(-?\w+)\s*)?\]", arg.strip())
        if m is None:
            raise Unreadable(self._text)
        offset = 0
        if m.group(2):
            try:
                offset = int(m.group(2), 0)
            except ValueError:
                raise Unreadable(self._text) from None
        return self._reader._place(m.group(1), self._text)[0], offset

    def carry(self, read: bool, write: bool) -> bool:
        """Notes a read or write of the carry; False when there is none to read."""
        reader = self._reader
        if not (read or write) or (read and "cc" not in reader.registers):
            return False
        if read:
            reader.carry_waits = ""
        if write:
            reader.registers["cc"] = "unsigned"
            reader.carry_waits = self._text
        return True

    def declare(self, name: str, kind: str) -> None:
        """A variable `pg_name` of the statement."""
        self._reader.registers[name] = kind

    def fresh(self) -> str:
        """A name that nothing else in the statement has."""
        self._reader.arrays += 1
        return f"pg_a{self._reader.arrays}"

    def number(self, arg: str) -> int | None:
        """The value of an immediate operand, or of an "n" constraint written as a number."""
        arg = arg.strip()
        if _NUMBER.match(arg):
            return int(arg.rstrip("uU"), 0)
        return None


def _split(body: str) -> list[str]:
    """Instructions; braces of PTX blocks are dropped, those of vectors kept."""
    out: list[str] = []
    current = ""
    depth = 0
    for char in body:
        if char == "{":
            if current.strip() and not current.strip().endswith((";", "}")):
                depth += 1
                current += char
            continue
        if char == "}":
            if depth:
                depth -= 1
                current += char
            continue
        if char == ";":
            out.append(current)
            current = ""
        elif char == "\n" and not depth:
            current += " "
        else:
            current += char
    out.append(current)
    return [" ".join(t.split()) for t in out]


def _arguments(text: str) -> list[str]:
    args: list[str] = []
    current, depth = "", 0
    for char in text:
        if char in "{[(":
            depth += 1
        elif char in "}])":
            depth -= 1
        if char == "," and depth == 0:
            args.append(current.strip())
            current = ""
        else:
            current += char
    if current.strip():
        args.append(current.strip())
    return args
