"""A headless browser for tests of pages, and queries on the page that it shows."""

from __future__ import annotations

import importlib.util
import shutil

import pytest

#: Sizes of the window, in pixels.
WIDTH, NARROW, HEIGHT = 1280, 375, 900
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
needs_browser = [
    pytest.mark.skipif(
        importlib.util.find_spec("selenium") is None, reason="needs selenium (pip install selenium)"
    ),
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None,
        reason="needs chromium and chromedriver (Debian: chromium-driver)",
    ),
]


def start():
    """Start the browser."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    # Containers have no user namespaces and little shared memory; the pages are trusted.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


def one(driver, selector):
    """Return the first element of a selector."""
    return driver.find_element("css selector", selector)


def all_of(driver, selector):
    """Return all elements of a selector."""
    return driver.find_elements("css selector", selector)


def texts(driver, selector):
    """Return the texts of the elements of a selector."""
    return [item.text for item in all_of(driver, selector)]


def choice(driver, selector):
    """Return a selection of a form."""
    from selenium.webdriver.support.ui import Select

    return Select(one(driver, selector))


def wait(driver, condition):
    """Wait until a condition holds, at most 10 seconds."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, 10, poll_frequency=0.02).until(lambda _: condition())


def press(driver, key):
    """Press a key."""
    one(driver, "body").send_keys(key)


def status(driver):
    """Return the line above the first list of entries."""
    return one(driver, ".shown").text
