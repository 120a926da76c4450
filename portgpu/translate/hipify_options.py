"""The options of hipify-clang and hipify-perl, and how their words are read.

The names and meanings are those of ROCm's documentation ("hipify-clang commands", "hipify-perl
command"). One dash or two, "=" or the next word, and as with Perl's own reader any case and any
beginning that only one option has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from portgpu.errors import UsageError, nearest

BOTH, CLANG, PERL, OURS = "both", "clang", "perl", "ours"


@dataclass(frozen=True)
class Option:
    """One option; `value` is how the value is shown in --help, empty for a switch."""

    name: str
    tool: str
    help: str
    value: str = ""


OPTIONS: dict[str, Option] = {
    o.name: o
    for o in (
        Option("amap", CLANG, "Translate excluded blocks too; wins over --default-preprocessor"),
        Option("clang", OURS, "Behave as hipify-clang"),
        Option("clang-resource-directory", CLANG, "Accepted: no compiler's headers needed", "DIR"),
        Option("csv", CLANG, "Write the support pages as CSV"),
        Option("cuda-gpu-arch", CLANG, "Accepted: every architecture's code is translated", "ARCH"),
        Option("cuda-kernel-execution-syntax", BOTH, "Keep <<<>>> launches (default)"),
        Option("cuda-path", CLANG, "Accepted: no CUDA installation is needed", "DIR"),
        Option("default-preprocessor", CLANG, "As --skip-excluded-preprocessor-conditional-blocks"),
        Option("doc-format", CLANG, "With --md or --csv: full, strict or compact", "FORM"),
        Option("doc-roc", CLANG, "With --md or --csv: skip, separate or joint", "FORM"),
        Option("doc-ver", CLANG, "Accepted: the pages show all versions", "VERSION"),
        Option("D", CLANG, "A macro; decides which blocks are excluded", "MACRO[=VALUE]"),
        Option("examine", BOTH, "--no-output and --print-stats together"),
        Option("exclude-dirs", PERL, "Folders to leave out of input folders, with commas", "LIST"),
        Option("exclude-files", PERL, "Files to leave out of input folders, with commas", "LIST"),
        Option("experimental", BOTH, "Accept names that HIP has had only since 6.3 or later"),
        Option("extra-arg", CLANG, "One more word for the compiler: -D, -U and -I count", "WORD"),
        Option("extra-arg-before", CLANG, "As --extra-arg", "WORD"),
        Option("help", BOTH, "Show this"),
        Option("help-hidden", CLANG, "Show this"),
        Option("help-list", CLANG, "Show this"),
        Option("hip-kernel-execution-syntax", BOTH, "Write launches as hipLaunchKernelGGL(...)"),
        Option("hip-version", OURS, "Report names that this HIP version lacks", "VERSION"),
        Option("I", CLANG, "A folder of local headers", "DIR"),
        Option("inplace", BOTH, "Overwrite the input; keep FILE.prehip"),
        Option("kernel-execution-syntax", PERL, "As --hip-kernel-execution-syntax"),
        Option("local-headers", CLANG, "Translate the quoted local headers too"),
        Option("local-headers-recursive", CLANG, "And the local headers that these include"),
        Option("md", CLANG, "Write the support pages as Markdown"),
        Option("hipdnn", BOTH, "Names of hipDNN for cuDNN (default)"),
        Option("miopen", BOTH, "Names of MIOpen for cuDNN, not those of hipDNN"),
        Option("no-backup", CLANG, "With --inplace: keep no FILE.prehip"),
        Option("no-output", BOTH, "Write no translation"),
        Option("no-undocumented-features", CLANG, "Accepted: none are used"),
        Option("o", BOTH, "Output file; - for standard output", "FILE"),
        Option("o-dir", CLANG, "Output folder", "DIR"),
        Option("o-hipify-perl-dir", CLANG, "Folder for --perl", "DIR"),
        Option("o-python-map-dir", CLANG, "Folder for --python", "DIR"),
        Option("o-stats", CLANG, "File for the CSV statistics, which it asks for", "FILE"),
        Option("p", CLANG, "Folder of compile_commands.json: its -D and -I count", "DIR"),
        Option("perl", CLANG, "Write a hipify-perl that starts this translator"),
        Option("print-stats", BOTH, "Print statistics on stderr"),
        Option("print-stats-csv", CLANG, "Write statistics to FILE.csv (several: sum_stat.csv)"),
        Option("python", CLANG, "Write the tables as cuda_to_hip_mappings.py"),
        Option("quiet-warnings", PERL, "Print no warnings"),
        Option("roc", BOTH, "Names of rocBLAS, rocSPARSE, rocSOLVER, rocRAND where they exist"),
        Option("roc-path", CLANG, "Accepted: no ROCm installation is needed", "DIR"),
        Option("save-temps", CLANG, "Accepted: there are no temporary files"),
        Option(
            "skip-excluded-preprocessor-conditional-blocks", CLANG,
            "Leave code alone that the preprocessor excludes",
        ),
        Option("temp-dir", CLANG, "Accepted: there are no temporary files", "DIR"),
        Option("translate-to-miopen", BOTH, "As --miopen"),
        Option("translate-to-roc", BOTH, "As --roc"),
        Option("use-hip-data-types", CLANG, "With --roc: keep hipDataType and its values"),
        Option("v", CLANG, "Say what is done"),
        Option("version", BOTH, "Show the version"),
        Option("versions", CLANG, "Show the versions of CUDA and ROCm that the tables know"),
        Option("whitelist", PERL, "Names to say nothing about, with commas", "LIST"),
        Option("x", CLANG, "Accepted: every input is CUDA", "LANGUAGE"),
    )
}  # fmt: skip
_ALIASES = {
    "h": "help",
    "translate-to-roc": "roc",
    "translate-to-miopen": "miopen",
    "kernel-execution-syntax": "hip-kernel-execution-syntax",
}
# Words of the compiler that take the next word with them.
_PAIRS = frozenset(("-isystem", "-iquote", "-include", "-x", "-U", "-D", "-I", "-arch", "-std"))
# What hipify-clang may be given among its options although it wants it behind "--".
_COMPILER = re.compile(
    r"-(?:std=.+|W[a-z].*|w|O[0-3sz]?|Ofast|g[0-9]?|m(?:32|64|[a-z]+=.+)|pthread"
    r"|f(?:PIC|pic|openmp|no-.+|[a-z]+-[\w=-]+)|isystem|iquote|include|U.*)"
)


@dataclass
class Words:
    """What a command line said."""

    inputs: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    compiler: list[str] = field(default_factory=list)
    clang: bool = False

    def has(self, name: str) -> bool:
        return name in self.values

    def last(self, name: str) -> str:
        return self.values.get(name, [""])[-1]

    def every(self, name: str) -> list[str]:
        """All values of an option, lists with commas taken apart."""
        return [w for text in self.values.get(name, ()) for w in text.split(",") if w]


def parse(arguments: list[str], found: Words | None = None, *, compiler: bool = True) -> Words:
    """Reads the words into `found`. Raises `UsageError` for an unknown option or a missing value.

    Options of a compiler are taken in front of "--" too, where `compiler` says so.
    """
    words = list(arguments)
    found = Words() if found is None else found
    while words:
        word = words.pop(0)
        if word == "--":
            if compiler:
                found.compiler += words
                found.clang = True
            else:
                found.inputs += words  # hipify-perl has no compiler
            break
        if word == "-" or not word.startswith("-"):
            found.inputs.append(word)
            continue
        bare = word.lstrip("-")
        name, equals, value = bare.partition("=")
        if name not in OPTIONS and name[:1] in ("I", "D") and not word.startswith("--"):
            name, equals, value = bare[0], "=", bare[1:]
        option = _option(name)
        if option is None and compiler and _COMPILER.fullmatch(word):
            found.compiler.append(word)
            if word in _PAIRS and words:
                found.compiler.append(words.pop(0))
            continue
        if option is None:
            hint = nearest(name, sorted(OPTIONS)) or "portgpu hipify --help"
            hint = f"for the file, write ./{word}" if Path(word).is_file() else hint
            raise UsageError(f"no option {word}", hint=hint)
        found.clang |= option.tool == CLANG or option.name == "clang"
        if option.value and not equals:
            if not words:
                raise UsageError(f"{word} needs a value", hint=f"{word}={option.value}")
            value = words.pop(0)
        elif not option.value and equals and value.lower() in ("0", "false", "no"):
            continue
        found.values.setdefault(option.name, []).append(value if option.value else "")
    _compiler_words(found)
    return found


def _option(name: str) -> Option | None:
    """The option of a name, an alias, or a beginning of one name alone."""
    name = _ALIASES.get(name, name)
    if name in OPTIONS:
        return OPTIONS[name]
    lower = name.lower()
    if len(lower) < 3:
        return None
    near = [o for o in OPTIONS.values() if o.name.lower().startswith(lower)]
    exact = [o for o in near if o.name.lower() == lower]
    chosen = exact or near
    return OPTIONS[_ALIASES.get(chosen[0].name, chosen[0].name)] if len(chosen) == 1 else None


def _compiler_words(found: Words) -> None:
    """-D, -U and -I of the compiler's words count like our own."""
    words = [*found.values.get("extra-arg-before", ()), *found.compiler,
             *found.values.get("extra-arg", ())]  # fmt: skip
    while words:
        word = words.pop(0)
        flag, rest = word[:2], word[2:]
        if flag in ("-D", "-I", "-U"):
            value = rest or (words.pop(0) if words else "")
            if flag == "-U":
                defined = found.values.get("D", [])
                found.values["D"] = [d for d in defined if d.partition("=")[0] != value]
            else:
                found.values.setdefault(flag[1], []).append(value)
        elif word in ("-isystem", "-iquote") and words:
            found.values.setdefault("I", []).append(words.pop(0))
        elif word in _PAIRS and words:
            words.pop(0)
