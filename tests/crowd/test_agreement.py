"""Agreement: comparison with the literature, other libraries, and the definitions."""

from __future__ import annotations

import itertools
import json
import math
import random
import warnings
from collections import Counter, defaultdict

import krippendorff
import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as peer_fleiss

import spanrs
from noisy_crowd import noisy
from spanrs.crowd import CrowdCorpus, GammaOptions
from spanrs.crowd.gamma import gamma
from spanrs.errors import FormatError, LimitError, ModelError, SpanrsWarning
from spanrs.io import Document

#: Number of random projects.
PROJECTS = 1000
OUTSIDE = "-"


def measure(project, **options):
    """Agreement of a project: {document: {annotator: [(type, start, end)]}} in texts of one-letter tokens."""
    options.setdefault("samples", 0)
    sources = defaultdict(list)
    for document, (length, answers) in project.items():
        for name, spans in answers.items():
            text = " ".join("w" * length)
            placed = [(ty, 2 * start, max(2 * end - 1, 2 * start)) for ty, start, end in spans]
            sources[name].append(Document(text, placed, document))
    return spanrs.agreement(dict(sources), **options)


def random_project(rng):
    """A project with missing answers, overlapping and nested spans, and answers without spans."""
    annotators = [f"a{at}" for at in range(rng.randint(2, 5))]
    quality = rng.choice([0.0, 0.5, 0.9])
    most = 0 if rng.random() < 0.05 else 4
    project = {}
    for number in range(rng.randint(1, 5)):
        length = rng.randint(1, 12)

        def spans(length=length):
            marked = []
            for _ in range(rng.randint(0, most)):
                start = rng.randrange(length)
                marked.append((rng.choice("XYZ"), start, rng.randint(start + 1, min(length, start + 4))))
            return marked

        truth = spans()
        # The first document has all annotators, so that there is something to compare.
        present = [name for name in annotators if not number or rng.random() > 0.25]
        answers = {name: truth if rng.random() < quality else spans() for name in present}
        project[f"d{number}"] = length, answers
    return project


def labels_of(length, spans):
    """The label of each token: its types."""
    covered = [sorted({ty for ty, start, end in spans if start <= at < end}) for at in range(length)]
    return ["+".join(types) or OUTSIDE for types in covered]


def labelled(project):
    """(annotator, item, label) of the tokens of documents with several annotators."""
    return [
        (name, f"{document}/{at}", label)
        for document, (length, answers) in project.items()
        if len(answers) > 1
        for name, spans in answers.items()
        for at, label in enumerate(labels_of(length, spans))
    ]


@pytest.fixture(scope="module")
def projects():
    rng = random.Random(41)
    made = [random_project(rng) for _ in range(PROJECTS)]
    return [(project, measure(project)) for project in made]


def test_projects_have_all_difficulties(projects):
    """The random projects exercise what the comparisons are about."""
    documents = [document for project, _ in projects for document in project.values()]
    answers = [answer for _, given in documents for answer in given.values()]
    assert sum(not answer for answer in answers) > 1000
    assert sum(len(given) == 1 for _, given in documents) > 30
    overlapping = [
        a for answer in answers for a, b in itertools.combinations(answer, 2) if a[1] < b[2] and b[1] < a[2]
    ]
    assert len(overlapping) > 1000
    assert sum(math.isnan(actual.f1) for _, actual in projects) > 3


def test_alpha_is_that_of_krippendorff_and_nltk(projects):
    for project, actual in projects:
        data = labelled(project)
        labels = sorted({label for _, _, label in data})
        if len(labels) < 2:
            assert math.isnan(actual.alpha)
            continue
        items = sorted({item for _, item, _ in data})
        counts = np.zeros((len(items), len(labels)))
        for _, item, label in data:
            counts[items.index(item), labels.index(label)] += 1
        expected = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
        assert actual.alpha == pytest.approx(expected, abs=1e-9)
        assert actual.alpha == pytest.approx(AnnotationTask(data).alpha(), abs=1e-9)


