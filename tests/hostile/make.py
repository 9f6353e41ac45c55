"""Writes the files of this directory: `python tests/hostile/make.py`.

expected.toml has the expected output for each of them.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from formats import FORMATS

HERE = Path(__file__).parent
GOLD = b"EU B-ORG\nrejects O\nGerman B-MISC\n\nPeter B-PER\nBlackburn I-PER\n\n"
# GOLD compressed with zstd, so that tests need no zstd library.
ZSTD = bytes.fromhex((HERE / "gold.zst.hex").read_text())


def main() -> None:
    """Write all files."""
    zipped = gzip.compress(GOLD * 40, mtime=0)
    wrong_sum = bytearray(zipped)
    wrong_sum[-8] ^= 0xFF
    files = {
        "gold": GOLD,
        "crlf_bom_tabs": b"\xef\xbb\xbf" + GOLD.replace(b" ", b"\t").replace(b"\n", b"\r\n"),
        "no_last_newline": GOLD.rstrip(b"\n"),
        "gold.gz": gzip.compress(GOLD, mtime=0),
        "gold.zst": ZSTD,
        "empty": b"",
        "model": b"\x10" + b"\0" * 7 + b'{"a":1}'.ljust(16),
        "newlines": b"\n\n\n",
        "blanks": b"  \n\t\n \t \n",
        "bom_only": b"\xef\xbb\xbf",
        "docstart_only": b"-DOCSTART- -X- O O\n\n",
        "utf16_le": b"\xff\xfe" + GOLD.decode().encode("utf-16-le"),
        "utf16_be": b"\xfe\xff" + GOLD.decode().encode("utf-16-be"),
        "utf16_unmarked": GOLD.decode().encode("utf-16-le"),
        "utf32": GOLD.decode().encode("utf-32"),
        "latin1": GOLD.replace(b"rejects", b"r\xe9jects"),
        "cut_utf8": GOLD + b"Gr\xc3",
        "overlong_utf8": GOLD + b"a\xc0\xaf O\n",
        "surrogate_utf8": GOLD + b"a\xed\xa0\x80 O\n",
        "bad_tag_utf8": GOLD + b"a B-\xff\n",
        "nul_token": GOLD.replace(b"German", b"Ger\0man"),
        "nul_tag": GOLD.replace(b"I-PER", b"I-\0PER"),
        "nul_blank": GOLD + b"\0\n",
        "nul_end": GOLD + b"\0",
        "elf": b"\x7fELF\x02\x01\x01\0\0\0",
        "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "old_mac": GOLD.replace(b"\n", b"\r"),
        "double_cr": GOLD.replace(b"\n", b"\r\r\n"),
        "too_few_columns": GOLD.replace(b"rejects O", b"rejects"),
        "too_many_columns": GOLD.replace(b"rejects O", b"rejects the O"),
        "ragged_late": GOLD * 20 + b"x\n",
        "tabs_then_blanks": b"EU\tB-ORG\nrejects O\nGerman\tB-MISC\n\n",
        "trailing_tab": b"EU\tB-ORG\nrejects\tO\t\nGerman\tB-MISC\n\n",
        "comment_inside": GOLD.replace(b"German", b"# a comment in a sentence\nGerman"),
        "one_column": b"B-ORG\nO\nB-MISC\n\nB-PER\nI-PER\n\n",
        "gzip_cut": zipped[: len(zipped) // 2],
        "gzip_garbage": b"\x1f\x8b" + b"garbage" * 20,
        "gzip_wrong_sum": bytes(wrong_sum),
        "gzip_of_nothing": gzip.compress(b"", mtime=0),
        "gzip_of_latin1": gzip.compress(GOLD.replace(b"rejects", b"r\xe9jects"), mtime=0),
        "gzip_magic_only": b"\x1f\x8b",
        "zstd_cut": ZSTD[: len(ZSTD) // 2],
        "zstd_garbage": b"\x28\xb5\x2f\xfd" + b"garbage" * 20,
        "fewer_sentences": GOLD[: GOLD.index(b"\n\n") + 2],
        "more_sentences": GOLD + b"More O\n\n",
        "sentence_split": GOLD.replace(b"German", b"\nGerman"),
        "sentences_joined": GOLD.replace(b"\n\nPeter", b"\nPeter"),
        "token_differs": GOLD.replace(b"German", b"Germany"),
        "case_differs": GOLD.replace(b"Peter", b"peter"),
        "token_missing": GOLD.replace(b"rejects O\n", b""),
        "token_added": GOLD.replace(b"rejects O\n", b"rejects O\nthe O\n"),
        "last_token_added": GOLD.rstrip(b"\n") + b"\nmore O\n",
        "composed": "Mu\u0308ller B-PER\n".encode(),
        "precomposed": "M\u00fcller B-PER\n".encode(),
        "malformed": GOLD.replace(b"B-PER", b"I-PER"),
        "touching": b"a B-X\nb B-X\n",
        **FORMATS,
    }
    for name, content in files.items():
        (HERE / name).write_bytes(content)


if __name__ == "__main__":
    main()
