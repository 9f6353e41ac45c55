"""A metric like those on the Hub: it imports seqeval and restructures its report."""

import importlib

import datasets
import evaluate
from seqeval.metrics import accuracy_score, classification_report


class LikeSeqeval(evaluate.Metric):
    def _info(self):
        tags = datasets.Sequence(datasets.Value("string"))
        return evaluate.MetricInfo(
            description="spans",
            citation="",
            inputs_description="tags",
            features=datasets.Features({"predictions": tags, "references": tags}),
        )

    def _compute(  # noqa: PLR0917
        self,
        predictions,
        references,
        suffix=False,
        scheme=None,
        mode=None,
        sample_weight=None,
        zero_division="warn",
    ):
        if scheme is not None:
            scheme = getattr(importlib.import_module("seqeval.scheme"), scheme)
        rows = classification_report(
            references,
            predictions,
            suffix=suffix,
            output_dict=True,
            mode=mode,
            scheme=scheme,
            sample_weight=sample_weight,
            zero_division=zero_division,
        )
        micro = rows["micro avg"]
        names = {"precision": "precision", "recall": "recall", "f1-score": "f1", "support": "number"}
        result = {
            kind: {names[name]: value for name, value in row.items()}
            for kind, row in rows.items()
            if kind not in ("micro avg", "macro avg", "weighted avg")
        }
        for name in ("precision", "recall", "f1-score"):
            result[f"overall_{names[name]}"] = micro[name]
        result["overall_accuracy"] = accuracy_score(references, predictions)
        result["made_by"] = classification_report.__module__
        return result