def test_kappa_of_pairs_is_that_of_statsmodels_and_nltk(projects):
    compared = 0
    for project, actual in projects:
        for pair in actual.pairs:
            sides = [
                [
                    label
                    for length, answers in project.values()
                    if answers.keys() >= set(pair.annotators)
                    for label in labels_of(length, answers[name])
                ]
                for name in pair.annotators
            ]
            assert pair.positions == len(sides[0])
            names = sorted({*sides[0], *sides[1]})
            if len(names) < 2:
                assert math.isnan(pair.kappa)
                continue
            table = np.zeros((len(names),) * 2)
            for labels in zip(*sides, strict=True):
                table[tuple(names.index(label) for label in labels)] += 1
            expected = cohens_kappa(table, return_results=False)
            assert pair.kappa == pytest.approx(expected, abs=1e-9)
            data = [
                (name, str(at), label)
                for name, side in zip("ab", sides, strict=True)
                for at, label in enumerate(side)
            ]
            assert pair.kappa == pytest.approx(AnnotationTask(data).kappa(), abs=1e-9)
            compared += 1
    assert compared > PROJECTS


def test_fleiss_kappa_is_that_of_statsmodels(projects):
    compared = 0
    for project, actual in projects:
        data = labelled(project)
        labels = sorted({label for _, _, label in data})
        items = defaultdict(Counter)
        for _, item, label in data:
            items[item][label] += 1
        table = np.array([[counts[label] for label in labels] for counts in items.values()])
        sizes = table.sum(axis=1)
        if len(labels) < 2:
            assert math.isnan(actual.fleiss_kappa)
            continue
        agreed = ((table * (table - 1)).sum(axis=1) / (sizes * (sizes - 1))).mean()
        chance = ((table.sum(axis=0) / table.sum()) ** 2).sum()
        expected = (agreed - chance) / (1 - chance)
        assert actual.fleiss_kappa == pytest.approx(expected, abs=1e-9)
        if len(set(sizes)) == 1:
            # statsmodels requires the same number of labels of all items.
            assert actual.fleiss_kappa == pytest.approx(peer_fleiss(table), abs=1e-9)
            compared += 1
    assert compared > 100


def f1_of(first, second, key):
    """F1 from the largest matching of spans for which ``key`` is true."""
    if not first and not second:
        return math.nan
    if not first or not second:
        return 0.0
    graph = csr_matrix([[int(key(a, b)) for b in second] for a in first])
    return 2 * int((maximum_bipartite_matching(graph) >= 0).sum()) / (len(first) + len(second))


MATCHES = {
    "f1": lambda a, b: a == b,
    "overlap_f1": lambda a, b: a[:2] == b[:2] and a[2] < b[3] and b[2] < a[3],
    "untyped_f1": lambda a, b: (a[0], *a[2:]) == (b[0], *b[2:]),
}


def test_f1_is_that_of_the_largest_matching(projects):
    for project, actual in projects[:300]:
        for pair in actual.pairs:
            # The document precedes type, start and end.
            sides = [
                [
                    (document, *span)
                    for document, (_, answers) in project.items()
                    if answers.keys() >= set(pair.annotators)
                    for span in answers[name]
                ]
                for name in pair.annotators
            ]
            for name, key in MATCHES.items():
                expected = f1_of(*sides, key)
                assert getattr(pair, name) == pytest.approx(expected, abs=1e-9, nan_ok=True)
            for ty, value in pair.f1_by_type.items():
                of_type = [[span for span in side if span[1] == ty] for side in sides]
                assert value == pytest.approx(f1_of(*of_type, MATCHES["f1"]), abs=1e-9)


def joined(spans, ty):
    """Disjoint units of a type."""
    units = []
    for start, end in sorted((start, end) for name, start, end in spans if name == ty):
        if units and start < units[-1][1]:
            units[-1] = units[-1][0], max(units[-1][1], end)
        else:
            units.append((start, end))
    return units


def gaps_of(units, length):
    ends, starts = [0, *(end for _, end in units)], [*(start for start, _ in units), length]
    return [(end, start) for end, start in zip(ends, starts, strict=True) if start > end]


def disagreements_of(project, ty):
    """Observed and expected disagreement of a type by the definition, summed over documents."""
    observed = 0.0
    lengths, gaps, positions = [], [], 0
    for length, answers in project.values():
        if len(answers) < 2:
            continue
        people = [joined(spans, ty) for spans in answers.values()]
        positions += length * len(people)
        total = 0.0
        for first, second in itertools.permutations(people, 2):
            for start, end in first:
                overlaps = [(a, b) for a, b in second if start < b and a < end]
                total += sum((start - a) ** 2 + (end - b) ** 2 for a, b in overlaps)
                # A unit in a gap contributes in both orders of the pair.
                total += 0 if overlaps else 2 * (end - start) ** 2
        observed += total / (len(people) - 1)
        lengths += [end - start for units in people for start, end in units]
        gaps += [end - start for units in people for start, end in gaps_of(units, length)]
    chance = sum(
        (len(lengths) - 1) / 3 * (2 * n**3 - 3 * n**2 + n)
        + n**2 * sum(gap - n + 1 for gap in gaps if gap >= n)
        for n in lengths
    )
    places = positions * (positions - 1) - sum(n * (n - 1) for n in lengths)
    return observed / positions, 2 * chance / places if places else 0.0


