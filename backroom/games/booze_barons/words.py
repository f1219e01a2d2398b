"""The words of Booze Barons: `go caves`, `take club3`, `event Bruno`, `tail Cleo`, `name merlot`; and sentences.

A delivery is called after its location and its place in the table of §7: club3 is the third of the Curtain Club.
"""

import re

from backroom.engine.kernel import NATURE, UNKNOWN
from backroom.engine.marks import glyph, who
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Result, Seat, State

from .pieces import (
    AT_LOCATION,
    BARBER,
    BOOZE_NAMES,
    BOOZE_WORDS,
    CARD_WORDS,
    DOCK,
    LOCATIONS,
    MOB_NAMES,
    MOBS,
    PETES,
    PLACE_NAMES,
    PLACE_WORDS,
    SHOWS,
)
from .rules.course import asked
from .rules.reckoning import (
    CARD_COINS,
    NEVER,
    coins,
    last_exposed,
    mob_coins,
    mob_result,
    opponents_exposed,
)
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
    SIDES,
    STEAL,
    TAIL,
    TAKE_CARD,
    has_snitch,
    home,
    is_b,
    is_exposed,
    mob_of,
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
NOTATION = re.compile(rf"\b({'|'.join(PLACE_WORDS)})[1-{AT_LOCATION}]\b")
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
    """The name of a move, the same for every reader."""
    return WORDS[move]


def parse(v: State, text: str) -> Move:
    """The move with this name, in capitals or not."""
    words = text.lower().split()
    move = _MOVES.get(" ".join(words))
    if move is None:
        verb = words[0] if words else ""
        raise ValueError(
            f"a move is written {_EXPECTED.get(verb, 'like go caves, take club3, event, tail Bruno, pass')}"
        )
    return move


assert len(WORDS) == ALL_MOVES

# labels and sentences

PLACES = tuple(name if name.endswith("'s") else f"the {name}" for name in PLACE_NAMES)
"""The locations as people say them."""


def booze_in_words(booze: int) -> str:
    """A booze in a text: its sign before the word."""
    return f"{glyph(f'booze-{BOOZE_WORDS[booze]}', '')}{BOOZE_WORDS[booze]}"


def delivery(card: int) -> str:
    """A delivery in a text: by its location and its boozes, since no two have the same."""
    return _DELIVERIES[card]


def boozes_on(card: int) -> str:
    """The short names of the boozes that a delivery shows."""
    return _ON_CARDS[card]


_ON_CARDS = tuple(", ".join(word for b, word in enumerate(BOOZE_WORDS) if shown >> b & 1) for shown in SHOWS.tolist())
_DELIVERIES = tuple(
    glyph(f"delivery-{word}", f"the delivery for {PLACES[card // AT_LOCATION]} with {_ON_CARDS[card]}")
    for card, word in enumerate(CARD_WORDS)
)


def label(v: State, move: Move) -> str:
    """The label of a move."""
    if move < TAKE_CARD:
        return f"Go to {PLACES[move - GO]}"
    if move < EVENT:
        return f"Take {delivery(move - TAKE_CARD)}"
    if move < TAIL:
        return _label_of_event(v, move)
    if move < STEAL:
        return f"Tail {who(move - TAIL)}"
    if move < NAME_BOOZE:
        return f"Steal {delivery(move - STEAL)}"
    if move < NOTHING:
        return f"Say that {who(v.mark)} carries {booze_in_words(move - NAME_BOOZE)}"
    if move == PASS:
        return "Pass"
    return "Let it be" if v.ask == LOOK else "Take nothing"


