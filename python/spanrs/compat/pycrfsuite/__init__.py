"""python-crfsuite 0.9.12, with the same classes, parameters, messages and model files.

Models are read and written in CRFsuite's format; a tagger also opens the files of ``spanrs.crf``. docs/compare.md lists
the differences.

>>> from spanrs.compat import pycrfsuite
>>> trainer = pycrfsuite.Trainer("lbfgs", params={"c2": 0.1}, verbose=False)
>>> trainer.append([{"word": "Rome"}, {"word": "is"}], ["LOC", "O"])
>>> trainer.params()[:4]
['feature.minfreq', 'feature.possible_states', 'feature.possible_transitions', 'c1']
"""

from spanrs.compat.pycrfsuite import _dumpparser, _logparser, _pycrfsuite
from spanrs.compat.pycrfsuite._pycrfsuite import *  # noqa: F403

__all__ = ["_dumpparser", "_logparser"]
__all__ += _pycrfsuite.__all__
