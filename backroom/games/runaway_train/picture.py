"""The picture of RunAway Train: the track, below it the players with their suitcases and cards, then the hand."""

from collections.abc import Iterator

from backroom.engine.kernel import UNKNOWN
from backroom.engine.marks import plain
from backroom.engine.protocol import Move, Seat, State
from backroom.scene import Piece, Scene

from .board import (
    DIAL_ROW,
    DIE_X,
    PLAYER_ROW,
    SPEED_X,
    TIMES_X,
    WIDE,
    Layout,
    board,
    chart_spot,
    layout,
    text_cell,
    track_key,
)
from .pieces import BEFORE, CHIPS, PARTS, SHORT, SUITCASES
from .rules.cards import can_choose, effective, suitcase_of
from .rules.state import (
    BLUFF,
    BRAKING,
    CHOOSING,
    CONDUCTOR,
    FIRST_CONDUCTOR,
    FIRST_LEAVE,
    JUMP,
    JUMPING,
    LEAVE,
    OVER,
    PASS,
    PLUNGED,
    ROLLING,
    SEAT_NAMES,
    SWITCHING,
    TAKE_SHORT,
    is_aboard,
)
from .rules.train import plain_value
from .shapes import GLYPHS
from .words import MOVES, choice_in_words, choice_name, question, winners

FIRST_CASE, CASE_PITCH, POINTS_X, CARDS_X, CARD_PITCH, RESULT_X = 161, 25, 346, 388, 34, 444
HAND_X, HAND_PITCH, BUTTON_X = 40, 51, 537


LEGEND = (
    ("S # Y ]", "the station, the train, the switch, the end of a track"),
    ("2 3 4", "from here on suitcases count twice, three times, four times"),
    ("½ B", "brakes: half, and full"),
    (">", "the engineer"),
    ("12.4", "the suitcases that are left: the 3 is gone; then the points"),
    ("▒▒ ready", "two cards lie face down"),
    ("≤2:1 3:2", "at speed 2 or less a 1 stops the train, at 3 a 2"),
)


def draw(v: State, seat: Seat) -> Scene:
    """The scene of a view."""
    key = track_key(v)
    at = layout(key)
    pieces = [*train(v, at), *dials(v, at)]
    for player in range(int(v.seats)):
        pieces += line(v, at, player)
    if seat >= 0:
        pieces += hand(v, at, seat)
    return Scene(board(key, int(v.seats), seat >= 0), plain(question(v, seat), SEAT_NAMES), pieces)


PAUSE_MS = 800
"""Milliseconds for which cards lie open before they are settled, and for the settling of each."""


def between(v: State, seat: Seat, move: Move, then: State) -> Iterator[State]:
    """A reveal: all cards turn together, then they are settled seat by seat (§3.6, §3.7)."""
    if v.ask != CHOOSING or not v.choice.any() or then.choice.any():
        return
    way = v.copy()
    way.ask, way.shown, way.choice[:], way.gained[:] = ROLLING, then.shown, 0, UNKNOWN
    yield way.copy()
    for other in range(int(v.seats)):
        way.gained[other] = then.gained[other]
        if int(effective(way)) >> int(way.shown[other]) & 1:
            way.points[other], way.suitcases[other] = then.points[other], then.suitcases[other]
            yield way.copy()


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """Two cards are touched one after the other; everything else is one touch."""
    if LEAVE <= move < JUMP:
        return [card_id(card) for card in cards_of(move - PASS + 1)]
    return [MOVES[move]] if move >= TAKE_SHORT else []


def cards_of(choice: int) -> list[str]:
    """The cards of a choice; which suitcases a bluff has need not be known."""
    move = choice + PASS - 1
    if move == PASS:
        return []
    if move == BLUFF:
        return ["", ""]
    if move == LEAVE:
        return ["passenger", "conductor"]
    return ["passenger" if move < CONDUCTOR else "conductor", str(suitcase_of(choice))]


def card_id(card: str) -> str:
    """The id of a card in the player's own hand."""
    return f"card-{card}"


def kind_of(card: str) -> str:
    return card if card in ("passenger", "conductor") else "suitcase"


# the train


def train(v: State, at: Layout) -> list[Piece]:
    part, space = int(v.track), int(v.at)
    x, y = at.spots[part][space]
    kind = "train" if at.facing[part][space] > 0 else "train-back"
    if v.fate == PLUNGED:
        kind, x, y = "wreck", x + 22 * at.facing[part][space], y + 8
    where = f"the train at {space}" + (f" of the {PARTS[part]} track" if part else "")
    found = [Piece("train", kind, x, y - 4, label=where, z=5, glyph="#", cell=text_cell(part, space))]
    for which, (sign_x, sign_y) in enumerate(at.signs):
        word = PARTS[which + 1]
        face = f"‹ {word}" if which == 0 else f"{word} ›"
        chosen = ", the track that was chosen" if part == which + 1 else ""
        column, row = text_cell(which + 1, 0)
        label = f"the {word} track{chosen}"
        found.append(
            Piece(word, "sign", sign_x, sign_y, label=label, face=face, z=1, glyph=word, cell=(column - 6, row))
        )
    return found


