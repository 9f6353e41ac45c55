"""Gazetteers and clusters: lookups in templates, files, models, bad input."""

from __future__ import annotations

import copy
import gzip
import io
import pickle

import pytest
from sklearn.base import clone

import spanrs
from spanrs.crf import CRF, Clusters, Gazetteer, templates
from spanrs.errors import FormatError, ModelError

X = [["Ada", "met", "Bob"], ["in", "New", "York"], ["to", "Rio"], ["he", "met", "Ada"]]
Y = [["B-PER", "O", "B-PER"], ["O", "B-LOC", "I-LOC"], ["O", "B-LOC"], ["O", "O", "B-PER"]]
TEMPLATE = (
    "U:in=%in[0,0,cities]\nU:brown=%cluster[0,0,brown]\nU:b2=%cluster[-1,0,brown,2]\nU:w=%lower[0,0]\n"
)
CITIES = Gazetteer(["New York", "Rio", "Sao Paulo"])
BROWN = Clusters({"Ada": "0110", "Bob": "0111", "Eve": "0111", "met": "10"})


def attributes(crf: CRF) -> set[str]:
    return {attribute for attribute, _ in crf.state_features_}


def fitted(**options: object) -> CRF:
    lexicons = {"cities": CITIES, "brown": BROWN}
    return CRF(template=TEMPLATE, lexicons=lexicons, c2=0.01, **options).fit(X, Y)


def test_values_are_attributes_and_unseen_phrases_are_found():
    crf = fitted()
    found = {name for name in attributes(crf) if not name.startswith("U:w")}
    values = {
        "in=O",
        "in=B",
        "in=E",
        "in=S",
        "brown=0110",
        "brown=0111",
        "brown=10",
        "b2=01",
        "b2=10",
        "b2=_B-1",
    }
    assert found == {f"U:{value}" for value in values}
    assert crf.predict([["in", "Sao", "Paulo"], ["she", "met", "Eve"]]) == [
        ["O", "B-LOC", "I-LOC"],
        ["O", "O", "B-PER"],
    ]


def test_a_model_contains_its_lexicons(tmp_path):
    crf = fitted()
    crf.save(tmp_path / "model")
    read = CRF.load(tmp_path / "model")
    assert read.lexicons == {"brown": BROWN, "cities": CITIES}
    assert read.template == TEMPLATE
    sentences = [["in", "Sao", "Paulo"], ["Eve", "met", "Eve"]]
    assert read.predict(sentences) == crf.predict(sentences)
    assert "lexicons" not in read.metadata_["params"]
    again = read.fit(X, Y)
    assert again.state_features_ == crf.state_features_
    described = io.BytesIO()
    read.describe({"author": "Ada"})
    read.save(described)
    assert CRF.load(described.getvalue()).lexicons == read.lexicons
    explained = read.explain(["in", "Rio"])[1]
    assert any(reason.feature == "U:in=S" for reason in explained.reasons)


def test_models_without_lexicons_have_the_first_version():
    file = io.BytesIO()
    CRF(template="ner").fit(X, Y).save(file)
    assert rb"\"version\":1," in file.getvalue()
    assert CRF.load(file.getvalue()).lexicons is None
    with_lexicons = io.BytesIO()
    fitted().save(with_lexicons)
    assert rb"\"version\":2," in with_lexicons.getvalue()


def test_estimators_can_be_cloned_copied_and_pickled():
    crf = fitted()
    assert pickle.loads(pickle.dumps(crf)).predict(X) == crf.predict(X)
    unfitted = clone(crf)
    assert unfitted.lexicons == crf.lexicons
    assert unfitted.fit(X, Y).predict(X) == crf.predict(X)
    for lexicon in (CITIES, BROWN, Gazetteer.of(X, Y)):
        assert pickle.loads(pickle.dumps(lexicon)) == lexicon
        assert copy.deepcopy(lexicon) is copy.copy(lexicon) is lexicon
        assert hash(lexicon) == hash(pickle.loads(pickle.dumps(lexicon)))
        with pytest.raises(AttributeError, match="cannot be changed"):
            lexicon._core = None
    assert Gazetteer(["Rio"]) != Gazetteer(["Rio"], ignore_case=True)
    assert Gazetteer(["Rio"]) != BROWN


def test_warm_start_and_development_data():
    crf = fitted()
    again = CRF(template=TEMPLATE, lexicons=crf.lexicons, c2=0.01, patience=3).fit(X, Y, X, Y, start=crf)
    assert again.history_[-1].dev_score == 1.0


