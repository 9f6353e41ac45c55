"""The name under which python-crfsuite has its classes (pycrfsuite._pycrfsuite)."""

from spanrs.compat.pycrfsuite._errors import CRFSuiteError
from spanrs.compat.pycrfsuite._items import ItemSequence
from spanrs.compat.pycrfsuite._tagger import Tagger
from spanrs.compat.pycrfsuite._trainer import BaseTrainer, Trainer

#: Version of CRFsuite in python-crfsuite 0.9.12.
CRFSUITE_VERSION = "0.12.2"

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]
