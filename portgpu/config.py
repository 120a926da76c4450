"""Configuration: `portgpu.toml`, or `[tool.portgpu]` in pyproject.toml.

Precedence: command line, then environment, then file, then default. The keys are described in
`portgpu.config_model` alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from portgpu.config_model import (
    LISTS,
    MODELS,
    SECTIONS,
    Build,
    Lint,
    Project,
    ProjectTest,
    Target,
    Toolchains,
    Translate,
)
from portgpu.errors import ConfigError, nearest

__all__ = [
    "MODELS",
    "SECTIONS",
    "Build",
    "Config",
    "Lint",
    "Project",
    "ProjectTest",
    "Target",
    "Toolchains",
    "Translate",
    "load",
]


@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration. Without a file the op library in `kernels/` is what is built."""

    project: Project = field(default_factory=Project)
    build: Build = field(default_factory=Build)
    cuda: Target = field(default_factory=Target)
    rocm: Target = field(default_factory=Target)
    cpu: Target = field(default_factory=Target)
    toolchain: Toolchains = field(default_factory=Toolchains)
    translate: Translate = field(default_factory=Translate)
    lint: Lint = field(default_factory=Lint)
    tests: tuple[ProjectTest, ...] = ()
    root: Path = field(default_factory=Path.cwd)
    file: Path | None = None

    def target(self, name: str) -> Target:
        """The settings of one target."""
        return {"cuda": self.cuda, "rocm": self.rocm, "cpu": self.cpu}[name]

    @property
    def is_op_library(self) -> bool:
        """Whether no sources are configured, so that portgpu's own kernels are meant."""
        return not self.project.sources


def load(
    path: Path | None = None,
    *,
    start: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
) -> Config:
    """Read the configuration.

    `path` is a file that must exist; without it `PORTGPU_CONFIG`, then portgpu.toml or a
    pyproject.toml with `[tool.portgpu]` in `start` (default: the working folder) or above it.
    `overrides` maps `"section.key"` (`"build.types"`, `"cuda.archs"`) to command-line values;
    None and empty tuples are skipped. Raises `ConfigError` with file and line.
    """
    env = os.environ if env is None else env
    file = path or (Path(env["PORTGPU_CONFIG"]) if env.get("PORTGPU_CONFIG") else None)
    if file is not None and not file.is_file():
        raise ConfigError(f"{file}: no such file", hint="check --config or PORTGPU_CONFIG")
    file = file or _search(start or Path.cwd())
    config = _read(file) if file else Config(root=(start or Path.cwd()).resolve())
    config = _apply(config, _from_env(env), "environment")
    wanted = {k: v for k, v in (overrides or {}).items() if v is not None and v != ()}
    config = _apply(config, wanted, "command line")
    _check_name(config.project.name, f"{file}: [project]" if file else "PORTGPU_NAME")
    return config


def _search(start: Path) -> Path | None:
    for folder in (start.resolve(), *start.resolve().parents):
        own = folder / "portgpu.toml"
        if own.is_file():
            return own
        if os.path.lexists(own):
            what = "a link to nowhere" if own.is_symlink() and not own.exists() else "no file"
            raise ConfigError(f"{own}: {what}", hint="make it a file, or remove it")
        project = folder / "pyproject.toml"
        if project.is_file() and "portgpu" in _parse(project).get("tool", {}):
            return project
        if (folder / ".git").exists():
            break
    return None


