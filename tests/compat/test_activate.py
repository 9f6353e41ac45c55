"""`import seqeval` imports spanrs while it is activated, and the original afterwards."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import pickle
import subprocess
import sys
import threading

import pytest
import seqeval.metrics
import seqeval.scheme

import spanrs.compat.seqeval.metrics.v1
from spanrs import compat


@pytest.fixture(autouse=True)
def clean():
    yield
    compat.deactivate()
    assert not any("_activation" in type(finder).__module__ for finder in sys.meta_path)


def test_every_way_to_import_gives_ours():
    compat.activate("seqeval")
    import seqeval as package
    from seqeval.metrics import f1_score, v1

    assert package is spanrs.compat.seqeval
    assert v1 is spanrs.compat.seqeval.metrics.v1
    assert f1_score is spanrs.compat.seqeval.metrics.f1_score
    assert importlib.import_module("seqeval.scheme") is spanrs.compat.seqeval.scheme
    assert package.metrics.v1 is v1


def test_what_was_imported_before_comes_back():
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "seqeval"}
    assert seqeval.metrics.__name__ == "seqeval.metrics"
    compat.activate("seqeval")
    assert importlib.import_module("seqeval.metrics") is not before["seqeval.metrics"]
    compat.deactivate("seqeval")
    after = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "seqeval"}
    assert after == before
    assert importlib.import_module("seqeval.metrics") is seqeval.metrics


def test_modules_of_spanrs_keep_their_own_names():
    compat.activate("seqeval")
    module = importlib.import_module("seqeval.metrics")
    assert module.__spec__.name == module.__name__ == "spanrs.compat.seqeval.metrics"
    assert importlib.reload(module) is module
    scheme = importlib.import_module("seqeval.scheme").IOB2
    assert pickle.loads(pickle.dumps(scheme)) is scheme


def test_importability_is_seen():
    compat.activate("seqeval")
    for name in ("seqeval", "seqeval.metrics", "seqeval.metrics.v1"):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.loader is not None
        assert "spanrs" in spec.origin
    assert importlib.util.find_spec("seqeval").submodule_search_locations
    assert importlib.util.find_spec("seqeval.nothing") is None
    with pytest.raises(ModuleNotFoundError, match=r"No module named .seqeval\.nothing."):
        importlib.import_module("seqeval.nothing")


def test_metadata_is_found():
    compat.activate("seqeval")
    assert importlib.metadata.version("seqeval") == "1.2.2"
    assert importlib.metadata.metadata("seqeval")["Summary"] == "spanrs.compat.seqeval"
    assert "seqeval" in importlib.metadata.packages_distributions()


@pytest.mark.parametrize("name", ["sklearn-crfsuite", "sklearn_crfsuite"])
def test_metadata_is_found_by_the_name_of_the_distribution(name):
    compat.activate("sklearn_crfsuite")
    assert importlib.metadata.version(name) == "0.5.0"
    assert importlib.metadata.metadata(name)["Name"] == "sklearn-crfsuite"
    assert importlib.metadata.metadata(name)["Summary"] == "spanrs.compat.sklearn_crfsuite"
    assert "sklearn-crfsuite" in importlib.metadata.packages_distributions()["sklearn_crfsuite"]


WITHOUT = """
import importlib.abc, importlib.metadata, importlib.util, sys
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("seqeval", "sklearn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from spanrs import compat
with compat.activate("seqeval"):
    assert importlib.util.find_spec("seqeval")
    from seqeval.metrics import f1_score
    from seqeval.metrics.v1 import UndefinedMetricWarning
    import warnings
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert f1_score([["O"]], [["O"]]) == 0
    assert caught[0].category is UndefinedMetricWarning and issubclass(UndefinedMetricWarning, UserWarning)
try:
    import seqeval
except ModuleNotFoundError:
    print("gone")
"""


def test_nothing_need_be_installed():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout == "gone\n"


def test_as_context_manager_it_takes_back_only_what_it_did():
    compat.activate("iobes")
    with compat.activate("seqeval", "iobes") as active:
        assert active.names == ("seqeval",)
        assert "nothing new" in repr(compat.activate("seqeval"))
    assert importlib.import_module("seqeval") is seqeval
    assert importlib.util.find_spec("spanrs.compat.seqeval")
    with pytest.raises(ZeroDivisionError), compat.activate("seqeval"):
        1 / 0  # noqa: B018
    assert importlib.import_module("seqeval.scheme") is seqeval.scheme


def test_no_names_mean_all():
    names = {
        "conlleval",
        "eval4ner",
        "faireval",
        "iobes",
        "nervaluate",
        "pycrfsuite",
        "seqeval",
        "seqscore",
    }
    assert set(compat.activate().names) == names | {"sklearn_crfsuite"}
    compat.deactivate()
    assert compat.activate().names


@pytest.mark.parametrize("function", [compat.activate, compat.deactivate])
def test_other_names_are_refused_with_the_choices(function):
    with pytest.raises(
        ValueError,
        match="'nereval'; it replaces conlleval, eval4ner, faireval, iobes, nervaluate, pycrfsuite, seqeval",
    ):
        function("seqeval", "nereval")
    assert importlib.import_module("seqeval.metrics") is seqeval.metrics


def test_threads_may_activate_and_deactivate():
    def work():
        for _ in range(50):
            with compat.activate("seqeval"):
                importlib.import_module("seqeval")

    errors = []
    before = threading.excepthook
    threading.excepthook = errors.append
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        threading.excepthook = before
    assert errors == []
    compat.deactivate()
    assert importlib.import_module("seqeval") is seqeval


def test_warnings_answer_to_filters_by_module():
    import warnings

    from spanrs.compat.seqeval.metrics import f1_score

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", module="seqeval")
        f1_score([["NN"]], [["NN"]])
    assert caught == []


def test_an_older_version_is_activated():
    with compat.activate("nervaluate", version="0.2"):
        import nervaluate
        from nervaluate.evaluate import compute_metrics
        from nervaluate.utils import conll_to_spans

        assert nervaluate.__name__ == "spanrs.compat.nervaluate.v0"
        assert nervaluate.compute_metrics is compute_metrics
        assert nervaluate.conll_to_spans is conll_to_spans
        assert importlib.metadata.version("nervaluate") == "0.2.0"
        assert len(nervaluate.Evaluator([["O"]], [["O"]], tags=["X"], loader="list").evaluate()) == 4
        with pytest.raises(ValueError, match=r"active in version 0\.2\.0"):
            compat.activate("nervaluate", version="1.2")
        with pytest.raises(ValueError, match=r"active in version 0\.2\.0"):
            compat.activate("nervaluate")
    with compat.activate("nervaluate", version="1"):
        assert importlib.metadata.version("nervaluate") == "1.2.1"
    for version in ("0.1", "2", "", "0.2.0.1"):
        with pytest.raises(ValueError, match=r"it reproduces 1\.2\.1, 0\.2\.0"):
            compat.activate("nervaluate", version=version)
    with pytest.raises(ValueError, match="name of one package"):
        compat.activate(version="1")


def test_the_console_script_of_seqscore_is_found():
    with compat.activate("seqscore"):
        scripts = importlib.metadata.distribution("seqscore").entry_points.select(group="console_scripts")
        command = next(iter(scripts)).load()
    from spanrs.compat.seqscore.scripts.seqscore import cli

    assert command is cli
