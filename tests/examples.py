"""The Python examples in documents, which tests run."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def example(document: str, start: str) -> str:
    """The first example in a document after some words."""
    text = (ROOT / document).read_text("utf-8")
    return re.search(r"```python\n(.*?)```", text[text.index(start) :], re.DOTALL)[1]
