"""§10: each of the eighteen events, with its choices, and how events are drawn; §9: what bear traps end."""

import pytest

from backroom.engine.kernel import NATURE
from backroom.games.rum_run.pieces import EVENTS, PAIRS

from .boards import DRAWING, GAME, after, at, can, drawn, held, is_natures, names, owner, scores, steps, why

FULL = "supply c3:3-2-1-1 f3:4-2-1 f6:3-2-1 c6:2-2"


def in_hand(s, colour, a, b):
    return bool(int(s.hand[colour]) >> PAIRS.index((a, b)) & 1)


def is_put_away(event, position, seats=2, **options):
    """Whether the event has no effect, so that another is drawn."""
    s = drawn(event, position, seats, **options)
    return is_natures(s) and f"event {event}" not in names(s, NATURE)


# drawing


def test_an_event_is_drawn_after_every_tap_when_the_building_is_done():
    s = after(at(FULL, setup="small", events="yes"), "d5 3|3")
    assert GAME.asked(s) == (0,)  # the second first
    s = after(s, "c5 3|1")
    assert is_natures(s)
    assert len(names(s, NATURE)) == 17
    s = after(s, "event Safe Passage")
    assert GAME.asked(s) == (1,)
    assert s.safe[0] == 1
    assert bin(int(s.deck)).count("1") == 16


def test_one_that_can_do_nothing_is_put_away_once_through_the_deck_at_most():
    stills = [("Fort Firewater", "c3"), ("Moonlight Mill", "k4"), ("Chapel Casks", "j10")]
    few = 'setup = {town = "g7", events = ["Eviction", "Downhill", "Moonlit Mile"], still = ['
    few += ", ".join(f'{{name = "{name}", at = "{node}"}}' for name, node in stills) + "]}"
    s = at(f"blue g6:1|2v | {DRAWING}", setup=few)
    for left in (3, 2, 1):
        assert len(names(s, NATURE)) == left
        s = after(s, names(s, NATURE)[0])
    assert GAME.asked(s) == (1,)
    assert not s.tried
    assert int(s.deck) == int(s.cards)


def test_used_cards_return_when_the_deck_is_empty():
    used = ", ".join(name for name in EVENTS if name not in ("Safe Passage", "Open Secret"))
    s = at(f"used {used} | {DRAWING}", events="yes")
    assert names(s, NATURE) == ["event Safe Passage"]
    s = after(s, "event Safe Passage")
    assert s.deck == 0
    s = after(at(f"used {used}, Safe Passage | {FULL}", setup="small", events="yes"), "d5 3|3", "c5 3|1")
    assert len(names(s, NATURE)) == 17


def test_an_event_drawn_inside_another_goes_first():
    s = drawn("Rosie's Diner", FULL, setup="small")
    s = after(s, "d5 3|3", "c5 3|1")
    assert is_natures(s)
    assert "event Rosie's Diner" not in names(s, NATURE)  # it is being done
    s = after(s, "event Safe Passage")
    assert GAME.asked(s) == (0,)  # the second building of Rosie's Diner
    assert "h5" not in names(s)
    s = after(s, "f5 5|6")
    assert GAME.asked(s) == (1,)
    assert not s.doing


def test_a_bear_trap_inside_an_event_ends_all():
    position = "blue g6:1|2v g5:2|3v | fog g4 | unseen 0 0 0 0 1"
    s = drawn("Rosie's Diner", position, setup="standard")
    s = after(s, "g4 3|5", "fog bear trap")
    assert GAME.asked(s) == (1,)
    assert not s.doing


# one by one


def test_superior_scotch():
    s = drawn("Superior Scotch", "supply c3:3-2-1-1 k4:1 j10:0 d11:2-2")
    assert names(s) == ["still c3", "still d11"]
    assert "that is no answer now: superior Scotch" in why(s, "still k4")
    s = after(s, "still c3")
    assert list(s.supply[0][:4]) == [4, 2, 1, 0]
    assert s.supplies[0] == 3
    assert is_put_away("Superior Scotch", "supply c3:3 k4:0 j10:0 d11:2")


def test_rosies_diner():
    s = drawn("Rosie's Diner", "blue g6:1|2v+2")  # §6.8 binds the turn's action, no event
    assert "caravan g6" not in names(s)
    assert "this event is for building" in why(s, "caravan g6")
    s = after(s, "g5 2|2", "f5 2|3")  # a double with its second is one
    s = after(s, "h7 5|6")
    assert GAME.asked(s) == (1,)


def test_rosies_diner_and_dynamite_are_put_away_if_nothing_can_be_built():
    walls = "red g6:6|6 h7:5|5 g8:4|4 f7:3|3 | safe 0 1"
    assert is_put_away("Rosie's Diner", walls)
    assert is_put_away("Dynamite", walls)
    strong = "blue f7:1|2^ | red g6:6|6 | orange h7:6|6 | purple g8:6|6 | mud f7"
    assert is_put_away("Rosie's Diner", strong, seats=4)
    assert not is_put_away("Dynamite", strong, seats=4)


