"""Sequences labelled by many annotators: estimates of the truth and of the reliability of annotators.

A :class:`CrowdCorpus` contains sentences with the labels of any number of annotators; :func:`crowd_corpus` creates a
corpus from any source. Aggregators such as :class:`MajorityVote`, :class:`DawidSkene`, :class:`BSCSeq` and
:class:`CRFMA`, which also trains a CRF, estimate the truth.
"""

from spanrs.crowd.agreement import Agreement, PairAgreement
from spanrs.crowd.bsc import BSCSeq
from spanrs.crowd.concatenated import ConcatenatedCRF
from spanrs.crowd.corpus import CrowdCorpus, SentenceLabels
from spanrs.crowd.crfma import CRFMA, EMIteration
from spanrs.crowd.cross_fitted import CrossFitted
from spanrs.crowd.dawid_skene import DawidSkene, OneCoinDawidSkene
from spanrs.crowd.disagreements import Disagreement, disagreements
from spanrs.crowd.disputes import Dispute
from spanrs.crowd.files import read_columns, read_files, read_table, write_columns
from spanrs.crowd.hmm import HMMCrowd
from spanrs.crowd.mace import MACE
from spanrs.crowd.majority import MajorityVote
from spanrs.crowd.marked_span import MarkedSpan
from spanrs.crowd.multi_crf import MultiCRF
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.review import AnnotatorScore, rank_annotators
from spanrs.crowd.simulation import NoisyCRFs, flip_labels

__all__ = [
    "CRFMA",
    "MACE",
    "Agreement",
    "AnnotatorScore",
    "BSCSeq",
    "ConcatenatedCRF",
    "CrossFitted",
    "CrowdCorpus",
    "DawidSkene",
    "Disagreement",
    "Dispute",
    "EMIteration",
    "HMMCrowd",
    "MajorityVote",
    "MarkedSpan",
    "MultiCRF",
    "NoisyCRFs",
    "OneCoinDawidSkene",
    "PairAgreement",
    "SentenceLabels",
    "crowd_corpus",
    "disagreements",
    "flip_labels",
    "rank_annotators",
    "read_columns",
    "read_files",
    "read_table",
    "write_columns",
]