def test_alpha_for_unitizing_by_its_definition(projects):
    defined = 0
    for project, actual in projects:
        totals = [disagreements_of(project, ty) for ty in "XYZ"]
        chance = sum(expected for _, expected in totals)
        expected = 1 - sum(observed for observed, _ in totals) / chance if chance else math.nan
        assert actual.unitized_alpha == pytest.approx(expected, abs=1e-9, nan_ok=True)
        for row in actual.by_type:
            observed, chance = totals["XYZ".index(row.type)]
            expected = 1 - observed / chance if chance else math.nan
            assert row.unitized_alpha == pytest.approx(expected, abs=1e-9, nan_ok=True)
        defined += not math.isnan(actual.unitized_alpha)
    assert defined > 900


def test_alpha_for_unitizing_is_that_of_krippendorff():
    # Krippendorff (2004), page 254; the line begins at 150.
    same = [("k", 30, 90), ("k", 150, 200)]
    first = [*same, ("c", 75, 145), ("c", 220, 250)]
    second = [*same, ("c", 70, 150), ("c", 205, 225), ("c", 250, 270)]
    result = measure({"d": (300, {"a": first, "b": second})})
    assert result.unitized_alpha == pytest.approx(0.8591, abs=5e-4)
    assert result.by_type[0].unitized_alpha == pytest.approx(0.7286, abs=1e-4)


def test_types_are_present_or_not(projects):
    for project, actual in projects[:200]:
        for row in actual.by_type:
            data = [(who, item, str(row.type in label)) for who, item, label in labelled(project)]
            if len({label for _, _, label in data}) < 2:
                assert math.isnan(row.alpha)
                continue
            assert row.alpha == pytest.approx(AnnotationTask(data).alpha(), abs=1e-9)


def test_documents_are_measured_alone(projects):
    for project, actual in projects[:200]:
        for row in actual.by_document:
            alone = measure({row.document: project[row.document]})
            for name in ("f1", "overlap_f1", "untyped_f1", "kappa", "fleiss_kappa", "alpha"):
                expected = getattr(alone, name)
                assert getattr(row, name) == pytest.approx(expected, abs=1e-9, nan_ok=True)
            assert row.unitized_alpha == pytest.approx(alone.unitized_alpha, abs=1e-9, nan_ok=True)


def test_characters_are_positions():
    documents = {"a": [("X", 0, 3)], "b": [("X", 0, 5)]}
    sources = {name: [Document("abcdefghij", spans, "d")] for name, spans in documents.items()}
    result = spanrs.agreement(sources, positions="characters")
    data = [
        (name, str(at), str(start <= at < end))
        for name, [(_, start, end)] in documents.items()
        for at in range(10)
    ]
    assert result.kappa == pytest.approx(AnnotationTask(data).kappa(), abs=1e-12)
    assert (result.pairs[0].positions, spanrs.agreement(sources).pairs[0].positions) == (10, 1)
    with pytest.raises(ValueError, match="positions must be tokens or characters, not 'words'"):
        spanrs.agreement(sources, positions="words")
    corpus = CrowdCorpus([["u"]], [{"a": ["O"], "b": ["O"]}])
    with pytest.raises(ValueError, match="needs documents of text"):
        spanrs.agreement(corpus, positions="characters")


def test_empty_answers_are_not_missing_answers():
    seen = measure({"d": (4, {"a": [("X", 0, 1)], "b": []}), "e": (4, {"a": [], "b": []})})
    assert (seen.f1, seen.compared, seen.alone) == (0.0, 2, 0)
    # Nobody marked anything in the second document.
    assert math.isnan(seen.by_document[1].f1)
    assert math.isnan(seen.by_document[1].kappa)
    assert "undefined" in measure({"d": (4, {"a": [], "b": []})}).text()
    missing = measure({"d": (4, {"a": [("X", 0, 1)], "b": [("X", 0, 1)]}), "e": (4, {"a": []})})
    assert (missing.f1, missing.compared, missing.alone) == (1.0, 1, 1)