def dials(v: State, at: Layout) -> list[Piece]:
    """The speed, the multiplier, the die, and what the stop charts require now."""
    speed, times, y = max(int(v.speed), 0), int(v.multiplier), at.dials  # a train that was braked stands still (§3.4)
    found = [
        Piece(
            "speed",
            "speed",
            SPEED_X,
            y - 12,
            f"speed {speed}",
            str(speed),
            z=2,
            glyph=f"Speed {speed}",
            cell=(1, DIAL_ROW),
        ),
        Piece(
            "times",
            "times",
            TIMES_X,
            y - 12,
            f"suitcases count ×{times}",
            f"×{times}",
            glyph=f"×{times}",
            cell=(12, DIAL_ROW),
        ),
    ]
    if v.die:
        die = int(v.die)
        found.append(Piece("die", f"die-{die}", DIE_X, y, f"die {die}", glyph=f"die [{die}]", cell=(18, DIAL_ROW)))
    for which in range(2):
        if int(v.track) in (BEFORE, which + SHORT):
            needed_x, needed_y = chart_spot(at, which, at.charts[which].column(speed))
            kind = "needed" if len(at.charts[which].columns) <= WIDE else "needed-narrow"
            found.append(Piece(f"needed-{PARTS[which + 1]}", kind, needed_x, needed_y))
    return found


# the players


def line(v: State, at: Layout, seat: Seat) -> list[Piece]:
    """A player's line: passenger, suitcases left, points, and the cards played."""
    y, row = at.line(seat), PLAYER_ROW + seat
    name, aboard = SEAT_NAMES[seat], bool(is_aboard(v, seat))
    colour = name.lower()
    points = int(v.points[seat])
    suitcases = int(v.suitcases[seat])
    left = "".join(str(n) if suitcases >> n & 1 else "." for n in range(1, SUITCASES + 1))
    found = [
        Piece(f"sign-{colour}", f"sign-{colour}", 27, y, glyph=GLYPHS[seat], cell=(3, row)),
        Piece(
            f"{colour}-passenger",
            "aboard" if aboard else "off",
            133,
            y,
            f"{name}’s passenger is {'aboard' if aboard else 'off'}",
            glyph="aboard" if aboard else "off",
            cell=(12, row),
        ),
        Piece(
            f"{colour}-points",
            "points",
            POINTS_X,
            y - 5,
            f"{name}: {points} points",
            str(points),
            glyph=f"{left}{points:>5}",
            cell=(20, row),
        ),
    ]
    found += chips(points, colour, y + 13)
    for n in range(1, SUITCASES + 1):
        if suitcases >> n & 1:
            x = FIRST_CASE + (n - 1) * CASE_PITCH
            found.append(Piece(f"{colour}-{n}", "case" if aboard else "case-lost", x, y, face=str(n)))
    if seat == v.engineer and v.ask != OVER:
        found.append(Piece("engineer", "engineer", 27, y, f"{name} is the engineer", z=1, glyph=">", cell=(1, row)))
    if v.ask == OVER and seat in winners(v):
        found.append(Piece(f"{colour}-wins", "engineer", 27, y, f"{name} has won", z=1, glyph="*", cell=(1, row)))
    if v.ask == OVER and aboard:
        return [*found, ending(v, y, row, seat)]
    return found + (sealed(v, y, row, seat) if v.choice[seat] else shown(v, y, row, seat))


