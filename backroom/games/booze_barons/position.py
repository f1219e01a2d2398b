"""Positions of Booze Barons on one line: parts between bars, in any order.

    round 2 | baron bruno | ask act | turn bruno | lying caves1 club2 casino3@dock | ada porter at club down dock2 | …

A player's part begins with the name and the booze (`?` unseen, `-` not dealt), and may continue with `at` a location;
`up` and `down`, deliveries; `could`, the boozes that he can have as far as everybody knows, unless his deliveries say
the same; `not`, those named wrongly; `lost` a location, its captor or `box`, and the round; `snitch`; `sealed` a
location. Boozes are written as in §7, `B1B3`. `lying` has the deliveries at their locations; `@dock`: elsewhere. `pile`
is one below the deck: who drew it, then its cards, each with the numbers of the seats that have seen it. All other
deliveries are fresh. `ask`, `turn`, `mark`, `todo`, `among` and `acted` describe the current question.
"""

from backroom.engine.kernel import UNKNOWN
from backroom.engine.plain import Plain
from backroom.engine.protocol import Seat, State

from .pieces import (
    ANY_BOOZE,
    BIT,
    BOOZE_SIGNS,
    BOOZE_WORDS,
    BOOZES,
    CARD_WORDS,
    CARDS,
    LOCATIONS,
    PLACE_WORDS,
    SHOWS,
    boozes_of,
)
from .rules.secrets import is_whole
from .rules.state import (
    ACT,
    CASINO_DRAW,
    CASINO_TURN,
    DEAL,
    FIRST,
    LOOK,
    LOT_CARD,
    MOVE,
    NOBODY,
    NOWHERE,
    OUT,
    REFILL,
    SEAT_NAMES,
    SIDES,
    TAKE,
    UNDEALT,
)

ASKS = (
    *("sides", "deal", "first", "lot", "move", "act", "look", "take", "draw", "turn-up", "send-back", "refill"),
    "over",
)
WHO = tuple(who.lower() for who in SEAT_NAMES)
_UNSEEN = "?"
_SHOWS = SHOWS.tolist()


def cards_in(cards: int) -> list[int]:
    """The cards of a set, in order."""
    return [card for card in range(CARDS) if cards >> card & 1] if cards else []


def signs(boozes: int) -> str:
    """A set of boozes as §7 writes it."""
    return "".join(BOOZE_SIGNS[booze] for booze in range(BOOZES) if boozes >> booze & 1) or "none"


def plain_could(s: Plain, seat: Seat) -> int:
    """What everybody can infer about a seat from what lies before it and what was named."""
    if s.exposed >> seat & 1:
        return 1 << int(s.booze[seat])
    found: int = ANY_BOOZE & ~s.denied[seat]
    for card in cards_in(s.held[seat]):
        found &= _SHOWS[card]
    return found


# writing


def position(v: State) -> str:
    """The state, or what a view shows of it, on one line."""
    return _position(Plain(v))


def _position(v: Plain) -> str:
    parts = [f"round {v.rounds}", f"baron {WHO[v.baron]}", f"ask {ASKS[v.ask]}", f"turn {WHO[v.turn]}"]
    parts += [f"mark {WHO[v.mark]}"] if v.mark != NOBODY else []
    parts += [f"todo {v.todo}"] if v.todo else []
    parts += [f"acted {v.acted}"] if v.acted else []
    parts += [f"among {' '.join(CARD_WORDS[card] for card in cards_in(v.among))}"] if v.among else []
    parts.append("sides " + "".join("AB"[v.sides >> place & 1] for place in range(LOCATIONS)))
    if lying := [_lying(card, place) for place in range(LOCATIONS) for card in cards_in(v.lying[place])]:
        parts.append("lying " + " ".join(lying))
    parts += [_pile(v, pile) for pile in range(1, v.piles + 1)]
    parts += [_player(v, seat) for seat in range(v.seats)]
    return " | ".join(parts)


