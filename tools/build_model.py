"""Train a model on a treebank and build a wheel that installs it: `make model TREEBANK=train.conllu NAME=en_ewt`.

The wheel `spanrs-model-en-ewt` has no code. It contains the model `en_ewt`, the licence of the treebank, which also
applies to the model, the attribution, and a model card with scores. `spanrs.dep.load("en_ewt")` finds it.

Licence and attribution are read from README.md and LICENSE.txt beside the treebank, as in the repositories of Universal
Dependencies, unless options give them; without them nothing is built.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spanrs import __version__
from spanrs.dep.installed import GROUP, NAME, SUFFIX
from spanrs.dep.scores import MEASURES

#: Files beside a treebank that describe it, and that contain its licence.
READMES = ("README.md", "README.txt", "README")
LICENSES = ("LICENSE.txt", "LICENSE", "LICENSE.md", "LICENCE.txt", "LICENCE", "COPYING")
#: Begins the part of a README of Universal Dependencies that has one `Key: value` per line.
METADATA = re.compile(r"^=+ *Machine-readable metadata.*$", re.MULTILINE)
CREATIVE_COMMONS = re.compile(r"CC(?:[ -](BY(?:-(?:NC|SA|ND))*)[ -](\d\.\d)|[ -]?0(?:[ -]1\.0)?)")
#: Time of the files in the wheel, so that equal models give equal wheels: the earliest time that zip files can store.
EPOCH = "315532800"


class Treebank(NamedTuple):
    """What a model card and the metadata of a wheel say about a treebank."""

    file: Path
    """The training data, CoNLL-U."""
    title: str
    """Name of the treebank."""
    license: str
    """Licence as an SPDX expression, such as `CC-BY-SA-4.0`."""
    license_text: str
    """Text of the licence."""
    attribution: str
    """Who made the treebank."""
    url: str | None
    """Where the treebank is published."""


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

    @property
    def distribution(self) -> str:
        """Name of the distribution, such as `spanrs-model-en-ewt`."""
        return f"spanrs-model-{self.name.replace('_', '-')}"

    @property
    def package(self) -> str:
        """Name of the package with the model file, such as `spanrs_model_en_ewt`."""
        return f"spanrs_model_{self.name}"


def spdx(text: str) -> str:
    """Return the SPDX identifier of a licence as written by Universal Dependencies.

    >>> spdx("CC BY-SA 4.0")
    'CC-BY-SA-4.0'
    """
    found = CREATIVE_COMMONS.fullmatch(text.strip())
    if found is None:
        raise SystemExit(f"the licence {text!r} has no known SPDX identifier; give one with LICENSE=")
    return f"CC-{found[1]}-{found[2]}" if found[1] else "CC0-1.0"


def readme_metadata(folder: Path) -> dict[str, str]:
    """Return the machine-readable metadata of the README in a folder; empty if there are none."""
    for name in READMES:
        if (folder / name).is_file():
            text = (folder / name).read_text(encoding="utf-8")
            if (begin := METADATA.search(text)) is None:
                return {}
            lines = re.findall(r"^([A-Za-z][\w ()/-]*): *(\S.*?) *$", text[begin.end() :], re.MULTILINE)
            return dict(lines)
    return {}


def describe(options: argparse.Namespace) -> Treebank:
    """Return the description of a treebank; exit with a message if licence or attribution are not known."""
    file: Path = options.treebank
    if not file.is_file():
        raise SystemExit(f"{file} does not exist; TREEBANK= is the training data in CoNLL-U")
    folder = file.resolve().parent
    metadata = readme_metadata(folder)
    is_ud = folder.name.startswith("UD_")
    title = options.title or (folder.name if is_ud else file.name.removesuffix(".conllu"))
    license_id = options.license or ("License" in metadata and spdx(metadata["License"]))
    if not license_id:
        raise SystemExit(
            f"the licence of {file.name} is not known, and the model is distributed under it; give its SPDX identifier "
            "with LICENSE=, such as LICENSE=CC-BY-SA-4.0"
        )
    beside = (folder / name for name in LICENSES)
    license_file = options.license_file or next((path for path in beside if path.is_file()), None)
    if license_file is None:
        raise SystemExit(f"there is no LICENSE.txt beside {file.name}; name its file with LICENSE_FILE=")
    attribution = options.attribution or metadata.get("Contributors")
    if not attribution:
        raise SystemExit(f"the authors of {file.name} are not known; give them with ATTRIBUTION=")
    url = options.url or (f"https://github.com/UniversalDependencies/{folder.name}" if is_ud else None)
    # Line ends would begin another field of the metadata.
    title, attribution = " ".join(title.split()), " ".join(attribution.split())
    return Treebank(file, title, license_id, license_file.read_text(encoding="utf-8"), attribution, url)


def spanrs(*arguments: str | Path) -> str:
    """Run a command of spanrs and return its output; messages are shown."""
    command = [sys.executable, "-m", "spanrs", "dep", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"spanrs dep {arguments[0]} failed with exit status {done.returncode}")
    return done.stdout


def train(name: str, treebank: Path, dev: Path | None, file: Path, options: Sequence[str]) -> Model:
    """Train a model with `spanrs dep train`, and score it on the development data."""
    spanrs("train", treebank, *([] if dev is None else ["--dev", dev]), "-o", file, *options)
    facts = json.loads(spanrs("info", file, "--to", "json"))
    scores, raw_scores = None, None
    if dev is not None:
        scores = json.loads(spanrs("eval", dev, file, "--to", "json"))
        if facts["segmenter"]:
            raw_scores = json.loads(spanrs("eval", dev, file, "--raw", "--to", "json"))
    return Model(name, file, options, facts, scores, raw_scores, None if dev is None else dev.name)


def score_table(scores: dict[str, Any], raw_scores: dict[str, Any] | None) -> str:
    """Return the scores of `spanrs dep eval` as a table in Markdown; undefined measures are left out."""
    columns = {"from words": scores} | ({} if raw_scores is None else {"from text": raw_scores})
    rows = [f"| measure | {' | '.join(columns)} | number in gold |", "|---|" + "--:|" * (len(columns) + 1)]
    known = {name: title for name, title in MEASURES.items() if name in scores["criteria"]}
    # Measures that this list does not name come last.
    for name in [*known, *(name for name in scores["criteria"] if name not in known)]:
        score = scores["criteria"][name]["micro"]
        if score["f1"] is not None and name not in (scores.get("unscored") or {}):
            cells = [f"{100 * own['criteria'][name]['micro']['f1']:.2f}" for own in columns.values()]
            rows.append(f"| {known.get(name, name)} | {' | '.join(cells)} | {score['support']:.0f} |")
    return "\n".join(rows)


def model_card(model: Model, treebank: Treebank) -> str:
    """Return the model card in Markdown."""
    training = model.facts["metadata"].get("training", {})
    source = treebank.title if treebank.url is None else f"[{treebank.title}]({treebank.url})"
    size = ""
    if "words" in training:
        size = f" ({training['sentences']} sentences, {training['words']} words)"
    options = shlex.join(model.options) or "the defaults"
    scores = "The model was not scored."
    if model.scores is not None:
        table = score_table(model.scores, model.raw_scores)
        scores = f"F1 in per cent on `{model.dev}`, by `spanrs dep eval`:\n\n{table}"
    return f"""# {model.distribution}