def test_paths_take_their_kind_from_the_macro(tmp_path):
    (tmp_path / "cities.txt").write_text("New York\nRio\n")
    (tmp_path / "paths.gz").write_bytes(gzip.compress(b"0110\tAda\t3\n0111\tBob\t2\n10\tmet\t2\n"))
    lexicons = {"cities": tmp_path / "cities.txt", "brown": str(tmp_path / "paths.gz")}
    crf = CRF(template=TEMPLATE, lexicons=lexicons)
    assert crf.fit(X, Y).lexicons is lexicons
    file = io.BytesIO()
    crf.save(file)
    assert list(CRF.load(file.getvalue()).lexicons["cities"]) == [("New York", None), ("Rio", None)]


def test_built_in_templates_get_lines():
    crf = CRF(template="ner", lexicons={"cities": CITIES, "brown": BROWN}).fit(X, Y)
    found = attributes(crf)
    assert {"U:cities[0]=S", "U:cities[1]=B", "U:brown[0]=0110", "U:brown4[-1]=10"} <= found
    text = crf.metadata_["template"]
    assert text.startswith(templates()["ner"])
    classes = Clusters({"Ada": "7", "Bob": 7})
    crf = CRF(template="ner", lexicons={"c": classes}).fit(X, Y)
    assert "U:c[0]=7" in attributes(crf)
    assert "U:c4[0]=7" not in attributes(crf)
    # A loaded model has the extended text, which names all of its lexicons.
    file = io.BytesIO()
    crf.save(file)
    read = CRF.load(file.getvalue())
    assert read.fit(X, Y).state_features_ == crf.state_features_


@pytest.mark.parametrize(
    ("template", "lexicons", "error", "message"),
    [
        ("U:%in[0,0,a]", None, ValueError, "the template uses the lexicon a; pass lexicons="),
        (
            "U:%in[0,0,a]",
            {"b": CITIES},
            ValueError,
            r"pass lexicons=\{'a': spanrs.crf.Gazetteer.read\(...\)\}",
        ),
        (
            "U:%x[0,0]",
            {"a": CITIES},
            ValueError,
            r"does not use the lexicon a; add lines such as U:a\[-1\]=%in",
        ),
        ("ner", {"a": "file"}, ValueError, "not clear what file contains; pass spanrs.crf.Gazetteer.read"),
        (
            "U:%in[0,0,a]",
            {"a": BROWN},
            FormatError,
            "line 1, column 11: the lexicon a consists of clusters",
        ),
        ("U:%cluster[0,0,a]", {"a": CITIES}, FormatError, "the lexicon a is a gazetteer; use %in"),
        ("ner", {"a b": CITIES}, ValueError, "the name 'a b' must be a letter"),
        ("ner", {1: CITIES}, ValueError, "the name 1 must be a letter"),
        ("ner", {"a": ["Rio"]}, TypeError, "a must be a Gazetteer, Clusters or a path, not list"),
        ("ner", [CITIES], TypeError, "lexicons must be a dict of names to lexicons, not list"),
        (None, {"a": CITIES}, ValueError, "lexicons need a template"),
    ],
)
def test_lexicons_that_do_not_fit_the_template_are_refused(template, lexicons, error, message):
    with pytest.raises(error, match=message):
        CRF(template=template, lexicons=lexicons).fit(X, Y)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        Gazetteer.read(tmp_path / "missing.txt")
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        CRF(template=TEMPLATE, lexicons={"cities": CITIES, "brown": tmp_path / "missing.txt"}).fit(X, Y)