def test_discontinuous_spans_are_equal_if_their_pieces_are():
    def document(pieces):
        annotation = spanrs.io.Annotation("X", 0, 9, pieces=pieces)
        return [Document("ab cd ef gh", [annotation], "d")]

    first, second = document([(0, 2), (6, 9)]), document([(0, 2), (3, 5), (6, 9)])
    assert spanrs.agreement({"a": first, "b": first}).f1 == 1.0
    result = spanrs.agreement({"a": first, "b": second})
    assert (result.f1, result.overlap_f1, result.untyped_f1) == (0.0, 1.0, 0.0)


def test_intervals_contain_the_value_and_do_not_depend_on_threads():
    project = {f"d{at}": random_project(random.Random(at))["d0"] for at in range(20)}
    results = [measure(project, samples=200, threads=threads) for threads in (1, 2, 3)]
    assert results[0].to_json() == results[1].to_json() == results[2].to_json()
    for name in ("f1", "overlap_f1", "untyped_f1", "kappa", "fleiss_kappa", "alpha", "unitized_alpha"):
        low, high = results[0].interval(name)
        assert low <= getattr(results[0], name) <= high
    assert measure(project, samples=200, seed=1).intervals != results[0].intervals
    narrow = measure(project, samples=200, level=0.5).interval("f1")
    assert results[0].interval("f1").low < narrow.low < narrow.high < results[0].interval("f1").high


def test_intervals_cover_the_value_of_the_population():
    """95 % intervals of samples of documents contain the value of all documents about 95 times in 100."""
    rng = random.Random(5)

    def document():
        truth = [("X", at, at + 1) for at in range(0, 30, 3)]
        quality = rng.random()
        answers = {name: [span for span in truth if rng.random() < quality] for name in "ab"}
        return 30, answers

    population = {f"d{at}": document() for at in range(2000)}
    value = measure(population).f1
    names = list(population)
    hits = 0
    for seed in range(100):
        sample = {name: population[name] for name in random.Random(seed).sample(names, 60)}
        low, high = measure(sample, samples=300, seed=seed).interval("f1")
        hits += low <= value <= high
    assert 85 <= hits <= 100


def test_annotators_and_pairs():
    answers = [
        {"a": ["B-X", "O"], "b": ["B-X", "O"], "c": ["O", "O"]},
        {"a": ["B-Y", "O"], "b": ["O", "O"]},
        {"d": ["O", "O"]},
    ]
    result = spanrs.agreement(CrowdCorpus([["u", "v"]] * 3, answers))
    pair = {values.annotators: values for values in result.pairs}
    assert list(pair) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert (pair["a", "b"].documents, pair["a", "b"].positions) == (2, 4)
    assert pair["a", "b"].f1 == pytest.approx(2 / 3)
    assert pair["a", "b"].f1_by_type == {"X": 1.0, "Y": 0.0}
    a, *_, d = result.by_annotator
    assert a.f1 == pytest.approx((4 * 2 / 3 + 0) / 6)
    assert (d.annotator, math.isnan(d.f1)) == ("d", True)
    assert [row.type for row in result.by_type] == ["X", "Y"]
    record = json.loads(result.to_json())
    assert record["annotators"][3]["f1"] is None
    assert record["documents"] == {"compared": 2, "alone": 1, "unseen": 0}


def test_labels_that_are_no_tags():
    result = spanrs.agreement(CrowdCorpus([["u", "v"]], [{"a": ["NOUN", "VERB"], "b": ["NOUN", "NOUN"]}]))
    assert math.isnan(result.pairs[0].f1)
    assert result.alpha == pytest.approx(0.0)
    assert "F1" not in result.text()


def test_tags_of_columns_are_spans():
    """Tags of columns and the same spans in documents have the same agreement."""
    corpus, _ = noisy(1, [0.2, 0.4, 0.6], missing=0.3)
    direct = spanrs.agreement(corpus, samples=0)
    votes = corpus.votes()
    several = np.bincount(votes.token)[votes.token] > 1
    types = [label.partition("-")[2] or OUTSIDE for label in corpus.labels]
    data = [
        (str(who), str(at), types[label])
        for at, who, label, kept in zip(*votes, several, strict=True)
        if kept
    ]
    assert direct.alpha == pytest.approx(AnnotationTask(data).alpha(), abs=1e-12)


