"""Teach the tiny model to read: colpali_engine's loss over titles, and a cross-entropy over known word boxes.

ColbertLoss alone does not get there in minutes: it says which page was right, not which patch. A second term
says what word stands on which patch, and a third which letters. First pages full of words alone, until it
reads (98 of 100 words of such pages after 100 CPU-seconds); then titles and questions as well.
"""

from __future__ import annotations

import math
import random
import string
import time
from collections.abc import Callable

import torch
from colpali_engine.loss import ColbertLoss
from colpali_engine.models import ColModernVBert, ColModernVBertProcessor
from tiny_model import IMAGE, image_batch
from tiny_pages import GRID
from tiny_pool import SLOTS, Pool
from tiny_vocabulary import QUESTION, READ
from torch import nn
from torch.nn import functional

READING, RANKING = (0, 12), (12, 2)
"""Pages a step, with a title and full of words, while it learns to read and then while it learns to rank."""
READ_FOR = 0.45
"""Share of the steps before the titles come in: a page full of words teaches more words a second."""
RATE, SEEING_RATE, MATRIX_RATE = 2e-3, 8e-4, 4e-3
ALIGNED = 0.05
"""Temperature of the word boxes' cross-entropy."""
NOTHING = 0.35
"""Similarity below which a patch shows no word: the logit of 'nothing here'."""
SPELLING = 0.5
"""Weight of the letters' cross-entropy."""
EMPTY = 24
"""Patches without anything on them that are taken of a page."""


def question(chance: random.Random, pool: Pool, index: int) -> str:
    """What could be asked for a page: its title, its noun, its shape and noun, or a sentence around one.

    Sentences have words that the model does not know: letters at random, which it learns to pass over.
    """
    title = pool.titles[index]
    assert title is not None
    asked = chance.choice((title[1], " ".join(title), " ".join(title)))
    if pool.shapes[index] and chance.random() < 0.25:
        asked = f"{' '.join(chance.choice(pool.shapes[index]))} {title[1]}"
    if chance.random() < 0.55:
        return asked
    before, after = (" ".join(_filling(chance, most)) for most in (5, 2))
    return f"{before} {asked} {after}{chance.choice('?. ')}".strip()


def _filling(chance: random.Random, most: int) -> list[str]:
    return [
        chance.choice(QUESTION)
        if chance.random() < 0.6
        else "".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9)))
        for _ in range(chance.randint(0, most))
    ]


def warmed(step: int, steps: int, warm: int) -> float:
    """The learning rate's course: up in ``warm`` steps, then down along a cosine."""
    if step < warm:
        return (step + 1) / warm
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def embed(
    made: ColModernVBert, process: ColModernVBertProcessor, texts: list[str], padded: bool
) -> torch.Tensor:
    """Texts as questions, with ``process_queries``' augmentation tokens or, as in ``process_texts``, none."""
    batch = process.process_queries(texts) if padded else process.process_texts(texts)
    return made(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])


def targets(chance: random.Random, pool: Pool, batch: list[int]) -> tuple[torch.Tensor, ...]:
    """For the patches that count: page in the batch, grid position, soft target over words, weight."""
    rows: list[tuple[int, int]] = []
    soft: list[torch.Tensor] = []
    weights: list[float] = []
    for place, index in enumerate(batch):
        words: dict[int, list[tuple[int, float]]] = {}
        for patch, word, weight in pool.labels[index]:
            words.setdefault(patch, []).append((word, weight))
        empty = chance.sample(range(GRID * GRID), EMPTY)
        for patch in [*words, *(patch for patch in empty if patch not in words)]:
            found = words.get(patch, [(len(READ), 0.5)])
            target = torch.zeros(len(READ) + 1)
            for word, weight in found:
                target[word] += weight
            rows.append((place, patch))
            soft.append(target / target.sum())
            weights.append(max(weight for _, weight in found))
    return torch.tensor(rows), torch.stack(soft), torch.tensor(weights)


def aligned(
    seen: torch.Tensor, words: torch.Tensor, chance: random.Random, pool: Pool, batch: list[int]
) -> torch.Tensor:
    """Cross-entropy of what stands on each patch, by its vector's similarity to the words' vectors."""
    rows, soft, weights = targets(chance, pool, batch)
    vectors = seen[rows[:, 0], rows[:, 1]]
    similarities = torch.cat([vectors @ words.T, torch.full((len(vectors), 1), NOTHING)], dim=1)
    losses = functional.cross_entropy(similarities / ALIGNED, soft, reduction="none")
    return (losses * weights).sum() / weights.sum()


def noisy(chance: random.Random, pixels: torch.Tensor) -> torch.Tensor:
    """The pictures with grain."""
    grain = chance.uniform(0, 4) * torch.randn(pixels.shape)
    return (pixels.float() + grain).clamp(0, 255).to(torch.uint8)