def _label_of_event(v: State, move: Move) -> str:
    here = int(v.pawn[int(v.turn)])
    b = is_b(v, here)
    if move == EVENT:
        return "Turn up two deliveries" if b else "Draw three deliveries"
    if move < EVENT_CARD:
        other = who(move - EVENT_SEAT)
        if here == BARBER:
            return f"Have one of {other}’s deliveries sent back"
        return f"Let {other} take deliveries" if here == PETES and not b else f"Tail {other} by the event"
    card = move - EVENT_CARD
    if here == DOCK:
        return f"Bring {delivery(card)} to the Dockyard" if b else f"Take {delivery(card)} from where it lies"
    return f"Take {delivery(card)} by the event, and then another if you like"


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the story: movements when they are revealed, the deal when it is complete."""
    done = _by_nature(v, move, then) if seat == NATURE else _by_seat(v, seat, move, then)
    return " ".join([f"{done}.", *_round_over(v, then)]) if done else ""


def _by_nature(v: State, move: Move, then: State) -> str:
    if v.ask == SIDES:
        return _sides(then) if then.ask != SIDES else ""
    if v.ask == DEAL:
        if move != UNKNOWN:
            return f"{who(v.turn)} is dealt {BOOZE_NAMES[move - DEAL_BOOZE]} (§2.1)"
        return "The boozes are dealt (§2.1)" if then.ask != DEAL else ""
    if v.ask == FIRST:
        return "The first deliveries are turned up (§2.3)" if then.ask != FIRST else ""
    if v.ask == LOT_BARON:
        return f"{who(move - BARON)} is the first Booze Baron (§2.3)"
    if move == UNKNOWN:
        return f"{who(v.turn)} draws a delivery that does not match; it goes below the deck (§6.2)"
    card = move - DRAW
    if v.ask == CASINO_DRAW:
        kept = bool(then.held[int(v.turn)] >> card & 1)
        return f"{who(v.turn)} draws {delivery(card)} and {'keeps it' if kept else 'puts it below the deck (§6.2)'}"
    if v.ask == LOT_CARD:
        return f"{who(v.mark)} loses {delivery(card)}, which goes back to {PLACES[int(home(card))]}"
    return f"At {PLACES[int(home(card))]} a delivery turns up: {delivery(card)}"


def _sides(v: State) -> str:
    """Which sides are up, once all are drawn."""
    up = [[PLACES[place] for place in range(LOCATIONS) if is_b(v, place) == b] for b in (False, True)]
    told = [f"side {letter} of {listing(places, 'and')}" for letter, places in zip("AB", up, strict=True) if places]
    return f"These sides are up: {'; '.join(told)} (§6)"


def _by_seat(v: State, seat: Seat, move: Move, then: State) -> str:
    if move == UNKNOWN or (move < TAKE_CARD and then.ask == MOVE):
        return ""
    if move < TAKE_CARD:
        gone = (f"{who(other)} to {PLACES[int(then.pawn[other])]}" for other in range(int(then.seats)))
        return f"All show where they go: {', '.join(gone)}"
    if move < EVENT:
        return f"{who(seat)} takes {delivery(move - TAKE_CARD)}"
    if move < TAIL:
        return _by_event(v, seat, move)
    if move < STEAL:
        return f"{who(seat)} tails {who(move - TAIL)} and looks at the deliveries there"
    if move < NAME_BOOZE:
        return f"{who(seat)} steals {delivery(move - STEAL)} from {who(v.mark)}"
    if move < NOTHING:
        return _by_naming(v, seat, move - NAME_BOOZE, then)
    if move == PASS:
        return f"{who(seat)} passes"
    return f"{who(seat)} lets it be" if v.ask == LOOK else f"{who(seat)} takes nothing"


def _by_event(v: State, seat: Seat, move: Move) -> str:
    actor, here = who(seat), int(v.pawn[seat])
    place, b = PLACES[here], is_b(v, here)
    if move == EVENT:
        return f"{actor} {'turns up two deliveries' if b else 'draws three deliveries'} at {place} (§6)"
    if move < EVENT_CARD:
        other = who(move - EVENT_SEAT)
        if here == BARBER:
            return f"{actor} has one of {other}’s deliveries sent back (§6)"
        if here == PETES and not b:
            return f"{actor} lets {other} take from {place} (§6)"
        return f"{actor} tails {other} by the event of {place} (§6)"
    card = move - EVENT_CARD
    if here == DOCK and b:
        return f"{actor} brings {delivery(card)} to {place} (§6)"
    if here == DOCK:
        return f"{actor} takes {delivery(card)} from {PLACES[int(where(v, card))]} (§6)"
    return f"{actor} takes {delivery(card)} at {place}, and may take another (§6)"


def _by_naming(v: State, seat: Seat, booze: int, then: State) -> str:
    actor, other = who(seat), int(v.mark)
    if not is_exposed(then, other):
        return f"{actor} names {booze_in_words(booze)}, which {who(other)} does not carry"
    token = " and takes a snitch token" if has_snitch(then, seat) and not has_snitch(v, seat) else ""
    return (
        f"{actor} names {booze_in_words(booze)}: {who(other)} is exposed (§4.3), "
        f"and {actor} captures the card of {PLACES[int(v.pawn[other])]}{token}"
    )


def _round_over(v: State, then: State) -> list[str]:
    """What the end of a round brought, if this move ended one."""
    before = v.rounds
    if not before or (then.rounds == before and then.ask != OVER):
        return []
    told = []
    poor = [seat for seat in range(int(v.seats)) if is_exposed(then, seat) and not is_exposed(v, seat)]
    if v.ask == LOOK and v.mark in poor:
        poor.remove(int(v.mark))
    if poor:
        shown = [f"{who(seat)} with {booze_in_words(int(then.booze[seat]))}" for seat in poor]
        told.append(f"Poverty exposes {listing(shown, 'and')} (§5.3).")
    if then.ask == OVER:
        hidden = [who(seat) for seat in range(int(v.seats)) if not is_exposed(then, seat)]
        return [*told, f"{f'Only {hidden[0]}' if hidden else 'Nobody'} is unexposed (§5.4).", question(then, UNKNOWN)]
    return [*told, f"Round {then.rounds}: {who(then.baron)} is the Baron."]


# questions


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if v.ask == OVER:
        counts = ", ".join(f"{MOB_NAMES[mob]} {mob_coins(v, mob)}" for mob in range(MOBS))
        return f"The game is over: {_headline(v)} Coins: {counts} (§8)."
    mask = int(asked(v))
    waiting = [other for other in range(int(v.seats)) if mask >> other & 1]
    if not waiting:
        return _chance(v)
    if v.ask == MOVE:
        if seat in waiting:
            return f"Round {v.rounds}: choose where to go."
        others = listing([who(other) for other in waiting], "and")
        change = " You may still change your mind." if 0 <= seat < v.seats else ""
        return f"Round {v.rounds}: waiting for {others} to choose.{change}"
    (who_is_asked,) = waiting
    you, actor = seat == who_is_asked, who(who_is_asked)
    if v.ask == ACT:
        place = PLACES[int(v.pawn[who_is_asked])]
        return f"Round {v.rounds}: {'you act' if you else f'{actor} acts'} at {place}."
    if v.ask == LOOK:
        other = who(v.mark)
        if you:
            return f"You look at {other}’s deliveries: steal, name the booze, or nothing."
        return f"{actor} looks at {'yours' if seat == int(v.mark) else f'{other}’s deliveries'}."
    return f"{'You may' if you else f'{actor} may'} take a delivery, or nothing."


def _chance(v: State) -> str:
    """What nature is about to do."""
    return {
        SIDES: "The sides of the locations are drawn.",
        DEAL: "Boozes are dealt.",
        FIRST: "Deliveries are turned up.",
        LOT_BARON: "The first Booze Baron is drawn by lot.",
        CASINO_DRAW: f"{who(v.turn)} draws deliveries.",
        CASINO_TURN: f"{who(v.turn)} turns up deliveries.",
        LOT_CARD: "A delivery to send back is drawn by lot.",
        REFILL: "New deliveries are turned up.",
    }[int(v.ask)]


# the reckoning (§8)


def result(v: State) -> Result | None:
    """Which mob has won and why, each one's coins, and how they were counted; None until the game is over."""
    if v.ask != OVER:
        return None
    seats = range(int(v.seats))
    won = _best(v)
    return Result(
        _headline(v),
        tuple(f"{coins(v, seat)} coins, {MOB_NAMES[int(mob_of(v, seat))]}" for seat in seats),
        tuple(seat for seat in seats if int(mob_of(v, seat)) in won),
        (*(_line_of(v, seat) for seat in seats), *(_line_of_mob(v, mob) for mob in range(MOBS)), *_tie_breaks(v)),
    )


