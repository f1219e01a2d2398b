"""Positions of New Game on one line: a part for each seat, then what was played.

    ann 3 7* 12 won 1 | ben 4 ? ? won 0 | played 1 2 | last 2 1 | due 0

`7*` is the card that is chosen, `?` a card that the reader does not know, and `*` an unknown choice. `last` has the
cards of the last trick in the order of the seats; `due` is how many cards are still to be dealt.
"""

import re

from backroom.engine.kernel import UNKNOWN
from backroom.engine.protocol import Seat, State

from .pieces import CARDS
from .rules import DECK, PLAYED, SEAT_NAMES, is_whole

_SEAT = re.compile(r"(?P<cards>(?:[0-9]+\*? )*)won (?P<won>[0-9]{1,2})")


def position(v: State) -> str:
    """The state, or what a view shows of it."""
    seats = range(int(v.seats))
    parts = [f"{SEAT_NAMES[seat].lower()} {' '.join([*_hand(v, seat), f'won {v.won[seat]}'])}" for seat in seats]
    if played := [str(card + 1) for card in range(CARDS) if v.where[card] == PLAYED]:
        parts += [f"played {' '.join(played)}", f"last {' '.join(str(v.last[seat]) for seat in seats)}"]
    return " | ".join([*parts, f"due {v.due}"])


def _hand(v: State, seat: Seat) -> list[str]:
    known = [card for card in range(CARDS) if v.where[card] == seat]
    found = [f"{card + 1}{'*' if v.bid[seat] == card + 1 else ''}" for card in known]
    return found + ["?"] * (int(v.held[seat]) - len(known)) + ["*"] * int(v.bid[seat] == UNKNOWN)


def place(s: State, text: str) -> None:
    """Put a state after `setup` into this position; ValueError says what is wrong with it."""
    said = dict(part.strip().partition(" ")[::2] for part in text.split("|"))
    called = [SEAT_NAMES[seat].lower() for seat in range(int(s.seats))]
    if unknown := said.keys() - {*called, "played", "last", "due"}:
        raise ValueError(f"there is no part {sorted(unknown)[0]!r}")
    s.where[:], s.held[:], s.bid[:], s.last[:], s.won[:] = DECK, 0, 0, 0, 0
    for seat, who in enumerate(called):
        _place_seat(s, seat, said.get(who, "won 0"))
    for word in said.get("played", "").split():
        _put(s, word, PLAYED)
    for seat, word in zip(range(int(s.seats)), said.get("last", "").split(), strict=False):
        s.last[seat] = _number(word) + 1
    due = said.get("due", "0")
    if not due.isdecimal() or int(due) > int(s.hand) * int(s.seats):
        raise ValueError(f"{due!r} cards cannot be due")
    s.due = int(due)
    if not is_whole(s):
        raise ValueError("tricks and cards do not agree (§3.2)")
    if not s.due and len(set(s.held[: s.seats].tolist())) > 1:
        raise ValueError("once all cards are dealt, hands are of one size (§2.1)")
    if all(s.bid[: s.seats]):
        raise ValueError("when all have chosen, the cards are turned up at once (§3.2)")


def _place_seat(s: State, seat: Seat, text: str) -> None:
    found = _SEAT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no hand; expected cards, then won and a number, like 3 7* 12 won 1")
    for word in found["cards"].split():
        _put(s, word.rstrip("*"), seat)
        s.held[seat] += 1
        if word.endswith("*"):
            s.bid[seat] = _number(word.rstrip("*")) + 1
    s.won[seat] = int(found["won"])


def _put(s: State, word: str, to: int) -> None:
    card = _number(word)
    if s.where[card] != DECK:
        raise ValueError(f"there is only one card {word} (§1.1)")
    s.where[card] = to


def _number(word: str) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= CARDS:
        raise ValueError(f"{word!r} is no card from 1 to {CARDS} (§1.1)")
    return int(word) - 1
