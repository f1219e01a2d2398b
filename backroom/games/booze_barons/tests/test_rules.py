"""Booze Barons, paragraph by paragraph: moving, acting, rounds, events."""

import numpy as np
import pytest

from backroom.engine.kernel import EVERYONE, NATURE, SPECTATOR, WATCHER
from backroom.games.booze_barons.pieces import (
    BOOZE_SIGNS,
    CARD_WORDS,
    SHOWS,
)
from backroom.games.booze_barons.rules.reckoning import coins_seen
from backroom.games.booze_barons.rules.state import OVER, SEAT_NAMES

from .boards import GAME, after, at, cards, names, nature, verbs, why

# §3 The move phase


def test_3_1_all_choose_in_secret_and_all_are_shown_together():
    s = at("ask move | round 2")
    assert GAME.asked(s) == (0, 1, 2)
    assert names(s, 0) == ["go club", "go casino", "go petes", "go dock", "go barber"]  # not where he is
    s = after(s, "go dock")
    assert GAME.asked(s) == (1, 2)
    assert "go dock" not in names(s, 0)  # it may be changed to another
    assert "go barber" in names(s, 0)
    assert (int(GAME.view(s, 0).sealed[0]), int(GAME.view(s, 1).sealed[0])) == (4, -1)
    assert int(GAME.rules.seen(s, 1, GAME.rules.parse(s, "go caves"))) == 2
    s = GAME.after(s, 0, GAME.rules.parse(s, "go barber"))
    s = after(s, "go caves")
    assert int(GAME.rules.seen(s, 2, GAME.rules.parse(s, "go club"))) == EVERYONE
    s = after(s, "go club")
    assert list(s.pawn[:3]) == [5, 0, 1]
    assert GAME.asked(s) == (0,)
    assert "§3.1" in why(at("ask move | round 2"), "go caves")


def test_3_1_in_the_first_round_any_of_the_six():
    s = at("ask move", ada="porter", bruno="tequila", cleo="merlot")
    assert len(names(s, 0)) == 6


def test_3_2_a_lost_card_closes_its_location_for_good():
    s = at("ask move | round 3", ada="porter at club lost casino bruno 2")
    assert names(s, 0) == ["go caves", "go petes", "go dock", "go barber"]  # never fewer than four
    assert "§3.2" in why(s, "go casino")


# §4 The action phase


def test_4_from_the_baron_on_clockwise_each_takes_one_action():
    s = at("ask act | turn cleo | baron cleo")
    order = []
    for _ in range(3):
        order += GAME.asked(s)
        s = after(s, "pass")
    assert order == [2, 0, 1]


def test_4_1_deliver():
    s = at("ask act | lying caves1 caves2", bruno="tequila at caves")
    assert [name for name in names(s) if name.startswith("take")] == ["take caves1"]
    assert "§4.5" in why(s, "take caves2")
    assert "§4.1" in why(s, "take club1")
    s = after(s, "take caves1")
    assert cards(s.held[0]) == cards(s.up) == ["caves1"]
    assert GAME.asked(s) == (1,)


def test_4_2_the_event_of_ones_location():
    s = at("ask act", ada="porter at casino", cleo="merlot at dock")
    assert names(s) == ["event", "pass"]


def test_4_3_tail_another_at_ones_location():
    s = at("ask act", ada="porter at club", bruno="tequila at club", cleo="merlot at dock")
    assert "tail Bruno" in names(s)
    assert "§4.3" in why(s, "tail Cleo")
    assert "§4.3" in why(s, "tail Ada")
    s = after(s, "tail Bruno")
    assert GAME.asked(s) == (0,)
    assert len(names(s)) == 13  # any of the twelve, even his own, or nothing
    s = after(s, "nothing")
    assert GAME.asked(s) == (1,)
    assert int(s.denied[1]) == 0


def test_4_3_steal_a_face_down_delivery_that_fits():
    s = at("ask look | mark bruno", ada="porter at club", bruno="tequila at club up club1 down caves1 petes2 dock1")
    steals = [name for name in names(s) if name.startswith("steal")]
    assert steals == ["steal caves1", "steal dock1"]
    assert "§4.5" in why(s, "steal club1")  # face up
    assert "§4.5" in why(s, "steal petes2")  # does not fit
    assert "§4.3" in why(s, "steal club3")
    s = after(s, "steal dock1")
    assert (cards(s.held[0]), cards(s.held[1])) == (["dock1"], ["caves1", "club1", "petes2"])
    assert cards(s.up) == ["club1", "dock1"]


