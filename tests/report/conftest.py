"""A headless browser that shows the pages of a test module.

A module defines ``PAGES``: functions that return HTML, by name. Its tests are skipped without a browser if it has
``pytestmark = browser.needs_browser``.
"""

from __future__ import annotations

import pytest

import browser


@pytest.fixture(scope="module")
def driver():
    """Start a headless browser."""
    started = browser.start()
    yield started
    started.quit()


@pytest.fixture(scope="module")
def paths(request, tmp_path_factory):
    """Write the pages of the module, each on first use."""
    folder = tmp_path_factory.mktemp("pages")

    def path(name):
        file = folder / f"{name}.html"
        if not file.exists():
            file.write_text(request.module.PAGES[name](), encoding="utf-8", newline="")
        return file

    return path


@pytest.fixture
def visit(driver, paths):
    """Open a page by name, optionally with a fragment, in a window of the given width."""

    def go(name, hash_="", *, width=browser.WIDTH, dark=False):
        metrics = {"width": width, "height": browser.HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.get("about:blank")
        for kind in ("browser", "performance"):
            driver.get_log(kind)
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        driver.get(f"{paths(name).as_uri()}{hash_}")
        return driver

    return go
