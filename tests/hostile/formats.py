"""Files of other formats and schemes that users may pass by mistake, for `make.py`."""

from __future__ import annotations

import gzip
import json

TEXT = "EU rejects German"
SPANS = [{"start": 0, "end": 2, "label": "ORG"}]
CONLLU = (
    b"# sent_id = 1\n# text = Vamonos al mar\n"
    b"1-2\tVamonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"1\tVamos\tir\tVERB\t_\t_\t0\troot\t_\tNER=O\n"
    b"2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\tNER=B-PER|SpaceAfter=No\n"
    b"2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"3\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\tNER=B-LOC\n\n"
)
XML = '<?xml version="1.0"?>\n<doc>EU <ORG>rejects</ORG></doc>\n'


def dump(value: object, indent: int | None = None) -> bytes:
    """Return JSON."""
    return (json.dumps(value, indent=indent) + "\n").encode()


def label_studio(*users: int) -> bytes:
    """Return a task that several annotators worked on."""
    value = {"start": 0, "end": 2, "labels": ["ORG"]}
    annotations = [{"completed_by": user, "result": [{"type": "labels", "value": value}]} for user in users]
    return dump([{"id": 1, "data": {"text": TEXT}, "annotations": annotations}])


def prodigy(*annotators: str) -> bytes:
    """Return a text once for each annotator."""
    records = (
        {"text": TEXT, "spans": SPANS, "_annotator_id": name, "answer": "accept"} for name in annotators
    )
    return b"".join(map(dump, records))


def bio(*tags: str) -> bytes:
    """Return a sentence with these tags."""
    return "".join(f"w{at} {tag}\n" for at, tag in enumerate(tags)).encode()


