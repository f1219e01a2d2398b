"""The notation of Run, its sentences, its refusals and its positions."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import backroom
from backroom.engine.kernel import NATURE, dice_from
from backroom.engine.marks import who
from backroom.engine.protocol import BadPosition, IllegalMove, Result
from backroom.games.run.rules import STEP

from .boards import GAME, after, at, names, why

BLANK = GAME.blank()


@pytest.mark.parametrize("text", ["1/7", "18/24", "22/off", "roll 6 4", "roll 1 1", "open 2 5"])
def test_names_read_back(text):
    assert GAME.rules.name(BLANK, GAME.rules.parse(BLANK, text)) == text


@pytest.mark.parametrize(("text", "name"), [("roll 4 6", "roll 6 4"), ("ROLL 64", "roll 6 4"), ("22/OFF", "22/off")])
def test_names_are_read_kindly(text, name):
    assert GAME.rules.name(BLANK, GAME.rules.parse(BLANK, text)) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1-7", "FROM/TO"),
        ("", "FROM/TO"),
        ("roll 7 1", "FROM/TO"),
        ("0/3", "1 to 24"),
        ("24/25", "but by bearing off"),
        ("20/26", "but by bearing off"),
        ("25/off", "1 to 24"),
        ("1 / 7", "FROM/TO"),
        ("１/7", "FROM/TO"),
        ("7/7", "forward"),
        ("1/9", "at most six"),
        ("open 3 3", "rolled again"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_was_expected(text, expected):
    with pytest.raises(ValueError, match=expected):
        GAME.rules.parse(BLANK, text)


@pytest.mark.parametrize(
    ("position", "roll", "move", "reason"),
    [
        ("white 1:15", "2 1", "5/7", "no man on your point 5 (§3.1)"),
        ("white 1:15", "2 1", "1/5", "you have no 4 to play (§3.2)"),
        ("white 1:15", "6 6", "1/6", "you have no 5 to play (§3.2)"),
        ("white 1:14 12:1", "6 1", "12/13", "point 13 is closed: Black has a man there (§3.1)"),
        ("white 14:1 23:14 | black 3:1 7:1 24:13", "5 1", "14/19", "point 19 is closed"),
        ("white 1:14 5:1", "2 1", "1/3", "only the runner may move until it has reached point 13 (§3.5)"),
        ("white 1:14 5:1 | black 1:3 2:3 3:1 20:3 21:1 22:1 23:1 24:2", "4 1", "1/5", "only the runner"),
        ("white 14:1 24:14 | black 11:2 13:13", "5 4", "14/18", "must be the larger (§3.4)"),
        ("white 14:1 15:1 24:13 | black 9:1 10:1 13:13", "6 2", "14/16", "then the 6 could not be played"),
        ("white 1:3 2:2 3:2 4:2 5:2 24:4 | black 19:3 20:3 21:3 22:3 23:3", "5 4", "1/6", "mother board held (§3.7)"),
        ("white 1:3 2:2 3:2 4:2 5:2 24:4 | black 19:3 20:3 21:3 22:3 23:3", "5 4", "2/6", "mother board held (§3.7)"),
        ("white 18:1 23:14", "2 1", "23/off", "all fifteen men are home (§4.1)"),
        ("white 19:1 24:14", "2 1", "19/off", "worth 6, more than your dice (§4.2)"),
        ("white 20:5 24:10", "5 2", "24/off", "a man farther off must be moved by the 2 (§4.3)"),
        ("white 20:5 23:5 24:5", "5 2", "24/off", "the 2 takes a man off point 23 (§4.2)"),
        ("white 21:5 24:10", "6 5", "24/off", "the 5 takes a man off the farthest point, 21 (§4.3)"),
        ("white 20:5 23:10", "4 3", "23/off", "a man farther off must be moved by the 3 (§4.3)"),
        (
            "white 19:5 22:10 | black 12:14 13:1",
            "5 2",
            "22/off",
            "the 5 is lost: a man farther off",
        ),
        ("white 1:15", "2 1", "roll 6 6", "nature's to roll"),
    ],
)
def test_why_not(position, roll, move, reason):
    assert reason in why(at(position, roll=roll), move)


def test_why_not_again_what_has_been_played():
    assert "the 2 has been played (§3.2)" in why(after(at("white 1:15", roll="2 1"), "1/3"), "3/5")
    home = after(at("white 20:7 24:8", roll="5 2"), "20/off")
    assert "the 5 has been played (§3.2)" in why(home, "20/off")


def test_why_not_for_nature():
    s = GAME.start(*GAME.settle(2, {}))
    assert "§2.1" in why(s, "roll 6 4")
    assert "§2.2" in why(at("white 1:15"), "open 6 4")


def test_every_refusal_over_random_states_names_a_paragraph_that_is_broken():
    """For every illegal step in the states of some games, the § in the refusal is one that forbids it."""
    named = set()
    for seed in range(4):
        s = GAME.start(*GAME.settle(2, {"must_open": "yes"}))
        for played, (seat, _) in enumerate(GAME.stroll(s, 2, dice_from(seed))):
            if seat != NATURE and played % 5 == 0:
                legal = GAME.moves(s, seat)
                for move in range(STEP, STEP + 24 * 6):
                    point, to = (move - STEP) // 6 + 1, (move - STEP) // 6 + 1 + (move - STEP) % 6 + 1
                    if move not in legal and to <= 25:
                        reason = GAME.rules.why(s, seat, move)
                        paragraph = re.search(r"§(\d\.\d|6)", reason)[1]
                        named.add(paragraph)
                        assert in_the_way(s, seat, point, to, paragraph), (GAME.rules.position(s), point, to, reason)
    assert named >= {"3.1", "3.2", "3.4", "3.5", "4.1", "4.2", "4.3"}


def in_the_way(s, seat, point, to, paragraph):
    """Whether a § forbids a step by itself, as far as that can be said without playing turns out."""
    own, other = s.men[seat], s.men[1 - seat]
    worth, dice = 25 - point, [int(die) for die in s.dice]
    return {
        "3.1": lambda: own[point] == 0 or (to < 25 and other[(to + 11) % 24 + 1] > 0),
        "3.2": lambda: to - point not in dice or not s.left.all(),
        "3.4": lambda: True,
        "3.5": lambda: not own[13:].any() and point == 1 and own[2:13].any(),
        "3.7": lambda: np.count_nonzero(own[1:7]) >= 4,
        "4.1": lambda: to == 25 and own[1:19].any(),
        "4.2": lambda: to == 25 and (worth > max(dice) or any(own[25 - die] for die in dice)),
        "4.3": lambda: to == 25 and own[19:point].any(),
        "6": lambda: bool(s.unwalled),
    }[paragraph]()


def test_a_refusal_says_who_what_why_and_the_paragraph():
    table = GAME.table(seed=7)
    (seat,) = table.asked
    with pytest.raises(IllegalMove, match=r"^White cannot play 1/2: you have no 1 to play \(§3.2\)$"):
        table.play(seat, "1/2")
    with pytest.raises(IllegalMove, match=r"^Black cannot play 1/2: it is for White to answer$"):
        table.play(1 - seat, "1/2")
    with pytest.raises(IllegalMove, match=r"^White cannot play 'e4': a move is written FROM/TO"):
        table.play(seat, "e4")


@given(st.text(max_size=12) | st.from_regex(r"(roll|open|[0-9]{1,3}/)[ 0-9of]{0,6}", fullmatch=True))
def test_any_text_is_a_move_or_is_refused(text):
    try:
        move = GAME.rules.parse(BLANK, text)
    except ValueError:
        return
    assert GAME.rules.parse(BLANK, GAME.rules.name(BLANK, move)) == move


parts = st.sampled_from(
    ["white", "black", "turn white", "turn black", "roll 6 1", "rolled 6 1", "left 6", "left 6 1", "opening"]
)
men = st.lists(st.tuples(st.sampled_from([1, 2, 13, 19, 24, "off"]), st.integers(0, 15)), max_size=4)


@given(st.lists(st.tuples(parts, men), max_size=5) | st.text(max_size=20))
def test_any_text_is_a_position_or_is_refused(said):
    """A mangled position is refused, or it is read as a whole state that round-trips."""
    if not isinstance(said, str):
        said = " | ".join(
            part + "".join(f" {at}:{n}" for at, n in men if part in ("white", "black")) for part, men in said
        )
    s = GAME.start(*GAME.settle(2, {}))
    try:
        GAME.rules.place(s, said)
    except ValueError:
        return
    again = GAME.start(*GAME.settle(2, {}))
    GAME.rules.place(again, GAME.rules.position(s))
    assert GAME.rules.is_whole(s)
    assert GAME.key(again) == GAME.key(s)


# labels and sentences


def test_labels():
    assert GAME.table(start="white 1:14 20:1 | roll 6 4", nature=False).labels(0) == [
        "Move from 1 to 7",
        "Move from 1 to 5",
        "Move from 20 to 24",
    ]
    assert "Bear off from 24" in GAME.table(start="white 24:2 off:13 | roll 2 1", nature=False).labels(0)


def test_the_story_of_a_game():
    table = GAME.table(nature=False)
    for seat, text in [(15, "open 6 4"), (0, "1/7"), (0, "7/11"), (15, "roll 3 3"), (1, "1/4")]:
        table.play(seat, text)
    assert list(table.story()) == [
        "To begin, White rolls 6 and Black 4: White is first.",
        "White moves from 1 to 7.",
        "White moves from 7 to 11.",
        "Black rolls 3-3, and can play it only three times (§3.4).",
        "Black moves from 13 to 16.",
    ]
    assert list(table.story(1))[1:] == [  # each reader is told the numbers on its own board
        "White moves from 13 to 19.",
        "White moves from 19 to 23.",
        "Black rolls 3-3, and can play it only three times (§3.4).",
        "Black moves from 1 to 4.",
    ]
    table.who = {0: "Ann", 1: "@0@ [[die-6|Bob]]"}
    assert list(table.turns()) == [
        (1, "To begin, Ann rolls 6 and @0@ [[die-6|Bob]] 4: Ann is first."),
        (2, "Ann moves from 1 to 7, moves from 7 to 11."),
        (4, "@0@ [[die-6|Bob]] rolls 3-3, and can play it only three times (§3.4), moves from 13 to 16."),
    ]


def say(position, roll, *moves, **options):
    table = GAME.table(start=position, nature=False, **options)
    table.play(15, f"roll {roll}")
    for text in moves:
        table.play(table.asked[0], text)
    return list(table.story())[-1]


def test_sentences_for_what_goes_wrong_and_right():
    lost = "and cannot move"
    assert (
        say("white 1:14 7:1 | black 20:5 21:5 22:5", "2 1") == f"White rolls 2-1, {lost}: the runner is blocked (§3.6)."
    )
    assert say("white 14:1 24:14 | black 6:7 7:7 13:1", "5 4") == f"White rolls 5-4, {lost}: the turn is lost (§3.4)."
    assert say("white 14:1 24:14 | black 11:2 13:13", "5 4") == "White rolls 5-4, and can play only the 5 (§3.4)."
    assert say("white 24:2 off:13", "2 1", "24/off") == "White bears off from 24."
    lead = "White bears off from 24"
    one = "white 24:1 off:14 | black 24:14 off:1"
    double = "White wins double: two points, with all men off before Black has any (§5.1)."
    assert say("white 24:1 off:14", "2 1", "24/off") == f"{lead}. {double}"
    assert say(one, "2 1", "24/off") == f"{lead}. White wins one point, with all men off first (§5.1)."
    stands = "the match stands White"
    assert (
        say("white 24:1 off:14", "2 1", "24/off", match=5)
        == f"{lead} and wins double, two points (§5.1); {stands} 2, Black 0."
    )
    assert say(one, "2 1", "24/off", match=5) == f"{lead} and wins the game, one point (§5.1); {stands} 1, Black 0."
    assert (
        say("white 24:1 off:14 | points 4 2", "2 1", "24/off", match=5)
        == f"{lead}. White wins the match, 5 points to 2 (§5.2)."
    )


def test_the_question():
    def ask(s, seat):
        return GAME.plain(GAME.rules.question(s, seat))

    assert ask(GAME.start(*GAME.settle(2, {})), 0) == "Each rolls one die to begin."
    s = at("white 1:15", roll="2 1")
    hint = "Only the runner may move until it has reached 13 (§3.5)."
    assert (ask(s, 0), ask(s, 1)) == (f"You have 2 and 1 to play. {hint}", "White has 2 and 1 to play.")
    assert ask(at("white 1:14 20:1", roll="5 5"), 0) == "You have 5, 5, 5, 5 to play."
    assert ask(at("white 1:15"), 1) == "White rolls."
    won = after(at("white 24:1 off:14", roll="2 1"), "24/off")
    assert (
        ask(won, 1) == "The game is over. White wins double: two points, with all men off before Black has any (§5.1)."
    )


def test_the_result():
    result = GAME.rules.result
    assert result(at("white 24:1 off:14", roll="2 1")) is None
    won = after(at("white 24:1 off:14", roll="2 1"), "24/off")
    double = f"{who(0)} wins double: two points, with all men off before {who(1)} has any (§5.1)."
    assert result(won) == Result(double, ("2 points", "0 points"), (0,))
    lost = after(at("white 24:14 off:1 | black 24:1 off:14 | turn black", roll="2 1"), "24/off")
    single = f"{who(1)} wins one point, with all men off first (§5.1)."
    assert result(lost) == Result(single, ("0 points", "1 point"), (1,))
    match = after(at("white 24:1 off:14 | points 4 2", roll="2 1", match=5), "24/off")
    assert result(match) == Result(f"{who(0)} wins the match, 5 points to 2 (§5.2).", ("5 points", "2 points"), (0,))


# positions


@pytest.mark.parametrize(
    ("position", "refusal"),
    [
        ("white 1:14", "white has 14 men; expected 15"),
        ("white 1:14 1:1", "says point 1 twice"),
        ("white 25:1 1:14", "expected POINT:MEN or off:MEN, points 1 to 24"),
        ("white one:15", "expected POINT:MEN"),
        ("green 1:15", "is no part of a position; expected white, black, turn"),
        ("white 1:15 | white 1:15", "says 'white' twice"),
        ("white 13:15", "both have men there (§3.1)"),
        ("white 1:13 2:2", "runner can have left point 1 before a man has reached 13 (§3.5)"),
        ("white 1:13 24:1 off:1", "men off and men outside the home board (§4.1)"),
        ("white 1:4 2:3 3:2 4:2 5:2 6:1 24:1", "no turn ends so (§3.7)"),
        ("white off:15", "that game is over (§5.1)"),
        ("turn green", "turn 'green'; expected white or black"),
        ("roll 7 1", "roll '7 1'; expected 2 numbers from 1 to 6"),
        ("rolled 1", "expected 2 numbers"),
        ("roll 2 1 | opening", "not two of these"),
        ("left 2", "expected 'roll' too"),
        ("roll 2 1 | must open", "expected 'left' too"),
        ("opening nonsense", "'opening nonsense' is no part of a position"),
        ("white 2:0 2:1 1:14", "says point 2 twice"),
        ("white off:15 | opening", "between two games"),
        ("white off:15 | rolled 2 1 | opening", "between two games"),
        ("white 1:15 | black 24:1 off:14 | opening", "between two games"),
        ("new game", "it begins with 'opening' (§2.1)"),
        ("rolled 6 1 | opening", "it begins with 'opening' (§2.1)"),
        ("roll 2 1 | left 1", "no man can have played the rest of the roll 2 1"),
        ("roll 3 3 | left 3", "no man can have played"),
        ("white 1:4 2:3 3:2 4:2 5:2 6:1 24:1 | black 19:15 | roll 2 1 | left 2 1", "no man can have played"),
        ("roll 2 1 | left 3", "expected dice of the roll 2 1"),
        ("roll 2 1 | left 2 2", "expected dice of the roll 2 1"),
        ("white 1:14 7:1 | black 20:5 21:5 22:5 | roll 2 1 | left 2", "cannot be played out so"),
        ("white 1:14 3:1 | roll 2 1 | left 1 | must open", "needs the option must_open"),
        ("roll 9999999999999999999999 1", "expected 2 numbers from 1 to 6"),
        ("points 1 0", "expected 2 numbers from 0 to 0"),
    ],
)
def test_impossible_positions_are_refused(position, refusal):
    with pytest.raises(BadPosition, match=re.escape(refusal)):
        GAME.table(start=position)


@pytest.mark.parametrize(
    ("position", "options"),
    [
        ("white off:15 | black 19:15 | rolled 2 1 | opening | points 2 0", dict(match=3)),
        (
            "black off:15 | white 19:15 | turn black | rolled 2 1 | new game | points 0 2",
            dict(match=3, winner_starts=True),
        ),
        ("white 1:14 3:1 | roll 2 1 | left 1", {}),
        ("white 1:1 2:3 3:3 4:2 5:1 6:1 13:4 | black 20:15 | roll 2 1 | left 1", {}),
    ],
)
def test_odd_but_possible_positions_are_taken(position, options):
    assert GAME.table(start=position, **options).asked


@pytest.mark.parametrize(
    ("position", "options"),
    [
        ("white off:15 | black 19:15 | turn black | rolled 2 1 | opening | points 2 0", dict(match=3)),
        ("white off:15 | black 19:15 | rolled 2 1 | new game | points 2 0", dict(match=3)),
        ("white off:15 | black 19:15 | rolled 2 1 | opening | points 2 0", dict(match=3, winner_starts=True)),
    ],
)
def test_impossible_moments_between_games_are_refused(position, options):
    with pytest.raises(BadPosition, match="between two games"):
        GAME.table(start=position, **options)


def test_the_duty_to_open_a_wall_is_part_of_a_position():
    walled = "white 14:2 15:2 16:2 17:2 18:2 19:2 24:3 | black 1:15 | roll 2 1 | left 2 1"
    assert GAME.table(start=f"{walled} | must open", must_open="yes").state.unwalled
    with pytest.raises(BadPosition, match="no man can have played"):
        GAME.table(start=walled, must_open="yes")


def test_a_position_can_be_begun_from_and_its_log_replays():
    table = GAME.table(start="white 24:2 off:13 | black 1:15 | turn black | points 2 1", match=3, seed=4)
    while not table.is_over:
        table.play(table.asked[0], table.moves(table.asked[0])[0])
    again = backroom.replay(str(table.log))
    assert again.score == table.score == (3.0, 1.0)
    assert again.start == table.start


def test_a_roll_in_a_position_that_cannot_be_played_is_lost():
    s = at("white 1:14 7:1 | black 20:5 21:5 22:5", roll="2 1")
    assert names(s)[0] == "roll 1 1"
    assert s.turn == 1
