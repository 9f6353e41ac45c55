"""Part-of-speech tagging and dependency parsing.

A :class:`Tagger` gives words their tags, a :class:`Parser` gives sentences their trees; both are averaged perceptrons
that decide greedily, from left to right (Goldberg and Nivre 2013; Honnibal's parser.py). :func:`evaluate` compares
trees as the CoNLL 2018 shared task does.
"""

from spanrs.dep.drawing import draw, to_svg
from spanrs.dep.evaluation import evaluate
from spanrs.dep.matcher import Dep
from spanrs.dep.parse import Parse, parse_conllu, read_conllu
from spanrs.dep.parser import Parser
from spanrs.dep.tagger import Tagger
from spanrs.dep.training import Epoch

__all__ = [
    "Dep",
    "Epoch",
    "Parse",
    "Parser",
    "Tagger",
    "draw",
    "evaluate",
    "parse_conllu",
    "read_conllu",
    "to_svg",
]