FORMATS = {
    # JSON and JSON Lines read as columns.
    "doccano.jsonl": dump({"text": TEXT, "label": [[0, 2, "ORG"]]}) * 2,
    "prodigy.jsonl": prodigy("ann"),
    "spacy.json": dump([{"text": TEXT, "entities": [[0, 2, "ORG"]]}], 2),
    "object.json": dump({"text": TEXT}, 2),
    "indented.json": b"\n\n  " + dump({"text": TEXT}),
    "array_of_arrays.json": dump([["EU", "B-ORG"], ["rejects", "O"]]),
    "cut.json": dump({"text": TEXT, "label": [[0, 2, "ORG"]]})[:-9],
    "bom.json": b"\xef\xbb\xbf" + dump({"text": TEXT}),
    "json.gz": gzip.compress(dump({"text": TEXT}), mtime=0),
    "geojson_line": b'{"type":"Feature"}\n',
    # XML.
    "inline.xml": XML.encode(),
    "no_declaration.xml": b"<doc>\n<p>EU <ORG>rejects</ORG></p>\n</doc>\n",
    "attributes.xml": b'<doc id="1">\n<p>EU\n',
    "doctype.html": b"<!DOCTYPE html>\n<html><body>EU</body></html>\n",
    "comment.xml": b"<!-- a comment -->\n<doc/>\n",
    "cas.xmi": b'<?xml version="1.0"?>\n<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore">'
    b'<cas:Sofa sofaString="EU rejects"/></xmi:XMI>\n',
    "other.xmi": b'<?xml version="1.0"?>\n<root xmlns:xmi="http://www.omg.org/XMI"><a/></root>\n',
    "gate.xml": b"<?xml version='1.0'?>\n<GateDocument><TextWithNodes>EU</TextWithNodes></GateDocument>\n",
    "latin1_declared.xml": XML.replace("1.0", '1.0" encoding="ISO-8859-1')
    .replace("EU", "\xc9U")
    .encode("latin-1"),
    "unknown_encoding.xml": XML.replace("1.0", '1.0" encoding="klingon').encode(),
    "control_character.xml": b'<doc a="\x01">EU</doc>\n',
    "control_reference.xml": b'<doc a="&#2;">EU</doc>\n',
    "control_comment.xml": b"<doc>EU<!-- \x02 --></doc>\n",
    "less_than.xml": b'<doc a="1 < 2">EU</doc>\n',
    "cdata_end.xml": b"<doc>EU ]]> rejects</doc>\n",
    "no_annotations.json": dump({"signal": TEXT, "asets": []}),
    # Others.
    "webanno.tsv": b"#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.NE|value\n\n1-1\t0-2\tEU\tORG\t\n",
    "brat.ann": b"T1\tORG 0 2\tEU\n",
    "brat_pieces.ann": b"T1\tORG 0 2;4 6\tEU re\n",
    "ud.conllu": CONLLU,
    "misc_tags.conllu": CONLLU.replace(b"NER=B-PER|SpaceAfter=No", b"B-PER").replace(b"NER=", b""),
    "bad_id.conllu": CONLLU.replace(b"\n3\t", b"\nx\t"),
    "nine_columns.conllu": b"1\tVamos\tir\tVERB\t_\t_\t0\troot\t_\n",
    "ten_columns": b"\t".join([b"a"] * 9 + [b"O"]) + b"\n",
    "no_entity.conllu": CONLLU.replace(b"NER=B-PER|", b"")
    .replace(b"NER=O", b"_")
    .replace(b"NER=B-LOC", b"_"),
    "webanno_without_header.tsv": b"#Text=EU rejects\n1-1\t0-2\tEU\tORG\t\n1-2\t3-10\trejects\t_\t\n",
    "lists.jsonl": dump({"tokens": ["EU", "rejects"], "ner_tags": [3, 0]}),
    "header": b"token tag\nEU B-ORG\nrejects O\n",
    "kaggle.csv": b"Sentence #,Word,POS,Tag\nSentence: 1,EU,NNP,B-ORG\n,rejects,VBZ,O\n",
    "quoted.csv": b'"EU","B-ORG"\n"rejects","O"\n',
    "semicolons.csv": b"EU;B-ORG\nrejects;O\n",
    "quoted_comma.csv": b'EU,B-ORG\n",",O\n',
    "pos.csv": b"EU,NNP\nrejects,VBZ\n",
    "comma_tokens": b", O\nEU,1 B-ORG\n; O\n",
    "min_twice.json": dump([{"id": 1, "text": TEXT, "annotator": user, "label": []} for user in (7, 8)]),
    "unnamed_twice.jsonl": dump({"text": TEXT, "spans": SPANS, "_input_hash": 4}) * 2,
    "tokens.csv": b"token,tag\nEU,B-ORG\nrejects,O\nGerman,B-MISC\n",
    "pos": b"EU NNP\nrejects VBZ\nGerman JJ\n\nPeter NNP\nBlackburn NNP\n\n",
    "label_ids": b"EU LABEL_3\nrejects LABEL_0\nGerman LABEL_7\n\nPeter LABEL_1\nBlackburn LABEL_2\n\n",
    "numbers": b"EU 3\nrejects 0\nGerman 7\n\nPeter 1\nBlackburn 2\n\n",
    "label_types": b"EU B-LABEL_3\nrejects O\nGerman B-LABEL_7\n\nPeter B-LABEL_1\nBlackburn I-LABEL_1\n\n",
    "all_outside": b"EU O\nrejects O\nGerman O\n\nPeter O\nBlackburn O\n\n",
    "bilou": b"EU U-ORG\nrejects O\nGerman U-MISC\n\nPeter B-PER\nBlackburn L-PER\n\n",
    "iobes": b"EU S-ORG\nrejects O\nGerman S-MISC\n\nPeter B-PER\nBlackburn E-PER\n\n",
    "half_malformed": b"EU I-ORG\nrejects O\nGerman E-MISC\n\nPeter B-PER\nBlackburn X-PER\n\n",
    "bom_token": b"\xef\xbb\xbf B-X\nb O\n",
    "json_tokens": b"{ O\n} O\n[ B-X\n",
    "xml_tokens": b"<unk> O\n<s> B-X\n</s> O\n",
    "misspelt": b"EU B-ORG\nrejects O\nGermna B-MISC\n\nPetre B-PER\nBlackburn I-PER\n\n",
    "two_layers": b"1\tEU\tB-ORG\tO\n2\tof\tI-ORG\tO\n3\tRome\tI-ORG\tB-ORG\n\n",
    # Encodings and line ends of other systems, beside those of `make.py`.
    "windows_1252": b"EU B-ORG\nrejects O\nGerman \x93B-MISC\x94\n",
    "ebcdic": "EU B-ORG\n".encode("cp500"),
    "lone_surrogate.json": b'{"signal": "\\ud800", "asets": []}\n',
    "nan.json": b'{"signal": "EU", "asets": [{"type": "ORG", "annots": [[0, NaN]]}]}\n',
    "negative.json": b'{"signal": "EU", "asets": [{"type": "ORG", "annots": [[-1, 2]]}]}\n',
    "backwards.json": b'{"signal": "EU", "asets": [{"type": "ORG", "annots": [[2, 0]]}]}\n',
    "tar": b"name" + b"\0" * 96 + b"0000644\0",
    # Several annotators.
    "one_annotator.json": label_studio(7),
    "two_annotators.json": label_studio(7, 8),
    "two_annotators.jsonl": prodigy("ann", "bob"),
    # Compressed data with a large decompressed size.
    "bomb.json.gz": gzip.compress(dump({"signal": " " * (20 << 20), "asets": []}), mtime=0),
}