def _parse(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        where = f"{file}:{place[1]}" if place else str(file)
        text = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise ConfigError(f"{where}: not valid TOML: {text}", hint="see docs/config.md") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 text", hint="save the file as UTF-8") from error


def _read(file: Path) -> Config:
    data = _parse(file)
    prefix = ""
    if file.name == "pyproject.toml":
        data, prefix = data["tool"]["portgpu"], "tool.portgpu."
    lines = _Lines(file, prefix)
    config = Config(root=file.resolve().parent, file=file)
    for name, (attribute, model) in LISTS.items():
        entries = data.pop(name, [])
        if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
            raise ConfigError(
                f"{lines.find(name, '')}: {name} must be a list of tables", hint=f"write [[{name}]]"
            )
        made: Any = tuple(_fill(model(), name, e, lines, n) for n, e in enumerate(entries))
        config = replace(config, **{attribute: made})
    sections = _flatten(data, lines)
    _check_tests(config, lines)
    for section, values in sections.items():
        attribute = SECTIONS[section]
        part = _fill(getattr(config, attribute), section, values, lines)
        config = replace(config, **{attribute: part})
    return config


def _check_name(name: str, where: str) -> None:
    if name and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", name):
        raise ConfigError(
            f"{where}: name cannot be {name!r}",
            hint="letters, digits, _, -, + and . make a file name that every tool takes",
        )


def _fill(part: Any, section: str, values: Mapping[str, Any], lines: _Lines, nth: int = 0) -> Any:
    """The section's settings with the file's values; raises for a key that nobody knows."""
    known = {f.name: f for f in fields(part)}
    for key, value in values.items():
        where = lines.find(section, key, nth)
        if key not in known:
            raise ConfigError(
                f"{where}: unknown key {key!r} in [{lines.prefix}{section}]",
                hint=nearest(key, list(known)) or f"known keys: {', '.join(known)}",
            )
        part = replace(part, **{key: _check(known[key], value, where)})
    return part


def _check_tests(config: Config, lines: _Lines) -> None:
    seen: set[str] = set()
    for nth, test in enumerate(config.tests):
        where = lines.find("test", "name", nth)
        if not re.fullmatch(r"[A-Za-z0-9_.-]+", test.name) or test.name.startswith("."):
            raise ConfigError(
                f"{where}: [[test]] needs a name of letters, digits, _ and -, not {test.name!r}",
                hint='write name = "…"; the name becomes a folder and a file',
            )
        if test.name in seen:
            raise ConfigError(
                f"{where}: a second test is called {test.name!r}", hint="give it another name"
            )
        seen.add(test.name)
        if test.timeout == 0:
            where = lines.find("test", "timeout", nth)
            raise ConfigError(f"{where}: timeout must be above 0", hint="write timeout = 60")
        for variable in test.env:
            if not re.match(r"[A-Za-z_]\w*=", variable):
                raise ConfigError(
                    f"{lines.find('test', 'env', nth)}: {variable!r} is not NAME=VALUE",
                    hint='write env = ["NAME=VALUE"]',
                )
        try:
            re.compile(test.output)
        except re.error as error:
            raise ConfigError(
                f"{lines.find('test', 'output', nth)}: not a regular expression: {error}",
                hint="escape characters such as ( and * with a backslash, in '…' quotes",
            ) from error


def _flatten(data: Mapping[str, Any], lines: _Lines) -> dict[str, dict[str, Any]]:
    """Sections by their dotted name; raises for a section or top-level key that nobody knows."""
    found: dict[str, dict[str, Any]] = {}
    tops = sorted({name.split(".")[0] for name in SECTIONS} | set(LISTS))
    for name, value in data.items():
        if name in tops and not isinstance(value, dict):
            raise ConfigError(
                f"{lines.find(name, '')}: {name} must be a table", hint=f"write [{name}] once"
            )
        if name not in tops or not isinstance(value, dict):
            is_table = isinstance(value, dict) or (
                isinstance(value, list) and any(isinstance(item, dict) for item in value)
            )
            kind = "section" if is_table else "key"
            owner = next((s for s in SECTIONS if name in _keys(s)), "")
            hint = f"{name} belongs into [{owner}]" if owner else nearest(name, tops)
            where = lines.find(name, "") if is_table else lines.find("", name)
            raise ConfigError(
                f"{where}: unknown {kind} {name!r}",
                hint=hint or f"sections: {', '.join((*SECTIONS, *LISTS))}",
            )
        if name != "target":
            found[name] = value
            continue
        for target, inner in value.items():
            section = f"target.{target}"
            if section not in SECTIONS or not isinstance(inner, dict):
                raise ConfigError(
                    f"{lines.find(section, '')}: unknown target {target!r}",
                    hint=nearest(target, ["cuda", "rocm", "cpu"]) or "targets: cuda, rocm, cpu",
                )
            found[section] = inner
    return found


def _keys(section: str) -> list[str]:
    return [f.name for f in fields(MODELS[SECTIONS[section]])]


def _check(spec: Field[Any], value: Any, where: str) -> Any:
    kind, choices = spec.metadata["kind"], spec.metadata["choices"]
    if kind == "int":
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ConfigError(
                f"{where}: {spec.name} must be a whole number, not {value!r}",
                hint=f"write {spec.name} = {spec.default or 1}",
            )
        return value
    if kind == "number":
        if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
            raise ConfigError(
                f"{where}: {spec.name} must be a number, not {value!r}",
                hint=f"write {spec.name} = {spec.default}",
            )
        return float(value)
    if kind == "list":
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise ConfigError(
                f"{where}: {spec.name} must be a list of strings, not {value!r}",
                hint=f'write {spec.name} = ["…"]',
            )
        for item in value:
            _check_choice(spec.name, item, choices, where)
        return tuple(value)
    if not isinstance(value, str):
        text = value if isinstance(value, int | float) else "…"
        raise ConfigError(
            f"{where}: {spec.name} must be a string, not {value!r}",
            hint=f'write {spec.name} = "{spec.default or text}"',
        )
    _check_choice(spec.name, value, choices, where)
    return value


def _check_choice(name: str, value: str, choices: tuple[str, ...], where: str) -> None:
    if choices and value not in choices:
        raise ConfigError(
            f"{where}: {name} cannot be {value!r}",
            hint=nearest(value, choices) or f"choose from: {', '.join(choices)}",
        )


def _from_env(env: Mapping[str, str]) -> dict[str, Any]:
    """`"section.key"` → value for the variables that are set."""
    found: dict[str, Any] = {}
    for attribute, model in MODELS.items():
        for spec in fields(model):
            name = _env_name(spec, attribute)
            if not name or not env.get(name):
                continue
            text = env[name]
            value: Any = text
            if spec.metadata["kind"] == "list":
                value = tuple(part.strip() for part in text.split(",") if part.strip())
            elif spec.metadata["kind"] == "int":
                if not text.isdigit():
                    raise ConfigError(
                        f"{name}: must be a whole number, not {text!r}", hint=f"export {name}=1"
                    )
                value = int(text)
            found[f"{attribute}.{spec.name}"] = _check(spec, value, name)
    return found


def _env_name(spec: Field[Any], attribute: str) -> str:
    return str(spec.metadata["env"]).replace("{TARGET}", attribute.upper())


def _apply(config: Config, values: Mapping[str, Any], where: str) -> Config:
    for name, value in values.items():
        attribute, key = name.split(".")
        part = getattr(config, attribute)
        spec = next(f for f in fields(part) if f.name == key)
        config = replace(config, **{attribute: replace(part, **{key: _check(spec, value, where)})})
    return config


class _Lines:
    """Finds the line of a section or key, which the TOML reader does not keep."""

    def __init__(self, file: Path, prefix: str) -> None:
        self._file = file
        self.prefix = prefix
        self._lines = file.read_text(encoding="utf-8").splitlines()

    def find(self, section: str, key: str, nth: int = 0) -> str:
        """`file:line` of a key in a section (or of the section), or just the file.

        `nth` counts the tables of a section that may repeat.
        """
        full = (self.prefix + section).strip(".")
        current, opened, count = "", 0, -1
        for number, line in enumerate(self._lines, 1):
            header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
            if header:
                current = re.sub(r"[\s\"']", "", header[1])
                count += current == full and line.lstrip().startswith("[[")
                if current == full or current.startswith(full + "."):
                    opened = number if count == nth else opened or number
                continue
            if count >= 0 and current == full and count != nth:
                continue
            match = re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line)
            if match:
                name = ".".join(filter(None, (current, match[1].strip("\"'"))))
                if key and name == f"{full}.{key}".strip("."):
                    return f"{self._file}:{number}"
                if not key and (name == full or name.startswith(full + ".")):
                    opened = opened or number
        return f"{self._file}:{opened}" if opened else str(self._file)
