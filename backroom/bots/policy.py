"""A learned policy: a small net over the features of a view chooses one of the legal moves.

`train/ppo.py` writes such files for any game, and `backroom arena run ppo.npz medium` plays them. The net has two
hidden layers of rectified linear units, and an output layer with a logit for each *token*. The logit of a move is the
sum over its tokens. In a small vocabulary each move is one token; in a large one a move has a token for its verb and
one for each of the verb's arguments.
"""

import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from backroom.bots.deadlines import never
from backroom.engine.game import Game
from backroom.engine.kernel import kernel, without_back
from backroom.engine.options import BadOption
from backroom.engine.tokens import Verbs, tokens_of

LAYERS = ("first", "first_bias", "second", "second_bias", "last", "last_bias")
"""The names of the arrays in a net's file; a layer's weights have a row for each input."""


class Net(NamedTuple):
    """The layers of a net, and the tokens of moves."""

    first: Any
    first_bias: Any
    second: Any
    second_bias: Any
    last: Any
    last_bias: Any
    tokens: Any
    """The tokens of each move, of shape (moves, most tokens); -1 where there is none."""


class Workspace(NamedTuple):
    """The arrays that the kernel works in."""

    out: Any
    """The legal moves."""
    seen: Any
    """The features of the view."""
    units: Any
    """The activations of the first layer."""
    more_units: Any
    """The activations of the second layer."""
    logits: Any
    """The logit of each token."""
    net: Net
    stop: Any


def write(path: Path, game: Game, verbs: Verbs, is_composed: bool, layers: Mapping[str, Any]) -> None:
    """Write a net for a game to a file, with the vocabulary that it was trained with."""
    sizes = np.zeros((len(verbs), 1 + max(len(sizes) for _, sizes in verbs)), np.int32)
    for row, (first, of) in zip(sizes, verbs, strict=True):
        row[: 1 + len(of)] = first, *of
    about: dict[str, Any] = {
        "game": np.array(f"{game.name} {game.rules.VERSION}"),
        "is_composed": np.array(is_composed),
    }
    draft = path.with_name(f"{path.name}.draft")  # so that nobody reads half a net
    with draft.open("wb") as file:
        np.savez_compressed(file, **about, verbs=sizes, **dict(layers))
    draft.replace(path)


def read(path: Path, game: Game) -> Net:
    """A net from its file; BadOption says what is wrong with it."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            kept = {name: file[name] for name in file.files}
        told, layers = str(kept["game"]), [np.ascontiguousarray(kept[name], np.float32) for name in LAYERS]
        verbs = [(first, tuple(size for size in sizes if size)) for first, *sizes in kept["verbs"].tolist()]
    except FileNotFoundError:
        raise BadOption(f"there is no file {path}") from None
    except (OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError, BadZipFile, zlib.error) as error:
        raise BadOption(f"{path} is not a policy that train/ppo.py has written: {error}") from None
    if told != f"{game.name} {game.rules.VERSION}":
        raise BadOption(f"{path} is for {told}, not for {game.name} {game.rules.VERSION}")
    net = Net._make([*layers, tokens_of(verbs, bool(kept["is_composed"]))])
    shapes = [net.first.shape[0], *net.first.shape[1:], *net.second.shape[1:], net.last.shape[-1]]
    fitting = [game.rules.FEATURES, net.second.shape[0], net.last.shape[0], int(net.tokens.max()) + 1]
    if shapes != fitting or [net.first_bias.size, net.second_bias.size, net.last_bias.size] != shapes[1:]:
        raise BadOption(f"{path} has layers of {shapes} where {game.name} needs {fitting}")
    return net


def workspace_for(game: Game, net: Net) -> Workspace:
    return Workspace(
        out=np.empty(game.rules.MOST_MOVES, np.int32),
        seen=np.zeros(game.rules.FEATURES, np.float32),
        units=np.empty_like(net.first_bias),
        more_units=np.empty_like(net.second_bias),
        logits=np.empty_like(net.last_bias),
        net=net,
        stop=never(),
    )


@kernel
def put_through(inputs, weights, bias, out):  # type: ignore[no-untyped-def]
    """A linear layer: inputs times weights, plus bias. Inputs that are 0 are skipped, for many are."""
    for unit in range(out.size):
        out[unit] = bias[unit]
    for i in range(inputs.size):
        if inputs[i] != 0.0:
            for unit in range(out.size):
                out[unit] += inputs[i] * weights[i, unit]


@kernel
def rectify(units):  # type: ignore[no-untyped-def]
    for unit in range(units.size):
        units[unit] = max(units[unit], np.float32(0.0))


@kernel
def worth(net, logits, move):  # type: ignore[no-untyped-def]
    """The logit of a move; -inf if the move is not in the net's vocabulary."""
    if move >= net.tokens.shape[0] or net.tokens[move, 0] < 0:
        return -np.inf
    total = 0.0
    for k in range(net.tokens.shape[1]):
        if net.tokens[move, k] >= 0:
            total += logits[net.tokens[move, k]]
    return total


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    moves, features, back = game.rules.moves, game.rules.features, game.rules.BACK

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        n = without_back(work.out, moves(v, seat, work.out), back)
        work.seen[:] = 0.0
        features(v, seat, work.seen)
        put_through(work.seen, work.net.first, work.net.first_bias, work.units)
        rectify(work.units)
        put_through(work.units, work.net.second, work.net.second_bias, work.more_units)
        rectify(work.more_units)
        put_through(work.more_units, work.net.last, work.net.last_bias, work.logits)
        best, most = 0, worth(work.net, work.logits, work.out[0])
        for i in range(1, n):
            found = worth(work.net, work.logits, work.out[i])
            if found > most:
                best, most = i, found
        return work.out[best]

    return choose
