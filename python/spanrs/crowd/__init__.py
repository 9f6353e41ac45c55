"""Sequences labelled by many annotators: estimates of the truth and of the reliability of annotators.

A :class:`CrowdCorpus` contains sentences with the labels of any number of annotators; :func:`crowd_corpus` creates a
corpus from any source. Aggregators such as :class:`MajorityVote`, :class:`DawidSkene`, :class:`BSCSeq` and
:class:`CRFMA`, which also trains a CRF, estimate the truth.
"""

from spanrs.crowd.agreement import Agreement
from spanrs.crowd.agreement_measures import (
    AnnotatorAgreement,
    DocumentAgreement,
    PairAgreement,
    TypeAgreement,
)
from spanrs.crowd.bsc import BSCSeq
from spanrs.crowd.concatenated import ConcatenatedCRF
from spanrs.crowd.consensus import consensus
from spanrs.crowd.consensus_files import Consensus
from spanrs.crowd.corpus import CrowdCorpus, SentenceLabels
from spanrs.crowd.correlation import CorrelatedGroup, correlated_annotators
from spanrs.crowd.crfma import CRFMA, EMIteration
from spanrs.crowd.cross_fitted import CrossFitted
from spanrs.crowd.dawid_skene import DawidSkene, OneCoinDawidSkene
from spanrs.crowd.disagreements import Disagreement, disagreements
from spanrs.crowd.disputes import Dispute
from spanrs.crowd.files import read_columns, read_files, read_table, write_columns
from spanrs.crowd.gamma import GammaOptions
from spanrs.crowd.hmm import HMMCrowd
from spanrs.crowd.layers import crowd_layers
from spanrs.crowd.mace import MACE
from spanrs.crowd.majority import MajorityVote
from spanrs.crowd.marked_span import MarkedSpan
from spanrs.crowd.multi_crf import MultiCRF
from spanrs.crowd.next import NextAnnotation, next_annotations
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.review import AnnotatorScore, rank_annotators
from spanrs.crowd.simulation import NoisyCRFs, flip_labels, share_errors

__all__ = [
    "CRFMA",
    "MACE",
    "Agreement",
    "AnnotatorAgreement",
    "AnnotatorScore",
    "BSCSeq",
    "ConcatenatedCRF",
    "Consensus",
    "CorrelatedGroup",
    "CrossFitted",
    "CrowdCorpus",
    "DawidSkene",
    "Disagreement",
    "Dispute",
    "DocumentAgreement",
    "EMIteration",
    "GammaOptions",
    "HMMCrowd",
    "MajorityVote",
    "MarkedSpan",
    "MultiCRF",
    "NextAnnotation",
    "NoisyCRFs",
    "OneCoinDawidSkene",
    "PairAgreement",
    "SentenceLabels",
    "TypeAgreement",
    "consensus",
    "correlated_annotators",
    "crowd_corpus",
    "crowd_layers",
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
