"""Streams are written to directly, or wait for slow clients; nothing is lost, and everything arrives in order."""

import asyncio
import contextlib
import gc
import time
import tracemalloc
from types import SimpleNamespace

import pytest
from serving import TOY, news, run

from backroom.server.http import direct
from backroom.server.tables.audience import MOST_WAITING, Audience, Listener


def test_a_stream_does_not_keep_what_it_has_sent(server, monkeypatch):
    """A stream frees its first message, a whole picture, since it may stay open for hours."""
    long, whole = 400_000, Audience.whole
    monkeypatch.setattr(Audience, "whole", lambda *args: b":" + b"x" * long + b"\n\n" + whole(*args))
    ann = server.guest("Ann")
    table = ann.make(TOY, seats=2)
    with ann.listening(table) as first, contextlib.ExitStack() as stack:
        news(first)
        tracemalloc.start()
        try:
            for messages in [stack.enter_context(ann.listening(table)) for _ in range(8)]:
                news(messages)
            time.sleep(0.2)
            gc.collect()
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert held < 4 * long


class Wire:
    """A connection that records what was sent."""

    def __init__(self):
        self.sent, self.is_shut = b"", False
        self.transport = self
        self.outbox = direct.Outbox()
        self.flow = SimpleNamespace(write_paused=False)

    def is_closing(self):
        return self.is_shut

    def write(self, data):
        self.sent += data


def framed(*messages):
    return b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in messages)


async def drain(listener, messages):
    """What a stream's task does with queued messages."""
    while message := await listener.heard():
        await asyncio.sleep(0)
        messages.write(framed(message))


@pytest.mark.parametrize("has_pipe", [True, False])
def test_messages_come_in_order_whether_the_connection_is_free_or_not(has_pipe):
    async def talk():
        listener, messages = Listener("ann"), Wire()
        task = asyncio.ensure_future(drain(listener, messages))
        listener.tell(b"one")  # before the task has begun to listen
        await asyncio.sleep(0.01)
        listener.write_now = direct.writer(messages) if has_pipe else None
        for number, word in enumerate([b"two", b"three", b"four", b"five", b"six"]):
            messages.flow.write_paused = number in (1, 2)
            assert listener.tell(word)
            if number == 3:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)
        listener.close()
        await asyncio.wait_for(task, 5)
        return messages.sent

    said = run(talk())
    words = b"".join(part for part in said.split(b"\r\n")[1::2])
    assert words == b"onetwothreefourfivesix"


def test_what_can_be_written_without_the_stream_s_task_is():
    async def talk():
        listener, messages = Listener("ann"), Wire()
        task = asyncio.ensure_future(drain(listener, messages))
        await asyncio.sleep(0)
        listener.write_now = direct.writer(messages)
        listener.tell(b"now")
        assert listener.waiting == []
        await asyncio.sleep(0)
        assert messages.sent == framed(b"now")
        messages.is_shut = True
        listener.tell(b"later")
        assert listener.waiting == [b"later"]
        assert messages.sent == framed(b"now")
        task.cancel()

    run(talk())


def test_a_listener_who_takes_nothing_is_left():
    async def talk():
        listener, messages = Listener("ann"), Wire()

        async def drain():  # until the connection gives up and is lost
            messages.is_shut = True
            listener.leave()

        messages.flow = SimpleNamespace(write_paused=True, drain=drain)
        listener.tell(b"one")
        stack = contextlib.AsyncExitStack()
        stack.callback(messages.write, b"left")
        await asyncio.wait_for(direct._stream_on(messages, listener, stack), 5)
        return messages.sent

    assert run(talk()) == framed(b"one") + b"left"


def test_a_reader_that_does_not_listen_is_disconnected():
    listener = Listener("ann")
    assert all(listener.tell(b"x") for _ in range(MOST_WAITING))
    assert not listener.tell(b"x")
