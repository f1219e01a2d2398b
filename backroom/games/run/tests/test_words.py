"""The notation of Run, its sentences, its refusals and its positions."""

import re

import pytest

import backroom
from backroom.engine.game import BadPosition, IllegalMove

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
        ("24/25", "1 to 24"),
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
        ("white 1:15", "2 1", "5/7", "no man on your point 5"),
        ("white 1:15", "2 1", "1/5", "you have no 4 to play (§3.2)"),
        ("white 1:15", "6 6", "1/6", "you have no 5 to play (§3.2)"),
        ("white 1:14 12:1", "6 1", "12/13", "point 13 is closed: Black has a man there (§3.1)"),
        ("white 1:14 5:1", "2 1", "1/3", "only the runner may move until it has reached point 13 (§3.5)"),
        ("white 18:1 23:14", "2 1", "23/off", "all fifteen men are home (§4.1)"),
        ("white 19:1 24:14", "2 1", "19/off", "worth 6, more than your dice (§4.2)"),
        ("white 20:5 23:10", "4 3", "23/off", "farther point must be moved by that die instead (§4.3)"),
        ("white 1:15 | turn white | left 1", "2 1", "1/3", "the 2 is played"),
        ("white 1:15", "2 1", "roll 6 6", "nature's to roll"),
    ],
)
def test_why_not(position, roll, move, reason):
    assert reason in why(at(position, roll=roll), move)


def test_why_not_for_nature():
    s = GAME.start(*GAME.settle(2, {}))
    assert "§2.1" in why(s, "roll 6 4")
    assert "§2.2" in why(at("white 1:15"), "open 6 4")


def test_every_refusal_over_random_states_gives_a_reason():
    """Whatever step is not legal, in any state of some games, has a reason that names a § or a missing man."""
    from backroom.engine.kernel import dice_from
    from backroom.games.run.rules import STEP, VOCABULARY

    reasons = set()
    for seed in range(3):
        s = GAME.start(*GAME.settle(2, {"must_open": "yes"}))
        for played, (seat, _) in enumerate(GAME.stroll(s, 2, dice_from(seed))):
            if seat != 15 and played % 5 == 0:
                legal = GAME.moves(s, seat)
                for move in range(STEP, VOCABULARY):
                    point = (move - STEP) // 6 + 1
                    if move not in legal and point + (move - STEP) % 6 + 1 <= 25:
                        reason = GAME.rules.why(s, seat, move)
                        assert "§" in reason or "no man" in reason
                        reasons.add(re.sub(r"\d+", "N", reason))
    assert len(reasons) >= 10


def test_a_refusal_says_who_what_why_and_the_paragraph():
    table = GAME.table(seed=7)
    (seat,) = table.asked
    with pytest.raises(IllegalMove, match=r"^White cannot play 1/2: you have no 1 to play \(§3.2\)$"):
        table.play(seat, "1/2")
    with pytest.raises(IllegalMove, match=r"^Black cannot play 1/2: it is for White to answer$"):
        table.play(1 - seat, "1/2")
    with pytest.raises(IllegalMove, match=r"^White cannot play 'e4': a move is written FROM/TO"):
        table.play(seat, "e4")


# sentences


def test_the_story_of_a_game():
    table = GAME.table(nature=False)
    for seat, text in [(15, "open 6 4"), (0, "1/7"), (0, "7/11"), (15, "roll 3 3"), (1, "1/4")]:
        table.play(seat, text)
    assert list(table.story()) == [
        "White rolls 6, Black rolls 4: White begins.",
        "White moves 1/7.",
        "White moves 7/11.",
        "Black rolls 3-3, and can play it only three times.",
        "Black moves 1/4.",
    ]


def say(position, roll, *moves, **options):
    table = GAME.table(start=position, nature=False, **options)
    table.play(15, f"roll {roll}")
    for text in moves:
        table.play(table.asked[0], text)
    return list(table.story())[-1]


def test_sentences_for_what_goes_wrong_and_right():
    assert say("white 1:14 7:1 | black 20:5 21:5 22:5", "2 1") == "White rolls 2-1, and cannot move: the turn is lost."
    assert say("white 14:1 24:14 | black 11:2 13:13", "5 4") == "White rolls 5-4, and can play only the 5."
    assert say("white 24:2 off:13", "2 1", "24/off") == "White bears off from 24."
    assert say("white 24:1 off:14", "2 1", "24/off") == "White bears off from 24 and wins."
    lead = "White bears off from 24 and wins"
    assert say("white 24:1 off:14", "2 1", "24/off", match=5) == f"{lead} the game, two points; the match stands 2–0."
    assert say("white 24:1 off:14 | points 4 2", "2 1", "24/off", match=5) == f"{lead} the match 5–2."


def test_the_question():
    ask = GAME.rules.question
    assert ask(GAME.start(*GAME.settle(2, {})), 0) == "Each rolls one die to begin."
    s = at("white 1:15", roll="2 1")
    assert (ask(s, 0), ask(s, 1)) == ("You have 2 and 1 to play.", "White has 2 and 1 to play.")
    assert ask(at("white 1:15", roll="5 5"), 0) == "You have 5, 5, 5, 5 to play."
    assert ask(at("white 1:15"), 1) == "White rolls."
    won = after(at("white 24:1 off:14", roll="2 1"), "24/off")
    assert ask(won, 1) == "The game is over: White has won."


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
        ("roll 2 1 | left 3", "expected dice of the roll 2 1"),
        ("roll 2 1 | left 2 2", "expected dice of the roll 2 1"),
        ("white 1:14 7:1 | black 20:5 21:5 22:5 | roll 2 1 | left 2", "cannot be played out so"),
        ("roll 2 1 | left 2 1 | must open", "needs the option must_open"),
        ("points 1 0", "expected 2 numbers from 0 to 0"),
    ],
)
def test_impossible_positions_are_refused(position, refusal):
    with pytest.raises(BadPosition, match=re.escape(refusal)):
        GAME.table(start=position)


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