def test_4_3_expose_by_naming():
    s = at("ask look | mark bruno | round 2", ada="porter at club", bruno="tequila at club")
    wrong = after(s, "name merlot")
    assert (int(wrong.exposed), int(wrong.denied[1])) == (0, 1 << 8)
    assert int(wrong.could[1]) == 0xFFF & ~(1 << 8)
    assert GAME.asked(wrong) == (1,)
    right = after(s, "name tequila")
    assert int(right.exposed) == 2
    assert (int(right.lost[1]), int(right.captor[1])) == (1, 0)
    assert all(GAME.view(right, reader).booze[1] == 4 for reader in (SPECTATOR, 0, 2))


def test_4_3_the_look_is_a_move_that_all_see():
    s = at("ask act", ada="porter at club", bruno="tequila at club")
    assert int(GAME.rules.seen(s, 0, GAME.rules.parse(s, "tail Bruno"))) == EVERYONE
    assert EVERYONE >> WATCHER & 1


def test_4_4_pass():
    assert names(at("ask act", ada="porter at caves", bruno="tequila at dock")) == ["pass"]


def test_4_5_what_comes_to_a_seat_shows_its_booze():
    s = after(at("ask act | lying caves1"), "take caves1")
    assert "".join(BOOZE_SIGNS[b] for b in range(12) if int(s.could[0]) >> b & 1) == "B1B3L1L4W3W4"
    with pytest.raises(ValueError, match=r"§4\.5"):
        at("ask act", ada="porter at caves up caves2")


def test_4_6_one_snitch_token_below_seven_players():
    s = at("ask look | mark bruno", ada="porter at club", bruno="tequila at club", cleo="merlot at club")
    s = after(s, "name tequila")
    assert int(s.snitches) == 1
    s = after(s, "tail Cleo", "name merlot")  # Bruno, exposed himself, may expose (§4.7)
    assert int(s.exposed) == 6
    assert int(s.snitches) == 1


def test_4_6_with_seven_the_second_player_takes_the_other_and_nobody_two():
    club = dict(ada="porter at club", bruno="tequila at club", cleo="merlot at club", desmond="blonde at club")
    s = at("ask look | mark bruno | acted 5", seats=7, **club, edie="rye at club")
    s = after(s, "name tequila", "pass")
    assert int(s.snitches) == 1
    s = at(
        "ask look | mark cleo",
        seats=7,
        **club | {"bruno": "tequila at club lost club ada 1", "ada": "porter at club snitch"},
    )
    s = after(s, "name merlot")
    assert int(s.snitches) == 1  # the first player again
    s = after(s, "tail Desmond", "name blonde")
    assert int(s.snitches) == 3
    s = after(s, "tail Ada", "name porter")
    assert int(s.snitches) == 3


def test_4_7_the_exposed_play_on_and_cannot_be_exposed_again():
    s = at("ask look | mark bruno", ada="porter at club", bruno="tequila at club lost caves cleo 1 down dock1")
    assert names(s) == ["steal dock1", "nothing"]
    assert "§4.7" in why(s, "name rye")
    s = after(s, "nothing")
    assert GAME.asked(s) == (1,)
    assert "tail Ada" in names(s)


# §5 The end of a round


def round_over(course="", seats=3, sides="AAAAAA", options=None, **players):
    """A table at which one pass ends the round."""
    last = SEAT_NAMES[seats - 1].lower()
    return at(f"ask act | turn {last} | baron ada | acted {seats - 1}{course}", seats, sides, options, **players)


def test_5_1_the_baron_token_goes_left():
    assert after(round_over(), "pass").baron == 1


@pytest.mark.parametrize(
    ("seats", "refill", "drawn"), [(3, "up", 2), (3, "down", 1), (4, "up", 2), (9, "up", 5), (9, "down", 4)]
)
def test_5_2_half_as_many_deliveries_as_players(seats, refill, drawn):
    s = after(round_over(seats=seats, options={"refill": refill}), "pass")
    turned = 0
    while nature(s):
        s, turned = after(s, names(s)[0]), turned + 1
    assert turned == drawn
    assert len(cards(s.lying[0])) == drawn


ALL_BUT = " | lying " + " ".join(word for word in CARD_WORDS if word not in ("caves1", "club1", "dock1"))


def test_5_2_as_many_as_there_are():
    s = after(round_over(ALL_BUT, ada="porter at caves down caves1", bruno="tequila at club down club1"), "pass")
    assert names(s) == ["draw dock1"]
    assert int(after(s, "draw dock1").deck) == 0


