"""The colours of the house style by role: wood, felt, brass and paper. Pictures use them for everything games share."""

WOOD, WOOD_DARK, WOOD_LIGHT = "#4a3426", "#33241a", "#8b6747"
"""Frames and panels; their shaded parts; what stands out from them."""
FELT, FELT_DARK = "#2e5348", "#24433a"
"""The playing surface; recesses in it."""
PAPER, PAPER_DIM = "#fbf5e6", "#efe4cb"
"""Cards and dice; printed things out of use."""
INK, INK_DIM = "#2b221b", "#66584a"
"""Text on paper."""
CREAM, CREAM_DIM = "#f6ecd8", "#cfbfa4"
"""Text on wood and felt."""
BRASS, GOLD = "#b98d3e", "#f6b73c"
"""Fittings; what can be touched."""
OXBLOOD, IVORY, EBONY = "#8a3d29", "#fcf6e8", "#2a2730"
RED, BLUE, GREEN, YELLOW = "#cf4232", "#3672c4", "#2f8f5b", "#f0c02e"
GOOD, BAD = "#9ae29a", "#ffab98"
"""Text about luck and loss, on wood."""


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG 2 defines it: 1 for the same, 21 for black on white."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
