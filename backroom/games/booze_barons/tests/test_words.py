"""The words of Booze Barons: names, sentences, refusals and positions."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import backroom
from backroom.engine.kernel import NATURE, SPECTATOR, UNKNOWN, dice_from
from backroom.engine.protocol import BadPosition, IllegalMove
from backroom.games.booze_barons.pieces import BOOZE_WORDS, CARD_WORDS, CARRIES
from backroom.games.booze_barons.position import ASKS
from backroom.games.booze_barons.rules.state import ALL_MOVES, OVER
from backroom.games.booze_barons.words import WORDS
from backroom.scene.text import parts
from backroom.terminal.show import glimpse

from .boards import GAME, after, at, names


def test_every_move_has_a_name_that_reads_back():
    assert len(set(WORDS)) == len(WORDS) == ALL_MOVES
    for move in range(ALL_MOVES):
        name = GAME.rules.name(None, move)
        assert GAME.rules.parse(None, name) == GAME.rules.parse(None, name.upper()) == move


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go home", "go and one of caves, club"),
        ("take", "take and a delivery"),
        ("take club7", "take and a delivery"),
        ("event nobody", "event, or event and a player or a delivery"),
        ("tail Zoe", "tail and a player"),
        ("name gin", "name and one of porter"),
        ("steal everything", "steal and a delivery"),
        ("dance", "like go caves"),
        ("", "like go caves"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_was_expected(text, expected):
    with pytest.raises(ValueError, match=expected):
        GAME.rules.parse(None, text)


def test_every_refusal_names_a_paragraph():
    """Every move of the vocabulary that is not open is refused, for every seat that can move."""
    refused = set()
    for seed, seats in ((1, 3), (2, 9)):
        s = GAME.start(*GAME.settle(seats, {"sides": "mixed", "nerve": "2"}))
        for played, _ in enumerate(GAME.stroll(s, seats, dice_from(seed))):
            for seat in GAME.asked(s) if played % 9 == 0 else ():
                v = GAME.view(s, seat) if seat != NATURE else s
                for move in set(range(ALL_MOVES)) - set(GAME.moves(s, seat)):
                    reason = GAME.rules.why(v, seat, move)
                    assert re.search(r"\(§\d", reason), (reason, WORDS[move])
                    refused.add(reason)
    assert len(refused) > 60


def test_a_refusal_says_who_what_why_and_the_paragraph():
    table = backroom.Table(GAME, seats=3, start=GAME.rules.position(at("ask act", ada="porter at club")), nature=False)
    with pytest.raises(IllegalMove, match=r"take club1: the delivery for the .* does not lie where you are \(§4\.1\)"):
        table.play(0, "take club1")
    with pytest.raises(IllegalMove, match="it is for Ada to answer"):
        table.play(1, "pass")


def told(s, *moves, reader=SPECTATOR):
    """The sentence of the last of these moves."""
    *before, last = moves
    s = after(s, *before)
    seat = GAME.asked(s)[0]
    move = GAME.rules.parse(s, last)
    assert move in GAME.moves(s, seat)
    seen = move if GAME.sees(s, reader, seat, move) else UNKNOWN
    return GAME.plain(GAME.rules.say(GAME.view(s, reader), seat, seen, GAME.view(GAME.after(s, seat, move), reader)))


def asked(s, seat):
    return GAME.plain(GAME.rules.question(s, seat))


CAVES_1 = "the delivery for the River Caves with porter, lager, tequila, lightning, champagne, chardonnay"
CAVES_2 = "the delivery for the River Caves with blonde, hop, rye, bourbon, merlot, brandy"
DOCK_1 = "the delivery for the Dockyard with porter, lager, tequila, rye, brandy, chardonnay"
PETES_1 = "the delivery for Seedy Pete's with porter, blonde, bourbon, lightning, champagne, chardonnay"
BARBER_1 = "the delivery for the Barbershop with porter, hop, rye, bourbon, champagne, chardonnay"


CLUB = dict(ada="porter at club", bruno="tequila at club down dock1")


@pytest.mark.parametrize(
    ("sentence", "course", "players", "moves"),
    [
        ("", "ask move", {}, ["go dock"]),
        (f"Ada takes {CAVES_1}.", "ask act | lying caves1", {}, ["take caves1"]),
        ("Ada passes.", "ask act", {}, ["pass"]),
        ("Ada tails Bruno and looks at the deliveries there.", "ask act", CLUB, ["tail Bruno"]),
        ("Ada tails Bruno by the event of the Curtain Club (§6).", "ask act", CLUB, ["event Bruno"]),
        (f"Ada steals {DOCK_1} from Bruno.", "ask act", CLUB, ["tail Bruno", "steal dock1"]),
        ("Ada lets it be.", "ask act", CLUB, ["tail Bruno", "nothing"]),
        ("Ada names rye, which Bruno does not carry.", "ask act", CLUB, ["tail Bruno", "name rye"]),
        (
            "Ada names tequila: Bruno is exposed (§4.3), and Ada captures the card of the Curtain Club and takes "
            "a snitch token.",
            "ask act",
            CLUB,
            ["tail Bruno", "name tequila"],
        ),
        ("Ada draws three deliveries at the Casino Regale (§6).", "ask act", {"ada": "porter at casino"}, ["event"]),
        (
            "Ada draws a delivery that does not match; it goes below the deck (§6.2).",
            "ask act",
            {"ada": "porter at casino"},
            ["event", "draw caves2"],
        ),
        (f"Ada draws {CAVES_1} and keeps it.", "ask act", {"ada": "porter at casino"}, ["event", "draw caves1"]),
        (
            "Ada lets Cleo take from Seedy Pete's (§6).",
            "ask act | lying petes1",
            {"ada": "porter at petes"},
            ["event Cleo"],
        ),
        (
            "Cleo takes nothing.",
            "ask act | lying petes1",
            {"ada": "porter at petes"},
            ["event Cleo", "nothing"],
        ),
        (
            f"Ada takes {PETES_1} from Seedy Pete's (§6).",
            "ask act | lying petes1",
            {"ada": "porter at dock"},
            ["event petes1"],
        ),
        (
            f"Ada takes {BARBER_1} at the Barbershop, and may take another (§6).",
            "ask act | lying barber1",
            {"ada": "porter at barber"},
            ["event barber1"],
        ),
    ],
)
def test_sentences(sentence, course, players, moves):
    assert told(at(course, **players), *moves) == sentence


def test_sentences_of_the_other_sides():
    b = dict(sides="BBBBBB")
    assert told(at(ada="porter at casino", **b), "event") == "Ada turns up two deliveries at the Casino Regale (§6)."
    s = at("ask act | lying caves2", ada="porter at dock", **b)
    assert told(s, "event caves2") == f"Ada brings {CAVES_2} to the Dockyard (§6)."
    s = at(ada="porter at barber", bruno="tequila at caves down dock1", **b)
    assert told(s, "event Bruno") == "Ada has one of Bruno’s deliveries sent back (§6)."
    assert told(s, "event Bruno", "draw dock1") == f"Bruno loses {DOCK_1}, which goes back to the Dockyard."


def test_sentences_of_secrets_depend_on_the_reader():
    s = after(at(ada="porter at casino"), "event")
    assert told(s, "draw caves2", reader=0) == f"Ada draws {CAVES_2} and puts it below the deck (§6.2)."
    start = GAME.start(*GAME.settle(3, {}))
    assert told(start, "deal merlot", reader=0) == "Ada is dealt Machine Gun Merlot (§2.1)."
    assert told(start, "deal merlot", reader=1) == ""


def test_sentences_at_the_end_of_a_round():
    lying = " ".join(word for word in names_of_cards() if word != "caves1")
    s = at(f"ask act | turn cleo | acted 2 | lying {lying}", ada="porter at caves down caves1")
    said = told(s, "pass")
    assert said.startswith(
        "Cleo passes. Poverty exposes Bruno with tequila and Cleo with merlot (§5.3). "
        "Only Ada is unexposed (§5.4). The game is over: Beer"
    )
    s = at("ask act | turn cleo | acted 2")
    assert told(s, "pass", "draw caves1", "draw caves2").endswith("Round 2: Bruno is the Baron.")


def names_of_cards():
    return [word.removeprefix("draw ") for word in WORDS if word.startswith("draw ")]


def labels(s):
    (seat,) = GAME.asked(s)
    return [GAME.plain(GAME.rules.label(GAME.view(s, seat), move)) for move in GAME.moves(s, seat)]


def test_labels():
    assert [GAME.rules.label(None, move) for move in GAME.moves(at("ask move"), 0)][:2] == [
        "Go to the Curtain Club",
        "Go to the Casino Regale",
    ]
    s = at("ask act | lying club2", **CLUB)
    assert labels(s) == ["Tail Bruno by the event", "Tail Bruno", "Pass"]
    looking = labels(after(s, "tail Bruno"))
    assert f"Steal {DOCK_1}" in looking
    assert "Say that Bruno carries tequila" in looking
    assert looking[-1] == "Let it be"
    assert "Draw three deliveries" in labels(at(ada="porter at casino"))
    assert "Turn up two deliveries" in labels(at(ada="porter at casino", sides="BBBBBB"))


def test_the_question():
    s = at("ask move | round 2")
    assert asked(s, 0) == "Round 2: choose where to go."
    s = after(s, "go dock")
    assert asked(s, 0) == ("Round 2: waiting for Bruno and Cleo to choose. You may still change your mind.")
    s = at("ask look | mark bruno", **CLUB)
    assert asked(s, 0).startswith("You look at Bruno’s deliveries")
    assert asked(s, 1) == "Ada looks at yours."
    assert asked(s, SPECTATOR) == "Ada looks at Bruno’s deliveries."
    assert asked(at("ask act"), 1) == "Round 1: Ada acts at the River Caves."


def test_5_5_what_was_taken_this_round_is_shown_in_a_terminal_before_it_is_turned():
    table = backroom.Table(GAME, seats=3, seed=5)
    while int(table.state.rounds) < 2:
        table.play(table.asked[0], table.moves(table.asked[0])[0])
    shown = [glimpse(table, number, 0) for number in range(1, len(table.lines) + 1)]
    (seen,) = filter(None, shown)
    assert any("up)" in text.plain for text in seen)
    assert not any("up)" in text for _, text in parts(GAME.rules.draw(table.view(0), 0)))


def test_a_whole_story_is_told():
    table = backroom.Table(GAME, seats=4, seed=5, options={"sides": "mixed"})
    while not table.is_over:
        table.play(table.asked[0], table.moves(table.asked[0])[0])
    story = list(table.story(2))
    assert story[0].startswith("These sides are up: side ")
    assert "The game is over" in story[-1]
    assert len(story) > 60


# results (§8)


def over(seats=3, **players):
    """A finished game with only the fields that the words read.

    `ada="porter 3"`: Ada has the porter, and three deliveries that show it.
    """
    left = set(range(36))
    said = {}
    for who, (booze, number, *rest) in players.items():
        shown = int(CARRIES[BOOZE_WORDS.index(booze)])
        mine = [card for card in sorted(left) if shown >> card & 1][:number]
        left -= set(mine)
        down = f" down {' '.join(CARD_WORDS[card] for card in mine)}" if mine else ""
        said[who] = f"{booze} at petes{down} {' '.join(rest)}".strip()
    s = at("ask act | round 9", seats=seats, **said)
    s.ask = OVER
    return s


def in_words(s):
    """The result with the seats' own names."""
    told = GAME.rules.result(s)
    return replace(
        told,
        headline=GAME.plain(told.headline),
        seats=tuple(map(GAME.plain, told.seats)),
        lines=tuple(map(GAME.plain, told.lines)),
    )


