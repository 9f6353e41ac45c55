"""Scorers of generated extractions, beside recorded outputs of the originals: equal to the last bit."""

from __future__ import annotations

import json

import pytest

from recordings import Recordings, peer_cases
from spanrs.compat import euroeval, gollie, instructuie, uie, universalner
from spanrs.compat.euroeval.lenient_json import decode

UIE_SCHEMA = uie.TaskSchema(
    ["person", "organization", "geo political"],
    ["attack", "die"],
    ["work for", "located in", "agent", "place"],
)


def universalner_output(case):
    return {
        "parsed_golds": [universalner.items(answer) for answer in case["golds"]],
        "parsed_preds": [universalner.parser(answer) for answer in case["preds"]],
        "scores": universalner.evaluate(case["golds"], case["preds"]),
    }


def gollie_output(case):
    sentences = []
    try:
        for sentence in case["sentences"]:
            gold, pred = gollie.read(sentence["gold"]), gollie.read(sentence["pred"])
            kept = gollie.filter_hallucinations(pred.annotations, sentence["text"])
            sentences.append(
                {
                    "gold": gold.annotations,
                    "pred": pred.annotations,
                    "kept": kept,
                    "hall": len(pred.annotations) - len(kept),
                    "parse_error": pred.parse_error,
                }
            )
        columns = ([sentence[key] for sentence in case["sentences"]] for key in ("text", "gold", "pred"))
        classes = gollie.CONLL03 if case["scorer"] == "misc" else gollie.CONLL03_NO_MISC
        return {"sentences": sentences, "scores": gollie.evaluate(*columns, classes)}
    except TypeError:
        return {"err": "TypeError"}


def instructuie_output(case):
    task = case["task"]
    evaluator = instructuie.evaluator(task, ["person", "organization", "location"])
    scored = []
    if case["add"] == "list":
        evaluator.add(case["golds"], case["preds"])
    else:
        for gold, pred in zip(case["golds"], case["preds"], strict=True):
            evaluator.add(gold, pred)
            sides = instructuie.items(gold, task), instructuie.items(pred, task, gold=False)
            truth, found = (side if isinstance(side, str) else sorted(side) for side in sides)
            scored.append({"truth": truth, "pred": found, "last": evaluator.last})
    output = {"items": scored, "metric": evaluator.get_metric(), "audit": evaluator.get_audit_report()}
    if task not in {"EE", "EET"}:
        output |= {"recall": evaluator.get_recall(), "precision": evaluator.get_precision()}
        output["sum"] = evaluator.sum
    return output


def uie_output(case):
    if case["kind"] == "sel":
        schema = UIE_SCHEMA.of_answers() if case["schema"] else uie.Schema()
        return uie.evaluate(case["golds"], case["preds"], schema, case.get("texts"))
    options = {"map_": case["map"], "deduplicate": case["dedup"]}
    pairs = zip(case["preds"], case["texts"], strict=True)
    scores = uie.evaluate_records(
        case["texts"], case["golds"], case["preds"], UIE_SCHEMA, match=case["match"], **options
    )
    return {
        "records": [uie.read_record(pred, text, UIE_SCHEMA, **options) for pred, text in pairs],
        "scores": scores,
    }


def euroeval_output(case):
    tagged = [
        euroeval.extract_tags(answer, tokens)
        for answer, tokens in zip(case["preds"], case["tokens"], strict=True)
    ]
    types = ["per", "org", "loc", "misc"] if case["misc"] else ["per", "org", "loc"]
    return {
        "tags": [tags for tags, _ in tagged],
        "failed": [number for number, (_, failed) in enumerate(tagged) if failed],
        "scores": euroeval.evaluate(case["golds"], [tags for tags, _ in tagged], types),
    }


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("universalner", universalner_output),
        ("gollie", gollie_output),
        ("instructuie", instructuie_output),
        ("uie", uie_output),
        ("euroeval", euroeval_output),
    ],
)
def test_outputs_are_those_recorded(shared, name, output):
    compared = 0
    for row in Recordings(shared / "golden" / "generated", small=False).rows(name):
        # As text, so that 0 is not 0.0.
        got, expected = (json.dumps(of, sort_keys=True) for of in (output(row["in"]), row["out"]))
        assert got == expected, row["id"]
        compared += 1
    assert compared >= 1000


def test_damaged_objects_are_decoded_like_by_demjson3():
    cases = peer_cases("demjson3", "demjson3==3.0.6")
    for text, expected in cases:
        try:
            decoded = {
                key: list(map(str, value)) if isinstance(value, list) else None
                for key, value in decode(text).items()
            }
        except ValueError:
            decoded = None
        assert decoded == expected, text
    assert sum(expected is not None for _, expected in cases) > 1500