def test_5_3_poverty_exposes_the_poorest_when_the_deck_is_empty():
    s = round_over(ALL_BUT, ada="porter at caves down caves1 dock1", bruno="tequila at club down club1")
    s = after(s, "pass")
    assert int(s.exposed) == 4  # Cleo has no delivery
    assert (int(s.lost[2]), int(s.captor[2]), int(s.snitches)) == (2, 9, 0)
    assert GAME.asked(s) == (0, 1, 2)  # and the game goes on


def test_5_3_all_who_tie_for_fewest_are_exposed():
    s = after(round_over(ALL_BUT + " club1 dock1", ada="porter at caves down caves1"), "pass")
    assert int(s.exposed) == 6
    assert s.ask == OVER


def test_5_3_the_last_unexposed_is_not_exposed():
    hidden = dict(bruno="tequila at club lost dock ada 1", cleo="merlot at casino lost dock bruno 1")
    s = after(round_over(ALL_BUT + " caves1 club1 dock1", **hidden), "pass")
    assert (int(s.exposed), s.ask) == (6, OVER)
    assert int(coins_seen(s, 0)) == 14


def test_5_3_coins_as_all_can_see_them_and_the_exposed_do_not_count():
    s = round_over(
        ALL_BUT.replace(" club2", "").replace(" petes1", "") + " dock1",
        seats=4,
        ada="porter at caves down caves1 petes1",
        bruno="tequila at club down club1",
        cleo="merlot at casino snitch down club2",
        desmond="blonde at petes lost dock cleo 1",
    )
    assert [int(coins_seen(s, seat)) for seat in range(4)] == [14, 13, 16, 10]
    assert int(after(s, "pass").exposed) == 0b1010


def test_5_3_not_while_the_deck_has_cards():
    s = after(round_over(ada="porter at caves down caves1"), "pass", "draw caves2", "draw caves3")
    assert int(s.exposed) == 0


def test_5_4_the_game_ends_when_fewer_than_two_are_unexposed_but_a_round_is_played_out():
    s = at(
        "ask look | mark bruno | round 2",
        ada="porter at club",
        bruno="tequila at club",
        cleo="merlot at caves lost dock ada 1",
    )
    s = after(s, "name tequila")
    assert GAME.asked(s) == (1,)
    s = after(s, "pass", "pass", "draw caves2", "draw caves3")
    assert GAME.asked(s) == ()
    assert "Beer (Ada) wins" in GAME.plain(GAME.rules.question(s, 0))


def test_5_5_face_up_deliveries_are_turned_down():
    s = round_over(cleo="merlot at casino up casino1")
    assert cards(s.up) == ["casino1"]
    s = after(s, "pass", "draw caves2", "draw caves3")
    assert int(s.up) == 0
    assert cards(s.held[2]) == ["casino1"]


def test_5_6_what_is_public_is_in_every_view():
    s = at("ask act", bruno="tequila at club down club1 not W1", cleo="merlot at dock lost caves ada 1")
    for reader in (SPECTATOR, 0, 1, 2):
        v = GAME.view(s, reader)
        for field in ("held", "lying", "captor", "lost", "exposed", "denied", "snitches", "deck", "could", "pawn"):
            assert np.all(v[field] == s[field])


# §6 Events


def test_6_caves_a_nobody_is_tailed_there():
    players = dict(ada="porter at caves", bruno="tequila at caves", cleo="merlot at caves")
    assert names(at("ask act", **players)) == ["pass"]
    assert "tail Bruno" in names(at("ask act", sides="BAAAAA", **players))
    assert "§6" in why(at("ask act", **players), "tail Bruno")


def test_6_caves_b_nobody_is_stolen_from_there_but_can_be_exposed():
    s = at("ask look | mark bruno", sides="BAAAAA", ada="porter at caves", bruno="tequila at caves down dock1")
    assert verbs(s) == {"name", "nothing"}
    assert "§6" in why(s, "steal dock1")


def test_6_club_a_tails_the_left_wherever_he_is_and_b_the_right():
    players = dict(ada="porter at club", bruno="tequila at dock", cleo="merlot at petes")
    assert "event Bruno" in names(at("ask act", **players))
    assert "event Cleo" not in names(at("ask act", **players))
    assert "event Cleo" in names(at("ask act", sides="ABAAAA", **players))
    s = after(at("ask act", **players), "event Bruno", "name tequila")
    assert (int(s.lost[1]), int(s.captor[1])) == (4, 0)  # the card of where he is