def test_nothing_to_compare_is_an_error():
    with pytest.raises(ModelError, match="no document was seen by two annotators"):
        spanrs.agreement(CrowdCorpus([["u"], ["v"]], [{"a": ["O"]}, {"b": ["O"]}]))


def label_studio(path, tasks):
    """Write tasks: {annotator: spans, or None for a cancelled annotation}."""
    text = "Ada met Bob in Oslo"
    rows = []
    for number, answers in enumerate(tasks, 1):
        annotations = [
            {
                "completed_by": {"email": name},
                "was_cancelled": spans is None,
                "result": [
                    {
                        "type": "labels",
                        "from_name": "label",
                        "to_name": "text",
                        "value": {"start": start, "end": end, "text": text[start:end], "labels": [ty]},
                    }
                    for ty, start, end in spans or ()
                ],
            }
            for name, spans in answers.items()
        ]
        rows.append({"id": number, "data": {"text": text}, "annotations": annotations})
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_exports_are_read_with_all_their_spans(tmp_path):
    """Nested spans, an empty answer, a cancelled answer, and a task without answers."""
    nested = [("PER", 0, 3), ("PER", 0, 11), ("LOC", 15, 19)]
    tasks = [{"ben": nested, "ann": nested}, {"ann": [], "ben": None}, {"ann": [], "ben": []}, {}]
    path = label_studio(tmp_path / "export.json", tasks)
    with pytest.warns(SpanrsWarning, match="skipped or rejected by annotators, which is not an answer: 1"):
        result = spanrs.agreement(path)
    assert (result.annotators, result.f1) == (["ann", "ben"], 1.0)
    assert (result.compared, result.alone, result.unseen) == (2, 1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        same = [spanrs.agreement(source).to_json() for source in (path, spanrs.read(path))]
        with pytest.raises(FormatError, match="no annotator eve; the annotators are ben, ann"):
            spanrs.agreement(path, annotators=["ann", "eve"])
    assert same == [result.to_json()] * 2


def test_the_heat_map_is_a_picture(tmp_path):
    result = spanrs.agreement(noisy(2, [0.1, 0.4])[0], samples=0)
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        path = tmp_path / f"map{ending}"
        result.plot(path, "kappa")
        assert path.read_bytes().startswith(start)
    with pytest.raises(ValueError, match=r"map.txt: the name of a plot file must end with .png"):
        result.plot(tmp_path / "map.txt")
    with pytest.raises(ValueError, match="must be one of f1, overlap_f1, untyped_f1, kappa"):
        result.plot(tmp_path / "map.png", "alpha")


def test_gamma_is_that_of_the_units(projects):
    """Gamma of a project is that of its units; of a pair or type, that of its units alone."""
    for project, _ in projects[:20]:
        result = measure(project, gamma=GammaOptions(samples=20), samples=50)
        # The random continua depend on the order of the documents.
        compared = [project[row.document] for row in result.by_document]
        documents = [answers for _, answers in compared]
        lengths = [length for length, _ in compared]
        expected = gamma(documents, lengths=lengths, samples=20, pairs=True)
        assert result.gamma == pytest.approx(expected.gamma, nan_ok=True)
        assert result.gamma_samples == (0 if math.isnan(result.gamma) else 20)
        by_document = [row.gamma for row in result.by_document]
        assert by_document == pytest.approx([row.gamma for row in expected.documents], nan_ok=True)
        for pair in result.pairs:
            assert pair.gamma == pytest.approx(expected.pairs[pair.annotators], nan_ok=True)
        for row in result.by_type:
            of_type = [
                {name: [span for span in spans if span[0] == row.type] for name, spans in answers.items()}
                for answers in documents
            ]
            alone = gamma(of_type, lengths=lengths, samples=20).gamma
            assert row.gamma == pytest.approx(alone, nan_ok=True)
        interval = result.interval("gamma")
        assert interval is None or interval.low <= result.gamma <= interval.high
    assert measure(project, samples=0).to_dict()["gamma_samples"] is None


def test_gamma_names_the_document_that_exceeds_a_limit(monkeypatch):
    project = {"easy": (9, {"a": [], "b": []}), "hard": (9, {name: [("X", 0, 5)] for name in "abcde"})}
    checked = GammaOptions.checked
    monkeypatch.setattr(GammaOptions, "checked", lambda *args: checked(*args) | {"max_alignments": 1})
    with pytest.raises(LimitError, match=r"^gamma of document hard: .*increase max_alignments"):
        measure(project, gamma=True)