def _best(v: State) -> list[int]:
    """§8.3: the mobs that have won."""
    results = [float(mob_result(v, mob)) for mob in range(MOBS)]
    return [mob for mob, found in enumerate(results) if found == max(results)]


def _members(v: State, mob: int) -> list[Seat]:
    return [seat for seat in range(int(v.seats)) if mob_of(v, seat) == mob]


def _richest(v: State) -> list[int]:
    """§8.2: the mobs with most coins, before ties are broken."""
    counts = [int(mob_coins(v, mob)) for mob in range(MOBS)]
    return [mob for mob, count in enumerate(counts) if count == max(counts)]


def _headline(v: State) -> str:
    """§8.3: who has won, and why."""
    won, tied = _best(v), _richest(v)
    mobs = [f"{MOB_NAMES[mob]} ({listing([who(seat) for seat in _members(v, mob)], 'and')})" for mob in won]
    count = int(mob_coins(v, won[0]))
    if len(won) > 1:
        return f"{listing(mobs, 'and')} share the win with {count} coins each (§8.3)."
    if len(tied) == 1:
        return f"{mobs[0]} wins with {count} coins (§8.3)."
    others = listing([MOB_NAMES[mob] for mob in tied if mob not in won], "and")
    exposed = [int(opponents_exposed(v, mob)) for mob in tied]
    why_it = "more opponents exposed" if exposed.count(max(exposed)) == 1 else "its last member exposed later"
    return f"{mobs[0]} wins with {count} coins, as many as {others}, and {why_it} (§8.3)."