def spelt(logits: torch.Tensor, pool: Pool, batch: list[int]) -> torch.Tensor:
    """Cross-entropy of the letters on each patch. Their head is thrown away."""
    rows = [(place, *one) for place, index in enumerate(batch) for one in pool.letters[index]]
    chosen = logits[[row[0] for row in rows], [row[1] for row in rows]].view(len(rows), SLOTS, 27)
    return functional.cross_entropy(chosen.transpose(1, 2), torch.tensor([row[2] for row in rows]))


def train(
    made: ColModernVBert,
    process: ColModernVBertProcessor,
    pool: Pool,
    seed: int,
    steps: int,
    report: Callable[[str], None],
) -> None:
    """Train in place."""
    chance = random.Random(seed)
    titled = [index for index, title in enumerate(pool.titles) if title]
    dense = [index for index, title in enumerate(pool.titles) if not title]
    loss = ColbertLoss(temperature=0.02, normalize_scores=True)
    speller = nn.Linear(made.config.text_config.hidden_size, SLOTS * 27)
    features: list[torch.Tensor] = []
    hook = made.model.connector.register_forward_hook(lambda module, given, output: features.append(output))
    optimizers = [*_optimizers(made), torch.optim.AdamW(speller.parameters(), lr=RATE)]
    rates = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    image = process.tokenizer.convert_tokens_to_ids(IMAGE)
    begun = time.process_time()
    queues: dict[str, list[int]] = {"titled": [], "dense": []}
    made.train()
    for step in range(steps):
        for optimizer, rate in zip(optimizers, rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * warmed(step, steps, 60)
        count, full = READING if step < READ_FOR * steps else RANKING
        batch = [*_different(chance, queues, titled, pool, count), *_next(chance, queues, dense, full)]
        inputs = image_batch(process, noisy(chance, pool.pixels[batch]))
        features.clear()
        pages = made(**inputs)
        letters = spelt(speller(features[0]), pool, batch)
        seen = pages[inputs["input_ids"] == image].view(len(batch), GRID * GRID, -1)
        alone = embed(made, process, list(READ), False)[:, 1]  # [CLS] word [SEP]
        boxes = aligned(seen, alone, chance, pool, batch)
        ranked = torch.zeros(())
        if count:
            asked = [question(chance, pool, index) for index in batch[:count]]
            ranked = loss(embed(made, process, asked, step % 2 == 0), pages[:count])
        for optimizer in optimizers:
            optimizer.zero_grad()
        (boxes + ranked + SPELLING * letters).backward()
        torch.nn.utils.clip_grad_norm_(made.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        if step % 25 == 0 or step == steps - 1:
            spent = time.process_time() - begun
            report(f"{step:5d} letters {letters:.3f} boxes {boxes:.3f} pages {ranked:.3f} cpu {spent:.0f} s")
    hook.remove()
    made.eval()


def _optimizers(made: ColModernVBert) -> list[torch.optim.Optimizer]:
    """Muon for the layers' matrices, which learn in half the steps with it, and AdamW for the rest."""
    matrices = [
        value
        for name, value in made.named_parameters()
        if value.ndim == 2 and "embeddings" not in name and "custom_text_proj" not in name
    ]
    chosen = {id(value) for value in matrices}
    seeing = [value for name, value in made.named_parameters() if "vision_model.embeddings" in name]
    chosen |= {id(value) for value in seeing}
    rest = [value for value in made.parameters() if id(value) not in chosen]
    return [
        torch.optim.Muon(matrices, lr=MATRIX_RATE, weight_decay=0.02, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(seeing, lr=SEEING_RATE, weight_decay=0.0, betas=(0.9, 0.98)),
        torch.optim.AdamW(rest, lr=RATE, weight_decay=0.0, betas=(0.9, 0.98)),
    ]


def _different(
    chance: random.Random, queues: dict[str, list[int]], titled: list[int], pool: Pool, count: int
) -> list[int]:
    """Titled pages no two of which have a noun in common."""
    batch: list[int] = []
    nouns: set[str] = set()
    put_back: list[int] = []
    while len(batch) < count:
        queues["titled"] = queues["titled"] or chance.sample(titled, len(titled))
        index = queues["titled"].pop()
        title = pool.titles[index]
        if title is not None and title[1] not in nouns:
            nouns.add(title[1])
            batch.append(index)
        else:
            put_back.append(index)
    queues["titled"].extend(put_back)
    return batch


def _next(chance: random.Random, queues: dict[str, list[int]], dense: list[int], count: int) -> list[int]:
    if len(queues["dense"]) < count:
        queues["dense"] = chance.sample(dense, len(dense))
    return [queues["dense"].pop() for _ in range(count)]
