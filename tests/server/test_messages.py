"""Texts for people, as messages have them."""

from backroom.server.tables.messages import by_turns, in_words


def test_a_story_is_told_by_turns():
    """Successive sentences that begin with the same player are one; anything said between them ends it."""
    ann, ben = {"seat": 0, "name": "Ann"}, {"seat": 1, "name": "Ben"}
    lines = [
        {"n": 1, "text": "Ann rolls 6.", **ann, "rest": ["rolls ", ("die-6", "6")]},
        {"n": 2, "text": "Ann moves.", **ann, "rest": ["moves"]},
        {"text": "hello", "who": "Ben"},
        {"n": 3, "text": "Ann bears off.", **ann, "rest": ["bears off"]},
        {"n": 4, "text": "Ben rolls.", **ben, "rest": ["rolls"]},
    ]
    found = by_turns(lines)
    assert [item.get("rest") for item in found] == [
        ["rolls ", ("die-6", "6"), ", ", "moves"],
        None,
        ["bears off"],
        ["rolls"],
    ]
    assert lines[0]["rest"] == ["rolls ", ("die-6", "6")]


def test_a_marked_text_is_told_in_words_and_where_it_has_glyphs_in_parts():
    assert in_words("label", "Wait for @0@", ["Ann"]) == {"label": "Wait for Ann"}
    assert in_words("label", "Take [[die-6|a six]]", ["Ann"]) == {
        "label": "Take a six",
        "rich": ["Take ", ("die-6", "a six")],
    }