@pytest.mark.parametrize("read", [Gazetteer.read, Clusters.read])
def test_another_encoding_is_located(tmp_path, read):
    path = tmp_path / "latin.txt"
    path.write_bytes("Köln 1\nKöln 1\n".encode() + "Köln 1\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"latin.txt:3:2: the byte 0xf6 is not UTF-8; convert") as caught:
        read(path)
    error = caught.value
    assert (error.code, error.path, error.line, error.column) == ("encoding", str(path), 3, 2)
    path.write_bytes("Köln 1\n".encode("utf-16"))
    with pytest.raises(FormatError, match=r"latin.txt:1:1: the file is UTF-16"):
        read(path)
    path.write_bytes("Köln 1\n".encode("utf-8-sig"))
    assert len(read(path)) == 1
    with pytest.raises(TypeError, match="path or a binary file object"):
        read(3)


def test_a_word_with_two_clusters_is_refused(tmp_path):
    path = tmp_path / "paths"
    path.write_text("0\tRio\t3\n1\tthe\t2\n10\tRio\t2\n")
    message = r'paths:3: the word "Rio" has the cluster "10", but before "0" \(line 1\)'
    with pytest.raises(FormatError, match=message) as caught:
        Clusters.read(path)
    assert (caught.value.code, caught.value.line) == ("lexicon", 3)
    path.write_text("0\tRio\t3\n0\tRio\t2\n")
    assert Clusters.read(path).items() == [("Rio", "0")]


def test_unclear_layouts_ask_for_the_option():
    data = b"01 11\n11 01\n"
    with pytest.raises(FormatError, match="word_column"):
        Clusters.read(io.BytesIO(data))
    assert Clusters.read(io.BytesIO(data), word_column="first")["01"] == "11"
    assert Clusters.read(io.BytesIO(data), word_column="second")["01"] == "11"
    with pytest.raises(ValueError, match="unknown word column"):
        Clusters.read(io.BytesIO(data), word_column="third")


def test_gazetteers_in_memory():
    assert list(Gazetteer([["New", "York"], "Rio", "Rio"])) == [("New York", None), ("Rio", None)]
    typed = Gazetteer({"LOC": ["Rio", "Ada"], "PER": ["Ada"]}, ignore_case=True)
    assert list(typed) == [("ada", "LOC"), ("ada", "PER"), ("rio", "LOC")]
    assert "RIO" in typed
    assert ["Rio"] in typed
    assert "Rio x" not in typed
    assert 3 not in typed
    assert repr(typed) == "<Gazetteer: 3 phrases, ignoring case>"
    for phrases, error in [
        ("Rio", TypeError),
        ([3], TypeError),
        ([[3]], TypeError),
        ([], ModelError),
        ([" "], ModelError),
    ]:
        with pytest.raises(error):
            Gazetteer(phrases)
    with pytest.raises(UnicodeEncodeError):
        Gazetteer(["\ud800"])


def test_clusters_in_memory():
    clusters = Clusters({"Rio": "01", "Ada": 3})
    assert dict(clusters.items()) == {"Rio": "01", "Ada": "3"}
    assert list(clusters) == ["Ada", "Rio"]
    assert "Rio" in clusters
    assert 3 not in clusters
    assert repr(clusters) == "<Clusters: 2 words in 2 clusters>"
    with pytest.raises(KeyError):
        clusters["rio"]
    for words in ({}, {"": "1"}, {"a": ""}):
        with pytest.raises(ModelError):
            Clusters(words)
    with pytest.raises(TypeError, match="words must be a dict"):
        Clusters([("Rio", "01")])
    with pytest.raises(ModelError, match="do not ignore case"):
        Clusters({"apple": "1", "Apple": "2"}, ignore_case=True)


def test_names_of_sentences():
    assert list(Gazetteer.of(X, Y)) == [("Ada", "PER"), ("Bob", "PER"), ("New York", "LOC"), ("Rio", "LOC")]
    assert list(Gazetteer.of(X, Y, types=["PER"], min_count=2)) == [("Ada", "PER")]
    assert list(Gazetteer.of(X, Y, types="LOC", typed=False)) == [("New York", None), ("Rio", None)]
    pairs = [[(token, "x") for token in tokens] for tokens in X]
    assert list(Gazetteer.of(iter(pairs), Y)) == list(Gazetteer.of(X, Y))
    iobes = [["S-PER", "O", "S-PER"], ["O", "B-LOC", "E-LOC"], ["O", "S-LOC"], ["O", "O", "S-PER"]]
    assert Gazetteer.of(X, iobes) == Gazetteer.of(X, Y)
    corpus = spanrs.read("examples/crf/train.conll")
    assert Gazetteer.of(corpus) == Gazetteer.of("examples/crf/train.conll")
    for options, error, message in [
        ({"types": ["ORG"]}, ValueError, "no name has the type ORG; the types are LOC, PER"),
        ({"min_count": 9}, ModelError, "at least one phrase"),
        ({"min_count": 0}, ValueError, "min_count"),
    ]:
        with pytest.raises(error, match=message):
            Gazetteer.of(X, Y, **options)
    with pytest.raises(TypeError, match="y is missing"):
        Gazetteer.of(X)
    with pytest.raises(ValueError, match="X has 4 sequences, but y 1"):
        Gazetteer.of(X, Y[:1])
    with pytest.raises(ValueError, match="tags such as B-PER, not NOUN"):
        Gazetteer.of([["a"]], [["NOUN"]])


def test_names_are_left_out_where_they_come_from():
    seen = {}
    for leave_one_out in (True, False):
        names = Gazetteer.of(X, Y, leave_one_out=leave_one_out)
        crf = CRF(template="U:%in[0,0,names]", lexicons={"names": names}).fit(X, Y)
        seen[leave_one_out] = attributes(crf)
    assert seen == {True: {"U:O", "U:S-PER"}, False: {"U:O", "U:S-PER", "U:S-LOC", "U:B-LOC", "U:E-LOC"}}
    assert "leaving one out" in repr(Gazetteer.of(X, Y))


def test_clusters_of_a_text():
    sentences = [
        [article, noun, verb]
        for article in ("the", "a")
        for noun in ("cat", "dog")
        for verb in ("eats", "sat")
    ]
    clusters = Clusters.train(sentences, 3)
    assert clusters["cat"] == clusters["dog"] != clusters["the"] == clusters["a"]
    assert set("".join(cluster for _, cluster in clusters.items())) <= {"0", "1"}
    assert Clusters.train(sentences, 3) == clusters
    assert "zebra" not in Clusters.train([*sentences, ["zebra"]], 3)
    assert "zebra" in Clusters.train([*sentences, ["zebra"]], 3, min_count=1)
    assert len(Clusters.train("examples/crf/train.conll", 5)) > 5
    with pytest.raises(ModelError, match="no word occurs 99 times"):
        Clusters.train(sentences, min_count=99)
    with pytest.raises(ValueError, match="n_clusters must be an integer of at least 1"):
        Clusters.train(sentences, 0)


def test_damaged_files_are_model_errors():
    file = io.BytesIO()
    fitted().save(file)
    data = file.getvalue()
    for old, new in [
        (b"gazetteer", b"gazettee_"),
        (rb"\"ignore_case\":false", rb"\"ignore_case\":12345"),
        (rb"\"name\":\"cities\"", rb"\"name\":\"brown1\""),
        (b"lexicon_1_phrase_words", b"lexicon_1_phrase_word_"),
    ]:
        assert old in data
        with pytest.raises(ModelError):
            CRF.load(data.replace(old, new))
    for lexicon in (CITIES, BROWN):
        content = lexicon._core.to_bytes()
        for end in range(0, len(content), 7):
            with pytest.raises(ModelError):
                type(lexicon)._from_bytes(content[:end])
    with pytest.raises(ModelError, match="not a lexicon of spanrs"):
        Gazetteer._from_bytes(data)


def test_files_that_are_no_gazetteers_are_refused() -> None:
    for content, message in (
        (b"London\tLOC\nAda\tPER\nOslo\tLOC\n", "more types than phrases"),
        (b"Rio\tB-LOC\nis\tO\nAda\tB-PER\n", "all phrases end with a tag"),
        (b"Rio B-LOC\nis O\n", "all phrases end with a tag"),
    ):
        with pytest.raises(FormatError, match=message):
            Gazetteer.read(io.BytesIO(content))


def test_line_ends_and_white_space_of_gazetteers() -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        assert list(Gazetteer.read(io.BytesIO(end.join((b"New York", b"Rio", b""))))) == [
            ("New York", None),
            ("Rio", None),
        ]
    number = "10\u00a0000"
    for gazetteer in (Gazetteer([number]), Gazetteer.read(io.BytesIO(number.encode()))):
        crf = CRF(template="U:%in[0,0,g]", lexicons={"g": gazetteer}).fit([[number, "x"]], [["A", "B"]])
        assert ("U:S", "A") in crf.state_features_


def test_phrases_of_a_type_are_no_string() -> None:
    with pytest.raises(TypeError, match="the phrases of Rio must be a collection of strings"):
        Gazetteer({"Rio": "LOC"})


def test_names_are_left_out_by_the_first_column() -> None:
    """Sentences are recognised by their first column, whichever the macro reads."""
    sentences = [[("In", "in"), ("Rio", "rio")], [("Ada", "ada"), ("sings", "sings")]]
    labels = [["O", "B-LOC"], ["B-PER", "O"]]
    names = Gazetteer.of(sentences, labels, ignore_case=True)
    crf = CRF(template="U:%in[0,1,names]", lexicons={"names": names}).fit(sentences, labels)
    assert {attribute for attribute, _ in crf.state_features_} == {"U:O"}