def test_no_honor_among_thieves():
    s = drawn("No Honor Among Thieves", "blue g6:1|2v h5:3|4^ | red h6:5|5+3 g5:1|2>")
    assert names(s) == ["rob h6"]
    s = after(s, "rob h6")
    assert sorted(names(s)) == ["onto g6", "onto h5"]
    s = after(s, "onto h5")
    assert held(s, "h6", "h5") == [0, 3]
    assert s.quiet == 0  # stolen
    s = drawn("No Honor Among Thieves", "blue g6:1|2v+1 g5:2|3v | red a1:1|1")
    s = after(s, "rob g6", "onto g5")  # one's own may be robbed too
    assert held(s, "g6", "g5") == [0, 1]
    assert s.quiet == 1
    assert is_put_away("No Honor Among Thieves", "blue g6:1|2v | red a1:5|5+3")


def test_oer_the_ramparts_we_scorchd():
    event = "O'er the Ramparts We Scorch'd"
    # the fort lies on c3 d3 c4 d4
    s = drawn(event, "blue c1:1|2v+2 d2:1|3v f4:1|4< | red d8:1|1 c8:1|2^ a3:1|3> b4:2|2+1 d13:5|5")
    gone = {"d2", "f4", "d8", "c8", "b4"}
    stay = {"c1", "a3", "d13"}
    assert {node for node in gone | stay if owner(s, node) == "nobody"} == gone
    assert s.reserve == 25 - 2
    assert owner(drawn(event, "blue d13:1|2v"), "d13") == "nobody"
    s = drawn(event, "blue g6:1|2v g5:2|3v g4:3|3 h4:3|4<")
    assert (owner(s, "g4"), owner(s, "h4"), steps(s, "h4")) == ("nobody", "blue", 0)  # cut off
    assert is_put_away(event, "blue g6:1|2v")
    assert f"event {event}" not in names(at(DRAWING, setup="standard"), NATURE)
    hidden = at(f"blue f5:1|2v | fog none | {DRAWING}", setup="moonless")
    assert f"event {event}" in names(hidden, NATURE)
    assert is_natures(after(hidden, f"event {event}"))  # the fort is still face down


def test_lightening_whats_mine():
    event = "Lightening What's Mine"
    s = drawn(event, "blue g6:1|2v+5 | red h7:1|2<+2 a1:1|3v+2 b1:1|4v+1")
    assert sorted(names(s)) == ["send home a1", "send home h7"]
    s = after(s, "send home a1")
    assert owner(s, "a1") == "nobody"
    assert s.reserve == 25 - 8
    s = drawn(event, "blue g6:1|2v+2 g5:2|3v+1 | red h7:1|2<")
    assert names(s) == ["send home g6"]  # no opponent holds any
    assert is_put_away(event, "blue g6:1|2v | red h7:1|2<")


def test_you_let_who_drive_the_wagon():
    event = "You Let Who Drive the Wagon"
    s = drawn(event, "blue g6:1|2v h7:1|3< | red g8:1|2^ | orange f7:1|2> | scored 2 1 2", seats=3)
    asked = []
    while sum(held(s, "g6", "h7", "g8", "f7")) < 3:
        asked.append(GAME.asked(s)[0])
        assert all(name.startswith("gift ") for name in names(s))
        s = after(s, names(s)[0])
    assert asked == [1, 0, 2]  # fewest scored first, then the drawer, then clockwise
    assert s.quiet == 1
    s = drawn(event, "blue g6:1|2v | red g8:1|2^ | stored blue:c3+12 red:c3+12")
    s = after(s, "gift g6")
    assert GAME.asked(s) == (1,)
    assert s.turn == 1  # the reserve is empty
    assert is_put_away(event, "scored 1 1")
    # the order is as they stand when it is drawn, whatever is claimed meanwhile
    s = drawn(
        event,
        "blue g6:1|2v | red g8:1|2^ | orange f7:1|2> | scored 0 1 1 | achieved ambusher: red",
        seats=3,
        objectives="yes",
        claims="noticed",
    )
    s = after(after(s, "claim ambusher", seat=1), "gift g6")
    assert GAME.asked(s) == (1,)


