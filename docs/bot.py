"""A bot for any game, over the HTTP API: python docs/bot.py http://localhost:8642 TABLE (or GAME, for a new table)."""

import json
import random
import sys
import time
import urllib.error
import urllib.request

house, where = sys.argv[1].rstrip("/"), sys.argv[2]


def call(path, message=None, token=None):
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    body = None if message is None else json.dumps(message).encode()
    try:
        return urllib.request.urlopen(urllib.request.Request(f"{house}/api{path}", body, headers), timeout=60)
    except urllib.error.HTTPError as refusal:
        if refusal.code not in (429, 503):
            raise
        time.sleep(int(refusal.headers["Retry-After"]))  # then the same request may be sent again
        return call(path, message, token)


token = json.load(call("/guests", {"name": f"Bot {random.randrange(1000)}"}))["token"]
if where in [game["name"] for game in json.load(call("/games"))]:
    where = json.load(call("/tables", {"game": where, "sit": None}, token))["table"]
seat = json.load(call(f"/tables/{where}/seats", {}, token))["seat"]
print(f"seat {seat} at {house}/tables/{where}", flush=True)
for line in call(f"/tables/{where}/events", token=token):  # each event may mean that it is our turn
    if line.startswith(b"data:"):
        now = json.load(call(f"/tables/{where}/decision", token=token))
        if now["stage"] == "over":
            sys.exit(print(f"over: {now['score']}"))
        if now["asked"]:  # think here: now["view"] is what you see, now["moves"] what you can do
            move = {"name": random.choice(now["moves"])["name"], "ask": now["ask"], "key": f"{seat}-{now['n']}"}
            call(f"/tables/{where}/moves", move, token)
