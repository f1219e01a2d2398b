"""Parses what a person types as moves: exact names and labels first, then signs of the list, then abbreviations."""

import random
from dataclasses import dataclass

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, dice_from
from backroom.engine.phrases import listing
from backroom.engine.protocol import IllegalMove, Move, Seat, State
from backroom.engine.table import Table
from backroom.terminal.menu import Menu

LONGEST = 200
"""The longest text that can name moves."""
DEEPEST = 8
"""The most moves that one text may name without commas."""
SHOWN = 6
"""The most moves offered when a text is ambiguous."""
WORLDS, PLIES = 8, 400
"""The number of imagined games, and of plies in each, that decide whether a seat is ever asked again."""


@dataclass(frozen=True)
class Parsed:
    """The moves that a text names, in order, and a sentence about what it leaves open."""

    moves: list[str]
    unclear: str = ""


def menu_of(table: Table, seat: Seat) -> Menu:
    return Menu(table.moves(seat), table.labels(seat))


def read(table: Table, seat: Seat, text: str) -> Parsed:
    """The moves that a text stands for. IllegalMove says why it stands for none."""
    if len(text) > LONGEST:
        raise IllegalMove(f"{text[:20]}… is too long for a move")
    words = text.split()
    if line := _line(table, seat, words, DEEPEST):
        return Parsed(line)
    menu = menu_of(table, seat)
    if chosen := menu.chosen(text):
        return Parsed([chosen])
    if found := menu.matching(text):
        return _completed([], text, found)
    for n in range(len(words) - 1, 0, -1):
        first, rest = " ".join(words[:n]), " ".join(words[n:])
        then = _after(table, seat, first)
        if then and (found := menu_of(then, seat).matching(rest)):
            return _completed([first], rest, found)
    if not menu.names:
        raise IllegalMove(table.why(seat, text) or "there is nothing to choose")
    raise IllegalMove(f"{table.why(seat, text)}. What is open is listed by: moves")


def _completed(before: list[str], text: str, found: list[str]) -> Parsed:
    """Complete an abbreviation that only one move fits; otherwise say which moves it could be."""
    if len(found) == 1:
        return Parsed([*before, found[0]])
    offered = [*found[:SHOWN], *([f"{len(found) - SHOWN} more"] if len(found) > SHOWN else [])]
    said = f"{text} may be {listing(offered)}: say which"
    if not before:
        raise IllegalMove(said)
    return Parsed(before, said)


def _line(table: Table, seat: Seat, words: list[str], deepest: int) -> list[str]:
    """Parse words as the names of successive moves, the longest names first; None if they are not.

    A choice that is made in several steps may be named whole: each step is then named again with more of the words.
    """
    for n in range(len(words), 0, -1):
        first, rest = " ".join(words[:n]), words[n:]
        if table.why(seat, first) is not None:
            continue
        if not rest:
            return [first]
        then = _after(table, seat, first) if deepest else None
        for more in (rest, words) if then else ():
            if then and (found := _line(then, seat, more, deepest - 1)):
                return [first, *found]
    return []


def _after(table: Table, seat: Seat, name: str) -> Table | None:
    """The table after a move, before anybody answers it; None if it is illegal, or the seat has no move afterwards."""
    if table.why(seat, name) is not None:
        return None
    then = table.copy()
    then.nature = False
    then.append(then.steps(seat, name))
    return then if then.moves(seat) else None


# resigning and the like


def leaves_the_game(game: Game, v: State, seat: Seat, move: Move) -> bool:
    """Whether a move ends the game for its seat alone: in most imagined games the seat is not asked again after it, and
    is asked again after another move.
    """
    if 2 * sum(_is_out(game, v, seat, move, world) for world in range(WORLDS)) <= WORLDS:
        return False
    others = (other for other in game.moves(v, seat) if other != move)
    return any(not any(_is_out(game, v, seat, other, world) for world in range(WORLDS)) for other in others)


def _is_out(game: Game, v: State, seat: Seat, move: Move, world: int) -> bool:
    """Whether the seat is never asked again in one imagined state, with random play by everybody."""
    rng = random.Random(world)
    s = game.after(game.imagined(v, seat, dice_from(world)), seat, move)
    others_play = False
    for _ in range(PLIES):
        asked = game.asked(s)
        if not asked or seat in asked:
            return others_play and not asked
        others_play |= asked != (NATURE,)
        s = game.after(s, asked[0], rng.choice(game.moves(s, asked[0])))
    return others_play
