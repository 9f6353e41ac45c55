"""The page of masks in a browser: what leaks comes first, at the width of a telephone, too."""

from __future__ import annotations

import pytest

import spanrs
from browser import NARROW, WIDTH, choice, needs_browser, texts

pytestmark = needs_browser

TEXT = "Jo Bell, 12 Elm Street, call Ann <b> or Peter Blackburn on Monday or on Friday or on Sunday."


def masks_page():
    spans = {
        word: (TEXT.index(word), TEXT.index(word) + len(word))
        for word in ("Jo", "Elm Street", "Ann <b>", "Peter Blackburn", "Monday", "Friday", "Sunday")
    }
    gold = [("PER", *spans[word]) for word in ("Jo", "Ann <b>", "Peter Blackburn")]
    gold.append(("STREET", *spans["Elm Street"]))
    # Over-masking is more frequent than leaks.
    pred = [("PER", *spans["Ann <b>"]), *(("DATE", *spans[day]) for day in ("Monday", "Friday", "Sunday"))]
    documents = ([spanrs.Document(TEXT, side, id="a")] for side in (gold, pred))
    return spanrs.score(*documents, matcher="characters", errors=True).to_html(title="Masks")


PAGES = {"masks": masks_page}


@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_leaks_come_first_and_the_longest_of_them(visit, width):
    driver = visit("masks", width=width)
    outcomes = [text.split(maxsplit=1)[1] for text in texts(driver, ".list .badge")]
    assert outcomes == ["leaked"] * 3 + ["over_masked"] * 3
    assert "Blackburn" in texts(driver, ".list .example")[0]
    choice(driver, "select[name=sort]").select_by_visible_text("frequency")
    assert texts(driver, "select[name=sort] option") == ["size", "frequency", "sentence"]
    script = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert driver.execute_script(script)
