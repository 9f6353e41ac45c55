"""Crowd corpora: construction, files, tables, errors."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanrs.crowd import CrowdCorpus, read_columns, read_files, read_table, write_columns
from spanrs.errors import AlignmentError, FormatError, ModelError, SchemeError

WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Z")), min_size=1, max_size=4).filter(
    lambda word: len(word.split()) == 1 and word.split()[0] == word and word != "\ufeff"
)


@st.composite
def corpora(draw):
    names = ["ann", "ben", "eve"][: draw(st.integers(1, 3))]
    sentences, given_ = [], []
    for _ in range(draw(st.integers(1, 4))):
        tokens = draw(st.lists(WORDS, min_size=1, max_size=4))
        labels = st.lists(st.sampled_from(["O", "B-A", "I-A"]), min_size=len(tokens), max_size=len(tokens))
        given_.append({name: draw(st.none() | labels) for name in names})
        sentences.append(tokens)
    given_[0][names[0]] = ["O"] * len(sentences[0])
    return CrowdCorpus(sentences, given_, annotators=names)


def content(corpus):
    return corpus.sentences, {name: corpus.labels_by(name) for name in corpus.annotators}


@given(corpora())
def test_columns_are_read_as_they_were_written(tmp_path_factory, corpus):
    path = tmp_path_factory.mktemp("crowd") / "answers.txt"
    write_columns(corpus, path)
    assert content(read_columns(path, annotators=corpus.annotators)) == content(corpus)


def test_the_order_of_labels():
    corpus = CrowdCorpus([["a", "b"]], [{"x": ["B-A", "O"]}])
    assert corpus.labels == ["O", "B-A"]
    assert corpus.annotations[0].labels == (1, 0)
    assert corpus.labels_by("x") == [["B-A", "O"]]
    with pytest.raises(ModelError, match="no annotator 'y'"):
        corpus.labels_by("y")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a O O\nb O\n", r"answers:2: 2 columns where the first token line has 3"),
        ("a\nb\n", r"answers: there is one column"),
        ("a O ?\nb O O\n", r"answers:1: annotator 2 only labelled part of this sentence"),
        ("a ? ?\n", r"answers: there are no labels"),
        ("", r"answers: the file has no tokens"),
        ("a\tO\t\n", r"answers:1: the tag is empty"),
        ("a\t\tO\n", r"answers:1: an empty field"),
        ("1 Ada B-PER\n2 sleeps O\n\n1 Bob B-PER\n", r"answers: the first column contains token numbers"),
    ],
)
def test_bad_columns_are_located(tmp_path, text, message):
    path = tmp_path / "answers"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_columns(path)


def test_text_that_is_not_utf8_is_located(tmp_path):
    path = tmp_path / "answers"
    path.write_bytes(b"a O\n\xff O\n")
    with pytest.raises(FormatError, match=r"answers:2:1: .*UTF-8"):
        read_columns(path)


def test_a_file_for_each_annotator(tmp_path):
    texts = {"ann": "Ada x B-PER\nLi x I-PER\n\nBob x O\n", "ben": "Ada O\nLi O\n\nBob ?\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    corpus = read_files({name: tmp_path / name for name in texts})
    assert corpus.labels_by("ann") == [["B-PER", "I-PER"], ["O"]]
    assert corpus.labels_by("ben") == [["O", "O"], None]
    (tmp_path / "ben").write_text("Ada O\nLee O\n\nBob O\n")
    with pytest.raises(AlignmentError, match=r"ben:1: sentence 0 differs"):
        read_files({name: tmp_path / name for name in texts})
    (tmp_path / "ben").write_text("Ada O\nLi O\n")
    with pytest.raises(AlignmentError, match="has 1 sentences"):
        read_files({name: tmp_path / name for name in texts})


def test_long_tables(tmp_path):
    columns = {
        "annotator": ["ann", "ann", "ben", "ben"],
        "document": [1, 1, 1, 1],
        "token": ["Ada", "Li", "Ada", "Li"],
        "label": ["B-PER", "I-PER", "O", "O"],
    }
    expected = content(read_table(columns))
    assert expected[1] == {"ann": [["B-PER", "I-PER"]], "ben": [["O", "O"]]}
    import pandas as pd
    import pyarrow as pa

    assert content(read_table(pd.DataFrame(columns))) == expected
    assert content(read_table(pa.table(columns))) == expected
    pd.DataFrame(columns).to_csv(tmp_path / "long.csv", index=False)
    assert content(read_table(tmp_path / "long.csv")) == expected
    with pytest.raises(FormatError, match="no column 'label'"):
        read_table({name: columns[name] for name in ("annotator", "document", "token")})
    with pytest.raises(AlignmentError, match="document 1: the tokens of annotators ben and ann differ"):
        read_table(columns | {"token": ["Ada", "Li", "Ada", "Lee"]})
    with pytest.raises(FormatError, match=r"row 4: token None"):
        read_table(columns | {"token": ["Ada", "Li", "Ada", None]})


def test_bad_corpora_are_refused():
    with pytest.raises(AlignmentError, match="1 sentences, but annotations of 0"):
        CrowdCorpus([["a"]], [])
    with pytest.raises(AlignmentError, match="sentence 0 has 1 tokens, but annotator x gave 2"):
        CrowdCorpus([["a"]], [{"x": ["A", "B"]}])
    with pytest.raises(ModelError, match="labels must be a list of strings"):
        CrowdCorpus([["a"]], [{"x": "A"}])
    with pytest.raises(ModelError, match="'y' is not one of the annotators"):
        CrowdCorpus([["a"]], [{"y": ["A"]}], annotators=["x"])
    with pytest.raises(FormatError, match="'a b' is not one word"):
        write_columns(CrowdCorpus([["a b"]], [{"x": ["A"]}]), "never")


def test_violations_are_located():
    corpus = CrowdCorpus([["a"], ["b", "c"]], [{"x": ["O"]}, {"x": ["O", "I-A"], "y": ["B-A", "I-A"]}])
    collected = [
        (annotator, sentence, violation.index)
        for annotator, sentence, violation in corpus.violations("BIO")
    ]
    assert collected == [("x", 1, 1)]


def test_compressed_and_open_files(tmp_path):
    text = "Ada B-PER ?\nsleeps O ?\n"
    path = tmp_path / "answers.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert len(read_columns(path).annotations) == 1
    assert read_columns(io.BytesIO(text.encode())).labels == ["O", "B-PER"]
    path.write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(FormatError, match=r"answers.gz: the compressed data is damaged"):
        read_columns(path)
    with pytest.raises(FormatError, match=r"<stream>:2:1: invalid UTF-8"):
        read_columns(io.BytesIO(b"a O\n\xff O\n"))


CONLLU = "".join(f"{at}\tw{at}\tw\tNOUN\tNN\t_\t{at - 1}\tdep\t_\t_\n" for at in range(1, 6)) + "\n"
NUMBERED = "".join(f"{at} w{at} B-PER\n" for at in range(1, 6)) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CONLLU, "this is CoNLL-U"),
        (NUMBERED, "the first column contains token numbers"),
        (NUMBERED.replace("1 w1", "0 w1").replace("2 w2 B-PER\n", ""), None),
        ('<doc id="1">\n<p>Ada</p>\n</doc>\n', "this is XML"),
        ("Ada,B-PER,O\nsleeps,O,O\n", "separated by `,`"),
        ("token tag\nAda B-PER\n", "looks like a header"),
        ("Ada O ?\n\n" + "Bob B-PER O\n" * 30, None),
    ],
)
def test_files_are_recognised_as_score_recognises_them(tmp_path, text, message):
    """Also with one file per annotator, if the numbers are equal but the words differ."""
    paths = {"a": tmp_path / "a", "b": tmp_path / "b"}
    for path in paths.values():
        path.write_text(text)
    for read in (lambda: read_columns(paths["a"]), lambda: read_files(paths)):
        if message is None:
            read()
            continue
        with pytest.raises(FormatError, match=f"a: {message}|a:1: .*{message}") as error:
            read()
        assert "--" not in str(error.value)


TABLE = {
    "annotator": ["a"] * 3 + ["b"] * 3,
    "document": ["1"] * 6,
    "token": ["Ada", "met", "Bob"] * 2,
    "label": ["B-PER", "O", "B-PER", "B-PER", "O", "O"],
}


def test_tables_with_repeated_or_shuffled_rows_are_refused():
    twice = {name: column + column for name, column in TABLE.items()}
    with pytest.raises(AlignmentError, match="tokens of all documents occur twice"):
        read_table(twice)
    with pytest.raises(AlignmentError, match="tokens of all documents occur twice"):
        read_table({name: [value for value in column for _ in (0, 1)] for name, column in TABLE.items()})
    shuffled = {"annotator": ["a"] * 4, "document": list("1212"), "token": list("wxyz"), "label": ["O"] * 4}
    with pytest.raises(AlignmentError, match=r"row 3: annotator a returns to document 1 \(row 1\) after"):
        read_table(shuffled)
    # Alternating annotators are a valid order of one text.
    order = [0, 3, 1, 4, 2, 5]
    by_token = {name: [column[at] for at in order] for name, column in TABLE.items()}
    assert content(read_table(by_token)) == content(read_table(TABLE))
    # A text may repeat itself.
    song = {"annotator": ["a"] * 4, "document": ["1"] * 4, "token": ["la"] * 4, "label": ["O"] * 4}
    assert len(read_table(song)) == 1


@pytest.mark.parametrize("missing", [None, float("nan"), "", "?", "NA", "float32"])
def test_what_is_not_answered(missing):
    import pandas as pd

    value = {"NA": pd.NA, "float32": np.float32("nan")}.get(missing, missing)
    table = read_table(TABLE | {"label": ["B-PER", "O", "B-PER", *[value] * 3]})
    memory = CrowdCorpus([["Ada", "met"]], [{"a": ["B-PER", "O"], "b": [value, value]}])
    assert len(table.annotations) == len(memory.annotations) == 1
    assert memory.annotators == ["a", "b"]
    assert memory.labels == ["O", "B-PER"]
    with pytest.raises(ModelError, match="sentence 0, annotator b: token 1 has no label"):
        CrowdCorpus([["Ada", "met"]], [{"b": ["O", value]}])
    with pytest.raises(FormatError, match="annotator b only labelled part"):
        read_table(TABLE | {"label": ["B-PER", "O", "B-PER", "O", "O", value]})


def test_a_label_may_be_a_question_mark():
    assert CrowdCorpus([["a"]], [{"x": ["?"]}], missing=None).labels == ["?"]
    corpus = read_table({**TABLE, "label": ["?", *TABLE["label"][1:]]}, missing="none")
    assert "?" in corpus.labels


def test_stray_labels_are_located():
    sentences = [["Ada", "met", "Bob"]] * 2
    answers = [{"a": ["B-PER", "O", "B-PER"]}, {"a": ["PER", "O", "B-PER"]}]
    with pytest.raises(SchemeError, match=r"'PER' \(annotator a, sentence 1, token 0\) is not a tag"):
        CrowdCorpus(sentences, answers).scheme()
    with pytest.raises(
        SchemeError, match=r"'PER' \(annotator a, sentence 1, token 0\) is not a tag of BIO"
    ):
        CrowdCorpus(sentences, answers, scheme="BIO").scheme()
    assert CrowdCorpus(sentences, answers, scheme=None).scheme() is None
    answers[1]["a"] = ["O", "O", "B-PER "]
    with pytest.raises(
        ModelError, match="sentence 1, annotator a, token 2: the label 'B-PER ' has surrounding white space"
    ):
        CrowdCorpus(sentences, answers)


@pytest.mark.parametrize("column", ["annotator", "document"])
@pytest.mark.parametrize("name", [None, float("nan"), ""])
def test_tables_name_annotator_and_document_in_every_row(column, name):
    table = {"annotator": ["a", "a"], "document": ["d", "d"], "token": ["x", "y"], "label": ["O", "O"]}
    table[column] = [table[column][0], name]
    with pytest.raises(FormatError, match=f"row 2: the {column} is .*, but is required in every row"):
        read_table(table)


def test_tables_whose_tokens_differ_name_the_first_one():
    names = ("annotator", "document", "token", "label")
    rows = [("a", "d", "x", "O"), ("a", "d", "y", "O"), ("b", "d", "x", "O"), ("b", "d", "z", "O")]
    with pytest.raises(AlignmentError, match=r"annotators b and a differ \(at token 1: 'z' and 'y'\)"):
        read_table(dict(zip(names, zip(*rows, strict=True), strict=True)))