def chips(points: int, colour: str, y: float) -> list[Piece]:
    """§1.2: points in as few chips as possible, the most valuable first; many overlap."""
    pile = []
    for worth in CHIPS:
        pile += [worth] * (points // worth)
        points %= worth
    pitch = min(7.0, 36 / max(len(pile) - 1, 1))
    first = POINTS_X - pitch * (len(pile) - 1) / 2
    return [Piece(f"{colour}-chip-{i}", f"chip-{worth}", first + i * pitch, y) for i, worth in enumerate(pile)]


def ending(v: State, y: float, row: int, seat: Seat) -> Piece:
    """What became of a passenger who was aboard to the end."""
    saved = int(plain_value(v, seat))
    words = "over the cliff" if v.fate == PLUNGED else f"safe, +{saved}" if saved else "safe"
    label = f"{SEAT_NAMES[seat]}: {words}"
    kind = "bad" if v.fate == PLUNGED else "good"
    return Piece(f"{SEAT_NAMES[seat].lower()}-result", kind, CARDS_X - 14, y, label, words, glyph=words, cell=(35, row))


def sealed(v: State, y: float, row: int, seat: Seat) -> list[Piece]:
    """Cards that lie face down; a pass looks like any other."""
    colour = SEAT_NAMES[seat].lower()
    found = [
        Piece(f"{colour}-card-{i}", f"back-{colour}", CARDS_X + i * CARD_PITCH, y, glyph="▒", cell=(35 + i, row))
        for i in range(2)
    ]
    word = "ready" if v.choice[seat] == UNKNOWN else f"ready: {choice_name(int(v.choice[seat]))}"
    label = f"{SEAT_NAMES[seat]} is ready"
    return [*found, Piece(f"{colour}-result", "note", RESULT_X, y, label, "ready", glyph=word, cell=(38, row))]


def shown(v: State, y: float, row: int, seat: Seat) -> list[Piece]:
    """The cards of the last reveal, pale once the next round has begun, and their outcome."""
    colour, choice = SEAT_NAMES[seat].lower(), int(v.shown[seat])
    is_past = int(v.ask) in (BRAKING, SWITCHING, CHOOSING)
    if not choice:
        return []
    works, words = outcome(v, seat)
    found = [
        Piece(
            f"{colour}-card-{i}",
            f"{'past' if is_past else 'shown'}-{kind_of(card)}",
            CARDS_X + i * CARD_PITCH,
            y,
            face=card if kind_of(card) == "suitcase" else "",
        )
        for i, card in enumerate(cards_of(choice))
    ]
    cards = choice_name(choice)
    kind = "past" if is_past else "good" if works else "note"
    spoken = plain(choice_in_words(choice), SEAT_NAMES)
    label = f"{SEAT_NAMES[seat]} showed {spoken}" + ("" if words in ("", cards) else f": {words}")
    glyph = cards if words in ("", cards) else f"{cards}: {words}"
    x = RESULT_X if cards_of(choice) else CARDS_X - 14
    return [*found, Piece(f"{colour}-result", kind, x, y, label, words, glyph=glyph, cell=(35, row))]


def outcome(v: State, seat: Seat) -> tuple[bool, str]:
    """Whether the cards last shown took effect, and their outcome, in few words."""
    choice = int(v.shown[seat])
    if v.gained[seat] == UNKNOWN:  # in the middle of a reveal: not counted yet
        return False, ""
    if int(effective(v)) >> choice & 1:
        if choice == FIRST_LEAVE:
            return True, "gets off"
        jumped = "" if is_aboard(v, seat) else ", jumps"
        return True, f"+{v.gained[seat]}{jumped}"
    if choice < FIRST_LEAVE:
        return False, choice_name(choice)
    if v.shown.tolist().count(choice) > 1:
        return False, "alike"
    return False, "not lowest" if choice < FIRST_CONDUCTOR else "not highest"


# The player's own cards


def hand(v: State, at: Layout, seat: Seat) -> list[Piece]:
    """A seat's hand, with what it has sealed raised, and the answers that are not cards."""
    y, row = at.hand(int(v.seats)), PLAYER_ROW + int(v.seats) + 1
    if not is_aboard(v, seat):
        words = "You are off the train."
        return [Piece("off", "note", HAND_X - 20, y, face=words, glyph=words, cell=(1, row))]
    chosen = int(v.choice[seat])
    lifted = cards_of(chosen) if chosen else []
    found, column = [], 1
    suitcases = int(v.suitcases[seat])
    cards = ["passenger", "conductor", *(str(n) for n in range(1, SUITCASES + 1) if suitcases >> n & 1)]
    for card in cards:
        place = int(card) + 1 if card.isdecimal() else cards.index(card)
        label = f"your suitcase {card}" if card.isdecimal() else f"your {card}"
        up = 10 if card in lifted else 0
        x = HAND_X + place * HAND_PITCH
        face = card if card.isdecimal() else ""
        found.append(
            Piece(card_id(card), f"held-{kind_of(card)}", x, y - up, label, face, z=1, glyph=card, cell=(column, row))
        )
        column += len(card) + 2
    return found + buttons(v, y, row, column + 2, seat)


def buttons(v: State, y: float, row: int, column: int, seat: Seat) -> list[Piece]:
    """Answers that are a single touch."""
    if v.ask == JUMPING and seat == v.jumper:
        words = ["jump", "stay"]
    elif v.ask == CHOOSING:
        words = ["bluff", "pass"] if can_choose(v, seat, BLUFF - PASS + 1) else ["pass"]
    else:
        return []
    found = []
    for place, word in enumerate(words):
        is_sealed = bool(v.choice[seat]) and choice_name(int(v.choice[seat])) == word
        kind = "sealed-button" if is_sealed else "button"
        at_y = y + (place - (len(words) - 1) / 2) * 45
        found.append(Piece(word, kind, BUTTON_X, at_y, word, word, z=1, glyph=f"[{word}]", cell=(column, row)))
        column += len(word) + 4
    return found