def test_8_the_result_says_who_wins_and_how_it_was_counted():
    assert GAME.rules.result(at("ask act")) is None
    s = over(
        4,
        ada=("porter", 3, "snitch"),
        bruno=("tequila", 1, "lost petes ada 3"),
        cleo=("merlot", 2),
        desmond=("blonde", 0, "lost petes ada 4"),
    )
    told = in_words(s)
    assert told.headline == "Wine (Cleo) wins with 28 coins (§8.3)."
    assert told.seats == ("16 coins, Beer", "11 coins, Liquor", "14 coins, Wine", "10 coins, Beer")
    assert told.winners == (2,)
    assert told.lines == (
        "Ada 16: deliveries 3, snitch 1, own cards 12, captured 2, from one’s own mob -2 (§8.1).",
        "Bruno 11: deliveries 1, own cards 10 (§8.1).",
        "Cleo 14: deliveries 2, own cards 12 (§8.1).",
        "Desmond 10: deliveries 0, own cards 10 (§8.1).",
        "Beer 26: Ada 16, Desmond 10 (§8.2).",
        "Liquor 22: Bruno 11, doubled (§8.2).",
        "Wine 28: Cleo 14, doubled (§8.2).",
    )


def test_8_2_of_three_the_highest_and_the_lowest_count():
    told = in_words(over(7, ada=("porter", 2), desmond=("blonde", 1)))
    assert "Beer 26: Ada 14, Desmond 13, Greta 12; the highest 14 and the lowest 12 count (§8.2)." in told.lines