The model `{model.name}` for [spanrs](https://github.com/spanrs/spanrs), {model.file.stat().st_size / 1e6:.1f} MB.

```sh
pip install {model.distribution}
spanrs dep parse {model.name} FILE
```

```python
import spanrs.dep

model = spanrs.dep.load("{model.name}")
```

## Scores

{scores}

## Training

Trained with spanrs {training.get("version", __version__)} on `{treebank.file.name}` of {source}{size}, with
`spanrs dep train`; options: {options}.

## Licence

The model is derived from the treebank and has its licence, {treebank.license}; the text of the licence is in the wheel.

{treebank.title}: {treebank.attribution}
"""


def toml_string(text: str) -> str:
    """Return a string of TOML. Strings of JSON are strings of TOML, except escapes for surrogates."""
    return json.dumps(text, ensure_ascii=False)


def project_file(model: Model, treebank: Treebank, version: str) -> str:
    """Return the pyproject.toml of the wheel."""
    description = f"The model {model.name} for spanrs, trained on {treebank.title}"
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
dependencies = ["spanrs>={__version__}"]

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
    notice = f"{treebank.title}: {treebank.attribution}\n" + (f"{treebank.url}\n" if treebank.url else "")
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
    """Build the wheel of a folder with flit, and return its path."""
    out.mkdir(parents=True, exist_ok=True)
    code = "import sys; from flit_core.buildapi import build_wheel; print(build_wheel(sys.argv[1]))"
    environment = {"SOURCE_DATE_EPOCH": EPOCH} | os.environ
    done = subprocess.run(
        [sys.executable, "-c", code, str(out.resolve())],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit("the wheel was not built; if flit_core is missing: pip install --group model")
    return out / done.stdout.strip()


def model_name(text: str) -> str:
    """Check the name of a model."""
    if NAME.fullmatch(text) is None or "_" not in text:
        message = "use the code of the language and the treebank in lower case, such as en_ewt"
        raise argparse.ArgumentTypeError(f"{text!r} is not a name of a model; {message}")
    return text


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", type=Path, help="training data, CoNLL-U")
    parser.add_argument("--name", type=model_name, required=True, help="name of the model, such as en_ewt")
    parser.add_argument("--dev", type=Path, help="development data, CoNLL-U, for the scores")
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder of the wheel")
    parser.add_argument("--options", default="", help="options of spanrs dep train, such as '--models 3'")
    parser.add_argument("--title", help="name of the treebank")
    parser.add_argument("--license", help="SPDX identifier of the licence of the treebank")
    parser.add_argument("--license-file", type=Path, help="text of the licence of the treebank")
    parser.add_argument("--attribution", help="authors of the treebank")
    parser.add_argument("--url", help="where the treebank is published")
    parser.add_argument("--version", default=__version__, help="version of the wheel")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> Path:
    """Build the wheel of the command line, print its path, and return it."""
    options = arguments(given)
    treebank = describe(options)
    with tempfile.TemporaryDirectory(prefix="spanrs-model-") as folder:
        file = Path(folder) / f"{options.name}{SUFFIX}"
        model = train(options.name, treebank.file, options.dev, file, shlex.split(options.options))
        project = Path(folder) / "project"
        write_project(project, model, treebank, options.version)
        wheel = build(project, options.out)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    return wheel


if __name__ == "__main__":
    main()
