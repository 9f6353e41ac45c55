"""Generate the options of the commands and their documentation from options.toml and matscore.toml.

``python tools/generate.py`` writes the files; with ``--check``, it fails if a file is out of date.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: Maximum line length of the formatter.
WIDTH = 108
#: Types of options, as expressions of the generated module.
TYPES = {
    "column": "types.COLUMN",
    "columns": "types.COLUMNS",
    "names": "types.NAMES",
    "labels": "types.LABELS",
    "numbers": "types.NUMBERS",
    "bounds": "types.BOUNDS",
    "path": "types.PATH",
    "matcher": "types.MATCHER",
    "library_matcher": "types.LIBRARY_MATCHER",
    "error_count": "types.ERROR_COUNT",
    "equivalence_class": "types.EQUIVALENCE_CLASS",
    "task_link": "types.TASK_LINK",
}
HEADER = '''"""The options of the commands; written by ``make generate`` from tools/{source}."""

from spanrs.cli import parameter_types as types
from spanrs.cli.described import {names}

# fmt: off
'''
PAGE = """# Options

The options of all commands. An option has one name and meaning in every command that takes it. `spanrs COMMAND --help`
shows the options of a command. Where it leaves out rare ones, `spanrs COMMAND --help-all` shows all of them. Written by
`make generate` from `tools/options.toml` and `tools/matscore.toml`.
"""


class Description:
    """Options and commands described in a file."""

    def __init__(self, name: str) -> None:
        content = tomllib.loads((ROOT / "tools" / name).read_text(encoding="utf-8"))
        self.name = name
        self.options: dict[str, dict[str, Any]] = content["options"]
        self.commands: dict[str, dict[str, Any]] = content["commands"]
        self._bundles: dict[str, list[str]] = content.get("bundles", {})
        self._underscores = content.get("underscores", False)
        for command in self.commands.values():
            command["options"] = list(self._expanded(command.get("options", ())))

    def _expanded(self, names: Iterable[str]) -> Iterator[str]:
        """Replace each bundle by its options."""
        for name in names:
            if name.startswith("@"):
                yield from self._expanded(self._bundles[name[1:]])
            else:
                yield name

    def flag(self, key: str) -> str:
        """Return the long name of an option, with its hyphens."""
        name = str(self.options[key].get("option", key))
        return "--" + (name if self._underscores else name.replace("_", "-"))

    def taken_by(self, matcher: str) -> list[str]:
        """Return the parameters of the options that a matcher takes."""
        return [
            option.get("parameter", key)
            for key, option in self.options.items()
            if matcher in option.get("matchers", ())
        ]


def quoted(text: str) -> str:
    """Return a string literal in the formatter's style."""
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def tokens(part: Any) -> list[str]:
    """Return the pieces between which a line may be broken; a part is text, or (prefix, parts, suffix)."""
    if isinstance(part, str):
        return [part]
    prefix, parts, suffix = part
    pieces = [token for inner in parts for token in tokens(inner)]
    if not pieces:
        return [prefix + suffix]
    # A tuple of one value needs a trailing comma.
    end = f",{suffix}" if prefix.endswith("=(") and len(pieces) == 1 else suffix
    return (
        [prefix + pieces[0], *pieces[1:-1], pieces[-1] + end]
        if len(pieces) > 1
        else [prefix + pieces[0] + end]
    )


def call(prefix: str, parts: list[Any], suffix: str = ")") -> str:
    """Return a statement, with as many arguments per line as fit."""
    lines = [""]
    *others, last = tokens((prefix, parts, suffix))
    for token in [*(f"{token}," for token in others), last]:
        if lines[-1] and len(lines[-1]) + 1 + len(token) > WIDTH:
            lines.append("   ")
        lines[-1] += f" {token}" if lines[-1] else token
    return "\n".join(lines)


def tuple_of(name: str, values: Iterable[str]) -> Any:
    """Return a keyword argument that is a tuple."""
    return (f"{name}=(", list(map(quoted, values)), ")")