def test_8_3_ties_are_broken_in_words():
    shared = in_words(over())
    assert shared.headline == "Beer (Ada), Liquor (Bruno) and Wine (Cleo) share the win with 12 coins each (§8.3)."
    assert shared.lines[-2:] == (
        "Opponents exposed: Beer 0, Liquor 0, Wine 0 (§8.3).",
        "Last member exposed: Beer never, Liquor never, Wine never (§8.3).",
    )
    more = in_words(over(ada=("porter", 0), bruno=("tequila", 2), cleo=("merlot", 0, "lost petes ada 3")))
    assert more.headline == "Beer (Ada) wins with 14 coins, as many as Liquor, and more opponents exposed (§8.3)."
    assert more.lines[-1] == "Opponents exposed: Beer 1, Liquor 0 (§8.3)."
    later = in_words(over(ada=("porter", 2, "lost petes box 5"), cleo=("merlot", 0, "lost petes box 3")))
    assert later.headline == (
        "Liquor (Bruno) wins with 12 coins, as many as Beer, and its last member exposed later (§8.3)."
    )
    assert later.lines[-1] == "Last member exposed: Beer in round 5, Liquor never (§8.3)."


# positions


@pytest.mark.parametrize(
    ("course", "players", "refusal"),
    [
        ("ask dance", {}, "ask 'dance'; expected one of sides"),
        ("colour red", {}, "is no part of a position"),
        ("ask act | ask act", {}, "twice"),
        ("ask act", {"ada": "gin at club"}, "Ada has no booze"),
        ("ask act", {"ada": "tequila at club"}, "contradict each other"),
        ("ask act", {"ada": "blonde at club", "bruno": "porter at club"}, "contradict each other"),
        ("ask act", {"ada": "porter"}, "Ada is nowhere"),
        ("ask act", {"ada": "porter at moon"}, "at 'moon'; expected one of caves"),
        ("ask act", {"ada": "porter here"}, "'here' of Ada; expected at, up"),
        ("ask act", {"ada": "porter at club at club"}, "says 'at' twice of Ada"),
        ("ask act", {"ada": "porter at club down caves2"}, r"§4\.5"),
        ("ask act", {"ada": "porter at club not B1"}, r"cannot have porter, for what all can tell \(§4\.5\)"),
        ("ask act", {"ada": "porter at club could X1"}, "expected boozes as in §7"),
        ("ask act | lying caves1 caves1", {}, "in two places"),
        ("ask act | lying caves1", {"ada": "porter at club down caves1"}, "in two places"),
        ("ask act | lying caves9", {}, "lying 'caves9'"),
        ("ask act | pile ada caves2", {}, "the seats that have seen it"),
        ("ask act | pile ada caves2:1", {}, "contradict each other"),
        ("ask act | pile ada", {}, "contradict each other"),
        ("ask look", {}, "nobody could answer 'look'"),
        ("ask take | mark ada", {}, "nobody could answer 'take'"),
        ("ask send-back | mark bruno", {}, "nobody could answer"),
        ("ask act | mark bruno", {}, "nobody could answer 'act'"),
        ("ask act | acted 3", {}, "nobody could answer 'act'"),
        ("ask refill", {}, "nobody could answer 'refill'"),
        ("ask draw | todo 2", {}, "nobody could answer 'draw'"),
        ("ask deal", {}, "nobody could answer 'deal'"),
        ("ask act | sides AAB", {}, "six letters"),
        ("ask act | todo x", {}, "todo 'x'"),
        ("ask act", {"ada": "-"}, r"Ada has no booze yet \(§2\.1\)"),
        ("ask act", {"bruno": "tequila at club lost club bruno 1"}, "contradict each other"),
        ("ask act", {"bruno": "tequila at club sealed dock"}, "contradict each other"),
    ],
)
def test_impossible_positions_are_refused(course, players, refusal):
    with pytest.raises(ValueError, match=refusal):
        at(course, **players)


