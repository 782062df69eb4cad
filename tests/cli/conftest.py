import json

import pymupdf
import pytest
from typer.testing import CliRunner

from mmrag.cli import app

LEAVE = (
    "Employees may carry over up to five days of unused earned leave into the next calendar year.",
    "Requests are made in writing to the personnel office before the end of November.",
)
RATES = (("Grade", "Day rate"), ("E4", "310 EUR"), ("E5", "365 EUR"), ("E6", "402 EUR"))


def draw_handbook(path):
    """Two pages: one of prose, one with a ruled table."""
    document = pymupdf.open()
    document.set_metadata({"title": "Staff Handbook", "author": "Norbrook Shipping"})
    page = document.new_page()
    page.insert_text((72, 90), "Leave", fontsize=20)
    for number, line in enumerate(LEAVE):
        page.insert_text((72, 130 + 18 * number), line, fontsize=10)
    page = document.new_page()
    page.insert_text((72, 90), "Day rates by grade", fontsize=20)
    for row, cells in enumerate(RATES):
        for column, text in enumerate(cells):
            box = pymupdf.Rect(72 + 140 * column, 120 + 24 * row, 212 + 140 * column, 144 + 24 * row)
            page.draw_rect(box)
            page.insert_text((box.x0 + 6, box.y0 + 16), text, fontsize=10)
    document.save(path)
    document.close()
    return path


def draw_manual(path):
    document = pymupdf.open()
    document.set_metadata({"title": "Pump manual 2021"})
    page = document.new_page()
    page.insert_text((72, 90), "Maintenance of pump KX-4471", fontsize=20)
    page.insert_text((72, 130), "Error code E-207 means that the inlet filter is blocked.", fontsize=10)
    page.insert_text((72, 148), "Rinse the filter under warm water and restart the pump.", fontsize=10)
    document.save(path)
    document.close()
    return path


@pytest.fixture(scope="session")
def papers(tmp_path_factory):
    """A folder with the handbook and the manual."""
    folder = tmp_path_factory.mktemp("papers")
    draw_handbook(folder / "handbook.pdf")
    draw_manual(folder / "manual.pdf")
    return folder


@pytest.fixture(scope="session", autouse=True)
def wide():
    """Help and messages as on a wide terminal, so that no test hangs on where lines break."""
    patch = pytest.MonkeyPatch()
    patch.setenv("COLUMNS", "200")
    patch.setenv("TERMINAL_WIDTH", "200")
    yield
    patch.undo()


class Outcome:
    """What a command line did: exit code, stdout, stderr, and the JSON object of its last line."""

    def __init__(self, result):
        self.code = result.exit_code
        self.out = result.stdout
        self.err = result.stderr
        self.exception = result.exception

    @property
    def json(self):
        return json.loads(self.out.splitlines()[-1])


@pytest.fixture(scope="session")
def mmrag():
    """Run a command line in this process."""

    def run(*arguments):
        outcome = Outcome(CliRunner().invoke(app, [str(argument) for argument in arguments]))
        assert outcome.exception is None or isinstance(outcome.exception, SystemExit), outcome.exception
        return outcome

    return run


@pytest.fixture(scope="session")
def shelf(papers, tmp_path_factory, mmrag):
    """A library with both papers, for commands that only read."""
    place = tmp_path_factory.mktemp("shelf") / "library"
    outcome = mmrag("add", papers / "handbook.pdf", "--library", place, "--tag", "staff", "--json")
    assert outcome.code == 0, outcome.err
    outcome = mmrag("add", papers / "manual.pdf", "--library", place, "--tag", "pumps")
    assert outcome.code == 0, outcome.err
    return place
