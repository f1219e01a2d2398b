"""The glyphs of Rum Run: its road tokens, shown in texts, and the colour of each seat."""

from backroom.scene import Glyph

from .pieces import COLOURS, PAIRS
from .shapes import base
from .words import token_sign

_TEXT = 'text-anchor="middle" dominant-baseline="central" font-weight="700" font-size="17" fill="#2c2118"'


def _token(pair: tuple[int, int]) -> Glyph:
    ends = ("★" if end == 0 else str(end) for end in pair)
    faces = "".join(f'<text x="{x}" y="13.5" {_TEXT}>{end}</text>' for x, end in zip((13, 35), ends, strict=True))
    body = '<rect x="1" y="1" width="46" height="24" rx="5" fill="#f3e6c8" stroke="#6b4f2f" stroke-width="1.6"/>'
    return Glyph(f'{body}<path d="M24 4V22" stroke="#6b4f2f" stroke-width="1.6"/>{faces}', (0, 0, 48, 26))


GLYPHS = {
    **{token_sign(token): _token((int(pair[0]), int(pair[1]))) for token, pair in enumerate(PAIRS)},
    **{f"seat-{seat}": Glyph(base(colour), (-13, -24, 26, 48)) for seat, colour in enumerate(COLOURS)},
}