def test_a_player_must_be_said():
    with pytest.raises(BadPosition, match="does not say what Bruno has"):
        backroom.Table(GAME, seats=3, start="ask act | ada porter at club")


SAID = (
    "ask round turn mark todo acted among sides lying pile ada bruno cleo porter tequila merlot at up down could not "
    "lost snitch sealed club caves box 1 2 caves1 club2:01 dock3@club B1L2 - ? |"
)
WORD = st.sampled_from([*SAID.split(), *ASKS])


@given(st.lists(WORD, max_size=40))
def test_any_text_is_a_position_or_is_refused(words):
    text = " ".join(words)
    s = GAME.start(*GAME.settle(3, {}))
    try:
        GAME.rules.place(s, text)
    except ValueError:
        return
    assert GAME.rules.is_whole(s)


PLAYERS = "ada porter at club | bruno tequila at club | cleo merlot at dock"


@given(st.lists(WORD, max_size=12))
def test_any_course_with_good_players_can_be_played_on(words):
    s = GAME.start(*GAME.settle(3, {}))
    try:
        GAME.rules.place(s, f"{' '.join(words)} | {PLAYERS}")
    except ValueError:
        return
    for _, _ in zip(range(30), GAME.stroll(s, 3, dice_from(1)), strict=False):
        assert GAME.rules.is_whole(s)


