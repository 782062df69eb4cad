"""Folders: everything that is a document, each once, and nothing that hangs."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pymupdf
import pytest
from drawn_office import blank_deck, save_deck

from mmrag.errors import EmptyFile, IngestError
from mmrag.ingest import find_files, open_file


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def found(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in find_files([folder])]


def test_folders_are_walked_in_order_and_files_given_once(tmp_path):
    touch(tmp_path, "b/two.pdf", "a/one.PDF", "a/skip.txt", ".hidden/no.pdf", "a/.no.pdf", "z.pdf")
    given = tmp_path / "a" / "skip.txt"
    missing = tmp_path / "missing.pdf"
    paths = list(find_files([tmp_path, str(given), missing, tmp_path / "a" / "one.PDF"]))
    assert paths == [
        *(tmp_path / name for name in ("z.pdf", "a/one.PDF", "b/two.pdf")),
        *(given, missing),
    ]


def test_documents_and_pictures_are_picked_by_suffix(tmp_path):
    wanted = [
        *("a.pdf", "b.pptx", "c.pptm", "d.ppsx", "e.potx", "f.ppt", "g.pps", "h.odp", "i.docx", "j.docm"),
        *("k.dotx", "l.doc", "m.odt", "n.PNG", "o.jpg", "p.jpeg", "q.tif", "r.tiff", "s.webp", "t.key"),
    ]
    touch(tmp_path, *wanted, "u.txt", "v.xlsx", "w.py", "x.html", "y.pdf.part")
    assert found(tmp_path) == wanted


def test_lock_files_of_office_programs_are_passed_over(tmp_path):
    touch(tmp_path, "deck.pptx", "~$deck.pptx", ".~lock.deck.pptx#")
    assert found(tmp_path) == ["deck.pptx"]


def test_a_file_without_a_suffix_is_picked_by_its_content(tmp_path):
    pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 9, 9)).save(tmp_path / "scan", output="png")
    save_deck(blank_deck(), tmp_path / "talk")
    (tmp_path / "page").write_bytes(b"%PDF-1.7\n")
    (tmp_path / "Makefile").write_text("all:\n")
    (tmp_path / "archive").write_bytes(b"PK\x03\x04")
    touch(tmp_path, "empty")
    assert found(tmp_path) == ["page", "scan", "talk"]


def test_names_with_spaces_emoji_quotes_and_line_breaks(tmp_path):
    names = [" lead.pdf", "'q\".pdf", "-x.pdf", "a\nb.pdf", "\U0001f600.pdf"]
    touch(tmp_path, *names)
    assert found(tmp_path) == names


def test_a_link_to_a_file_is_followed_and_the_file_given_once(tmp_path):
    touch(tmp_path, "elsewhere/real.pdf", "here/b.pdf")
    (tmp_path / "here" / "a.pdf").symlink_to(tmp_path / "elsewhere" / "real.pdf")
    assert found(tmp_path / "here") == ["a.pdf", "b.pdf"]
    assert found(tmp_path) == ["elsewhere/real.pdf", "here/b.pdf"]


def test_a_linked_folder_is_walked_after_the_others(tmp_path):
    touch(tmp_path, "elsewhere/real.pdf", "here/z/b.pdf")
    (tmp_path / "here" / "link").symlink_to(tmp_path / "elsewhere")
    assert found(tmp_path / "here") == ["z/b.pdf", "link/real.pdf"]


def test_a_folder_is_known_by_its_own_path_rather_than_a_links(tmp_path):
    touch(tmp_path, "real/a.pdf")
    (tmp_path / "a_link").symlink_to(tmp_path / "real")
    assert found(tmp_path) == ["real/a.pdf"]


def test_loops_of_links_end(tmp_path):
    touch(tmp_path, "a/b/one.pdf")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "nowhere").symlink_to(tmp_path / "a" / "nowhere")
    assert found(tmp_path) == ["a/b/one.pdf"]


def test_a_link_that_leads_nowhere_is_given(tmp_path):
    (tmp_path / "gone.pdf").symlink_to(tmp_path / "nothing.pdf")
    (tmp_path / "loop.pdf").symlink_to(tmp_path / "loop.pdf")
    assert found(tmp_path) == ["gone.pdf", "loop.pdf"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_sockets_do_not_hang(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.pdf")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.pdf")
        assert found(tmp_path) == ["pipe.pdf", "socket.pdf"]
        for path in find_files([tmp_path]):
            with pytest.raises(IngestError, match="a device or pipe"):
                open_file(path)


def test_a_folder_that_cannot_be_listed_is_given(tmp_path, monkeypatch):
    touch(tmp_path, "closed/a.pdf", "open/b.pdf")
    listed = os.scandir

    def refuse(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert found(tmp_path) == ["closed", "open/b.pdf"]


def test_an_empty_file_is_given_and_refused_by_name(tmp_path):
    touch(tmp_path, "empty.pdf")
    (path,) = find_files([tmp_path])
    with pytest.raises(EmptyFile, match=r"empty\.pdf"):
        open_file(path)


def test_a_library_is_left_out_and_its_own_folders_when_it_is_given_itself(tmp_path):
    touch(tmp_path, "a.pdf", "held/images/k/000001.webp", "held/b.pdf", "held/tables/documents.lance/x")
    touch(tmp_path, "images/c.webp")
    assert found(tmp_path) == ["a.pdf", "images/c.webp"]
    assert found(tmp_path / "held") == ["b.pdf"]


def test_a_path_that_cannot_be_is_given(tmp_path):
    odd = [tmp_path / ("x" * 300), tmp_path / "a\0b.pdf"]
    assert list(find_files(odd)) == odd
