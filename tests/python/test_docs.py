"""Every example of the Python pages and of README.md runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(page):
    """Return the Python code of a page, each block at its own line number."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        "\n" * text[: found.start(1)].count("\n") + found[1]
        for found in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ]


def pictures_of(page):
    """Return the pictures of a page that its own blocks draw."""
    text = (ROOT / page).read_text(encoding="utf-8")
    drawn = set(re.findall(r"\"(\w+\.svg)\"", text))
    shown = {Path(path) for path in re.findall(r"^!\[.*\]\((.*\.svg)\)$", text, re.MULTILINE)}
    assert {path.name for path in shown} == drawn
    return shown


@pytest.mark.parametrize("page", ["docs/python.md", "docs/python-tour.md", "README.md"])
def test_examples(page, tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    found = blocks(page)
    assert found
    pictures = pictures_of(page)
    if pictures:
        pytest.importorskip("matplotlib").use("agg")
    for block in found:
        exec(compile(block, str(ROOT / page), "exec"), names)
    for picture in pictures:
        assert (ROOT / "docs" / picture).is_file() and (tmp_path / picture.name).is_file()


def test_every_public_name_is_in_the_page():
    import switchyard

    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    special = {"Explanation", "Plan", "Report", "Step", "default_runtime", "read_matrix_market"}
    missing = [name for name in switchyard.__all__ if name not in page and name not in special]
    assert not missing