def type_of(option: dict[str, Any]) -> Any:
    """Return the expression for the type of an option; None for text and flags."""
    kind = option.get("type")
    if kind in (None, "flag"):
        return None
    if kind == "choice":
        choices = [quoted(choice) for choice in option["choices"]]
        more = [] if option.get("case_sensitive", True) else ["case_sensitive=False"]
        return ("type=types.choice(", [*choices, *more], ")")
    if kind in ("integer", "number"):
        limits = [f"{name}={option[name]}" for name in ("min", "max") if name in option]
        limits += ["min_open=True", "max_open=True"] if option.get("open") else []
        name = {"integer": "types.IntRange", "number": "types.FloatRange"}[kind]
        return f"type={name}({', '.join(limits)})"
    return f"type={TYPES[kind]}"


def option_code(description: Description, key: str) -> str:
    """Return the statement that defines an option."""
    option = description.options[key]
    names = [f"-{option['letter']}"] if "letter" in option else []
    names.append(description.flag(key))
    parts: list[Any] = [quoted(name) for name in [*names, option.get("parameter", key)]]
    parts += [f"group={quoted(option['group'])}", f"help={quoted(option['help'])}"]
    kind = type_of(option)
    if kind is not None:
        parts.append(kind)
    if option.get("type") == "flag":
        parts.append("is_flag=True")
    if "flag_value" in option:
        parts += ["is_flag=False", f"flag_value={option['flag_value']}"]
    if "default" in option:
        default = option["default"]
        parts.append(f"default={quoted(default) if isinstance(default, str) else default}")
    if "shown_default" in option:
        parts.append(f"show_default={quoted(option['shown_default'])}")
    if "metavar" in option:
        parts.append(f"metavar={quoted(option['metavar'])}")
    parts += [f"{name}=True" for name in ("multiple", "rare") if option.get(name)]
    return call(f"{key.upper()} = option(", parts)


def argument_code(text: str) -> Any:
    """Return the expression for a positional argument.

    The text is ``gold``, or ``METAVAR=name``. After the name, ``?`` makes the argument optional, and ``*`` requires at
    least one value. ``...`` in the metavar allows several values.
    """
    metavar, _, name = text.rpartition("=")
    metavar = metavar or name.upper()
    bare = name.rstrip("?*")
    parts = [quoted(bare), f"metavar={quoted(metavar)}"]
    if "..." in metavar:
        parts.append("nargs=-1")
    if name.endswith("?") or ("..." in metavar and not name.endswith("*")):
        parts.append("required=False")
    elif "..." in metavar:
        parts.append("required=True")
    return ("argument(", parts, ")")


