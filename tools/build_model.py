"""Train a model on a treebank and build a wheel that installs it: `make model TREEBANK=train.conllu NAME=en_ewt`.

The wheel `spanrs-model-en-ewt` has no code. It contains the model `en_ewt`, the licence of the treebank, which also
applies to the model, the attribution, and a model card with scores. `spanrs.dep.load("en_ewt")` finds it.

Licence, attribution and release are read from README.md and LICENSE.txt beside the treebank, as in the repositories of
Universal Dependencies, unless options give them. Without a licence and an attribution nothing is built.

`--check` needs the standard library alone: `make model` checks its variables before spanrs is compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from treebank_description import Treebank, UserError, begin_conllu, describe

#: What `spanrs.dep.installed` defines; it is not imported, because `--check` runs before spanrs is compiled.
GROUP = "spanrs.models"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
SUFFIX = ".model"
#: Versions of distributions, without the spellings that are normalized.
VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z0-9]+(\.[a-z0-9]+)*)?")
#: Time of the files in the wheel, so that equal models give equal wheels: the earliest time that zip files can store.
EPOCH = "315532800"
#: Mode of the files in the wheel. Some versions of flit_core write 0600, with which only the owner of a system-wide
#: installation could load the model.
MODE = stat.S_IFREG | 0o644
#: Option by variable of `make model`.
VARIABLES = {
    "TREEBANK": "TREEBANK",
    "NAME": "--name",
    "DEV": "--dev",
    "OUT": "--out",
    "TRAIN_OPTIONS": "--options",
    "TITLE": "--title",
    "LICENSE": "--license",
    "LICENSE_FILE": "--license-file",
    "ATTRIBUTION": "--attribution",
    "URL": "--url",
    "TREEBANK_RELEASE": "--release",
    "MODEL_VERSION": "--version",
}


class Model(NamedTuple):
    """A trained model and its description."""

    name: str
    """Name of the model, such as `en_ewt`."""
    file: Path
    """The model file."""
    options: Sequence[str]
    """Options of `spanrs dep train`."""
    facts: dict[str, Any]
    """Output of `spanrs dep info`."""
    scores: dict[str, Any] | None
    """Output of `spanrs dep eval`; None without development data."""
    raw_scores: dict[str, Any] | None
    """Output of `spanrs dep eval --raw`; None without development data or without a segmenter."""
    dev: str | None
    """Name of the file with development data."""
    scored_on_training_data: bool = False
    """Whether the development data are the training data."""

    @property
    def distribution(self) -> str:
        """Name of the distribution, such as `spanrs-model-en-ewt`."""
        return f"spanrs-model-{self.name.replace('_', '-')}"

    @property
    def package(self) -> str:
        """Name of the package with the model file, such as `spanrs_model_en_ewt`."""
        return f"spanrs_model_{self.name}"


def check_out(out: Path) -> None:
    """Check that a wheel can be written to a folder, which need not exist."""
    existing = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise UserError(f"{existing} is not a folder; choose another --out")
    try:
        # Permissions do not tell: root has all of them, and a file system may be read-only.
        tempfile.TemporaryFile(dir=existing).close()
    except OSError as error:
        raise UserError(f"{existing} is not writable: {error.strerror}; choose another --out") from None


def is_same_data(first: Path, second: Path) -> bool:
    """Return whether two files are the same or have equal contents."""
    if first.samefile(second):
        return True
    return first.stat().st_size == second.stat().st_size and first.read_bytes() == second.read_bytes()


def check(options: argparse.Namespace) -> Treebank:
    """Check what can be checked without spanrs, and return the description of the treebank."""
    treebank = describe(options)
    if options.dev is not None:
        begin_conllu(options.dev, "--dev")
        # `make model` has run --check before.
        if is_same_data(options.treebank, options.dev) and (options.check or not options.from_make):
            print(
                f"build_model: warning: {options.dev} is the training data, so the scores in the model card will "
                "be too high; use other data",
                file=sys.stderr,
            )
    check_out(options.out)
    try:
        shlex.split(options.options)
    except ValueError as error:
        raise UserError(f"--options {options.options!r} cannot be split: {error}") from None
    return treebank


def spanrs(*arguments: str | Path) -> str:
    """Run a command of spanrs and return its output; messages are shown."""
    command = [sys.executable, "-m", "spanrs", "dep", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode in (1, 2):
        # The message of the command is above, and says what to do.
        raise SystemExit(2)
    if done.returncode:
        raise UserError(f"spanrs dep {arguments[0]} ended with exit status {done.returncode}")
    return done.stdout


def train(name: str, treebank: Path, dev: Path | None, file: Path, options: Sequence[str]) -> Model:
    """Train a model with `spanrs dep train`, and score it on the development data."""
    of_dev = () if dev is None else ("--dev", dev)
    spanrs("train", treebank, *of_dev, "-o", file, *options)
    facts = json.loads(spanrs("info", file, "--to", "json"))
    if dev is None:
        return Model(name, file, options, facts, None, None, None)
    scores = json.loads(spanrs("eval", dev, file, "--to", "json"))
    raw_scores = (
        json.loads(spanrs("eval", dev, file, "--raw", "--to", "json")) if facts["segmenter"] else None
    )
    return Model(name, file, options, facts, scores, raw_scores, dev.name, is_same_data(treebank, dev))


def score_table(scores: dict[str, Any], raw_scores: dict[str, Any] | None) -> str:
    """Return the scores of `spanrs dep eval` as a table in Markdown; undefined measures are left out."""
    from spanrs.dep.scores import MEASURES

    columns = {"from words": scores} | ({} if raw_scores is None else {"from text": raw_scores})
    rows = [f"| measure | {' | '.join(columns)} | number in gold |", "|---|" + "--:|" * (len(columns) + 1)]
    known = {name: title for name, title in MEASURES.items() if name in scores["criteria"]}
    # Measures that this list does not name come last.
    for name in [*known, *(name for name in scores["criteria"] if name not in known)]:
        score = scores["criteria"][name]["micro"]
        if score["f1"] is not None and name not in (scores.get("unscored") or {}):
            cells = [_percent(one, name) for one in columns.values()]
            rows.append(f"| {known.get(name, name)} | {' | '.join(cells)} | {score['support']:.0f} |")
    return "\n".join(rows)


def _percent(scores: dict[str, Any], name: str) -> str:
    """Return the F1 of a measure in per cent, or - if it is undefined."""
    f1 = scores["criteria"].get(name, {}).get("micro", {}).get("f1")
    return "-" if f1 is None or name in (scores.get("unscored") or {}) else f"{100 * f1:.2f}"


def score_section(model: Model) -> str:
    """Return the scores of the model card, and what they are scores on."""
    if model.scores is None:
        return "The model was not scored."
    caution = ""
    if model.scored_on_training_data:
        caution = "**These are the training data: on other text the scores are lower.** "
    elif any(option.startswith("--patience") for option in model.options):
        caution = "These data also determined when training stopped. "
    table = score_table(model.scores, model.raw_scores)
    return f"F1 in per cent on `{model.dev}`, by `spanrs dep eval`. {caution}\n\n{table}".replace(
        " \n", "\n"
    )


def source_of(treebank: Treebank) -> str:
    """Return the training data in Markdown."""
    release = f", release {treebank.release or 'unknown'}"
    file = f"`{treebank.file.name}`"
    if treebank.title == treebank.file.name:
        return f"{file}{release}" if treebank.url is None else f"[{file}]({treebank.url}){release}"
    title = treebank.title if treebank.url is None else f"[{treebank.title}]({treebank.url})"
    return f"{file} of {title}{release}"


def model_card(model: Model, treebank: Treebank) -> str:
    """Return the model card in Markdown."""
    training = model.facts["metadata"].get("training", {})
    size = ""
    if "words" in training:
        size = f" ({training['sentences']} sentences, {training['words']} words)"
    options = shlex.join(model.options) or "the defaults"
    return f"""# {model.distribution}

