"""Encrypted PDFs: the password that fits is kept with the source and shown nowhere."""

from __future__ import annotations

import pickle

import pymupdf
import pytest

from mmrag.errors import EncryptedFile
from mmrag.ingest import open_file
from mmrag.ingest.files.pdf import open_pdf

AES_256 = pymupdf.PDF_ENCRYPT_AES_256
RC4 = pymupdf.PDF_ENCRYPT_RC4_128


def locked(path, *, user: str = "open sesame", owner: str = "the owner's", method: int = AES_256):
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "inside")
    document.save(path, encryption=method, user_pw=user, owner_pw=owner)
    return path


@pytest.mark.parametrize("method", [AES_256, pymupdf.PDF_ENCRYPT_AES_128, RC4])
@pytest.mark.parametrize("password", ["open sesame", "the owner's"])
def test_the_users_and_the_owners_password_open_it(tmp_path, method, password):
    info = open_file(locked(tmp_path / "a.pdf", method=method), passwords=["wrong", password, "other"])
    assert (info.pages, info.source.password) == (1, password)


@pytest.mark.parametrize("method", [AES_256, RC4])
def test_a_password_with_accents_opens_it(tmp_path, method):
    path = locked(tmp_path / "a.pdf", user="mañana", method=method)
    assert open_file(path, passwords=["mañana"]).source.password == "mañana"


def test_a_password_in_another_script_that_cannot_be_encoded_is_simply_wrong(tmp_path):
    path = locked(tmp_path / "a.pdf", method=RC4)
    assert open_file(path, passwords=["пароль", "open sesame"]).source.password == "open sesame"


def test_a_file_that_needs_none_is_opened_without(tmp_path):
    info = open_file(locked(tmp_path / "a.pdf", user=""), passwords=["unused"])
    assert (info.pages, info.source.password) == (1, "")


@pytest.mark.parametrize(
    ("passwords", "what"),
    [
        ((), "the PDF is encrypted and needs a password"),
        (("",), "the PDF is encrypted and needs a password"),
        (("hunter2",), "the PDF is encrypted, and the password given does not open it"),
        (("hunter2", "hunter2"), "the PDF is encrypted, and the password given does not open it"),
        (("hunter2", "swordfish"), "the PDF is encrypted, and none of the 2 passwords given opens it"),
    ],
)
def test_without_the_right_one_it_says_what_was_tried_and_no_password(tmp_path, passwords, what):
    with pytest.raises(EncryptedFile) as caught:
        open_file(locked(tmp_path / "a.pdf"), passwords=passwords)
    assert caught.value.what == what
    assert "--password" in caught.value.remedy
    shown = str(caught.value) + repr(caught.value) + str(pickle.loads(pickle.dumps(caught.value)))
    assert "hunter2" not in shown
    assert "swordfish" not in shown


def test_the_password_is_not_shown_with_the_file(tmp_path):
    info = open_file(locked(tmp_path / "a.pdf"), passwords=["open sesame"])
    assert "sesame" not in repr(info)


def test_a_pdf_is_opened_with_its_password_again(tmp_path):
    with open_pdf(locked(tmp_path / "a.pdf"), "open sesame") as document:
        assert document[0].get_text().strip() == "inside"
    with pytest.raises(EncryptedFile):
        open_pdf(tmp_path / "a.pdf")
