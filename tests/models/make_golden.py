"""Write golden.npz: last-layer token vectors of the float32 original for a few texts, kept as float16.

    python tests/models/make_golden.py FOLDER_WITH_MODEL_SAFETENSORS

The vectors come from ``mmrag.models.builtin.reference``, which equals torch's BertModel within 5e-6.
"""

import sys
from pathlib import Path

import numpy as np

from mmrag.models.builtin.encoder import CLS, SEP, Encoder
from mmrag.models.builtin.reference import forward, read_weights

GOLDEN = Path(__file__).parent / "golden.npz"
TEXTS = (
    "How many EL can I roll over?",
    "Total revenue (US$ m): 1,284.5; 2023: 1,190.0; change +7.9 %",
    "Café Zürich, naïve 東京 ☃",
    "Employees may carry over up to eight days of unused annual leave into the following calendar year; "
    "days carried over must be taken before 30 June, after which they lapse. Requests go to the personnel "
    "office on form P-117. The board proposes that no dividend be paid, since the battery-electric ferry "
    "and its charging tower take 410 million crowns, and a rise of ten percent in the price of "
    "electricity at the quays would cost four million crowns a year, of which the county bears half.",
)


def main() -> None:
    weights = read_weights(Path(sys.argv[1]) / "model.safetensors")
    encoder = Encoder()
    arrays: dict[str, np.ndarray] = {"texts": np.array(TEXTS)}
    for number, text in enumerate(TEXTS):
        ids = np.array([CLS, *encoder.tokenize(text).ids, SEP], dtype=np.int64)
        arrays[f"ids{number}"] = ids
        arrays[f"vectors{number}"] = forward(weights, ids).astype(np.float16)
    np.savez_compressed(GOLDEN, **arrays)
    print(f"{GOLDEN}: {GOLDEN.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