def test_graveyard_giveaway():
    event = "Graveyard Giveaway"
    s = drawn(event, "blue g6:1|2v | red g8:1|2^ | orange f7:1|2> h7:3|4<+1 | scored 1 0 0", seats=3)
    assert GAME.asked(s) == (1,)  # as few scored as orange, and fewer barrels on the road
    s = after(s, "gift g8")
    assert held(s, "g8") == [2]
    s = drawn(event, "blue g6:1|2v | red g8:1|2^ | orange f7:1|2>", seats=3)
    assert GAME.asked(s) == (1,)  # from the drawer's left
    s = drawn(event, "blue g6:1|2v | red g8:1|2^ | orange f7:1|2> | turn red", seats=3)
    assert GAME.asked(s) == (2,)
    s = drawn(event, "blue g6:1|2v | red g8:1|2^ | orange f7:1|2> | scored 1 0 1 | turn red", seats=3)
    assert GAME.asked(s) == (1,)
    assert is_put_away(event, "blue g6:1|2v")  # red has no token
    s = drawn(event, "blue g6:1|2v | red g8:1|2^ | orange f7:1|2> | scored 0 1 1", seats=3)
    assert GAME.asked(s) == (0,)
    s = drawn(event, "blue g6:1|2v | red g8:1|2^+1 | orange f7:1|2> | scored 1 0 0", seats=3)
    assert GAME.asked(s) == (2,)
    s = drawn(event, "blue g6:1|2v | red g8:1|2^+1 | orange f7:1|2> | scored 1 0 0 | stored orange:k4+2", seats=3)
    assert GAME.asked(s) == (2,)  # what lies on a still that is no piece of its road does not count


def test_moonlit_mile():
    s = drawn("Moonlit Mile", "blue g6:1|2v+1 g5:2|3v+1")
    assert sorted(names(s)) == ["caravan g5", "caravan g6"]
    assert "this event is for a caravan" in why(s, "h7")
    s = after(s, "caravan g6")
    assert "h7" in names(s)  # it scored: a free action
    assert {"caravan g5", "caravan g6"} <= set(names(drawn("Moonlit Mile", "blue g6:1|2v+2 g5:2|3v+1")))  # §6.8
    assert is_put_away("Moonlit Mile", "blue g6:1|2v")


def test_dynamite():
    s = drawn("Dynamite", "blue g6:1|2v | red g5:6|6")
    assert can(s, "g5 2|3")
    s = after(s, "g5 2|2", "f5 2|3")
    assert owner(s, "g5") == "blue"
    assert GAME.asked(s) == (1,)
    s = drawn("Dynamite", "blue g6:1|2v | red h5:6|6 f5:5|5 g4:4|4")
    s = after(s, "g5 2|2")
    assert "f5 2|3" in names(s)  # the second too
    s = drawn("Dynamite", "blue g6:1|2v g5:2|3v | red h4:6|6 | fog g4 | unseen 0 0 1 0 0")
    s = after(s, "g4 3|5", "fog paved road", "end east")
    assert names(s) == ["h4 3|5", "h4 5|3"]  # and the token that a paved road takes on


def test_washout():
    s = drawn("Washout", "blue g6:1|2v g5:2|3v g4:3|4v | red h7:1|2< i7:2|5<+1 | orange a1:1|1", seats=3)
    assert [owner(s, node) for node in ("g6", "g5", "g4", "h7", "i7", "a1")] == [
        *("blue", "blue", "nobody", "red", "red", "nobody")
    ]
    assert is_put_away("Washout", "blue g6:1|2v+1")


def test_second_batch():
    s = drawn("Second Batch", "supply c3:3-2 k4:0 j10:1 d11:2-2")
    assert len(names(s)) == 4
    s = after(s, "still k4")
    assert list(s.supply[1][:2]) == [1, 0]
    assert s.reserve == 25 - 11
    assert is_put_away("Second Batch", "scored 12 13")


def test_a_queue_has_room_for_ten():
    s = drawn("Second Batch", "supply c3:1-1-1-1-1-1-1-1-1-1 k4:0 j10:1 d11:2-2")
    assert "still c3" not in names(s)


def test_sticky_fingers():
    s = drawn("Sticky Fingers", "blue g6:1|2v g5:2|3v f7:1|3> | red h7:1|2<+2 i7:2|3<+2 g8:4|5>+1")
    assert names(s) == ["rob h7"]  # linked to the Town Center
    s = after(s, "rob h7")
    assert sorted(names(s)) == ["onto f7", "onto g6"]
    s = after(s, "onto f7")
    assert held(s, "h7", "f7") == [1, 1]
    assert is_put_away("Sticky Fingers", "blue g5:1|2v | red h7:1|2<+2")
    assert is_put_away("Sticky Fingers", "blue g6:1|2v | red h7:1|2<")


