"""Fair counting of span errors, step by step as it was published (Ortmann 2022, and FairEval's README).

A reference implementation with lists, sets and loops, for comparing results and running time. A span is ``[label,
begin, end, tokens]`` with ends inclusive.
"""

from __future__ import annotations

TRADITIONAL = ("TP", "FP", "FN")
FAIR = ("TP", "FP", "FN", "LE", "BE", "BEO", "BES", "BEL", "LBE")


def compare_spans(target, system, focus="target"):
    """Count errors; the lists keep unmatched spans, and matched spans lose their shared tokens."""
    labels = list(dict.fromkeys(span[0] for span in target + system))
    result = {
        "overall": {"traditional": dict.fromkeys(TRADITIONAL, 0), "fair": dict.fromkeys(FAIR, 0)},
        "per_label": {
            "traditional": {label: dict.fromkeys(TRADITIONAL, 0) for label in labels},
            "fair": {label: dict.fromkeys(FAIR, 0) for label in labels},
        },
        "conf": {row: dict.fromkeys([*labels, "_"], 0) for row in [*labels, "_"]},
    }
    count_traditionally(target, system, result)
    remove_equal(target, system, result)
    match_labeling_errors(target, system, focus, result)
    target.sort(key=length)
    system.sort(key=length)
    matched = ([], [])
    for count, same_label in ((count_boundary_error, True), (count_labeling_boundary_error, False)):

        def confirm(t, s, count=count):
            count(t, s, focus, result)
            take_common_tokens(t, s)

        match_both(target, system, matched, same_label, confirm)
        match_targets_again(target, matched, same_label, confirm)
        match_systems_again(system, matched, same_label, confirm)
    for t in target:
        add(result, "fair", "FN", t[0])
        result["conf"][t[0]]["_"] += 1
    for s in system:
        add(result, "fair", "FP", s[0])
        result["conf"]["_"][s[0]] += 1
    return result


def length(span):
    return span[2] - span[1]


def add(result, version, error, label):
    result["overall"][version][error] += 1
    result["per_label"][version][label][error] += 1


def add_focused(result, error, t, s, focus):
    """Count an error that involves two labels."""
    result["overall"]["fair"][error] += 1
    if focus == "target":
        result["per_label"]["fair"][t[0]][error] += 1
    elif focus == "system":
        result["per_label"]["fair"][s[0]][error] += 1
    result["conf"][t[0]][s[0]] += 1


def count_traditionally(target, system, result):
    for t in target:
        add(result, "traditional", "TP" if t in system else "FN", t[0])
    for s in system:
        if s not in target:
            add(result, "traditional", "FP", s[0])


def remove_equal(target, system, result):
    """One to one, so that one copy of a duplicated span remains."""
    for t in list(target):
        if t in system:
            add(result, "fair", "TP", t[0])
            target.remove(t)
            system.remove(t)


def match_labeling_errors(target, system, focus, result):
    i = 0
    while i < len(target):
        t = target[i]
        for s in system:
            if t[1:3] == s[1:3] and t[0] != s[0]:
                add_focused(result, "LE", t, s, focus)
                target.remove(t)
                system.remove(s)
                break
        else:
            i += 1


def overlap_type(first, second):
    """Relation of the boundaries of the second span to those of the first."""
    (begin1, end1), (begin2, end2) = first, second
    if begin1 == begin2:
        if end1 == end2:
            return "TP"
        return "BES" if begin1 <= end2 < end1 else "BEL"
    if begin2 < begin1:
        if end2 < begin1:
            return False
        return "BEO" if end2 < end1 else "BEL"
    if begin2 > end1:
        return False
    return "BES" if end2 <= end1 else "BEO"


def is_candidate(t, s, same_label):
    return (
        (t[0] == s[0]) == same_label
        and t[1:3] != s[1:3]
        and overlap_type(t[1:3], s[1:3]) in ("BES", "BEL", "BEO")
    )


def distance(t, s):
    """Smaller is closer: shared tokens, then tokens of one side only."""
    return -len(t[3] & s[3]), len(t[3] - s[3]), len(s[3] - t[3])


def count_boundary_error(t, s, focus, result):
    add(result, "fair", "BE", t[0])
    add(result, "fair", overlap_type(t[1:3], s[1:3]), t[0])
    result["conf"][t[0]][t[0]] += 1


def count_labeling_boundary_error(t, s, focus, result):
    add_focused(result, "LBE", t, s, focus)


def take_common_tokens(t, s):
    """A token can only be part of one match."""
    common = t[3] & s[3]
    t[3] = t[3] - common
    s[3] = s[3] - common


def match_both(target, system, matched, same_label, confirm):
    """Pairs of unmatched spans."""
    i = 0
    while i < len(target):
        t = target[i]
        candidates = [s for s in system if is_candidate(t, s, same_label)]
        if not candidates:
            i += 1
            continue
        s = min(candidates, key=lambda s, t=t: (*distance(t, s), length(s)))
        target.remove(t)
        system.remove(s)
        confirm(t, s)
        matched[0].append(t)
        matched[1].append(s)


def match_targets_again(target, matched, same_label, confirm):
    """Unmatched targets with matched system spans that have remaining tokens."""
    i = 0
    while i < len(target):
        t = target[i]
        candidates = [s for s in matched[1] if is_candidate(t, s, same_label) and t[3] & s[3]]
        if not candidates:
            i += 1
            continue
        s = min(candidates, key=lambda s, t=t: (*distance(t, s), length(s)))
        target.remove(t)
        confirm(t, s)
        matched[0].append(t)


def match_systems_again(system, matched, same_label, confirm):
    """Unmatched system spans with matched targets that have remaining tokens."""
    i = 0
    while i < len(system):
        s = system[i]
        candidates = [t for t in matched[0] if is_candidate(t, s, same_label) and t[3] & s[3]]
        if not candidates:
            i += 1
            continue
        t = min(candidates, key=lambda t, s=s: (*distance(t, s), length(t)))
        system.remove(s)
        confirm(t, s)
        matched[1].append(s)
