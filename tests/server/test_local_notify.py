"""Notifications between processes on one SQLite file: none is lost while somebody is there to hear it."""

import asyncio
import os

import pytest

from backroom.server.place import PLACE, Place, place_of
from backroom.server.storage import local_notify
from backroom.server.storage.local_notify import LocalNotify, first_of


@pytest.fixture
def places(tmp_path):
    return [Place(number, 2, tmp_path) for number in (0, 1)]


def run(work):
    asyncio.run(asyncio.wait_for(work(), 20))


async def until(is_so):
    while not is_so():
        await asyncio.sleep(0.005)


def test_a_place_is_what_it_was_said_to_be(places):
    assert place_of({PLACE: str(places[1])}) == places[1]
    assert place_of({}) is None
    assert places[1].others() == [0]


def test_all_hear_in_order(places):
    async def work():
        heard = [[], []]
        notifies = [LocalNotify(place, heard[place.number].append) for place in places]
        for each in notifies:
            each.open()
        notifies[0].say("a one")
        notifies[0].say("a two")
        notifies[0].say("a one")
        notifies[1].say("b three")
        await until(lambda: all(len(each) == 3 for each in heard))
        assert [word for word in heard[1] if word[0] == "a"] == ["a one", "a two"]
        for each in notifies:
            each.close()

    run(work)


def test_who_has_no_room_is_told_later(places):
    """More words than the system keeps for a socket, in several rounds, while nobody reads."""

    async def work():
        heard = []
        speaker, busy = LocalNotify(places[0], lambda word: None), LocalNotify(places[1], heard.append)
        speaker.open()
        busy.open()
        asyncio.get_running_loop().remove_reader(busy._socket)
        said = [f"a {number} {'x' * 200}" for number in range(5000)]
        for start in range(0, len(said), 5):
            for word in said[start : start + 5]:
                speaker.say(word)
            await asyncio.sleep(0)
        assert speaker._untold[1]
        assert not heard
        asyncio.get_running_loop().add_reader(busy._socket, busy._take)
        await until(lambda: set(heard) == set(said))
        speaker.close()
        busy.close()

    run(work)


def test_nobody_waits_for_a_process_that_has_ended(places):
    async def work():
        speaker, other = (LocalNotify(place, lambda word: None) for place in places)
        speaker.open()
        other.open()
        other.close()
        speaker.say("a word")
        await until(lambda: not any(speaker._untold))
        os.unlink(places[1].path("notify"))
        speaker.say("a word")
        await until(lambda: not any(speaker._untold))
        assert speaker._timer is None
        speaker.close()

    run(work)


def test_a_successor_hears_its_predecessor(places):
    async def work():
        heard = []
        old, new = LocalNotify(places[0], lambda word: None), LocalNotify(places[0], heard.append)
        old.open()
        new.open()
        old.say("a last word")
        await until(lambda: heard == ["a last word"])
        old.close()
        new.close()

    run(work)


def test_datagrams_are_never_too_long(monkeypatch):
    monkeypatch.setattr(local_notify, "MOST_BYTES", 10)
    assert first_of(["abc", "def", "ghi"]) == ["abc", "def"]
    assert first_of(["äöü", "def"]) == ["äöü"]
    assert first_of(["abcdefghijkl", "m"]) == ["abcdefghijkl"]
