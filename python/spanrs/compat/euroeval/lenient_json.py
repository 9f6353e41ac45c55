"""Decodes damaged JSON objects without nested objects, as leniently as demjson3 3.0.6, which the original uses.

JSON is extended by single quotes, keys without quotes, comments, trailing commas, omitted elements of arrays
(undefined), the escapes of JavaScript, and numbers with signs, in other bases and without digits on one side of the
point. Written from the behaviour of demjson3.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import Any, NoReturn

#: Arrays in arrays; demjson3 fails at about 490 levels, depending on the depth of its caller.
MAX_DEPTH = 400
#: Longer integers cannot be converted into strings by Python.
MAX_DIGITS = 4300

_WHITE = re.compile(r"[ \t\n\r]*")
_LINE_END = re.compile("[\n\r\u2028\u2029]")
_CHUNK = {quote: re.compile(rf"[^{quote}\\\n\r]*") for quote in "\"'"}
_OCTAL = re.compile(r"[0-3]?[0-7]{1,2}")
_HEX = {"x": re.compile("[0-9A-Fa-f]{2}"), "u": re.compile("[0-9A-Fa-f]{4}")}
# In Unicode patterns \w includes digits of all kinds; combining marks are no part of names.
_NAME = re.compile("[^\\W\\d]|[$]")
_SIGNS = re.compile(r"[+-]*")
_BASED = re.compile(r"0(?:[xX]([0-9A-Fa-f]+)|[oO]([0-7]+)|[bB]([01]+))")
_DECIMAL = re.compile(r"(?:([0-9]+)(\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PRECISION = Context(prec=28)


class _Undefined:
    def __str__(self) -> str:
        return "undefined"

    def __repr__(self) -> str:
        return "demjson3.undefined"


UNDEFINED = _Undefined()
_CONSTANTS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": UNDEFINED,
    "NaN": float("nan"),
    "Infinity": float("inf"),
}


def decode(text: str) -> dict[str, Any]:
    """Decode an object.

    Parameters
    ----------
    text : str
        The object with its braces; there are no other braces in the text.

    Returns
    -------
    dict
        The object; of equal keys the last value.

    Raises
    ------
    ValueError
        If demjson3 would refuse the text, or a key is not a string or name.

    Examples
    --------
    >>> decode("{person: ['Anna', 'Eve',], /* none */ 'location': [0x1F,,],}")
    {'person': ['Anna', 'Eve'], 'location': [31, demjson3.undefined]}
    """
    # The encoding is guessed from the first two characters.
    if len(text) > 1 and not text[1].isascii():
        raise ValueError(
            "demjson3 takes the text for another encoding, because its second character is not ASCII"
        )
    return _Decoder(text).read_object()


class _Decoder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _fail(self, problem: str) -> NoReturn:
        raise ValueError(f"{problem} at character {self._at}")

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self) -> str:
        """Skip white space and comments, and return the next character."""
        text = self._text
        while True:
            self._at = _WHITE.match(text, self._at).end()  # type: ignore[union-attr]
            if text.startswith("//", self._at):
                end = _LINE_END.search(text, self._at)
                self._at = len(text) if end is None else end.end()
            elif text.startswith("/*", self._at):
                at = text.find("*/", self._at + 2)
                if at < 0 or "/*" in text[self._at + 2 : at]:
                    self._fail("unfinished or nested comment")
                self._at = at + 2
            else:
                return self._peek()

    def read_object(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        self._at = 1
        while self._skip() != "}":
            key = self._key()
            if self._skip() != ":":
                self._fail("a key without a value")
            self._at += 1
            members[key] = self._value()
            if self._skip() == ",":
                self._at += 1
            elif self._peek() != "}":
                self._fail("no comma")
        return members

    def _key(self) -> str:
        first = self._peek()
        if first and first in _CHUNK:
            return self._string()
        name = self._name()
        # NaN and Infinity are numbers, the other constants are not allowed.
        if not name or name in _CONSTANTS:
            self._fail("no key")
        return name

    def _value(self) -> Any:
        """Return a value that is no object; arrays are kept on a stack."""
        arrays: list[list[Any]] = []
        while True:
            first = self._skip()
            if first == "[":
                arrays.append([])
                self._at += 1
                if len(arrays) > MAX_DEPTH:
                    self._fail("arrays are nested too deeply")
                continue
            if not arrays:
                return self._scalar(first)
            if first == ",":
                arrays[-1].append(UNDEFINED)
                self._at += 1
                continue
            if first != "]":
                arrays[-1].append(self._scalar(first))
            if not self._after_element(arrays):
                return arrays[0]

    def _after_element(self, arrays: list[list[Any]]) -> bool:
        """Close arrays up to the next comma, and return whether an array is still open."""
        while (following := self._skip()) == "]":
            self._at += 1
            if len(arrays) == 1:
                return False
            array = arrays.pop()
            arrays[-1].append(array)
        if following != ",":
            self._fail("no comma")
        self._at += 1
        return True

    def _scalar(self, first: str) -> Any:
        if first and first in _CHUNK:
            return self._string()
        if first and first in "+-.0123456789":
            return self._number()
        name = self._name()
        if name not in _CONSTANTS:
            self._fail("no value")
        return _CONSTANTS[name]

    def _name(self) -> str:
        text, start = self._text, self._at
        if not _NAME.match(text, start):
            return ""
        end = start
        while end < len(text) and (text[end].isalnum() or text[end] in "$_\u200c\u200d"):
            end += 1
        self._at = end
        return text[start:end]

    def _string(self) -> str:
        text, quote = self._text, self._peek()
        self._at += 1
        parts = []
        while True:
            match = _CHUNK[quote].match(text, self._at)
            assert match is not None
            parts.append(match.group())
            self._at = match.end()
            end = self._peek()
            if end not in (quote, "\\"):
                self._fail("unfinished string")
            self._at += 1
            if end == quote:
                return "".join(parts)
            parts.append(self._escape())

    def _escape(self) -> str:
        letter = self._peek()
        octal = _OCTAL.match(self._text, self._at)
        if octal:
            self._at = octal.end()
            return chr(int(octal.group(), 8))
        if not letter:
            self._fail("unfinished string")
        self._at += 1
        if letter not in _HEX:
            return _ESCAPES.get(letter, letter)
        code = self._hex(letter)
        if letter == "x" or not 0xD800 <= code < 0xE000:
            return chr(code)
        if code >= 0xDC00 or not self._text.startswith("\\u", self._at):
            self._fail("half of a surrogate pair")
        self._at += 2
        low = self._hex("u")
        if not 0xDC00 <= low < 0xE000:
            self._fail("half of a surrogate pair")
        return chr(0x10000 + ((code - 0xD800) << 10) + low - 0xDC00)

    def _hex(self, letter: str) -> int:
        match = _HEX[letter].match(self._text, self._at)
        if match is None:
            self._fail("too few hexadecimal digits")
        self._at = match.end()
        return int(match.group(), 16)

    def _number(self) -> Any:
        signs = _SIGNS.match(self._text, self._at)
        assert signs is not None
        self._at = signs.end()
        negative = signs.group().count("-") % 2 == 1
        number = self._keyword_number() if self._peek().isalpha() else self._digits()
        if not negative:
            return number
        return -0.0 if number == 0 else -number

    def _keyword_number(self) -> float:
        name = self._name()
        if name not in ("NaN", "Infinity"):
            self._fail("no number")
        return float(_CONSTANTS[name])

    def _digits(self) -> Any:
        based = _BASED.match(self._text, self._at)
        if based:
            self._at = based.end()
            digits, base = next((d, b) for d, b in zip(based.groups(), (16, 8, 2), strict=True) if d)
            # A digit of a hexadecimal number has four bits, a decimal one 3.3.
            self._check_length(len(digits) * 2)
            return int(digits, base)
        match = _DECIMAL.match(self._text, self._at)
        if match is None:
            self._fail("no number")
        self._at = match.end()
        whole, fraction, exponent = match.groups()
        if whole is None or fraction is not None or (exponent and int(exponent[:9]) < 0):
            return self._float(match.group())
        power = int(exponent[:9]) if exponent else 0
        self._check_length(len(whole) + power)
        if exponent:
            return int(whole) * 10**power
        if whole[0] == "0" and not set(whole) <= set("01234567"):
            self._fail("no octal number")
        return int(whole, 8 if whole[0] == "0" else 10)

    def _check_length(self, digits: int) -> None:
        if digits > MAX_DIGITS:
            self._fail("a number with too many digits")

    def _float(self, text: str) -> float | Decimal:
        """Return a float, or a decimal number if a float has too few digits."""
        try:
            number = Decimal(text)
            digits = "".join(map(str, number.as_tuple().digits)).rstrip("0")
            if number == 0 or (len(digits) <= 16 and -308 <= number.adjusted() <= 308):
                return float(number)
            return _PRECISION.plus(number)
        except ArithmeticError:
            self._fail("a number with too large an exponent")
