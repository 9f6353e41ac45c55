"""Content of HTML reports, for tests."""

from __future__ import annotations

import json
import re
from collections import Counter


def headings(html):
    return re.findall(r'<h2 id="s\d+">([^<]*)</h2>', html)


def examples(html):
    """The lists of examples of a page, each with its strings."""
    return [
        json.loads(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', html)
    ]


def kinds(html, at=0):
    """The number of errors of each kind in a list; an entry may have several errors."""
    data = examples(html)[at]
    kinds_of = (row[0] if isinstance(row[0], list) else [row[0]] for row in data["examples"])
    return Counter(data["strings"][kind] for of_entry in kinds_of for kind in of_entry)


def legend(html):
    return dict(
        re.findall(r'<tr><td><span class="badge \w+">\S* ([\w.]+)</span></td>.*?<td>([\d,]+)</td>', html)
    )
