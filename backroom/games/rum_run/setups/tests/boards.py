"""Drafts for tests: `begin` sets one up, `after` plays on, `names` lists the open steps."""

import backroom
from backroom.engine.protocol import State
from backroom.games.rum_run.setup_file import Setup, node_name
from backroom.games.rum_run.setups.drafts import setup_of, wrongs

GAME = backroom.game("rum-run-setups")


def begin(draft: str = "nothing") -> State:
    """A draft before the first step."""
    return GAME.start(*GAME.settle(1, {"draft": draft}))


def names(s: State) -> list[str]:
    """The names of the open steps."""
    return [GAME.rules.name(s, move) for move in GAME.moves(s, 0)]


def after(s: State, *steps: str) -> State:
    """The state after these steps, each of them open."""
    for text in steps:
        move = GAME.rules.parse(s, text)
        assert move in GAME.moves(s, 0), f"{text} is not among {names(s)}"
        s = GAME.after(s, 0, move)
        assert GAME.rules.is_whole(s), text
    return s


def why(s: State, text: str) -> str:
    """Why a step cannot be made."""
    move = GAME.rules.parse(s, text)
    assert move not in GAME.moves(s, 0)
    return GAME.rules.why(s, 0, move)


def stills(s: State) -> list[str]:
    """The stills on the board: node, number of quarter turns, and v if face down."""
    return [f"{node_name(t.node)} {t.turn}{'' if t.is_up else 'v'}" for t in setup_of(s).stills]


def blocked(s: State) -> list[str]:
    """The nodes under each obstacle."""
    return [" ".join(map(node_name, obstacle.nodes)) for obstacle in setup_of(s).obstacles]


def wrong(s: State) -> list[str]:
    """Everything that makes a draft unplayable."""
    return [finding.what for finding in wrongs(made(s))]


def made(s: State) -> Setup:
    return setup_of(s)
