"""The interface of seqscore 0.9.0, computed by spanrs.

The modules have the same names: :mod:`~spanrs.compat.seqscore.scoring`, :mod:`~spanrs.compat.seqscore.encoding`,
:mod:`~spanrs.compat.seqscore.validation`, :mod:`~spanrs.compat.seqscore.model`,
:mod:`~spanrs.compat.seqscore.conll`, :mod:`~spanrs.compat.seqscore.processing`,
:mod:`~spanrs.compat.seqscore.util`, and :mod:`~spanrs.compat.seqscore.scripts.seqscore`, the command line, which is
``python -m spanrs.compat.seqscore``.
"""

__version__ = "0.9.0"
