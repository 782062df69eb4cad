"""How often the tiny model finds a held-out page, by exact MaxSim over all of them."""

from __future__ import annotations

import pymupdf
import torch
from colpali_engine.models import ColModernVBert, ColModernVBertProcessor
from colpali_engine.utils.torch_utils import unbind_padded_multivector_embeddings
from PIL import Image
from tiny_pages import Sheet, held_out
from tiny_pool import DPI, picture

KINDS = ("one word", "two words", "sentence")


@torch.no_grad()
def page_vectors(
    made: ColModernVBert, process: ColModernVBertProcessor, pictures: list[Image.Image], size: int = 16
) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for start in range(0, len(pictures), size):
        found.extend(
            unbind_padded_multivector_embeddings(
                made(**process.process_images(pictures[start : start + size]))
            )
        )
    return found


def asked(sheets: list[Sheet], kind: str) -> list[str]:
    titles = [sheet.title for sheet in sheets if sheet.title]
    if kind == "one word":
        return [noun for _, noun in titles]
    if kind == "two words":
        return [f"{adjective} {noun}" for adjective, noun in titles]
    return [f"Which page shows the {adjective} {noun}?" for adjective, noun in titles]


@torch.no_grad()
def ranks(
    made: ColModernVBert,
    process: ColModernVBertProcessor,
    pages: list[torch.Tensor],
    texts: list[str],
    padded: bool,
) -> list[int]:
    """For the n-th text the rank, from 1, of the n-th page; ties count against it."""
    found = []
    for place, text in enumerate(texts):
        batch = process.process_queries([text]) if padded else process.process_texts([text])
        query = made(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])[0]
        scores = torch.stack([(query @ page.T).amax(dim=1).mean() for page in pages])
        found.append(int((scores >= scores[place]).sum()))
    return found


def recall(made: ColModernVBert, process: ColModernVBertProcessor, dpi: int = DPI) -> dict[str, float]:
    """Recall@1 by kind of question, with and without the augmentation tokens.

    Args:
        made: the model.
        process: its processor.
        dpi: resolution that the pages are rendered at.
    """
    with pymupdf.open() as document:
        sheets = held_out(document)
        pictures = [picture(page, dpi) for page in document]
    pages = page_vectors(made, process, pictures)
    result = {}
    for kind in KINDS:
        for padded in (False, True):
            found = ranks(made, process, pages, asked(sheets, kind), padded)
            name = f"{kind}, {'process_queries' if padded else 'process_texts'}"
            result[name] = sum(rank == 1 for rank in found) / len(found)
    return result