def _lying(card: int, place: int) -> str:
    return CARD_WORDS[card] + ("" if card // LOCATIONS == place else f"@{PLACE_WORDS[place]}")


def _pile(v: Plain, pile: int) -> str:
    """A pile, whose unseen cards are only counted."""
    there = [card for card in range(CARDS) if v.layer[card] == pile]
    seen = [f"{CARD_WORDS[c]}:{''.join(str(o) for o in range(NOBODY) if v.known[c] >> o & 1)}" for c in there]
    unseen = [_UNSEEN] * (v.height[pile] - len(there))
    return " ".join(["pile", WHO[v.drawer[pile]], *seen, *unseen])


def _player(v: Plain, seat: Seat) -> str:
    booze = v.booze[seat]
    words = [WHO[seat], _UNSEEN if booze == UNKNOWN else "-" if booze == UNDEALT else BOOZE_WORDS[booze]]
    if v.pawn[seat] != NOWHERE:
        words += ["at", PLACE_WORDS[v.pawn[seat]]]
    for word, cards in (("up", v.held[seat] & v.up), ("down", v.held[seat] & ~v.up)):
        if cards:
            words += [word, *(CARD_WORDS[card] for card in cards_in(cards))]
    if v.could[seat] != plain_could(v, seat):
        words += ["could", signs(v.could[seat])]
    if v.denied[seat]:
        words += ["not", signs(v.denied[seat])]
    if v.exposed >> seat & 1:
        captor = v.captor[seat]
        words += ["lost", PLACE_WORDS[v.lost[seat]], "box" if captor == NOBODY else WHO[captor], str(v.when[seat])]
    if v.snitches >> seat & 1:
        words.append("snitch")
    if v.sealed[seat] != NOWHERE:
        words += ["sealed", _UNSEEN if v.sealed[seat] == UNKNOWN else PLACE_WORDS[v.sealed[seat]]]
    return " ".join(words)


# reading


def place(s: State, text: str) -> None:
    """Put a state after `setup` into this position; ValueError says what is wrong with it."""
    said: dict[str, list[str]] = {}
    piles = []
    for part in text.lower().split("|"):
        key, *words = part.split() or [""]
        if key == "pile":
            piles.append(words)
            continue
        if key not in (*_PARTS, *WHO[: int(s.seats)]):
            raise ValueError(
                f"{part.strip()!r} is no part of a position; expected {', '.join(_PARTS)}, pile or a player"
            )
        if key in said:
            raise ValueError(f"the position says {key!r} twice")
        said[key] = words
    _place_course(s, said)
    _place_cards(s, said.get("lying", []), piles)
    for seat in range(int(s.seats)):
        if WHO[seat] not in said:
            raise ValueError(f"the position does not say what {SEAT_NAMES[seat]} has; expected a part {WHO[seat]} …")
        _place_player(s, seat, said[WHO[seat]])
    _count_deck(s)
    plain = Plain(s)
    for seat in range(int(s.seats)):
        if "could" not in said[WHO[seat]]:
            s.could[seat] = plain_could(plain, seat)
    _refuse_impossible(s)


_PARTS = ("round", "baron", "ask", "turn", "mark", "todo", "acted", "among", "sides", "lying")


def _one(words: list[str], among: tuple[str, ...], what: str) -> int:
    """The number of the single word that there must be."""
    if len(words) != 1 or words[0] not in among:
        raise ValueError(f"{what} {' '.join(words)!r}; expected one of {', '.join(among)}")
    return among.index(words[0])


def _number(words: list[str], most: int, what: str) -> int:
    return _one(words, tuple(map(str, range(most + 1))), what)


def _cards(words: list[str], what: str) -> int:
    found = 0
    for word in words:
        card = _one([word], CARD_WORDS, what)
        if found >> card & 1:
            raise ValueError(f"{word} stands there twice")
        found |= 1 << card
    return found


def _place_course(s: State, said: dict[str, list[str]]) -> None:
    players = WHO[: int(s.seats)]
    s.rounds = _number(said.get("round", ["1"]), 99, "round")
    s.baron = _one(said.get("baron", [WHO[0]]), players, "baron")
    s.ask = _one(said.get("ask", ["move"]), ASKS, "ask")
    s.turn = _one(said.get("turn", [WHO[int(s.baron)]]), players, "turn")
    s.mark = _one(said["mark"], players, "mark") if "mark" in said else NOBODY
    s.todo = _number(said.get("todo", ["0"]), CARDS, "todo")
    s.acted = _number(said.get("acted", ["0"]), int(s.seats), "acted")
    s.among = _cards(said.get("among", []), "among")
    if "sides" in said:
        letters = "".join(said["sides"]).upper()
        if len(letters) != LOCATIONS or set(letters) - {"A", "B"}:
            raise ValueError(f"sides {letters!r}; expected six letters A or B")
        s.sides = sum((letter == "B") << at for at, letter in enumerate(letters))


def _place_cards(s: State, lying: list[str], piles: list[list[str]]) -> None:
    s.lying[:], s.held[:], s.up = 0, 0, 0
    s.layer[:], s.known[:], s.height[:], s.drawer[:] = 0, 0, 0, 0
    for word in lying:
        card_word, _, place_word = word.partition("@")
        card = _one([card_word], CARD_WORDS, "lying")
        at = _one([place_word], PLACE_WORDS, "lying") if place_word else card // LOCATIONS
        _leave_deck(s, card)
        s.lying[at] |= BIT[card]
    if len(piles) > CARDS - 9:
        raise ValueError("there cannot be so many piles below the deck (§6.2)")
    s.piles = len(piles)
    for pile, words in enumerate(piles, 1):
        s.drawer[pile] = _one(words[:1], WHO[: int(s.seats)], "pile")
        for word in words[1:]:
            card_word, _, seats = word.partition(":")
            card = _one([card_word], CARD_WORDS, "pile")
            if not seats or any(seat not in "012345678"[: int(s.seats)] for seat in seats):
                raise ValueError(f"{word!r} in a pile; expected a delivery, a colon and the seats that have seen it")
            _leave_deck(s, card)
            s.layer[card] = pile
            s.known[card] = sum({1 << int(seat) for seat in seats})


def _leave_deck(s: State, card: int) -> None:
    if s.layer[card] != 0:
        raise ValueError(f"{CARD_WORDS[card]} is in two places (§1.3)")
    s.layer[card] = OUT


def _count_deck(s: State) -> None:
    for card in range(CARDS):
        if s.layer[card] >= 0:
            s.height[s.layer[card]] += 1
    s.deck = int(s.height.sum())


_KEYS = ("at", "up", "down", "could", "not", "lost", "snitch", "sealed")


def _place_player(s: State, seat: Seat, words: list[str]) -> None:
    who = SEAT_NAMES[seat]
    if not words or words[0] not in (*BOOZE_WORDS, "-"):
        raise ValueError(f"{who} has no booze; expected - or one of {', '.join(BOOZE_WORDS)}")
    s.booze[seat] = UNDEALT if words[0] == "-" else BOOZE_WORDS.index(words[0])
    said: dict[str, list[str]] = {}
    key = ""
    for word in words[1:]:
        if word in _KEYS:
            if word in said:
                raise ValueError(f"the position says {word!r} twice of {who}")
            key = word
            said[key] = []
        elif not key:
            raise ValueError(f"{word!r} of {who}; expected {', '.join(_KEYS)}")
        else:
            said[key].append(word)
    s.pawn[seat] = _one(said["at"], PLACE_WORDS, "at") if "at" in said else NOWHERE
    for key in ("up", "down"):
        cards = _cards(said.get(key, []), key)
        for card in cards_in(cards):
            _leave_deck(s, card)
        s.held[seat] |= cards
        s.up |= cards if key == "up" else 0
    s.denied[seat] = _boozes(said.get("not", ["none"]), "not")
    s.could[seat] = _boozes(said["could"], "could") if "could" in said else ANY_BOOZE
    s.sealed[seat] = _one(said["sealed"], PLACE_WORDS, "sealed") if "sealed" in said else NOWHERE
    s.snitches = int(s.snitches) & ~(1 << seat) | ("snitch" in said) << seat
    _place_loss(s, seat, said.get("lost", []))


def _place_loss(s: State, seat: Seat, words: list[str]) -> None:
    s.exposed = int(s.exposed) & ~(1 << seat) | bool(words) << seat
    s.lost[seat], s.captor[seat], s.when[seat] = NOWHERE, NOBODY, 0
    if words:
        players = WHO[: int(s.seats)]
        captor = _one(words[1:2], (*players, "box"), "lost")
        s.lost[seat] = _one(words[:1], PLACE_WORDS, "lost")
        s.captor[seat] = NOBODY if captor == len(players) else captor
        s.when[seat] = _number(words[2:], 99, "lost")


def _boozes(words: list[str], what: str) -> int:
    text = "".join(words).upper()
    if text == "NONE":
        return 0
    if len(text) % 2 or any(text[at : at + 2] not in BOOZE_SIGNS for at in range(0, len(text), 2)):
        raise ValueError(f"{what} {text!r}; expected boozes as in §7, like B1L2W4, or none")
    return boozes_of("".join(sorted({text[at : at + 2] for at in range(0, len(text), 2)})))


def _refuse_impossible(s: State) -> None:
    """Refuse parts that are possible one by one, but not together."""
    seats = range(int(s.seats))
    for seat in seats:
        booze = int(s.booze[seat])
        if booze == UNDEALT and s.ask not in (SIDES, DEAL):
            raise ValueError(f"{SEAT_NAMES[seat]} has no booze yet (§2.1)")
        if booze != UNDEALT and not int(s.could[seat]) >> booze & 1:
            raise ValueError(f"{SEAT_NAMES[seat]} cannot have {BOOZE_WORDS[booze]}, for what all can tell (§4.5)")
        if s.pawn[seat] == NOWHERE and (s.ask >= ACT or s.rounds > 1):
            raise ValueError(f"{SEAT_NAMES[seat]} is nowhere; expected at and a location (§3.1)")
    if not is_whole(s):
        raise ValueError("its parts contradict each other: boozes, mobs of §2.2, deliveries, piles, losses or choices")
    if not _is_answerable(s):
        raise ValueError(f"nobody could answer {ASKS[int(s.ask)]!r}: see what turn, mark, todo, among and acted say")


def _is_answerable(s: State) -> bool:
    """Whether the question can arise."""
    lying = 0
    for cards in s.lying:
        lying |= int(cards)
    wants_mark = s.ask in (LOOK, TAKE, LOT_CARD)
    if wants_mark != (s.mark != NOBODY) or int(s.among) & ~lying or s.acted == s.seats:
        return bool(s.acted == s.seats and s.ask == REFILL and s.mark == NOBODY and 0 < s.todo <= s.deck)
    if s.ask in (LOOK, LOT_CARD) and s.mark == s.turn:
        return False
    if s.ask in (FIRST, CASINO_DRAW, CASINO_TURN, REFILL):
        below = int(s.height[int(s.piles)]) if s.ask == CASINO_DRAW else 0
        drawing = s.ask != CASINO_DRAW or (s.piles > 0 and s.drawer[int(s.piles)] == s.turn)
        return bool(s.ask != REFILL and drawing and 0 < s.todo <= s.deck - below)
    if s.ask == SIDES:
        return bool(0 < s.todo <= LOCATIONS)
    if s.ask == DEAL:
        return all((s.booze[seat] == UNDEALT) == (seat >= s.turn) for seat in range(int(s.seats)))
    if s.ask == MOVE:
        return any(s.sealed[seat] == NOWHERE for seat in range(int(s.seats)))
    if s.ask == TAKE:
        return bool(0 < s.todo <= 2)
    return bool(s.ask != LOT_CARD or s.held[int(s.mark)] & ~s.up)
