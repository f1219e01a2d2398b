"""What a person types, read as moves: words of the game first, then signs of the list, then what can be completed."""

import random
from dataclasses import dataclass

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, dice_from
from backroom.engine.phrases import listing
from backroom.engine.protocol import IllegalMove, Move, Seat, State
from backroom.engine.table import Table
from backroom.terminal.menu import Menu

LONGEST = 200
"""Nothing that names moves is longer than this."""
DEEPEST = 8
"""How many moves one text may name without commas."""
SHOWN = 6
"""How many moves are offered where a text may mean several."""
WORLDS, PLIES = 8, 400
"""How many imagined worlds are played on, and how far, to see whether a seat is ever asked again."""


@dataclass(frozen=True)
class Answer:
    """What a text says: moves, in order, and what is left open, as a sentence."""

    moves: list[str]
    unclear: str = ""


def menu_of(table: Table, seat: Seat) -> Menu:
    return Menu(table.moves(seat), table.labels(seat))


def read(table: Table, seat: Seat, text: str) -> Answer:
    """The moves that a text stands for. IllegalMove says why it stands for none."""
    if len(text) > LONGEST:
        raise IllegalMove(f"{text[:20]}… is too long for a move")
    words = text.split()
    if line := _line(table, seat, words, DEEPEST):
        return Answer(line)
    menu = menu_of(table, seat)
    if chosen := menu.chosen(text):
        return Answer([chosen])
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


def _completed(before: list[str], text: str, found: list[str]) -> Answer:
    """A part of a name is completed where one move fits it; else it has to be said which."""
    if len(found) == 1:
        return Answer([*before, found[0]])
    offered = [*found[:SHOWN], *([f"{len(found) - SHOWN} more"] if len(found) > SHOWN else [])]
    said = f"{text} may be {listing(offered)}: say which"
    if not before:
        raise IllegalMove(said)
    return Answer(before, said)


def _line(table: Table, seat: Seat, words: list[str], deepest: int) -> list[str]:
    """Words as names of moves one after the other, the longest names first; none if they are not.

    A move that is asked for in steps may be named whole: what the first words chose is then named again by all of them.
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
    """The table after a move, before anybody answers it; None if it may not be made, or the seat has no move then."""
    if table.why(seat, name) is not None:
        return None
    then = table.copy()
    then.nature = False
    then.append(then.plan(seat, name))
    return then if then.moves(seat) else None


# what ends one's game


def leaves_the_game(game: Game, v: State, seat: Seat, move: Move) -> bool:
    """Whether others play on after a move, and the seat is mostly not asked again, where another move keeps it in."""
    if 2 * sum(_is_out(game, v, seat, move, world) for world in range(WORLDS)) <= WORLDS:
        return False
    others = (other for other in game.moves(v, seat) if other != move)
    return any(not any(_is_out(game, v, seat, other, world) for world in range(WORLDS)) for other in others)


def _is_out(game: Game, v: State, seat: Seat, move: Move, world: int) -> bool:
    """The same in one world that fits the view, where everybody plays anything."""
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