def test_6_casino_a_draws_three_keeps_what_matches_and_the_rest_goes_below():
    s = after(at("ask act", ada="porter at casino"), "event")
    s = after(s, "draw caves1")  # matches
    assert cards(s.held[0]) == ["caves1"]
    assert int(GAME.rules.seen(s, NATURE, GAME.rules.parse(s, "draw caves3"))) == EVERYONE
    assert int(GAME.rules.seen(s, NATURE, GAME.rules.parse(s, "draw caves2"))) == 1
    s = after(s, "draw caves2", "draw club2")
    assert GAME.asked(s) == (1,)
    assert (int(s.deck), int(s.height[0]), int(s.height[1])) == (35, 33, 2)
    assert cards(s.up) == ["caves1"]


def test_6_casino_a_as_many_as_there_are_and_not_from_an_empty_deck():
    full = " | lying " + " ".join(CARD_WORDS[2:])
    s = after(at("ask act" + full, ada="porter at casino"), "event")
    s = after(s, "draw caves2", "draw caves1")
    assert GAME.asked(s) == (1,)
    assert int(s.deck) == 1
    empty = at("ask act | lying " + " ".join(CARD_WORDS), ada="porter at casino")
    assert "event" not in names(empty)
    assert "§6.3" in why(empty, "event")


def test_6_casino_b_turns_up_two_and_one_that_matches_may_be_taken_wherever_it_lies():
    s = after(
        at("ask act | lying dock1", sides="AABAAA", ada="porter at casino"), "event", "draw caves1", "draw petes2"
    )
    assert cards(s.lying[0]) == ["caves1"]
    assert cards(s.lying[3]) == ["petes2"]
    assert names(s) == ["take caves1", "nothing"]
    assert cards(after(s, "take caves1").held[0]) == ["caves1"]
    assert "§6" in why(s, "take dock1")
    assert "§4.5" in why(s, "take petes2")


def test_6_petes_a_lets_another_take_none_one_or_two():
    s = at("ask act | lying petes1 petes2 petes3", ada="porter at petes", bruno="tequila at dock")
    assert [name for name in names(s) if name.startswith("event")] == ["event Bruno", "event Cleo"]
    s = after(s, "event Bruno")
    assert GAME.asked(s) == (1,)
    assert names(s) == ["take petes2", "take petes3", "nothing"]
    one = after(s, "take petes2")
    assert names(one) == ["take petes3", "nothing"]
    two = after(one, "take petes3")
    assert cards(two.held[1]) == ["petes2", "petes3"]
    for end in (after(s, "nothing"), after(one, "nothing"), two):
        assert GAME.asked(end) == (1,)
        assert end.acted == 1


def test_6_petes_b_tails_a_neighbour():
    players = dict(ada="porter at petes", bruno="tequila at casino", cleo="merlot at caves")
    s = at("ask act", sides="AAABAA", **players)
    assert [name for name in names(s) if name.startswith("event")] == ["event Bruno"]
    assert "name" in verbs(after(s, "event Bruno"))


def test_6_dockyard_a_takes_from_next_door():
    s = at("ask act | lying petes1 barber1 casino1 barber2", ada="porter at dock")
    assert [name for name in names(s) if name.startswith("event")] == ["event petes1", "event barber1"]
    s = after(s, "event barber1")
    assert cards(s.held[0]) == ["barber1"]
    assert cards(s.lying[5]) == ["barber2"]


def test_6_dockyard_b_brings_any_and_one_that_matches_may_be_taken():
    s = at("ask act | lying petes1 caves2 dock1 dock2", sides="AAAABA", ada="porter at dock")
    assert [name for name in names(s) if name.startswith("event")] == ["event caves2", "event petes1"]
    s = after(s, "event caves2")
    assert cards(s.lying[4]) == ["caves2", "dock1", "dock2"]
    assert names(s) == ["take dock1", "nothing"]
    s = after(s, "nothing")
    assert cards(s.lying[4]) == ["caves2", "dock1", "dock2"]  # it stays
    again = at("ask act | lying caves1@dock", ada="porter at dock")
    assert cards(after(again, "take caves1").held[0]) == ["caves1"]


def test_6_barbershop_a_takes_one_and_may_take_a_second():
    s = at("ask act | lying barber1 barber3 barber2", ada="porter at barber")
    s = after(s, "event barber1")
    assert names(s) == ["take barber3", "nothing"]
    assert cards(after(s, "take barber3").held[0]) == ["barber1", "barber3"]
    assert cards(after(s, "nothing").held[0]) == ["barber1"]


