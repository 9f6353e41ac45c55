"""The interface of seqscore 0.9.0, computed by spanrs.

The modules are those of the package: :mod:`~spanrs.compat.seqscore.scoring`, :mod:`~spanrs.compat.seqscore.encoding`,
:mod:`~spanrs.compat.seqscore.validation`, :mod:`~spanrs.compat.seqscore.model`, and of
:mod:`~spanrs.compat.seqscore.conll` the reading of files. Its command line is replaced by ``spanrs score``.
"""

__version__ = "0.9.0"