def module(description: Description) -> str:
    """Return the generated module."""
    names = list(description.commands)
    has_arguments = any("arguments" in command for command in description.commands.values())
    imported = ["argument"] * has_arguments + ["command", "option"]
    parts = [HEADER.format(source=description.name, names=", ".join(imported))]
    groups = {""} | {name for name in names if any(other.startswith(f"{name} ") for other in names)}
    parts.append("#: Summary of each command, by group.")
    summaries: list[Any] = []
    for group in sorted(groups):
        depth = group.count(" ") + bool(group)
        own = [
            name
            for name in names
            if name.count(" ") == depth and name.startswith(f"{group} " if group else "")
        ]
        rows = [
            f"{quoted(name.rpartition(' ')[2])}: {quoted(description.commands[name]['summary'])}"
            for name in own
        ]
        summaries.append((f"{quoted(group)}: {{", rows, "}"))
    parts.append(call("SUMMARIES = {", summaries, "}"))
    matchers = sorted(
        {name for option in description.options.values() for name in option.get("matchers", ())}
    )
    if matchers:
        parts.append("#: Parameters that only some matchers accept.")
        rows = [
            (f"{quoted(name)}: (", list(map(quoted, description.taken_by(name))), ")") for name in matchers
        ]
        parts.append(call("MATCHER_PARAMETERS = {", rows, "}"))
    read = [
        (
            "(",
            [
                quoted(option.get("parameter", key)),
                quoted(option["read_argument"]),
                quoted(description.flag(key)),
            ],
            ")",
        )
        for key, option in description.options.items()
        if "read_argument" in option
    ]
    if read:
        parts.append(
            "#: Parameters for arguments of spanrs.read, the names of these arguments, and the options."
        )
        parts.append(call("READ_ARGUMENTS = (", read))
        settings = [
            quoted(key) for key, option in description.options.items() if option.get("in_signature")
        ]
        parts.append("#: Parameters that are settings of signatures.")
        parts.append(call("SIGNATURE_PARAMETERS = (", settings))
    parts.append("")
    parts += [option_code(description, key) for key in description.options]
    parts.append("")
    for name in names:
        command = description.commands[name]
        if name in groups or command.get("reads_own_arguments"):
            continue
        pieces: list[Any] = [quoted(name.rpartition(" ")[2])]
        if "arguments" in command:
            pieces.append(("arguments=[", [argument_code(text) for text in command["arguments"]], "]"))
        pieces.append(("options=[", [key.upper() for key in command["options"]], "]"))
        if "formats" in command:
            pieces.append(tuple_of("formats", command["formats"]))
        if "choices" in command:
            rows = [
                (f"{quoted(name)}: (", list(map(quoted, values)), ")")
                for name, values in command["choices"].items()
            ]
            pieces.append(("choices={", rows, "}"))
        if "required" in command:
            values = [description.options[key].get("parameter", key) for key in command["required"]]
            pieces.append(f"required=[{', '.join(map(quoted, values))}]")
        parts.append(call(f"{name.lower().replace(' ', '_')} = command(", pieces))
    return "\n".join(parts).rstrip() + "\n"


def page(descriptions: Iterable[Description]) -> str:
    """Return the documentation page."""
    lines = [PAGE]
    for description in descriptions:
        for name, command in description.commands.items():
            if not command["options"]:
                continue
            title = name if name == "MATScore" else f"spanrs {name}"
            usage = " ".join(
                [title, *(text.rpartition("=")[0] or text.upper() for text in command.get("arguments", ()))]
            )
            lines += [f"## {title}", "", f"{command['summary']} `{usage} [OPTIONS]`", ""]
            lines += ["| option | default | means |", "|---|---|---|"]
            lines += [row(description, key, command) for key in command["options"]]
            lines.append("")
    return "\n".join(lines)


def row(description: Description, key: str, command: dict[str, Any]) -> str:
    """Return the table row of an option."""
    option = description.options[key]
    names = [f"`-{option['letter']}`"] if "letter" in option else []
    value = f" {option['metavar']}" if "metavar" in option else ""
    names.append(f"`{description.flag(key)}{value}`")
    default = option.get("shown_default", option.get("default", ""))
    if isinstance(default, (int, float)):
        default = str(int(default)) if default == int(default) else f"{default:g}"
    name = description.flag(key).removeprefix("--")
    default = "required" if name.replace("-", "_") in command.get("required", ()) else default
    means = " ".join(filter(None, (option["help"], option.get("more"))))
    accepted = {"to": command.get("formats", ())} | command.get("choices", {})
    choices = accepted.get(name, option.get("choices", ()))
    if choices:
        means += f" One of {', '.join(f'`{choice}`' for choice in choices)}."
    cells = (", ".join(names), str(default), means)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def generated() -> dict[Path, str]:
    """Return the contents of the generated files."""
    commands, matscore = Description("options.toml"), Description("matscore.toml")
    package = ROOT / "python" / "spanrs" / "cli"
    return {
        package / "_generated.py": module(commands),
        package / "_generated_matscore.py": module(matscore),
        ROOT / "docs" / "options.md": page([commands, matscore]),
    }


def main(arguments: list[str]) -> int:
    """Write the files, or check them; return the exit status."""
    check = arguments == ["--check"]
    if arguments and not check:
        sys.stderr.write("usage: generate.py [--check]\n")
        return 2
    stale = [
        path
        for path, text in generated().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if check:
            sys.stderr.write(f"{path.relative_to(ROOT)} is out of date; run make generate\n")
        else:
            path.write_text(generated()[path], encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
