"""Programs that use replaced packages, with the packages and with spanrs; their outputs are compared."""

from __future__ import annotations

import os
from typing import NamedTuple

from peers.environment import Environment
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
CLIENTS = {
    "usaddress": Client(("usaddress",), "pycrfsuite", USADDRESS),
    "probablepeople": Client(("probablepeople",), "pycrfsuite", PROBABLEPEOPLE),
    "pyvi": Client(("pyvi", "setuptools<81"), "sklearn_crfsuite pycrfsuite", PYVI),
    "pythainlp": Client(("pythainlp", "python-crfsuite"), "pycrfsuite", PYTHAINLP),
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
