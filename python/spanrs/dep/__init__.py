"""Part-of-speech tagging and dependency parsing, from text or from words.

:class:`Tagger` predicts part-of-speech tags, and :class:`Parser` predicts dependency trees; both are greedy
averaged perceptrons (Goldberg and Nivre 2013; Honnibal's parser.py). A :class:`Pipeline` also divides
text into sentences and words (:class:`Segmenter`), and predicts morphological features and lemmas
(:class:`Morphology`). :func:`evaluate` computes the measures of the CoNLL 2018 shared task. :func:`load` loads a model
that is installed, or a model file.
"""

from spanrs.dep.drawing import draw, to_svg
from spanrs.dep.evaluation import evaluate
from spanrs.dep.installed import InstalledModel, load, models
from spanrs.dep.matcher import Dep
from spanrs.dep.morphology import Morphology
from spanrs.dep.parse import Parse, Token, parse_conllu, read_conllu
from spanrs.dep.parser import Parser
from spanrs.dep.pipeline import Pipeline
from spanrs.dep.segmenter import Segmenter
from spanrs.dep.tagger import Tagger
from spanrs.dep.training import Epoch

__all__ = [
    "Dep",
    "Epoch",
    "InstalledModel",
    "Morphology",
    "Parse",
    "Parser",
    "Pipeline",
    "Segmenter",
    "Tagger",
    "Token",
    "draw",
    "evaluate",
    "load",
    "models",
    "parse_conllu",
    "read_conllu",
    "to_svg",
]