def test_6_barbershop_b_sends_one_back_by_lot():
    s = at(
        "ask act",
        sides="AAAAAB",
        ada="porter at barber",
        bruno="tequila at caves up club1 down caves1 dock1",
        cleo="merlot at dock",
    )
    assert [name for name in names(s) if name.startswith("event")] == ["event Bruno"]
    s = after(s, "event Bruno")
    assert names(s) == ["draw caves1", "draw dock1"]
    s = after(s, "draw dock1")
    assert cards(s.lying[4]) == ["dock1"]
    assert cards(s.held[1]) == ["caves1", "club1"]
    assert "§6.3" in why(at("ask act", sides="AAAAAB", ada="porter at barber"), "event Cleo")


def test_6_1_who_is_at_river_caves_a_is_not_tailed_by_an_event_either():
    s = at("ask act", ada="porter at club", bruno="tequila at caves")
    assert "event Bruno" not in names(s)
    assert "§6.1" in why(s, "event Bruno")
    assert "event Bruno" in names(at("ask act", sides="BAAAAA", ada="porter at club", bruno="tequila at caves"))


def test_6_1_the_club_works_on_someone_who_is_there():
    s = at("ask act", ada="porter at club", bruno="tequila at club")
    assert {"event Bruno", "tail Bruno"} <= set(names(s))


def pile():
    """Ada has drawn caves2, club2 and caves4 and used none of them; the rest of the deck is out."""
    lying = " ".join(word for word in CARD_WORDS if word not in ("caves2", "club2", "caves4", "caves6"))
    return at(
        f"ask act | turn bruno | acted 1 | lying {lying} | pile ada caves2:0 club2:0 caves4:0",
        bruno="tequila at casino",
    )


def test_6_2_cards_below_come_up_when_those_above_are_gone():
    s = after(pile(), "event")
    assert names(s) == ["draw caves6"]
    s = after(s, "draw caves6")
    assert names(s) == ["draw caves2", "draw caves4", "draw club2"]


def test_6_2_they_are_known_to_whoever_saw_them():
    s = pile()
    assert [int(layer) for layer in GAME.view(s, 0).layer if layer != -2] == [1, 1, -1, 1]
    assert [int(layer) for layer in GAME.view(s, 1).layer if layer != -2] == [-1, -1, -1, -1]
    s = after(s, "event", "draw caves6")
    assert int(GAME.rules.seen(s, NATURE, GAME.rules.parse(s, "draw caves4"))) == 0b11  # Ada knows it, Bruno draws it
    s = after(s, "draw caves4")
    known = {word: int(layer) for word, layer in zip(CARD_WORDS, GAME.view(s, 0).layer, strict=True) if layer >= 0}
    assert known == {"caves2": 1, "club2": 1, "caves4": 2}
    known = {word: int(layer) for word, layer in zip(CARD_WORDS, GAME.view(s, 1).layer, strict=True) if layer >= 0}
    assert known == {"caves4": 2, "caves6": 2}


def test_6_2_what_lay_in_a_pile_does_not_show_its_drawers_booze():
    s = after(pile(), "pass", "pass", "draw caves6", "draw club2")
    assert int(s.could[0]) == 0xFFF & ~int(SHOWS[CARD_WORDS.index("club2")])


def test_6_3_events_that_can_do_nothing_are_not_open():
    assert names(at("ask act", ada="porter at petes", bruno="tequila at caves")) == ["pass"]
    assert names(at("ask act", sides="AAABAA", ada="porter at petes", cleo="merlot at club")) == ["pass"]
    assert names(at("ask act", ada="porter at dock")) == ["pass"]
    assert names(at("ask act | lying dock2", sides="AAAABA", ada="porter at dock")) == ["pass"]
    assert names(at("ask act | lying barber2", ada="porter at barber")) == ["pass"]
    assert names(at("ask act", sides="AAAAAB", ada="porter at barber")) == ["pass"]


def test_6_4_a_choice_is_asked_even_when_only_declining_is_possible():
    s = after(at("ask act | lying petes1", ada="porter at petes"), "event Bruno")
    assert names(s) == ["nothing"]
    assert GAME.asked(s) == (1,)
    s = after(at("ask act | lying barber1", ada="porter at barber"), "event barber1")
    assert names(s) == ["nothing"]
