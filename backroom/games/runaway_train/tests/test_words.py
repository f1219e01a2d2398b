"""The notation of RunAway Train, its sentences, its refusals and its positions."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backroom.engine.kernel import NATURE, SPECTATOR, dice_from
from backroom.engine.marks import who
from backroom.engine.protocol import BadPosition, IllegalMove, Result
from backroom.games.runaway_train.words import MOVES
from backroom.terminal.answers import leaves_the_game, read

from .boards import GAME, after, at, shows, start, why

BLANK = GAME.blank()


@pytest.mark.parametrize("move", range(len(MOVES)))
def test_names_read_back(move):
    assert GAME.rules.parse(BLANK, GAME.rules.name(BLANK, move)) == move


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(
            ("p3", "passenger+3"),
            ("C 7", "conductor+7"),
            ("Passenger 3", "passenger+3"),
            ("passenger + 3", "passenger+3"),
        ),
        *(("pc", "passenger+conductor"), ("Conductor+Passenger", "passenger+conductor"), ("PASS", "pass")),
        *(("roll6", "roll 6"), ("LOT 2", "lot 2")),
    ],
)
def test_names_are_read_kindly(text, name):
    assert GAME.rules.name(BLANK, GAME.rules.parse(BLANK, text)) == name


@pytest.mark.parametrize("text", ["", "p8", "p0", "passenger", "3", "roll 7", "c７", "leave now", "3+4"])
def test_what_cannot_be_read_is_refused_with_what_was_expected(text):
    with pytest.raises(ValueError, match=r"passenger\+3 \(p3 for short\)"):
        GAME.rules.parse(BLANK, text)


@given(st.text(max_size=12) | st.from_regex(r"(roll|lot|p|c|passenger|conductor)[ +]{0,2}[0-9c]{0,2}", fullmatch=True))
def test_any_text_is_a_move_or_is_refused(text):
    try:
        move = GAME.rules.parse(BLANK, text)
    except ValueError:
        return
    assert GAME.rules.parse(BLANK, GAME.rules.name(BLANK, move)) == move


# refusals

CHOOSE = "red 4 points 24 | train 12 | speed 3 | choose"


@pytest.mark.parametrize(
    ("position", "seat", "move", "reason"),
    [
        (CHOOSE, 0, "bluff", "a bluff needs two suitcases (§3.5)"),
        (CHOOSE, 0, "p3", "your suitcase 3 has gone off (§3.8)"),
        (CHOOSE, 0, "c7", "your suitcase 7 has gone off (§3.8)"),
        (CHOOSE, 0, "jump", "only who has just got a suitcase off with his passenger may jump (§4.3)"),
        (CHOOSE, 0, "short", "a track is chosen by the engineer, when the train is at the switch (§3.3)"),
        (CHOOSE, 0, "roll 6", "dice are nature's to roll, the rest is for the players (§3)"),
        ("red 4 points 24 chose pass | train 12 | speed 3 | choose", 0, "pass", "what you have sealed already (§3.5)"),
        ("train 32 | speed 3 | switch", 0, "pass", "cards are chosen after the train has moved"),
        ("blue 4 points 24 off | train 12 | speed 3 | choose", 1, "pass", "off the train and play no more (§4.4)"),
        ("train 12 | speed 3 | roll", NATURE, "brake 3", "the die that is due is 'roll' (§3)"),
        ("train 52 short | speed 3 | stop", NATURE, "roll 3", "the die that is due is 'stop' (§3)"),
    ],
)
def test_why_not(position, seat, move, reason):
    s = at(position)
    assert GAME.rules.parse(s, move) not in GAME.moves(s, seat)
    assert reason in why(s, seat, move)


def test_while_somebody_may_jump_no_cards_are_chosen():
    s = shows(at(CHOOSE), "passenger+4", "pass", "pass")
    assert "decided who jumps" in why(s, 0, "pass")


def test_a_refusal_says_who_what_why_and_the_paragraph():
    table = GAME.table(start=CHOOSE, nature=False)
    with pytest.raises(IllegalMove, match=r"^Red cannot play bluff: a bluff needs two suitcases \(§3\.5\)$"):
        table.play(0, "bluff")
    with pytest.raises(IllegalMove, match=r"^Red cannot play 'e4': a move is passenger\+3"):
        table.play(0, "e4")


# sentences


def test_the_story_of_a_round_as_everybody_hears_it():
    table = GAME.table(nature=False)
    lines = [
        *((NATURE, "lot 3"), (NATURE, "lot 5"), (NATURE, "lot 5"), (NATURE, "lot 1"), (NATURE, "lot 4")),
        *((NATURE, "roll 4"), (0, "passenger+3"), (2, "pass"), (0, "conductor+7"), (1, "passenger+2"), (1, "stay")),
    ]
    for seat, text in lines:
        table.play(seat, text)
    told = list(table.story(SPECTATOR))
    assert told == [
        "Red rolls 3 for the first turn as engineer.",
        "Blue rolls 5 for the first turn as engineer.",
        "Green rolls 5 for the first turn as engineer: Blue and Green are equal and roll again.",
        "Blue rolls 1 for the first turn as engineer.",
        "Green rolls 4 for the first turn as engineer: all aboard, Green begins (§1.2).",
        "Green rolls 4: speed 2, the train goes to 2.",
        "All show: Red the conductor and suitcase 7, Blue the passenger and suitcase 2, Green no cards; "
        "Red’s suitcase 7 goes off for 1 point; Blue’s suitcase 2 goes off for 2 points.",
        "Blue stays aboard.",
    ]
    assert list(table.story(0)) == told


def say(position, *moves, **options):
    table = GAME.table(start=position, nature=False, **options)
    for text in moves:
        table.play(table.asked[0], text)
    return list(table.story())[-1]


@pytest.mark.parametrize(
    ("position", "moves", "sentence"),
    [
        (
            "train 8 | speed 2 | roll",
            ["roll 1"],
            "Red rolls 1: speed 2, the train goes to 10, suitcases now count ×2.",
        ),
        (
            "train 15 | speed 5 | roll",
            ["roll 1"],
            "Red rolls 1: speed 5, the train goes to 20, the brake ½ is reached.",
        ),
        ("train 20 | speed 5 | brake 18", ["brake 5"], "Red rolls 5 at the brake ½ (18): speed 3, 2 less."),
        ("train 20 | speed 5 | brake 18", ["brake 1"], "Red rolls 1 at the brake ½ (18): speed 5 as before."),
        (
            "train 27 | speed 5 | brake 18",
            ["brake 1"],
            "Red rolls 1 at the brake ½ (18): speed 5 as before, suitcases now count ×3.",
        ),
        (
            "blue 17 points 9 | train 20 | speed 2 | brake 18",
            ["brake 6"],
            "Red rolls 6 at the brake ½ (18): speed -1, 3 less. The brakes have stopped the train (§3.4); for "
            "suitcases left aboard: Red 28, Blue 8, Green 28 (§5.3). Red and Green share the win with 28 points each "
            "(§5.4).",
        ),
        (
            "train 30 | speed 6 | engineer blue | roll",
            ["roll 1"],
            "Blue rolls 1: speed 6, the train goes to 32, the switch is reached.",
        ),
        ("train 32 | speed 3 | left 4 | switch", ["short"], "Red takes the short track, the train goes to 36."),
        (
            "train 50 short | speed 3 | roll",
            ["roll 1"],
            "Red rolls 1: speed 3, the train goes to 52, this is the end of the short track.",
        ),
        (
            "red 1 points 30 | green 1234567 off | train 52 short | speed 4 | stop",
            ["stop 2"],
            "Red rolls 2 at the end of the short track; at speed 4 a 3 is needed. The train goes over the cliff with "
            "Red and Blue. Green wins with 0 points (§5.4).",
        ),
        (
            "train 68 long | speed 9 | stop",
            ["stop 6"],
            "Red rolls 6 at the end of the long track; at speed 9 nothing stops it. The train goes over the cliff with "
            "Red, Blue and Green. Nobody got off, and nobody wins: all lose alike (§5.4).",
        ),
        (
            CHOOSE,
            ["passenger+4", "passenger+4", "passenger+conductor"],
            "All show: Red the passenger and suitcase 4, Blue the passenger and suitcase 4, Green the passenger and "
            "the conductor; Red and Blue are alike and take their cards back (§3.6); Green gets off, with 0 points.",
        ),
        (
            CHOOSE,
            ["pass", "bluff", "pass"],
            "All show: Red no cards, Blue two suitcases, Green no cards; nothing goes off.",
        ),
        (
            "blue 1 points 30 off | green 2 points 31 off | train 28 | speed 5 | choose",
            ["p7", "jump"],
            "Red jumps off after the suitcase, with 21 points. The last passenger is off (§5.2). Green wins with 31 "
            "points (§5.4).",
        ),
    ],
)
def test_sentences(position, moves, sentence):
    assert say(position, *moves) == sentence


def test_labels():
    table = GAME.table(start=CHOOSE, nature=False)
    assert table.labels(0) == [
        "Pass: show no cards",
        "Get off: show the passenger and the conductor",
        "Show the passenger and suitcase 4",
        "Show the conductor and suitcase 4",
    ]
    assert "Bluff: show two suitcases" in table.labels(1)
    switch = GAME.table(start="train 32 | speed 3 | left 4 | switch", nature=False)
    assert switch.labels(0) == ["Take the short track", "Take the long track"]


def test_the_question():
    def ask(s, seat):
        return GAME.plain(GAME.rules.question(s, seat))

    assert ask(start(), 0) == "Red rolls for the first turn as engineer."
    assert ask(at("train 5 | speed 3 | engineer blue | roll"), 0) == "Blue, the engineer, rolls for the speed."
    assert ask(at("train 20 | speed 3 | brake 18"), 0) == "Red, the engineer, rolls for the brake ½."
    assert ask(at("train 52 short | speed 3 | stop"), 0) == "Red rolls to stop the train."
    switch = at("train 32 | speed 3 | left 2 | switch")
    assert (
        ask(switch, 0)
        == "You are the engineer: short or long? Spaces left of this move: 2. Advice for 3 players: short (§3.3)."
    )
    assert ask(switch, 1) == "Red, the engineer, chooses short or long."
    s = at("green 1 points 30 off | train 31 | speed 3 | choose")
    assert ask(s, 0) == "Choose two cards, or pass. Speed 3, ×3, 1 space to the switch."
    assert ask(s, 2) == ask(s, SPECTATOR) == "Red and Blue must choose. Speed 3, ×3, 1 space to the switch."
    sealed = after(s, "pass")
    assert ask(sealed, 0) == "You have sealed no cards, and may change it. Waiting for Blue."
    jump = shows(s, "p7", "c7")
    assert ask(jump, 0) == "Your suitcase 7 went off for 21 points. Jump after it, or stay aboard?"
    assert ask(jump, 1) == "Red has thrown off suitcase 7, and may jump after it."
    gasp = at("train 52 short | speed 3 | choose", last_gasp="yes")
    assert ask(gasp, 0) == "The last gasp: choose two cards, or pass. Speed 3, ×4, at the end of the track."
    over = after(at("red none points 70 | blue 1234567 off | train 52 short | speed 8 | stop"), "stop 6")
    assert (
        ask(over, 0)
        == "The game is over. The train goes over the cliff with Red and Green. Blue wins with 0 points (§5.4)."
    )


def test_the_result():
    result = GAME.rules.result
    over = at("red none points 70 | blue 1234567 off | green none points 9 off | train 52 short | speed 8 | stop")
    assert result(over) is None
    assert result(after(over, "stop 6")) == Result(
        f"{who(2)} wins with 9 points (§5.4).",
        (
            "70 points, over the cliff",
            "0 points, off the train and 7 suitcases left behind",
            "9 points, off with every suitcase",
        ),
        (2,),
    )
    stopped = after(at("red 67 points 20 | blue 1 points 33 off | train 52 short | speed 4 | stop"), "stop 6")
    assert result(stopped).winners == (0, 1)
    assert result(stopped).seats[:2] == (
        "33 points, safe aboard",
        "33 points, off the train and 1 suitcase left behind",
    )
    lost = result(after(at("train 52 short | speed 8 | stop"), "stop 6"))
    assert (lost.headline, lost.winners) == ("Nobody got off, and nobody wins: all lose alike (§5.4).", ())


# positions


def test_a_position_of_everything():
    text = (
        "red 24567 points 10 chose bluff showed passenger+1 gained 3 | blue none points 50 off | "
        "green 1234567 showed bluff | train 40 long | speed 7 | engineer green | die 4 | choose"
    )
    s = at(text)
    assert GAME.rules.position(s) == text
    assert "chose ?" in GAME.rules.position(GAME.view(s, 2))


def test_what_is_not_said_is_as_at_the_beginning():
    assert GAME.key(at("roll")) == GAME.key(at("train 0 | speed 1 | engineer red | roll"))
    assert GAME.rules.position(start()) == (
        "red 1234567 | blue 1234567 | green 1234567 | train 0 | speed 1 | engineer red | lot red blue green"
    )
    assert GAME.key(at(GAME.rules.position(start()))) == GAME.key(start())


@pytest.mark.parametrize(
    ("position", "refusal"),
    [
        ("pink 1", "is no part of a position; expected red, blue, green, train"),
        ("", "is no part of a position"),
        ("red 1 | red 2", "says 'red' twice"),
        ("roll | choose", "asks two things, 'roll' and 'choose'"),
        ("over plunged", "that game is over"),
        ("red 18", "'18'; expected suitcases like 1357 or none"),
        ("red 21", "in rising order"),
        ("red 11", "in rising order"),
        ("red 1 points", "red: 'points'; expected"),
        ("red 1 points x", "red points 'x'; expected a number from 0 to 999"),
        ("red 1 chose ?", "red chose is hidden; expected the cards"),
        ("red 1 chose nothing", "red chose 'nothing'; expected one of pass, bluff"),
        ("red off | blue off | green off", "nobody is aboard"),
        ("train 33 | roll", "train '33'; expected a number from 0 to 32"),
        ("train 31 short | roll", "train '31'; expected a number from 32 to 52"),
        ("train 40 round | roll", "train on 'round'; expected short or long"),
        ("train 5 | speed 0 | roll", "speed '0'; expected a number from 1 to 99"),
        ("train 5 | die 7 | roll", "die '7'"),
        ("train 5 | engineer pink | roll", "engineer 'pink'; expected one of red, blue, green"),
        ("train 5 | roll red", "'red' after 'roll'; expected nothing"),
        ("train 5 | left 2 | roll", "only at the switch"),
        ("train 20 | brake 10", "there is no brake at 10"),
        ("train 5 | switch", "as soon as the train is at the switch, 32, and not before"),
        ("train 32 | roll", "as soon as the train is at the switch"),
        ("train 50 short | stop", "only at the end of a track"),
        ("train 52 short | choose", "at the end of a track 'stop' is asked"),
        ("train 52 short | roll", "at the end of a track 'stop' is asked"),
        ("choose", "the train has moved before anything else is asked"),
        ("speed 2 | roll", "its speed is 1 and everything is aboard"),
        ("red 1 | roll", "everything is aboard"),
        ("train 5 | lot red blue", "a lot is drawn before the train moves"),
        ("red lot 4 | roll", "a lot is drawn before the train moves"),
        ("lot red", "by two or more, in the order of the seats"),
        ("blue lot 3 | lot red blue", "in the order of the seats"),
        ("green lot 3 | lot red blue", "who is not in it has no lot"),
        ("red 1234567 off | train 5 | engineer red | roll", "the engineer's passenger must be aboard"),
        ("red 12 points 30 chose passenger+3 | train 12 | choose", "red cannot have chosen passenger+3 now"),
        ("red 1234567 chose pass | train 12 | roll", "red cannot have chosen pass now"),
        ("red chose pass | blue chose pass | green chose pass | train 12 | choose", "all aboard have chosen"),
        ("red showed pass | train 12 | roll", "blue is aboard, and has shown something"),
        ("red 23 points 20 | train 12 | jump red", "red has thrown nothing off"),
        ("red 1 points 2 | train 12 | roll", "cannot have come from the suitcases"),
        ("red 1234567 points 2 | train 12 | roll", "cannot have come from the suitcases"),
        ("red 234567 points 1 showed passenger+1 | blue showed pass | green showed pass | train 5 | roll", "gained 0;"),
        (
            "red showed passenger+1 gained 1 | blue showed pass | green showed pass | train 5 | roll",
            "is in hand unless",
        ),
        ("red showed passenger+conductor | blue showed pass | green showed pass | train 5 | roll", "red is off if"),
        (
            "red off showed pass | blue showed pass | green showed pass | train 5 | engineer blue | roll",
            "got off by pass",
        ),
        (
            "red 7 points 9 showed bluff | blue showed pass | green showed pass | train 5 | roll",
            "cannot have shown bluff",
        ),
    ],
)
def test_impossible_positions_are_refused(position, refusal):
    with pytest.raises(BadPosition, match=rf"^there is no such position: .*{re.escape(refusal)}"):
        GAME.table(start=position)


def test_every_position_of_random_games_reads_back():
    for seed in range(8):
        seats = 3 + seed % 4
        s = start(seats, last_gasp=("no", "yes")[seed // 4])
        for _ in GAME.stroll(s, seats, dice_from(seed)):
            if GAME.asked(s):
                again = start(seats, last_gasp=("no", "yes")[seed // 4])
                GAME.rules.place(again, GAME.rules.position(s))
                assert GAME.key(again) == GAME.key(s)


parts = st.sampled_from(
    [
        *("red", "blue 12", "green none", "red 1234567", "off", "points 30", "chose pass", "showed pass"),
        *("showed passenger+2", "showed passenger+conductor", "gained 4", "lot 3", "|", "|", "|", "train 12"),
        *("train 32", "train 52 short", "train 40 long", "speed 4", "left 2", "die 3", "engineer blue", "roll"),
        *("brake 18", "switch", "choose", "jump red", "stop", "lot red blue"),
    ]
)


@given(st.lists(parts, max_size=12).map(" ".join) | st.text(max_size=20))
def test_any_text_is_a_position_or_is_refused(text):
    """A mangled position is refused, or it is read as a whole state that round-trips."""
    s = start()
    try:
        GAME.rules.place(s, text)
    except ValueError:
        return
    again = start()
    GAME.rules.place(again, GAME.rules.position(s))
    assert GAME.rules.is_whole(s)
    assert GAME.asked(s)
    assert GAME.key(again) == GAME.key(s)


def test_a_suitcase_alone_is_asked_on_and_getting_off_is_no_slip():
    table = GAME.table(seed="1")
    with pytest.raises(IllegalMove, match=r"^3 may be passenger\+3 or conductor\+3: say which$"):
        read(table, 0, "3")
    assert read(table, 0, "p3").moves == ["p3"]
    v = table.view(0)
    out = {name for name in table.moves(0) if leaves_the_game(GAME, v, 0, GAME.rules.parse(v, name))}
    assert out == {"passenger+conductor"}
