"""The option of the editor, and what it makes."""

from backroom.engine.options import Option
from backroom.engine.protocol import Product
from backroom.games.rum_run.setup_file import NAMED, TITLES, draft, file_of, line

from .drafts import NOTHING, numbers, setup_of

OPTIONS = (
    Option(
        "draft",
        (NOTHING, *NAMED),
        "What to begin with (§13).",
        other="the name of a setup file",
        read=lambda text: line(draft(text)),
        numbers=numbers,
        is_file=True,
        title="Begin with",
        titles=("An empty board", *TITLES),
        other_title="One of your own",
    ),
)
MAKES = Product("rum-run", "setup", "draft", NAMED[0], "setup.toml", lambda v: file_of(setup_of(v)))
