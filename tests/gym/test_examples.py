"""Examples of docs/gym.md run as written; those of PettingZoo and OpenSpiel's algorithms have tests of their own."""

import pytest
from examples import example


@pytest.mark.parametrize("start", ["## Gymnasium", "## The batch", "## OpenSpiel"])
def test_examples_run_as_written(start):
    exec(example("docs/gym.md", start), {})
