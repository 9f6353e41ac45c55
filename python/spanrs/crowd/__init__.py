"""Sequences labelled by many annotators: estimates of the truth and of the reliability of annotators.

A :class:`CrowdCorpus` contains sentences with the labels of any number of annotators; :func:`crowd_corpus` creates a
corpus from any source. Aggregators such as :class:`MajorityVote`, :class:`DawidSkene`, :class:`BSCSeq` and
:class:`CRFMA`, which also trains a CRF, estimate the truth.
"""

from spanrs.crowd.agreement import Agreement, PairAgreement
from spanrs.crowd.bsc import BSCSeq
from spanrs.crowd.concatenated import ConcatenatedCRF
from spanrs.crowd.corpus import CrowdCorpus, SentenceLabels
from spanrs.crowd.correlation import CorrelatedGroup, correlated_annotators
from spanrs.crowd.crfma import CRFMA, EMIteration
from spanrs.crowd.cross_fitted import CrossFitted
from spanrs.crowd.dawid_skene import DawidSkene, OneCoinDawidSkene
from spanrs.crowd.files import read_columns, read_files, read_table, write_columns
from spanrs.crowd.hmm import HMMCrowd
from spanrs.crowd.mace import MACE
from spanrs.crowd.majority import MajorityVote
from spanrs.crowd.multi_crf import MultiCRF
from spanrs.crowd.next import NextAnnotation, next_annotations
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.review import AnnotatorScore, Disagreement, disagreements, rank_annotators
from spanrs.crowd.simulation import NoisyCRFs, flip_labels, share_errors

__all__ = [
    "CRFMA",
    "MACE",
    "Agreement",
    "AnnotatorScore",
    "BSCSeq",
    "ConcatenatedCRF",
    "CorrelatedGroup",
    "CrossFitted",
    "CrowdCorpus",
    "DawidSkene",
    "Disagreement",
    "EMIteration",
    "HMMCrowd",
    "MajorityVote",
    "MultiCRF",
    "NextAnnotation",
    "NoisyCRFs",
    "OneCoinDawidSkene",
    "PairAgreement",
    "SentenceLabels",
    "correlated_annotators",
    "crowd_corpus",
    "disagreements",
    "flip_labels",
    "next_annotations",
    "rank_annotators",
    "read_columns",
    "read_files",
    "read_table",
    "share_errors",
    "write_columns",
]
