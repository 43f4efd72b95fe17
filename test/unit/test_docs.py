"""The reference pages are what the docstrings say."""

from pathlib import Path

import pytest

from dlc.tools.generate_docs import pages

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text() == PAGES[name], "run python -m dlc.tools.generate_docs"


def test_no_page_of_what_is_gone() -> None:
    assert {f"dialects/{page.name}" for page in (DOCS / "dialects").iterdir()} <= PAGES.keys()
