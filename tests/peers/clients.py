"""Programs that use replaced packages, with the packages and with spanrs; their outputs are compared."""

from __future__ import annotations

import os
from typing import NamedTuple

from peers.environment import ROOT, Environment
from peers.suites import PLUGIN

#: Printed before the output of a program, so that messages of imports do not matter.
MARK = "=== output"


class Client(NamedTuple):
    """A program that prints results of packages that use ``activated``."""

    packages: tuple[str, ...]
    activated: str
    program: str


USADDRESS = """
import usaddress
for text in ("123 Main St. Suite 100 Chicago, IL", "1 E Wacker Dr Fl 36, Chicago IL 60601", "PO Box 4, Rome NY"):
    print(usaddress.parse(text))
    print(usaddress.tag(text))
"""
PROBABLEPEOPLE = """
import probablepeople
for text in ("Mr George 'Gob' Bluth II", "Sitwell Housing Inc", "Dr. Mary Ann Smith, PhD"):
    print(probablepeople.parse(text))
"""
PYVI = """
from pyvi import ViTokenizer, ViPosTagger
for text in ("Trường đại học bách khoa hà nội", "Hôm nay trời đẹp quá"):
    print(ViTokenizer.tokenize(text), ViPosTagger.postagging(ViTokenizer.tokenize(text)))
"""
PYTHAINLP = """
from pythainlp.tokenize import sent_tokenize
for text in ("ฉันไปประชุมเมื่อวันที่ 11 มีนาคม วันนี้ฝนตกหนัก", "ข้าราชการได้รับการหมุนเวียนเป็นระยะ และเขาได้รับมอบหมาย"):
    print(sent_tokenize(text, engine="crfcut"))
"""
# Its models are not on the package index, so one is trained.
HAZM = """
import os, tempfile
from hazm import POSTagger
os.chdir(tempfile.mkdtemp())
sentences = [
    [("من", "PRON"), ("به", "ADP"), ("مدرسه", "NOUN"), ("رفتم", "VERB"), (".", "PUNCT")],
    [("او", "PRON"), ("کتاب", "NOUN"), ("را", "ADP"), ("خواند", "VERB"), (".", "PUNCT")],
    [("ما", "PRON"), ("در", "ADP"), ("خانه", "NOUN"), ("هستیم", "VERB"), (".", "PUNCT")],
]
tagger = POSTagger()
tagger.train(sentences, max_iteration=100, verbose=False, report_duration=False)
for words in (["او", "به", "خانه", "رفتم", "."], ["کتاب", "در", "مدرسه"]):
    print(tagger.tag(words))
print(os.listdir())
"""
# A metric file like those on the Hub, which import seqeval.
EVALUATE = f"""
import json, os, tempfile, warnings
warnings.simplefilter("ignore")
os.environ |= dict.fromkeys(("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_DATASETS_OFFLINE"), "1")
os.environ["HF_HOME"] = tempfile.mkdtemp()
import evaluate
metric = evaluate.load({str(ROOT / "tests" / "integrations" / "metric_like_seqeval.py")!r})
gold = [["O", "B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "I-ORG", "O"], ["O", "O"]]
pred = [["O", "B-PER", "O", "O", "B-LOC"], ["I-ORG", "I-ORG", "B-LOC"], ["O", "B-X"]]
for options in ({{}}, {{"mode": "strict", "scheme": "IOB2"}}, {{"zero_division": 1}}):
    scores = metric.compute(predictions=pred, references=gold, **options)
    # The name of the module that was imported.
    del scores["made_by"]
    print(json.dumps(scores, sort_keys=True, default=float))
"""
CLIENTS = {
    "usaddress": Client(("usaddress",), "pycrfsuite", USADDRESS),
    "probablepeople": Client(("probablepeople",), "pycrfsuite", PROBABLEPEOPLE),
    "pyvi": Client(("pyvi", "setuptools<81"), "sklearn_crfsuite pycrfsuite", PYVI),
    "pythainlp": Client(("pythainlp", "python-crfsuite"), "pycrfsuite", PYTHAINLP),
    "hazm": Client(("hazm",), "pycrfsuite", HAZM),
    "evaluate": Client(("evaluate", "seqeval", "scikit-learn"), "seqeval", EVALUATE),
}


def run(name: str) -> bool:
    """Print whether a program prints the same with the packages and with spanrs; return this."""
    client = CLIENTS[name]
    environment = Environment(f"client-{name}", client.packages, spanrs=True)
    environment.create()
    outputs = []
    for activated in (False, True):
        variables = dict(os.environ)
        program = f"print({MARK!r})\n{client.program}"
        if activated:
            variables |= {"PEERS_ACTIVATED": client.activated, "PYTHONPATH": str(PLUGIN)}
            program = f"import activate_peer\n{program}"
        done = environment.run("-c", program, env=variables)
        if done.returncode:
            print(f"{name}: {'spanrs' if activated else 'the package'} fails:\n{done.stderr}")
            return False
        outputs.append(done.stdout.partition(MARK)[2])
    lines = len(outputs[0].splitlines()) - 1
    same = outputs[0] == outputs[1]
    print(f"{name}: {lines} lines of output are {'equal' if same else 'different'}", flush=True)
    if not same:
        print(*outputs, sep="\n--- with spanrs")
    return same
