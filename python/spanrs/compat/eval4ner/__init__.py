"""The interface of eval4ner 0.1.0: MUC scores of extracted strings, in :mod:`spanrs.compat.eval4ner.muc`."""

name = "eval4ner"
