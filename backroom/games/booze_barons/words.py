"""The words of Booze Barons: `go caves`, `take club3`, `event Bruno`, `tail Cleo`, `name merlot`; and sentences.

A delivery is called after its location and its place in the table of §7: club3 is the third of the Curtain Club.
"""

import numpy as np

from backroom.engine.kernel import NATURE, UNKNOWN
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Seat, State

from .pieces import (
    BARBER,
    BOOZE_NAMES,
    BOOZE_WORDS,
    CARD_WORDS,
    DOCK,
    IN_MOB,
    LOCATIONS,
    MOB_NAMES,
    MOBS,
    PETES,
    PLACE_NAMES,
    PLACE_WORDS,
    SHOWS,
)
from .rules.course import asked
from .rules.reckoning import mob_coins, score
from .rules.state import (
    ACT,
    ALL_MOVES,
    BARON,
    CASINO_DRAW,
    CASINO_TURN,
    DEAL,
    DEAL_BOOZE,
    DRAW,
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    FIRST,
    GO,
    LOOK,
    LOT_BARON,
    LOT_CARD,
    MOVE,
    NAME_BOOZE,
    NOTHING,
    OVER,
    PASS,
    REFILL,
    SEAT_NAMES,
    SIDE,
    SIDES,
    STEAL,
    TAIL,
    TAKE_CARD,
    has_snitch,
    home,
    is_b,
    is_exposed,
    where,
)

WORDS = (
    *("side A", "side B"),
    *(f"deal {word}" for word in BOOZE_WORDS),
    *(f"baron {who}" for who in SEAT_NAMES),
    *(f"draw {card}" for card in CARD_WORDS),
    *(f"go {word}" for word in PLACE_WORDS),
    *(f"take {card}" for card in CARD_WORDS),
    "event",
    *(f"event {who}" for who in SEAT_NAMES),
    *(f"event {card}" for card in CARD_WORDS),
    *(f"tail {who}" for who in SEAT_NAMES),
    *(f"steal {card}" for card in CARD_WORDS),
    *(f"name {word}" for word in BOOZE_WORDS),
    "nothing",
    "pass",
)
_MOVES = {words.lower(): move for move, words in enumerate(WORDS)}
_EXPECTED = {
    "go": f"go and one of {', '.join(PLACE_WORDS)}",
    "take": "take and a delivery, like take club3",
    "steal": "steal and a delivery, like steal club3",
    "event": "event, or event and a player or a delivery, like event club3",
    "tail": f"tail and a player, like tail {SEAT_NAMES[1]}",
    "name": f"name and one of {', '.join(BOOZE_WORDS)}",
}


def name(v: State, move: Move) -> str:
    """The same for every reader."""
    return WORDS[move]


def parse(v: State, text: str) -> Move:
    """The move of that name; capitals do not matter."""
    words = text.lower().split()
    move = _MOVES.get(" ".join(words))
    if move is None:
        verb = words[0] if words else ""
        raise ValueError(
            f"a move is written {_EXPECTED.get(verb, 'like go caves, take club3, event, tail Bruno, pass')}"
        )
    return move


assert len(WORDS) == ALL_MOVES

