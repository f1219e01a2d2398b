"""Pack the policy that `train/rum_run_ppo.py` has written for play: `python train/rum_run_pack.py policy.npz net.npz`.

The first and the last layer become small integers, with a scale for each input and for each token; what is off every
board that it was trained on becomes 0.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from backroom.engine.tokens import starts_of
from backroom.games.rum_run.brain import BOARD_AT, NODE_AT
from backroom.games.rum_run.net import COLOURS_AT, GROUND_AT, PLANES_AT, REACH_AT
from backroom.games.rum_run.pieces import NODES, SIDE
from backroom.games.rum_run.verbs import verbs

LARGEST = 14
"""The side of the largest board that it was trained on."""


FIRST, LAST = 31, 63
"""The largest integer in the first and in the last layer: with larger ones the file compresses less."""


def as_integers(weights: Any, axis: int, most: int) -> tuple[Any, Any]:
    """Weights as integers up to `most`, and their scales, one for each row or column."""
    scale = np.maximum(np.abs(weights).max(axis, keepdims=True), 1e-6) / most
    return np.rint(weights / scale).astype(np.int8), scale.astype(np.float32)


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    with np.load(source, allow_pickle=False) as file:
        kept: dict[str, Any] = {name: file[name].astype(np.float32) for name in file.files}
    at = np.arange(NODES)
    off = at[(at % SIDE >= LARGEST) | (at // SIDE >= LARGEST)]
    for first, planes in ((BOARD_AT, 3), (NODE_AT, 1), (PLANES_AT, 4), (GROUND_AT, 2), (COLOURS_AT, 2), (REACH_AT, 4)):
        for plane in range(planes):
            kept["first"][first + plane * NODES + off] = 0.0
    for start, (_, sizes) in zip(starts_of(verbs({})), verbs({}), strict=True):
        if sizes and sizes[0] == NODES:
            kept["last"][:, start[1] + off] = 0.0
    kept["first"], kept["first_scale"] = as_integers(kept["first"], 1, FIRST)
    kept["last"], kept["last_scale"] = as_integers(kept["last"], 0, LAST)
    kept["second"] = kept["second"].astype(np.float16)
    with target.open("wb") as file:
        np.savez_compressed(file, **kept)
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
