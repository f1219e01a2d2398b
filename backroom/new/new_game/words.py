"""The words of New Game: `deal 7`, `bid 12`; labels, questions and sentences."""

import re

from backroom.engine.kernel import NATURE, UNKNOWN
from backroom.engine.marks import glyph, who
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Result, Seat, State

from .pieces import CARDS
from .rules import BID, DEAL, asked, is_over

NOTATION = re.compile(r"\b(deal|bid) [0-9]")
VERBS = {"deal": DEAL, "bid": BID}

# The notation, for logs, keyboards and programs


def name(v: State, move: Move) -> str:
    """A verb and the number of a card."""
    return f"deal {move - DEAL + 1}" if move < BID else f"bid {move - BID + 1}"


def parse(v: State, text: str) -> Move:
    """The move with this name, in capitals or not."""
    verb, _, number = text.lower().partition(" ")
    if verb not in VERBS or not number.isdecimal() or not 1 <= int(number) <= CARDS:
        raise ValueError(f"a move is written like bid 12, with a card from 1 to {CARDS}")
    return VERBS[verb] + int(number) - 1


# Texts for people: players and cards are marks, which are replaced with names and small pictures


def card(number: int) -> str:
    """A card in a text."""
    return glyph(f"card-{number}", f"the {number}")


def label(v: State, move: Move) -> str:
    """The label of a bid."""
    return f"Bid {card(move - BID + 1)}"


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for a reader with these views before and after the move."""
    if seat == NATURE:
        return "A card is dealt." if move == UNKNOWN else f"You are dealt {card(move - DEAL + 1)}."
    if then.won.sum() == v.won.sum():
        return f"{who(seat)} has chosen." if move == UNKNOWN else f"{who(seat)} has chosen {card(move - BID + 1)}."
    seats = range(int(v.seats))
    taker = next(other for other in seats if then.won[other] > v.won[other])
    others = listing([f"{card(int(then.last[other]))} of {who(other)}" for other in seats if other != taker], "and")
    return f"The trick goes to {who(taker)}: {card(int(then.last[taker]))} beats {others}."


def result(v: State) -> Result | None:
    """Who has won and why, and what each seat has; None until the game is over."""
    if not is_over(v):
        return None
    won = [int(v.won[seat]) for seat in range(int(v.seats))]
    best = tuple(seat for seat, number in enumerate(won) if number == max(won))
    names = listing([who(seat) for seat in best], "and")
    verb = "has won with" if len(best) == 1 else "share it, each with"
    return Result(f"{names} {verb} {tricks(max(won))} (§4.1).", tuple(map(tricks, won)), best)


def tricks(number: int) -> str:
    return f"{number} trick{'s' if number != 1 else ''}"


def question(v: State, seat: Seat) -> str:
    """What the seat is asked, or who is waited for."""
    if told := result(v):
        return f"The game is over: {told.headline}"
    waiting = [other for other in range(int(v.seats)) if int(asked(v)) >> other & 1]
    if seat in waiting:
        return "Which card do you bid (§3.1)?"
    if not waiting:
        return "Cards are dealt (§2.1)."
    return f"Waiting for {listing(map(who, waiting), 'and')}."
