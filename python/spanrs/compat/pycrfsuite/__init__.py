"""python-crfsuite 0.9.12, with the same classes, parameters, messages and model files.

>>> from spanrs.compat import pycrfsuite
>>> trainer = pycrfsuite.Trainer("lbfgs", params={"c2": 0.1}, verbose=False)
>>> trainer.append([{"word": "Rome"}, {"word": "is"}], ["LOC", "O"])
>>> trainer.params()[:4]
['feature.minfreq', 'feature.possible_states', 'feature.possible_transitions', 'c1']

Model files are those of CRFsuite in both directions; a tagger also opens the files of ``spanrs.crf``.

Notes
-----
Differences from python-crfsuite, which are all places where it crashes, gives a wrong result or keeps quiet about
an error:

* A token that is a string is a ValueError; python-crfsuite takes each character as a feature.
* Features that are no number, string or collection of those are a ValueError; python-crfsuite raises SystemError.
  Tuples and frozensets are accepted as nested collections. Values must be finite, and bytes must be UTF-8.
* ``Trainer.train`` raises OSError if the model cannot be written, and the file is whole or absent; python-crfsuite
  returns without a word. Files may be given as ``os.PathLike``. An overflow is a :class:`CRFSuiteError`.
* ``Trainer.set`` raises ValueError for values that are no numbers; python-crfsuite stores 0. ``Trainer.get`` gives
  the value itself, not one that is rounded to six decimals. Values of regularisers and limits below their range
  count as the least allowed value.
* After a failed ``Trainer.select`` the former algorithm stays selected; python-crfsuite crashes at the next call.
* Features whose values have a negative sum are kept; CRFsuite drops them even if ``feature.minfreq`` is 0.
* ``linesearch`` is accepted and stored, but all choices use the same line search.
* Online algorithms shuffle with a generator of our own with a fixed seed: training is reproducible.
* The messages of training leave out what our optimisers do not compute: the norm of the weights, steps and trials
  of the line search, the learning rate and its calibration. The loss of ``ap`` is the number of wrong labels
  instead of the sum of their shares, and ``epsilon`` is compared with its mean over tokens.
* ``Tagger.dump`` writes to ``sys.stdout`` instead of file descriptor 1, and replaces a file instead of leaving the
  end of a longer one. Attributes that contain a line break or ``" --> "`` do not break ``Tagger.info``, and those
  with a NUL are not cut there.
* Taggers can be pickled, and :meth:`Tagger.tag` may be called from several threads.
* There is no ``CRFsuiteDumpParser``: nothing is parsed.
"""

from spanrs.compat.pycrfsuite import _dumpparser, _logparser
from spanrs.compat.pycrfsuite._pycrfsuite import (
    CRFSUITE_VERSION,
    BaseTrainer,
    CRFSuiteError,
    ItemSequence,
    Tagger,
    Trainer,
)

__all__ = [
    "CRFSUITE_VERSION",
    "BaseTrainer",
    "CRFSuiteError",
    "ItemSequence",
    "Tagger",
    "Trainer",
    "_dumpparser",
    "_logparser",
]
