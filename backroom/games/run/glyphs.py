"""The small pictures of Run among words: its dice."""

from backroom.scene import Glyph

_PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


def _die(face: int) -> Glyph:
    pips = "".join(f'<circle cx="{5.5 * x}" cy="{5.5 * y}" r="2.1" fill="#2a2a33"/>' for x, y in _PIPS[face])
    body = '<rect x="-10" y="-10" width="20" height="20" rx="4" fill="#fdf9ef" stroke="#7a6448"/>'
    return Glyph(body + pips, (-11, -11, 22, 22))


GLYPHS = {f"die-{face}": _die(face) for face in _PIPS}
