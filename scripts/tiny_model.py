"""A ColModernVBERT of 0.7 million weights with a tokenizer of its own: everything but the training.

The folder that :func:`save` writes is what a folder of the hub is, so the same calls load it.
"""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import torch
from colpali_engine.models import ColModernVBert, ColModernVBertProcessor
from tiny_pages import GRID
from tiny_vocabulary import QUESTION, READ
from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece
from transformers import Idefics3ImageProcessor, ModernVBertConfig, PreTrainedTokenizerFast

SIZE = 256
HIDDEN = 96
PAD, UNKNOWN, FIRST, LAST, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
IMAGE = "<image>"
SPECIAL = (
    *("<|begin_of_text|>", "<fake_token_around_image>", IMAGE, "<end_of_utterance>", "<global-img>"),
    *(f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)),
)
MEAN, SPREAD = 0.9, 0.3
"""White is never exactly 0 under these: ModernVBERT drops a picture that is 0 throughout as padding."""


def tokenizer() -> PreTrainedTokenizerFast:
    """Word pieces: the words that can be read, those of questions and the prompt, letters for the rest."""
    letters = string.ascii_lowercase + string.digits + string.punctuation
    prompt = ("user", "describe", "image", "assistant")
    pieces = (
        PAD,
        UNKNOWN,
        FIRST,
        LAST,
        MASK,
        *letters,
        *(f"##{c}" for c in letters),
        *READ,
        *QUESTION,
        *prompt,
    )
    vocabulary = {piece: place for place, piece in enumerate(dict.fromkeys(pieces))}
    inner = Tokenizer(WordPiece(vocabulary, unk_token=UNKNOWN))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.decoder = decoders.WordPiece()
    inner.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    inner.post_processor = processors.TemplateProcessing(
        single=f"{FIRST} $A {LAST}",
        special_tokens=[(FIRST, vocabulary[FIRST]), (LAST, vocabulary[LAST])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token=PAD,
        unk_token=UNKNOWN,
        cls_token=FIRST,
        sep_token=LAST,
        mask_token=MASK,
        model_input_names=["input_ids", "attention_mask"],
        model_max_length=2048,
    )


def processor() -> ColModernVBertProcessor:
    """One square picture a page; the two resizings are those of the class."""
    images = Idefics3ImageProcessor(
        size={"longest_edge": 2 * SIZE},
        max_image_size={"longest_edge": SIZE},
        do_image_splitting=False,
        image_mean=[MEAN] * 3,
        image_std=[SPREAD] * 3,
    )
    return ColModernVBertProcessor(images, tokenizer(), image_seq_len=GRID * GRID)


def model(process: ColModernVBertProcessor) -> ColModernVBert:
    """Two layers that see and three that read; a patch of 16 pixels is one vector of the page."""
    words = process.tokenizer
    vision = {
        "model_type": "siglip_vision_model",
        "hidden_size": HIDDEN,
        "intermediate_size": 4 * HIDDEN,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": SIZE,
        "patch_size": SIZE // GRID,
        "vision_use_head": False,
    }
    text = {
        "model_type": "modernbert",
        "vocab_size": len(words),
        "hidden_size": HIDDEN,
        "intermediate_size": 2 * HIDDEN,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "max_position_embeddings": 2048,
        "initializer_range": 0.08,
        "pad_token_id": words.pad_token_id,
        "bos_token_id": words.cls_token_id,
        "eos_token_id": words.sep_token_id,
        "cls_token_id": words.cls_token_id,
        "sep_token_id": words.sep_token_id,
    }
    config = ModernVBertConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=words.convert_tokens_to_ids(IMAGE),
        pixel_shuffle_factor=1,
        initializer_range=0.08,
        architectures=["ColModernVBert"],
    )
    return ColModernVBert(config)


def save(folder: Path, made: ColModernVBert, process: ColModernVBertProcessor) -> int:
    """Write the model as a folder that ``from_pretrained`` reads, and return its size in bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    made.save_pretrained(folder)
    process.save_pretrained(folder)
    return sum(file.stat().st_size for file in folder.iterdir())


def image_batch(process: ColModernVBertProcessor, pixels: torch.Tensor) -> dict[str, Any]:
    """What ``process_images`` makes, from pictures that its resizing has already been through.

    Args:
        process: the model's processor.
        pixels: ``(n, 3, 256, 256)`` uint8.
    """
    prompt = process.visual_prompt_prefix
    around, image = process.fake_image_token, process.image_token
    shown = f"{around}{process.global_image_tag}{image * process.image_seq_len}{around}"
    words = process.tokenizer([prompt.replace(image, shown)] * len(pixels), return_tensors="pt")
    values = (pixels.float() / 255 - MEAN) / SPREAD
    return {
        "input_ids": words["input_ids"],
        "attention_mask": words["attention_mask"],
        "pixel_values": values[:, None],
    }