def test_open_secret():
    s = at(f"blue f5:1|2v | fog f2 j6 | {DRAWING}", setup="moonless", hidden="setup")
    s = after(s, "event Open Secret")
    assert sorted(names(s)) == ["open c3", "open c8", "open f2", "open h3", "open h8", "open j6"]
    fogless = after(s, "open f2")
    assert fogless.ground[fogless.ground == 1].size == 1
    assert int(fogless.fog.sum()) == int(s.fog.sum())  # nobody has seen which it was
    s = after(s, "open c8")
    assert is_natures(s)
    s = after(s, "turn up Badger Bog")
    assert int(s.kind[3]) == 4
    assert is_put_away("Open Secret", "blue g6:1|2v | fog none", setup="standard")
    s = drawn("Open Secret", "blue g6:1|2v | fog f4", setup="standard")
    assert names(s) == ["open f4"]


def test_safe_passage():
    s = drawn("Safe Passage", "blue g6:1|2v g5:2|3v | red h7:1|1")
    assert GAME.asked(s) == (1,)
    assert not can(s, "g6 5|6")
    assert "Safe Passage (§10)" in why(s, "g6")
    s = after(s, "g8 5|6")
    assert s.safe[0] == 0  # until one's next turn
    bold = at(f"blue g6:1|2v | safe 1 0 | turn red | {DRAWING}", events="yes")
    assert not can(after(bold, "event Dynamite"), "g6 5|6")


def test_eviction():
    s = drawn("Eviction", "blue g6:1|2v | red h7:1|2< i7:2|3< a1:1|1")
    assert sorted(names(s)) == ["send home a1", "send home i7"]
    s = after(s, "send home i7")
    assert in_hand(s, 1, 2, 3)
    assert is_put_away("Eviction", "blue g6:1|2v")


def test_downhill():
    s = drawn("Downhill", "blue g6:1|2v+1 g5:2|3v+2 | red h7:1|2<+1 | orange a1:1|1+1", seats=3)
    assert GAME.asked(s) == (0,)
    assert sorted(names(s)) == ["downhill g5", "downhill g6", "skip"]
    s = after(s, "downhill g5")
    assert held(s, "g6", "g5") == [2, 1]
    assert GAME.asked(s) == (1,)
    s = after(s, "downhill h7")
    assert scores(s) == [0, 1, 0]
    assert s.turn == 1  # orange's is cut off; no free action for red
    s = drawn("Downhill", "blue g6:1|2v+1 | red h7:1|2<+1")
    s = after(s, "skip", "skip")
    assert held(s, "g6", "h7") == [1, 1]
    assert is_put_away("Downhill", "blue g6:1|2v | red a1:1|2<+1")


def test_downhill_from_stills_and_paved_roads():
    s = drawn("Downhill", "blue d5:1|1 e3:2|5< | stored blue:c3+2", setup="small")
    s = after(s, "downhill c3")
    assert (held(s, "d5"), int(s.stored[0, 0])) == ([1], 1)
    s = drawn("Downhill", "blue g6:1|2v g5:2|3v | paved g4:ns+1 0 0 1 | fog none")
    assert held(after(s, "downhill g4"), "g5") == [1]
    two = "orange d5:1|1 e3:2|5< | stored orange:c3+1 blue:c3+1"
    s = drawn("Downhill", two, setup="small", colours=2)
    assert names(s) == ["downhill c3", "skip"]
    s = after(s, "downhill c3")
    assert int(s.stored[2, 0]) == 0
    both = "blue d5:1|1 e3:2|5< | orange c2:1|1 b4:1|2> | stored orange:c3+1 blue:c3+1"
    s = drawn("Downhill", both, setup="small", colours=2)
    assert names(s).count("downhill c3") == 1
    loop = "blue f7:1|2> e7:2|2 e6:2|3v e5:3|3 f5:3|4< g5:4|4+1 h7:1|5< i7:5|5 i6:5|6v i5:6|6 h5:6|4>"
    s = after(drawn("Downhill", loop), "downhill g5")
    assert names(s) == ["via h5", "via f5"]
    assert held(after(s, "via h5"), "h5") == [1]


def test_underdog():
    s = drawn("Underdog", "blue g6:1|2v | red h7:1|2< | scored 1 1")
    assert scores(s) == [2, 1]
    assert s.quiet == 0
    assert is_put_away("Underdog", "blue g6:1|2v | scored 1 0")
    assert is_put_away("Underdog", "blue g6:1|2v | scored 3 8 | stored red:c3+14")


def test_fresh_recruits():
    s = drawn("Fresh Recruits", "blue g6:1|2v g5:2|3v h7:1|4<+1 f7:1|5> | mud f7 | red g8:1|2^")
    assert sorted(names(s)) == ["recruit g5", "recruit g6"]
    s = after(s, "recruit g6")
    assert in_hand(s, 0, 1, 2)
    assert steps(s, "g5") == 0
    assert is_put_away("Fresh Recruits", "red g8:1|2^")


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_has_a_test(event):
    name = "test_" + event.lower().replace("'", "").replace(" ", "_")
    assert name in globals()