The model `{model.name}` for [spanrs](https://github.com/spanrs/spanrs), {model.file.stat().st_size / 1e6:.1f} MB.

```sh
pip install {model.package}-*.whl
spanrs dep parse {model.name} FILE
```

```python
import spanrs.dep

model = spanrs.dep.load("{model.name}")
```

## Scores

{score_section(model)}

## Training

Trained with spanrs {training.get("version") or spanrs_version()} on {source_of(treebank)}{size}, with
`spanrs dep train`; options: {options}.

## Licence

The model is derived from the treebank and has its licence, {treebank.license}; the text of the licence is in the wheel.

{treebank.named_release}: {treebank.attribution}
"""


def toml_string(text: str) -> str:
    """Return a string of TOML. Strings of JSON are strings of TOML, except escapes for surrogates."""
    return json.dumps(text, ensure_ascii=False)


def project_file(model: Model, treebank: Treebank, version: str) -> str:
    """Return the pyproject.toml of the wheel."""
    description = f"The model {model.name} for spanrs, trained on {treebank.named_release}"
    urls = {"spanrs": "https://github.com/spanrs/spanrs"}
    if treebank.url is not None:
        urls["Treebank"] = treebank.url
    url_lines = "\n".join(f"{key} = {toml_string(url)}" for key, url in urls.items())
    return f"""[build-system]
requires = ["flit_core>=3.12,<4"]
build-backend = "flit_core.buildapi"

[project]
name = {toml_string(model.distribution)}
version = {toml_string(version)}
description = {toml_string(description)}
readme = "README.md"
license = {toml_string(treebank.license)}
license-files = ["LICENSE", "NOTICE"]
requires-python = ">=3.11"
dependencies = ["spanrs>={spanrs_version()}"]

[project.entry-points."{GROUP}"]
{model.name} = {toml_string(model.package)}

[project.urls]
{url_lines}

[tool.flit.module]
name = {toml_string(model.package)}
"""


def write_project(folder: Path, model: Model, treebank: Treebank, version: str) -> None:
    """Write the source of the wheel to a folder."""
    package = folder / model.package
    package.mkdir(parents=True)
    shutil.copyfile(model.file, package / f"{model.name}{SUFFIX}")
    notice = f"{treebank.named_release}: {treebank.attribution}\n" + (
        f"{treebank.url}\n" if treebank.url else ""
    )
    files = {
        package / "__init__.py": f'"""The model {model.name} for spanrs."""\n',
        folder / "pyproject.toml": project_file(model, treebank, version),
        folder / "README.md": model_card(model, treebank),
        folder / "LICENSE": treebank.license_text,
        folder / "NOTICE": notice,
    }
    for path, text in files.items():
        path.write_text(text, encoding="utf-8", newline="\n")


def build(folder: Path, out: Path) -> Path:
    """Build the wheel of a folder with flit, and return its path. Nothing is left in ``out`` if that fails."""
    code = "import sys; from flit_core.buildapi import build_wheel; print(build_wheel(sys.argv[1]))"
    with tempfile.TemporaryDirectory(prefix="spanrs-wheel-") as made:
        done = subprocess.run(
            [sys.executable, "-c", code, made],
            cwd=folder,
            env={"SOURCE_DATE_EPOCH": EPOCH} | os.environ,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            if "No module named 'flit_core'" in reason:
                reason = f"flit_core is not installed for {sys.executable}; say pip install --group model"
            raise UserError(f"the wheel cannot be built: {reason}")
        return copy_wheel(Path(made) / done.stdout.split()[-1], out)


def copy_wheel(wheel: Path, out: Path) -> Path:
    """Copy a wheel to a folder, with files that everybody may read, and return the path of the copy."""
    out.mkdir(parents=True, exist_ok=True)
    # Other builds may write to the same folder.
    handle, name = tempfile.mkstemp(prefix=f".{wheel.name}.", dir=out)
    os.close(handle)
    partial = Path(name)
    try:
        with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(partial, "w") as target:
            for entry in source.infolist():
                entry.external_attr = MODE << 16
                with source.open(entry) as data, target.open(entry, "w") as copy:
                    shutil.copyfileobj(data, copy)
        # Temporary files are readable by their owner only.
        partial.chmod(0o644)
        # On the same file system, so that no reader sees half a wheel.
        partial.replace(out / wheel.name)
    finally:
        partial.unlink(missing_ok=True)
    return out / wheel.name


def spanrs_version() -> str:
    """Return the version of spanrs."""
    try:
        from spanrs import __version__
    except ImportError as error:
        raise UserError(
            f"spanrs cannot be imported by {sys.executable}: {error}; `make model` builds it and runs this program"
        ) from None
    return __version__


def wheel_version(given: str | None, treebank: Treebank) -> str:
    """Return the version of the wheel: as given, else the release of the treebank, else the version of spanrs."""
    release = treebank.release
    return given or (release if release and VERSION.fullmatch(release) else spanrs_version())


def model_name(text: str) -> str:
    """Check the name of a model."""
    if NAME.fullmatch(text) is None:
        message = "use the code of the language and the treebank in lower case, such as en_ewt"
        raise argparse.ArgumentTypeError(f"{text!r} is not a name of a model; {message}")
    return text


def checked_version(text: str) -> str:
    """Check the version of a wheel."""
    if VERSION.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a version of a distribution, such as 2.17.post1")
    return text


def user_path(text: str) -> Path:
    """Return a path. A `~` is expanded, because shells do not do so after `TREEBANK=`."""
    return Path(os.path.expanduser(text))


class Arguments(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Raise the error, which :func:`main` prints."""
        raise UserError(re.sub(r"^argument (\S+): ", r"\1 ", message))


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = Arguments(
        prog="build_model",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("treebank", type=user_path, metavar="TREEBANK", help="training data, CoNLL-U")
    parser.add_argument("--name", type=model_name, required=True, help="name of the model, such as en_ewt")
    parser.add_argument("--dev", type=user_path, help="development data, CoNLL-U, for the scores")
    parser.add_argument("--out", type=user_path, default=Path("dist"), help="folder of the wheel")
    parser.add_argument("--options", default="", help="options of spanrs dep train, such as '--models 3'")
    parser.add_argument("--title", help="name of the treebank")
    parser.add_argument("--license", help="SPDX identifier of the licence of the treebank")
    parser.add_argument("--license-file", type=user_path, help="text of the licence of the treebank")
    parser.add_argument("--attribution", help="authors of the treebank")
    parser.add_argument("--url", help="where the treebank is published")
    parser.add_argument("--release", help="release of the treebank, such as 2.17")
    parser.add_argument(
        "--version",
        type=checked_version,
        help="version of the wheel; by default the release of the treebank, or the version of spanrs if unknown",
    )
    parser.add_argument("--check", action="store_true", help="only check the options and the files")
    parser.add_argument("--from-make", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(given)


def arguments_of_make() -> list[str]:
    """Return the options that `make model` passes as environment variables, so that a shell does not split them."""
    given = {name: os.environ.get(f"MODEL_{name}", "") for name in VARIABLES}
    if missing := [name for name in ("TREEBANK", "NAME") if not given[name]]:
        raise UserError(
            f"{'= and '.join(missing)}= must be given: make model TREEBANK=train.conllu NAME=en_ewt [DEV=dev.conllu]"
        )
    options = [f"{option}={given[name]}" for name, option in VARIABLES.items() if given[name]]
    return [*options[1:], "--", given["TREEBANK"]]


def name_variables(message: str) -> str:
    """Replace options in a message by the variables of `make model`."""
    options = {option: name for name, option in VARIABLES.items()}
    pattern = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    return re.sub(rf"(?<![\w-])({pattern})(?![\w=-])", lambda match: f"{options[match[0]]}=", message)


def build_model(options: argparse.Namespace, treebank: Treebank) -> Path:
    """Train a model, build its wheel, and return the path of the wheel."""
    version_of_wheel = wheel_version(options.version, treebank)
    with tempfile.TemporaryDirectory(prefix="spanrs-model-") as folder:
        file = Path(folder) / f"{options.name}{SUFFIX}"
        # Training takes minutes. The metadata are checked first, by a wheel with an empty model.
        file.touch()
        draft = Model(options.name, file, (), {"metadata": {}}, None, None, None)
        write_project(Path(folder) / "draft", draft, treebank, version_of_wheel)
        build(Path(folder) / "draft", Path(folder))
        model = train(options.name, treebank.file, options.dev, file, shlex.split(options.options))
        write_project(Path(folder) / "project", model, treebank, version_of_wheel)
        return build(Path(folder) / "project", options.out)


def main(given: Sequence[str] | None = None) -> int:
    """Build the wheel of the command line, print its path, and return the exit status."""
    given = sys.argv[1:] if given is None else list(given)
    # The Makefile gives this option, and possibly --check after it.
    from_make = given[:1] == ["--from-make"]
    try:
        options = arguments([*given, *arguments_of_make()] if from_make else given)
        treebank = check(options)
        if not options.check:
            wheel = build_model(options, treebank)
            print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    except (UserError, OSError) as error:
        message = " ".join(str(error).split())
        print(f"build_model: error: {name_variables(message) if from_make else message}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("build_model: error: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