def _line_of(v: State, seat: Seat) -> str:
    """§8.1: the coins of a seat."""
    own = LOCATIONS - int(is_exposed(v, seat))
    captured = [other for other in range(int(v.seats)) if v.captor[other] == seat]
    friends = sum(bool(mob_of(v, other) == mob_of(v, seat)) for other in captured)
    others = len(captured) - friends
    parts = [f"deliveries {int(v.held[seat]).bit_count()}"]
    parts += ["snitch 1"] if has_snitch(v, seat) else []
    parts += [f"own cards {CARD_COINS * own}"]
    parts += [f"captured {CARD_COINS * others}"] if others else []
    parts += [f"from one’s own mob -{CARD_COINS * friends}"] if friends else []
    return f"{who(seat)} {coins(v, seat)}: {', '.join(parts)} (§8.1)."


def _line_of_mob(v: State, mob: int) -> str:
    """§8.2: the coins of a mob."""
    members = _members(v, mob)
    each = [int(coins(v, seat)) for seat in members]
    said = f"{MOB_NAMES[mob]} {mob_coins(v, mob)}: " + ", ".join(
        f"{who(seat)} {count}" for seat, count in zip(members, each, strict=True)
    )
    if len(members) == 1 and v.seats in (4, 5):
        return f"{said}, doubled (§8.2)."
    if len(members) == 3 and v.seats in (7, 8):
        return f"{said}; the highest {max(each)} and the lowest {min(each)} count (§8.2)."
    return f"{said} (§8.2)."


def _tie_breaks(v: State) -> list[str]:
    """§8.3: what decides between mobs with equal coins, as far as needed."""
    tied = _richest(v)
    if len(tied) == 1:
        return []
    exposed = {mob: int(opponents_exposed(v, mob)) for mob in tied}
    told = [f"Opponents exposed: {', '.join(f'{MOB_NAMES[mob]} {n}' for mob, n in exposed.items())} (§8.3)."]
    still = [mob for mob in tied if exposed[mob] == max(exposed.values())]
    if len(still) > 1:
        last = {mob: int(last_exposed(v, mob)) for mob in still}
        when = ", ".join(f"{MOB_NAMES[mob]} {'never' if n == NEVER else f'in round {n}'}" for mob, n in last.items())
        told.append(f"Last member exposed: {when} (§8.3).")
    return told
