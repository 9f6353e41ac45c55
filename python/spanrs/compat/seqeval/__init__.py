"""seqeval 1.2.2, with the same modules, names, numbers and texts.

>>> from spanrs.compat.seqeval.metrics import f1_score
>>> f1_score([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]])
np.float64(1.0)

docs/compare.md lists the differences and their reasons.
"""
