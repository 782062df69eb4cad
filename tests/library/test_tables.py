"""A table that runs over a page break, from the file to the answer."""

from __future__ import annotations

from pathlib import Path

from drawn_pdf import draw

from mmrag import Library


def test_a_table_over_two_pages_is_one_table_when_read_back_and_asked(tmp_path: Path) -> None:
    head = ["Vessel", "Berth", "Draught"]
    first = [head, *([f"Ship {n}", f"B{n}", f"{n}.5 m"] for n in range(1, 30))]
    second = [[f"Ship {n}", f"B{n}", f"{n}.5 m"] for n in range(30, 40)]
    library = Library.open(tmp_path / "library")
    library.add(draw(tmp_path / "berths.pdf", [first, second], title="Berths"))()
    upper, lower = (library.page("berths.pdf", number).tables[0] for number in (1, 2))
    assert (upper.continues_on, lower.continued_from) == (2, 1)
    assert (lower.header_rows, lower.carried, lower.header()) == (0, (tuple(head),), tuple(head))
    assert lower.to_markdown(0, 1).splitlines() == [
        "| Vessel | Berth | Draught |",
        "| --- | --- | --- |",
        "| Ship 30 | B30 | 30.5 m |",
    ]
    answer = library.ask("What is the draught of Ship 34?")
    assert answer.citations[0].page == 2
    assert "| Vessel | Berth | Draught |\n| --- | --- | --- |\n| Ship 34 | B34 | 34.5 m |" in answer.text