# sentences


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the log."""
    done = _by_nature(v, move, then) if seat == NATURE else _by_seat(v, seat, move, then)
    return " ".join([f"{done}.", *_round_over(v, then)])


def _by_nature(v: State, move: Move, then: State) -> str:
    who = SEAT_NAMES[int(v.turn)]
    if v.ask == SIDES:
        return f"{PLACE_NAMES[LOCATIONS - int(v.todo)]} has its side {'AB'[move - SIDE]} up"
    if v.ask == DEAL:
        return f"{who} is dealt {'a booze' if move == UNKNOWN else BOOZE_NAMES[move - DEAL_BOOZE]}"
    if v.ask == LOT_BARON:
        return f"{SEAT_NAMES[move - BARON]} is the first Booze Baron"
    if move == UNKNOWN:
        return f"{who} draws a delivery that does not match; it goes below the deck"
    card = move - DRAW
    if v.ask == CASINO_DRAW:
        kept = bool(then.held[int(v.turn)] >> card & 1)
        return f"{who} draws {CARD_WORDS[card]} and {'keeps it' if kept else 'puts it below the deck'}"
    place = PLACE_NAMES[int(home(card))]
    if v.ask == LOT_CARD:
        return f"{CARD_WORDS[card]} goes back from {SEAT_NAMES[int(v.mark)]} to {place}"
    return f"{CARD_WORDS[card]} turns up at {place}: {boozes_on(card)}"


def boozes_on(card: int) -> str:
    """The short names of what a delivery shows."""
    return _ON_CARDS[card]


_ON_CARDS = tuple(", ".join(word for b, word in enumerate(BOOZE_WORDS) if shown >> b & 1) for shown in SHOWS.tolist())


def _by_seat(v: State, seat: Seat, move: Move, then: State) -> str:
    who = SEAT_NAMES[seat]
    if move == UNKNOWN:
        return f"{who} has chosen where to go"
    if move < TAKE_CARD:
        if then.ask == MOVE:
            return f"{who} chooses {PLACE_NAMES[move - GO]}"
        gone = (f"{SEAT_NAMES[other]} to {PLACE_NAMES[int(then.pawn[other])]}" for other in range(int(then.seats)))
        return f"All show where they go: {', '.join(gone)}"
    if move < EVENT:
        return f"{who} takes {CARD_WORDS[move - TAKE_CARD]}"
    if move < TAIL:
        return _by_event(v, seat, move)
    if move < STEAL:
        return f"{who} tails {SEAT_NAMES[move - TAIL]} and looks at the deliveries there"
    if move < NAME_BOOZE:
        return f"{who} steals {CARD_WORDS[move - STEAL]} from {SEAT_NAMES[int(v.mark)]}"
    if move < NOTHING:
        return _by_naming(v, seat, move - NAME_BOOZE, then)
    if move == PASS:
        return f"{who} passes"
    return f"{who} lets it be" if v.ask == LOOK else f"{who} takes nothing"


def _by_event(v: State, seat: Seat, move: Move) -> str:
    who, here = SEAT_NAMES[seat], int(v.pawn[seat])
    place, b = PLACE_NAMES[here], is_b(v, here)
    if move == EVENT:
        return f"{who} {'turns up two deliveries' if b else 'draws three deliveries'} at {place}"
    if move < EVENT_CARD:
        other = SEAT_NAMES[move - EVENT_SEAT]
        if here == BARBER:
            return f"{who} has one of {other}’s deliveries sent back"
        if here == PETES and not b:
            return f"{who} lets {other} take from {place}"
        return f"{who} tails {other} by the event of {place}"
    card = move - EVENT_CARD
    if here == DOCK and b:
        return f"{who} brings {CARD_WORDS[card]} to the {place}"
    if here == DOCK:
        return f"{who} takes {CARD_WORDS[card]} from {PLACE_NAMES[int(where(v, card))]}"
    return f"{who} takes {CARD_WORDS[card]} at the {place}, and may take another"


def _by_naming(v: State, seat: Seat, booze: int, then: State) -> str:
    who, other = SEAT_NAMES[seat], int(v.mark)
    if not is_exposed(then, other):
        return f"{who} names {BOOZE_WORDS[booze]}, which {SEAT_NAMES[other]} does not carry"
    token = " and takes a snitch token" if has_snitch(then, seat) and not has_snitch(v, seat) else ""
    return (
        f"{who} names {BOOZE_WORDS[booze]}: {SEAT_NAMES[other]} is exposed, "
        f"and {who} captures the card of {PLACE_NAMES[int(v.pawn[other])]}{token}"
    )


def _round_over(v: State, then: State) -> list[str]:
    """What the end of a round brought, if this was one."""
    if not v.rounds or (then.rounds == v.rounds and then.ask != OVER):
        return []
    told = []
    poor = [seat for seat in range(int(v.seats)) if is_exposed(then, seat) and not is_exposed(v, seat)]
    if v.ask == LOOK and v.mark in poor:
        poor.remove(int(v.mark))
    if poor:
        shown = [f"{SEAT_NAMES[seat]} with {BOOZE_WORDS[int(then.booze[seat])]}" for seat in poor]
        told.append(f"Poverty exposes {listing(shown, 'and')}.")
    if then.ask == OVER:
        return [*told, question(then, UNKNOWN)]
    return [*told, f"Round {then.rounds}: {SEAT_NAMES[int(then.baron)]} is the Baron."]


# questions


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if v.ask == OVER:
        return _ending(v)
    waiting = [other for other in range(int(v.seats)) if int(asked(v)) >> other & 1]
    if not waiting:
        return _chance(v)
    if v.ask == MOVE:
        if seat in waiting:
            return f"Round {v.rounds}: choose where to go."
        who = listing([SEAT_NAMES[other] for other in waiting], "and")
        change = " You may still change your mind." if 0 <= seat < v.seats else ""
        return f"Round {v.rounds}: waiting for {who} to choose.{change}"
    (who_is_asked,) = waiting
    you, who = seat == who_is_asked, SEAT_NAMES[who_is_asked]
    if v.ask == ACT:
        place = PLACE_NAMES[int(v.pawn[who_is_asked])]
        return f"Round {v.rounds}: {'you act' if you else f'{who} acts'} at {place}."
    if v.ask == LOOK:
        other = SEAT_NAMES[int(v.mark)]
        if you:
            return f"You look at {other}’s deliveries: steal, name the booze, or nothing."
        return f"{who} looks at {'yours' if seat == int(v.mark) else f'{other}’s deliveries'}."
    return f"{'You may' if you else f'{who} may'} take a delivery, or nothing."


def _chance(v: State) -> str:
    """What nature is about to do."""
    return {
        SIDES: "The sides of the locations are drawn.",
        DEAL: "Boozes are dealt.",
        FIRST: "Deliveries are turned up.",
        LOT_BARON: "The first Booze Baron is drawn by lot.",
        CASINO_DRAW: f"{SEAT_NAMES[int(v.turn)]} draws deliveries.",
        CASINO_TURN: f"{SEAT_NAMES[int(v.turn)]} turns up deliveries.",
        LOT_CARD: "A delivery to send back is drawn by lot.",
        REFILL: "New deliveries are turned up.",
    }[int(v.ask)]


def _ending(v: State) -> str:
    """§8.3: who has won."""
    results = np.zeros(int(v.seats))
    score(v, results)
    won = {int(v.booze[seat]) // IN_MOB for seat in range(int(v.seats)) if results[seat] == results.max()}
    mobs = []
    for mob in sorted(won):
        who = [SEAT_NAMES[seat] for seat in range(int(v.seats)) if int(v.booze[seat]) // IN_MOB == mob]
        mobs.append(f"{MOB_NAMES[mob]} ({listing(who, 'and')})")
    verb = "wins" if len(mobs) == 1 else "share it"
    counts = ", ".join(f"{MOB_NAMES[mob]} {mob_coins(v, mob)}" for mob in range(MOBS))
    return f"The game is over: {listing(mobs, 'and')} {verb}. Coins: {counts}."


# refusals
