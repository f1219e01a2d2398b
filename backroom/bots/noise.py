"""The errors of weaker levels: random moves (`noise`) and misjudged positions (`blur`)."""

import numpy as np

from backroom.engine.kernel import below, kernel


@kernel
def slips(dice, noise):  # type: ignore[no-untyped-def]
    """Whether a weaker level plays a random move this time, with probability `noise`."""
    return noise > 0.0 and below(dice, 1 << 20) < noise * (1 << 20)


@kernel
def misjudged(mark, off):  # type: ignore[no-untyped-def]
    """A mark between 0 and 1 with its log-odds shifted by `off`. Certain wins and losses stay as they are, and nothing
    else becomes one.
    """
    if off == 0.0 or mark <= 0.0 or mark >= 1.0:
        return mark
    return 1.0 / (1.0 + (1.0 - mark) / mark * np.exp(-off))


@kernel
def blurred(dice, mark, blur):  # type: ignore[no-untyped-def]
    """A mark with a random error for weaker levels: its log-odds are off by up to half of `blur` either way."""
    return misjudged(mark, blur * (below(dice, 1 << 20) / (1 << 20) - 0.5)) if blur > 0.0 else mark