def test_a_view_is_a_position_too():
    s = at("ask move | pile ada caves2:0 club2:02", bruno="tequila at club sealed dock")
    said = GAME.rules.position(GAME.view(s, 2))
    assert "ada ? at caves" in said
    assert "bruno ? at club sealed ?" in said
    assert "pile ada club2:2 ?" in said


def test_a_game_from_a_position_replays():
    start = GAME.rules.position(at("ask act | lying caves1 club2", bruno="tequila at club down dock1"))
    table = backroom.Table(GAME, seats=3, seed=1, start=start)
    while not table.is_over:
        table.play(table.asked[0], table.moves(table.asked[0])[-1])
    assert backroom.replay(table.log).score == table.score
    assert names(at("ask act"))


def test_a_look_is_timed_and_nothing_else():
    """§4.3, §9: at a live table."""
    v = GAME.view(at("ask act | turn ada", ada="porter at club", bruno="tequila at club", cleo="merlot at dock"), 0)
    assert GAME.rules.timer(v, 0) is None
    GAME.rules.play(v, 0, GAME.rules.parse(v, "tail bruno"))
    option, move = GAME.rules.timer(v, 0)
    assert option in {each.name for each in GAME.rules.OPTIONS if not each.is_rule}
    assert GAME.rules.parse(v, move) in GAME.moves(v, 0)
    assert GAME.rules.timer(GAME.view(v, 1), 1) is None
