"""Results as bytes and back."""

from __future__ import annotations

import base64
import json
from typing import Any
from zlib import crc32

from spanrs import _spanrs
from spanrs.errors import FormatError
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.evidence import Evidence
from spanrs.eval.matchers import Matcher, from_dict

#: Before stored results.
MAGIC = b"spanrs result\x01"
#: Bytes of the CRC-32 of what follows it, and of the length of the header.
CHECKSUM = 4
LENGTH = 8

#: Counts, settings, matcher, evidence and weights of documents.
State = tuple[_spanrs.Counts, dict[str, str], Matcher, Evidence, "list[float] | None"]


def to_bytes(result: Evaluation) -> bytes:
    """Give a result as bytes: a header in JSON, then the counts."""
    weights = result.document_weights
    header = {
        "settings": dict(result.settings),
        "matcher": result.matcher.to_dict(),
        "evidence": result.evidence.to_dict(),
        "document_weights": None if weights is None else list(weights),
        "order": result.counts.stored_order(),
    }
    text = json.dumps(header, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
    rest = len(text).to_bytes(LENGTH, "little") + text + result.counts.to_bytes()
    return MAGIC + crc32(rest).to_bytes(CHECKSUM, "little") + rest


def from_bytes(stored: bytes) -> State:
    """Read what :func:`to_bytes` gave.

    Raises
    ------
    spanrs.errors.FormatError
        For bytes that are something else, or damaged.
    """
    if not bytes(stored[: len(MAGIC)]) == MAGIC:
        raise damaged("these are no bytes of a spanrs result, or of another version")
    rest = len(MAGIC) + CHECKSUM
    if crc32(stored[rest:]) != int.from_bytes(stored[len(MAGIC) : rest], "little"):
        raise damaged("the bytes of the result are damaged: their checksum is another one")
    start = rest + LENGTH
    end = start + int.from_bytes(stored[rest:start], "little")
    try:
        header = json.loads(bytes(stored[start:end]).decode("utf-8", "surrogatepass"))
        matcher = from_dict(header["matcher"])
        settings = {str(name): str(value) for name, value in header["settings"].items()}
        weights: Any = header["document_weights"]
        counts = _spanrs.Counts.from_bytes(bytes(stored[end:]), matcher.name, header["order"])
        if "version" not in settings:
            raise ValueError("there is no version")
        if weights is not None:
            weights = [float(weight) for weight in weights]
        return counts, settings, matcher, Evidence.from_dict(header["evidence"]), weights
    except FormatError:
        raise
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OverflowError,
        RecursionError,
    ) as error:
        raise damaged("the bytes of the result are damaged", error) from None


def from_json(text: str | bytes) -> bytes:
    """Give the bytes that :meth:`spanrs.Result.to_json` wrote as ``state``.

    Raises
    ------
    spanrs.errors.FormatError
        Where there are none.
    """
    try:
        return base64.b64decode(json.loads(text)["state"], validate=True)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged("this is no JSON of a spanrs result with its state", error) from None


def damaged(message: str, cause: Exception | None = None) -> FormatError:
    """Make the error of bytes that are no result."""
    error = FormatError(message if cause is None else f"{message}: {cause}")
    error.code = "damaged"
    return error
