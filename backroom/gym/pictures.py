"""Rendering of environments: the picture of a view as text, SVG or pixels."""

from typing import Any

import numpy as np

from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import Seat
from backroom.gym.batch import Batch

MODES = ("human", "ansi", "svg", "rgb_array")
WIDTH = 640
"""The width of an image, in pixels."""


def check(mode: str | None) -> None:
    """Raise BadOption if there is no such mode."""
    if mode is not None and mode not in MODES:
        raise BadOption(f"render_mode cannot be {mode!r}; it can be {listing(MODES)}")


def rendered(batch: Batch, i: int, seat: Seat, mode: str | None) -> Any:
    """What a seat sees of game i, as a picture in a render mode; with `human` it is printed."""
    if mode is None:
        return None
    scene = batch.game.rules.draw(batch.view(i, seat), seat)
    if mode == "svg":
        return scene.svg()
    if mode == "rgb_array":
        return _pixels(scene.svg())
    said = scene.text()
    if mode == "ansi":
        return said
    print(said)
    return None


def _pixels(svg: str) -> Any:
    """The picture on a white background, of shape (height, width, 3)."""
    import io

    try:
        import resvg_py
        from PIL import Image
    except ImportError:
        raise BadOption(
            "render_mode rgb_array needs resvg-py and pillow; expected pip install 'backroom[gym]'"
        ) from None
    png = resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH, background="white")
    return np.array(Image.open(io.BytesIO(bytes(png))).convert("RGB"))
