"""The laws of the house, over every game in the registry; a faulty toy proves that each law catches its fault."""

import itertools
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import misspelled
import numpy as np
import pytest
import toy

import backroom
from backroom.engine import laws, registry
from backroom.engine.game import Game
from backroom.engine.kernel import EVERYONE, NATURE, below
from backroom.engine.laws import BrokenLaw, check_game, check_imagination, check_shape
from backroom.engine.options import BadOption, Option
from backroom.engine.protocol import Result

STATES = 6_000
"""The least number of states of each game that are checked, over all its seats and options."""

GAMES = list(backroom.names())
LAWS_TEXT = Path(__file__).parent.parent.joinpath("LAWS.md").read_text("utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_the_shape_of_one(name):
    check_shape(backroom.game(name))
    assert backroom.game(name).name == name


SHARES = 8
"""The number of tests that each game's settings are dealt into, to run side by side."""


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("name", GAMES)
def test_laws(name, share):
    game = backroom.game(name)
    every = {(seats, *options.items()): (seats, options) for seats, options in game.settings()}  # by lot, some twice
    mine = list(every.values())[share::SHARES] or list(every.values())
    looked, seed, length = Counter(), share, 100
    while (left := STATES / SHARES - sum(looked.values())) > 0 or len(looked) < len(mine):
        seats, options = mine[seed // SHARES % len(mine)]
        # every third state; where settings are many, fewer of each game, so that they share the states between them
        look = max(3, min(20, round(length * (len(mine) - len(looked)) / max(left, 1))))
        states = check_game(game, seats, options, seed, look)
        length = states * look
        looked[seats, *options.items()] += states
        seed += SHARES


@pytest.mark.parametrize("name", GAMES)
def test_imagination_is_even(name):
    game = backroom.game(name)
    for seats in game.seats:
        check_imagination(game, seats, {})


def test_settings_have_every_value_however_many_there_are():
    game = Game(toy.module(OPTIONS=tuple(Option(f"o{i}", tuple("abcdefg"), "X.") for i in range(5))))
    found = game.settings()
    assert len(found) == 256
    assert {seats for seats, _ in found} == set(toy.SEATS)
    assert {(name, value) for _, options in found for name, value in options.items()} == {
        (f"o{i}", value) for i in range(5) for value in "abcdefg"
    }
    assert len(Game(toy.module()).settings()) == 4  # `pace` is no rule


def test_settings_go_together():
    def check(seats, options):
        if options["a"] == "2" and seats < 3:
            raise ValueError("a is 2 only with three (§1)")

    game = Game(toy.module(OPTIONS=(Option("a", ("1", "2"), "X."), Option("b", ("1", "2"), "X.")), check=check))
    assert len(game.settings()) == 2 * 2 + 2
    assert {seats for seats, options in game.settings() if options["a"] == "2"} == {3}
    with pytest.raises(BadOption, match=r"a is 2 only with three \(§1\)"):
        game.settle(2, {"a": "2"})
    many = (Option("a", ("1", "2"), "X."), *(Option(f"o{i}", tuple("abcdefg"), "X.") for i in range(4)))
    found = Game(toy.module(OPTIONS=many, check=check)).settings()
    assert {seats for seats, options in found if options["a"] == "2"} == {3}


def test_every_law_is_named_in_the_book_of_laws():
    named = set(re.findall(r"`(\w+)`", LAWS_TEXT))
    assert {law.__name__ for law in laws.LAWS} <= named


# The proof that the laws catch faults


@pytest.fixture
def pennies():
    """Registers the toy for a test: laws replay logs, and logs find games by name."""

    def seat_at_the_table(**planted):
        registry.register("pennies", lambda: toy.module(**planted))
        return backroom.game("pennies")

    yield seat_at_the_table
    registry._loaders.pop("pennies")
    registry._games.pop("pennies", None)


def check_toy(game: Game) -> None:
    check_shape(game)
    for seed in range(6):
        for seats, options in game.settings():
            check_game(game, seats, options, seed)
    check_imagination(game, 3, {})


def test_the_toy_itself_is_lawful(pennies):
    check_toy(pennies())


def view_showing_sealed_bids(s, seat):
    bids = s.bid.copy()
    toy.hide(s, seat)
    s.bid[:] = bids


def view_showing_hands(s, seat):
    bids = s.bid.copy()
    s.work[:] = 0
    s.where[s.where == toy.DECK] = -1
    for other in range(int(s.seats)):
        s.bid[other] = -1 if other != seat and bids[other] else bids[other]


def imagining_only_the_deck(s, seat, dice):
    """`imagine` by an author who forgot the hands: it fills in the deck alone."""
    s.where[s.where == -1] = toy.DECK
    for other in range(int(s.seats)):
        if s.bid[other] == -1:
            s.bid[other] = int(np.flatnonzero(s.where == other)[0]) + 1


def sealing_that_depends_on_order(s, seat, move):
    last = toy.BID_CARD <= move < toy.FACE
    toy.play(s, seat, move)
    if last and s.phase == toy.ROLL:
        s.winner = seat


def moves_from_hidden_cards(s, seat, out):
    n = toy.moves(s, seat, out)
    if s.phase == toy.BID and seat != NATURE and n > 1 and s.where[0] == (seat + 1) % s.seats:
        n -= 1
    return n


def imagination_without_own_hand(s, seat, dice):
    for card in range(toy.CARDS):
        if s.where[card] == seat:
            s.where[card] = -1
    s.bid[:] = 0
    toy.imagine(s, -1, dice)


def seen_too_narrow(s, seat, move):
    return 1 << seat if move >= toy.KEEP else toy.seen(s, seat, move)


def not_seeing_oneself(s, seat, move):
    return 0 if toy.BID_CARD <= move < toy.FACE else toy.seen(s, seat, move)


def losing_a_piece(s, seat, move):
    toy.play(s, seat, move)
    if move == toy.CLAIM:
        s.bank -= 1


def an_answer_for_good(s, seat, out):
    return 0 if s.phase == toy.BID and seat != NATURE and s.bid[seat] and not s.prize else toy.moves(s, seat, out)


def a_first_answer_that_is_left(s, seat, move):
    if toy.BID_CARD <= move < toy.FACE and s.bid[seat]:
        toy.pay(s, seat, 1)
    toy.play(s, seat, move)


def names_that_collide(v, move):
    return "bid high" if move in (toy.BID_CARD + 4, toy.BID_CARD + 5) else toy.name(v, move)


def reading_high(v, text):
    return toy.BID_CARD + 4 if text == "bid high" else toy.parse(v, text)


def names_that_depend_on_the_reader(v, move):
    holds_something = any(0 <= place < toy.DECK for place in v.where)
    return "stay" if move == toy.KEEP and not holds_something else toy.name(v, move)


def reading_stay(v, text):
    return toy.KEEP if text == "stay" else toy.parse(v, text)


def reading_another_move(v, text):
    return toy.DOUBLE if text == "keep" else toy.parse(v, text)


def dice_in_the_state(s, seat, move, luck=itertools.cycle((True, False))):  # noqa: B008 (that is the fault)
    toy.play(s, seat, move)
    if move == toy.DOUBLE and next(luck):
        toy.pay(s, seat, 1)


def moves_of_somebody_absent(s, seat, out):
    if s.seats <= seat < max(toy.SEATS):
        out[0] = toy.KEEP
        return 1
    return toy.moves(s, seat, out)


def looking_that_changes(s, seat, out):
    if s.phase == toy.EXTRA and (seat < s.seats or seat == NATURE):
        s.winner = (s.winner + 1) % s.seats
    return toy.moves(s, seat, out)


def a_value_that_writes(s, seat):
    s.winner = seat
    return 0.5


def another_beginning(s, seats, options, number=itertools.count()):  # noqa: B008 (that is the fault)
    toy.setup(s, seats, options)
    s.bank += next(number)
    s.total = s.bank


def a_dead_end(s, seat, out):
    return 0 if s.phase == toy.EXTRA and not s.prize else toy.moves(s, seat, out)


def asking_in_secret(s):
    mask = toy.asked(s)
    return mask & ~2 if s.phase == toy.BID and s.where[0] == -1 else mask


def a_game_without_end(s, seat, move):
    toy.play(s, seat, move)
    if move in (toy.KEEP, toy.DOUBLE) and s.phase == toy.OVER:
        s.phase = toy.ROLL


def odds_of_nothing(s, out):
    n = toy.odds(s, out)
    out[0] = 0
    return n


def a_chance_of_its_own(s, dice):
    """Draws with the odds reversed: all are equal here, but the move is another."""
    out = np.zeros(toy.MOST_MOVES, np.int32)
    n = toy.moves(s, NATURE, out)
    return out[n - 1 - below(dice, n)]


def hiding_more_each_time(s, seat):
    toy.hide(s, seat)
    s.prize += 2


def claiming_after_the_end(s, seat, out):
    if s.phase == toy.OVER and seat == 0:
        out[0] = toy.CLAIM
        return 1
    return toy.moves(s, seat, out)


def placing_no_prize(s, text):
    toy.place(s, text)
    s.prize = 0


def seeing_every_deal(s, seat, move):
    return EVERYONE if move < toy.BID_CARD else toy.seen(s, seat, move)


def seeing_every_bid(s, seat, move):
    return EVERYONE if toy.BID_CARD <= move < toy.FACE else toy.seen(s, seat, move)


def no_reason(v, seat, move):
    return ""


def one_world_for_all(s, seat, dice):
    toy.imagine(s, seat, np.array([7], np.uint64))


def a_number_for_a_name(v, move):
    return toy.name(v, move).replace("claim", "7")


def reading_seven(v, text):
    return toy.parse(v, text.replace("7", "claim"))


def touches_that_begin_others(v, seat, move):
    return ["keep"] if toy.WORDS[move] in ("keep", "bid 1", "bid 2") else ["keep", toy.WORDS[move]]


def too_many_moves(s, seat, out):
    n = toy.moves(s, seat, out)
    many = n + 9 if n and len(out) > n + 9 else n
    out[n:many] = range(100, 100 + many - n)
    return many


def a_picture_nobody_can_touch(v, seat, move):
    return ["nowhere"]


def a_way_with_open_bids(v, seat, move, then):
    way = v.copy()
    way.bid[:] = 1
    yield way


def a_way_without_end(v, seat, move, then):
    return [v] * 50


def a_way_that_pays(v, seat, move, then):
    then.bank -= 1
    return []


def one_label_for_two(v, move):
    return "Do it" if move in (toy.KEEP, toy.DOUBLE) else toy.label(v, move)


def names_in_code(v, move):
    return toy.name(v, move).replace("bid ", "b")


def reading_code(v, text):
    return toy.parse(v, re.sub("^b(?=[1-6])", "bid ", text))


def naming_a_seat(v, seat, move, then):
    return toy.say(v, seat, move, then).replace("@1@", "Ben")


def a_score_beyond_the_seats(s, out):
    toy.score(s, out)
    out[len(out)] = 1.0


def a_score_in_the_next_array(s, out):
    """Write beyond the array, as a compiled kernel does, which checks no index."""
    toy.score(s, out)
    if out.base is not None:
        out.base[len(out)] = 1.0


def a_score_for_the_first_alone(s, out):
    out[0] = s.pennies[0]


def no_result(v):
    return None


def a_result_before_the_end(v):
    return toy.result(v) or Result("Somebody will win (§1).", ("1",) * int(v.seats), (0,))


def a_result_that_crowns_others(v):
    told = toy.result(v)
    return told and replace(told, winners=tuple(seat for seat in range(int(v.seats)) if seat not in told.winners))


def a_result_of_one(v):
    told = toy.result(v)
    return told and replace(told, seats=told.seats[:1])


def a_result_without_a_paragraph(v):
    told = toy.result(v)
    return told and replace(told, headline="Somebody won.")


def a_result_for_some(v, number=itertools.count()):  # noqa: B008 (that is the fault)
    told = toy.result(v)
    return told and replace(told, lines=(f"told {next(number)} times",))


FAULTS = {
    "a score beyond the seats": (dict(score=a_score_beyond_the_seats), "scores_stay.* beyond the last seat"),
    "a score in the next array": (dict(score=a_score_in_the_next_array), "scores_stay.* beyond the last seat"),
    "a score for the first alone": (
        dict(score=a_score_for_the_first_alone),
        "scores_stay_in_their_places.* no score is written for seats \\[1",
    ),
    "a field that is misspelled": (
        dict(value=misspelled.value),
        r"value uses s.penies \(misspelled.py, .* did you mean pennies\?",
    ),
    "a view showing sealed bids": (dict(hide=view_showing_sealed_bids), "what_is_not_seen_does_not_show"),
    "a view showing hands": (
        dict(hide=view_showing_hands, imagine=imagining_only_the_deck),
        "what_is_not_seen_does_not_show",
    ),
    "order-dependent sealing": (dict(play=sealing_that_depends_on_order), "sealed_answers_commute"),
    "moves drawn from hidden cards": (dict(moves=moves_from_hidden_cards), "moves_follow_from_the_view"),
    "imagination forgetting one's own hand": (dict(imagine=imagination_without_own_hand), "what_is_imagined_fits"),
    "seen too narrow": (dict(seen=seen_too_narrow), "what_is_not_seen_does_not_show"),
    "not seeing one's own move": (dict(seen=not_seeing_oneself), "what_is_not_seen_does_not_show"),
    "an answer that cannot be changed": (
        dict(moves=an_answer_for_good),
        "sealed_answers_can_be_changed.* cannot change",
    ),
    "a first answer that is left": (dict(play=a_first_answer_that_is_left), "sealed_answers_can_be_changed.* is left"),
    "a lost piece": (dict(play=losing_a_piece), "pieces_are_conserved"),
    "names that collide": (dict(name=names_that_collide, parse=reading_high), "names_round_trip"),
    "a name that reads back as another move": (dict(parse=reading_another_move), "reads back as another"),
    "names that depend on the reader": (
        dict(name=names_that_depend_on_the_reader, parse=reading_stay),
        "names_round_trip",
    ),
    "a random generator in play": (dict(play=dice_in_the_state), "play_has_no_dice_of_its_own"),
    "looking that changes": (dict(moves=looking_that_changes), "moves_are_a_list"),
    "a value that writes": (dict(value=a_value_that_writes), "looking_changes_nothing"),
    "a beginning that is not always the same": (dict(setup=another_beginning), "the_log_is_the_game"),
    "moves of somebody absent": (dict(moves=moves_of_somebody_absent), "are not at the table"),
    "a dead end": (dict(moves=a_dead_end), "somebody_can_answer"),
    "moves after the end": (dict(moves=claiming_after_the_end), "somebody_can_answer"),
    "asking in secret": (dict(asked=asking_in_secret), "who_is_asked_is_public"),
    "a game without end": (dict(play=a_game_without_end), "every_game_ends"),
    "a chance of its own": (dict(chance=a_chance_of_its_own), "chance_follows_the_odds"),
    "odds of nothing": (dict(odds=odds_of_nothing), "moves_are_a_list"),
    "hiding more each time": (dict(hide=hiding_more_each_time), "hiding_twice_is_hiding_once"),
    "too many moves": (dict(moves=too_many_moves), "more than MOST_MOVES"),
    "too many moves of nature": (dict(MOST_MOVES=3), "seat 15 has . moves, more than MOST_MOVES"),
    "far too many moves": (dict(MOST_MOVES=1), "seat 15 has . moves, more than MOST_MOVES"),
    "a step back that is not last": (dict(BACK=toy.KEEP), "a step back that is not the last"),
    "a position that forgets": (dict(place=placing_no_prize), "positions_round_trip"),
    "a position that does nothing": (dict(place=lambda s, text: None), "positions_round_trip"),
    "seen too wide: deals": (dict(seen=seeing_every_deal), "what_is_seen_is_kept"),
    "seen too wide: bids": (dict(seen=seeing_every_bid), "what_is_seen_is_kept"),
    "secrets not declared": (dict(SECRETS=False), "secrets_are_declared"),
    "no result": (dict(result=no_result), "results_are_told.* is told no result"),
    "a result before the end": (dict(result=a_result_before_the_end), "results_are_told.* before the end"),
    "a result that crowns others": (dict(result=a_result_that_crowns_others), "results_are_told.* the score that"),
    "a result of one seat only": (dict(result=a_result_of_one), "results_are_told.* what each seat has"),
    "a result without its §": (dict(result=a_result_without_a_paragraph), "results_are_told.* no sentence"),
    "a result for some": (dict(result=a_result_for_some), "results_are_told.* another result"),
    "no reason for a refusal": (dict(why=no_reason), "is not told why"),
    "imagining one world for all": (dict(imagine=one_world_for_all), "imagination_is_even"),
    "a number for a name": (dict(name=a_number_for_a_name, parse=reading_seven), "is empty, a number"),
    "touches that begin others": (dict(touch=touches_that_begin_others), "the beginning of another"),
    "a picture nobody can touch": (dict(touch=a_picture_nobody_can_touch), "pictures_can_be_touched"),
    "a way that shows what is sealed": (dict(between=a_way_with_open_bids), "ways_are_seen.* on the way: bid"),
    "a way without end": (dict(between=a_way_without_end), "ways_are_seen.* is shown 50 pictures"),
    "a way that changes what comes": (dict(between=a_way_that_pays), "ways_are_seen.* changes what was"),
    "no word for what was done": (dict(say=lambda v, seat, move, then: ""), "words_are_said"),
    "one label for two moves": (dict(label=one_label_for_two), "labels_tell_moves_apart.* the label 'Do it'"),
    "no label": (dict(label=lambda v, move: ""), "labels_tell_moves_apart.* without a label"),
    "a label in notation": (dict(label=toy.name), "people_are_told_no_notation.* has the notation 'bid"),
    "notation that nobody knows": (
        dict(name=names_in_code, parse=reading_code, NOTATION=re.compile("x9")),
        "people_are_told_no_notation.* does not know 'b",
    ),
    "a sentence with a seat's name": (dict(say=naming_a_seat), "players_go_by_any_name.* the seat's name Ben"),
    "a reason with a seat's name": (dict(why=lambda v, seat, move: "Cid says no (§1)"), "players_go_by_any_name.*Cid"),
    "a glyph that is not there": (dict(GLYPHS={}), "glyphs_are_drawn.* which is no glyph"),
    "an option without a title": (dict(OPTIONS=(Option("x", ("a", "b"), "X."),)), "wants a title"),
    "an option with one title for two": (
        dict(OPTIONS=(Option("x", ("a", "b"), "X.", title="X", titles=("A", "A")),)),
        "a different one for each value",
    ),
    "a field named like a method": (
        dict(STATE=np.dtype([("round", "i2")])),
        "named like methods",
    ),
    "scratch space in the middle": (dict(STATE=np.dtype([("work", "i2"), ("men", "i2")])), "last field"),
    "an option with a table's word": (dict(OPTIONS=(Option("seed", ("1",), "X."),)), "the name of something else"),
    "an option of different lengths": (
        dict(OPTIONS=(Option("x", ("a", "bb"), "X.", numbers=lambda text: [0] * len(text)),)),
        "different lengths",
    ),
    "a record too big": (dict(STATE=np.dtype([("men", "i2", 2000)])), "4000 bytes"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_laws_bite(pennies, fault):
    planted, caught_by = FAULTS[fault]
    with pytest.raises(BrokenLaw, match=caught_by):
        check_toy(pennies(**planted))


def test_every_law_is_seen_to_bite():
    proved = " ".join(caught_by for _, caught_by in FAULTS.values())
    also = {"the_log_is_the_game", "every_game_ends", "imagination_is_even"}
    assert not [name for name in {law.__name__ for law in laws.LAWS} | also if name not in proved]


def test_everyone_is_every_seat_and_the_spectators():
    assert sum(1 << bit for bit in range(15)) == EVERYONE
