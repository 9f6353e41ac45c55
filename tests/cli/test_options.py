"""The description of the options (tools/options.toml), and the help that is made of it."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import click
import pytest

from spanrs.cli.described import HELP_LINES, Command
from spanrs.cli.group import group

ROOT = Path(__file__).parent.parent.parent


def commands(parent: click.Group = group, prefix: str = "spanrs"):
    context = click.Context(parent, info_name=prefix)
    for name in parent.list_commands(context):
        command = parent.get_command(context, name)
        yield f"{prefix} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix} {name}")


COMMANDS = dict(commands())


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "tools" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=["options.toml", "matscore.toml"])
def described(request, generate):
    return generate.Description(request.param).options


def test_generated_files_are_those_of_the_description(generate, tmp_path, monkeypatch):
    assert generate.main(["--check"]) == 0
    monkeypatch.setattr(generate, "page", lambda descriptions: "other")
    assert generate.main(["--check"]) == 1


def test_an_option_means_the_same_in_every_command():
    seen = {}
    for name, command in COMMANDS.items():
        for option in command.params:
            if not isinstance(option, click.Option):
                continue
            definition = option.to_info_dict() | {
                "show_default": option.show_default,
                "group": option.group,
            }
            # A command may accept fewer formats; outputs contain different things, and training has its own defaults.
            if option.name in ("format_name", "to", "matcher"):
                del definition["type"], definition["help"]
            elif option.name in ("output_path", "scheme", "c2", "min_freq"):
                continue
            if (name, option.name) == ("convert", "to"):
                # The format of a corpus, which has no default, and not of a report.
                continue
            for flag in [*option.opts, *option.secondary_opts]:
                first, expected = seen.setdefault(flag, (name, definition))
                assert definition == expected, f"{flag} of {name} and {first}"


def test_every_option_is_described():
    for name, command in COMMANDS.items():
        if not isinstance(command, click.Group) and name != "spanrs conlleval":
            assert isinstance(command, Command), name


def evaluated(expression):
    import spanrs.cli.dep.inputs
    import spanrs.crowd.experiments
    import spanrs.crowd.results
    import spanrs.eval.comparison
    import spanrs.eval.resampling
    import spanrs.mat.matcher

    return eval(expression, {"spanrs": spanrs})


def test_choices_and_defaults_are_those_of_the_library(described):
    checked = 0
    for key, option in described.items():
        if "choices_from" in option:
            assert option["choices"] == list(evaluated(option["choices_from"])), key
        if "default_from" in option:
            assert option["default"] == evaluated(option["default_from"]), key
        for mirrored in option.get("mirrors", ()):
            owner, _, parameter = mirrored.partition(":")
            module, _, attribute = owner.rpartition(".")
            function = getattr(importlib.import_module(module), attribute)
            default = inspect.signature(function).parameters[parameter].default
            assert option.get("default", False if option.get("type") == "flag" else None) == default, (
                mirrored
            )
            checked += 1
    assert checked > 20 or "ref_file" in described


def test_arguments_of_read_and_settings_of_signatures_exist():
    from spanrs.cli._generated import READ_ARGUMENTS, SIGNATURE_PARAMETERS
    from spanrs.eval.settings import SHORT
    from spanrs.io.options import ReadOptions

    known = inspect.signature(ReadOptions).parameters
    assert {argument for _, argument, _ in READ_ARGUMENTS} <= set(known)
    parameters = {option.name for option in COMMANDS["spanrs score"].params}
    assert {parameter for parameter, _, _ in READ_ARGUMENTS} | set(SIGNATURE_PARAMETERS) <= parameters
    assert set(SIGNATURE_PARAMETERS) <= set(SHORT)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_short(name, monkeypatch):
    command = COMMANDS[name]
    context = click.Context(command, info_name=name, terminal_width=80)
    lines = command.get_help(context).splitlines()
    assert len(lines) <= HELP_LINES
    assert max(map(len, lines)) <= 80
    options = [option for option in command.params if isinstance(option, click.Option)]
    hidden = [option for option in options if f"{option.opts[-1]} " not in " ".join(lines) + " "]
    assert not hidden or any(line.strip().startswith("--help-all") for line in lines)
    if isinstance(command, Command):
        text = command.whole_help(context)
        assert all(option.opts[-1] in text for option in options)


def test_all_options_are_shown_on_request(spanrs):
    status, out, _ = spanrs("score", "--help-all")
    assert (status, "--csv-directory" in out) == (0, True)
    assert "--csv-directory" not in spanrs("score", "--help")[1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("scroe", "a"), "there is no command 'scroe'; did you mean score?"),
        (("crf", "trian"), "did you mean train?"),
        (("score", "a", "b", "--interval"), "--intervals"),
        (("xyz",), "expected one of score, compare"),
        (("convert", "a"), "choose a format with --to, or a scheme with --to-scheme"),
        (("dep", "train", "a"), "Missing option '-o' / '--output'"),
        (("crf", "tag", "m", "a", "--format", "brat"), "'brat' is not one of 'auto', 'columns', 'conllu'"),
        (
            ("dep", "tag", "m", "a", "--format", "brat"),
            "'brat' is not one of 'auto', 'conllu', 'four-columns'",
        ),
        (("read", "a", "--to", "svg"), "'svg' is not one of 'text', 'json'"),
        (("score", "a", "b", "--to", "svg"), "'html', 'jsonl'; see"),
        (("score", "a", "b", "--format", "tokens"), "'jsonl-tags', 'generated'; see"),
        (
            ("score", "a", "b", "--treads", "2"),
            "no option --treads; did you mean --threads? See spanrs score",
        ),
        (("score", "a", "b", "--from", "x"), "there is no option --from; see spanrs score --help"),
        (("score", "a", "b", "--like", "matcher:mat|version:1"), "give --matcher mat and its options"),
        (("score", "a", "b", "--exclude", "A"), "--exclude requires --matcher fair or mat"),
        (("dep", "train", "a", "-o", "m", "--aggressiveness", "0"), "0.0 is not in the range x>0"),
        (("dep", "train", "a", "-o", "no/m"), "-o no/m: its directory does not exist"),
        (("score", "a", "b", "--matcher", "no"), "unknown matcher 'no'"),
        (("compare", "a", "b", "c", "--matcher", "mat"), "only spanrs score accepts mat"),
        (
            ("score", "a", "b", "--matcher", "mat", "--errors"),
            "--errors cannot be combined with --matcher mat",
        ),
        (("score", "a", "b", "--details"), "--details requires --matcher mat"),
    ],
)
def test_mistakes_are_met_with_advice(spanrs, args, message):
    status, out, err = spanrs(*args)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("bounds", "status", "message"),
    [
        (["f1=0.57"], 0, ""),
        (["f1=0.5", "accuracy=0.8"], 0, ""),
        (["f1=0.58"], 1, "f1 0.5714 is lower than 0.58 (--fail-under)"),
        (["recall=0.1", "precision=0.9"], 1, "precision 0.5714 is lower than 0.9 (--fail-under)"),
        (["f1=80"], 2, "for 80 % write f1=0.8"),
        (["f1=-1"], 2, "bounds are fractions from 0 to 1, not -1"),
        (["f2=0.8"], 2, "measures are precision, recall, f1, accuracy"),
        (["f1"], 2, "is not MEASURE=BOUND"),
        (["f1=high"], 2, "'high' is not a number"),
    ],
)
def test_a_measure_below_its_bound_fails(spanrs, bounds, status, message):
    options = [f"--fail-under={bound}" for bound in bounds]
    files = (ROOT / "examples" / "gold.conll", ROOT / "examples" / "pred.conll")
    result, out, err = spanrs("score", *files, *options)
    lines = [line for line in err.splitlines() if "warning" not in line]
    assert (result, bool(out), len(lines)) == (status, status < 2, int(status > 0))
    assert message in err


def test_a_closed_pipe_is_quiet():
    command = f"{sys.executable} -m spanrs score examples/gold.conll examples/gold.conll --json"
    line = f"({command}; echo $? >&2) | true"
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (
        done.stderr in ("141\n", "spanrs: note: gold and pred are the same file\n141\n")
        or "141" in done.stderr
    )
