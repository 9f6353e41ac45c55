"""Fine-tune a transformer on examples/news with the Trainer, and record its logits: `python train.py [MODEL]`.

Needs `pip install spanrs torch transformers accelerate`. Two systems are trained with three seeds each: `tuned`, all of
whose weights are trained, and `frozen`, of which only the classifier and the last layer are. `SYSTEM-SEED.npz` has what
the Trainer passes to `compute_metrics` for the test set: `logits` (sentences, word pieces, labels) and `labels`
(sentences, word pieces; -100 for all but the first piece of a token).
"""

import sys
from pathlib import Path

import numpy as np
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

import spanrs
from spanrs.integrations import hf

HERE = Path(__file__).parent
NEWS = HERE.parent / "news"
LABELS = ["O"] + [f"{prefix}-{name}" for name in ("EVENT", "LOC", "ORG", "PER") for prefix in "BI"]
MODEL = sys.argv[1] if len(sys.argv) > 1 else "sentence-transformers/all-MiniLM-L6-v2"


def encoded(name, tokenizer):
    """Return the word pieces of a file, with the tag of a token on its first piece."""
    rows = []
    for sentence in spanrs.read(NEWS / name):
        row = tokenizer(sentence.tokens, is_split_into_words=True)
        words = row.word_ids()
        firsts = [word is not None and (at == 0 or words[at - 1] != word) for at, word in enumerate(words)]
        tags = sentence.tags["tags"]
        row["labels"] = [
            LABELS.index(tags[word]) if first else -100 for word, first in zip(words, firsts, strict=True)
        ]
        rows.append(row)
    return rows


def train(system, seed, tokenizer):
    """Train one system with one seed, and record its logits."""
    set_seed(seed)
    model = AutoModelForTokenClassification.from_pretrained(MODEL, id2label=dict(enumerate(LABELS)))
    if system == "frozen":
        for parameter in [
            *model.base_model.embeddings.parameters(),
            *model.base_model.encoder.layer[:-1].parameters(),
        ]:
            parameter.requires_grad = False
    trainer = Trainer(
        model,
        TrainingArguments(
            output_dir="checkpoints",
            seed=seed,
            num_train_epochs=15,
            learning_rate=3e-4 if system == "tuned" else 1e-3,
            per_device_train_batch_size=16,
            save_strategy="no",
            report_to=[],
        ),
        train_dataset=encoded("train.conll", tokenizer),
        data_collator=DataCollatorForTokenClassification(tokenizer),
        compute_metrics=hf.compute_metrics(model.config.id2label, scheme="BIO"),
    )
    trainer.train()
    output = trainer.predict(encoded("test.conll", tokenizer))
    print(system, seed, output.metrics["test_f1"])
    np.savez_compressed(
        HERE / f"{system}-{seed}.npz",
        logits=output.predictions.astype(np.float16),
        labels=output.label_ids.astype(np.int16),
    )


if __name__ == "__main__":
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    for system in ("tuned", "frozen"):
        for seed in (1, 2, 3):
            train(system, seed, tokenizer)
