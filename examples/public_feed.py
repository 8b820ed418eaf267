#!/usr/bin/env python3
"""Follows the public games of touchmove: prints each table as it changes.

    public_feed.py http://127.0.0.1:8064/ [--once]

It needs only Python's standard library, and reads the same from exported files (`[publish_static]`) on any web server.
docs/public-api.json describes the documents.
"""

import json
import sys
import time
import urllib.error
import urllib.request


def read(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        return json.load(answer)


def line(table, state):
    names = f"{table['white']['name'] or 'White'} – {table['black']['name'] or 'Black'}"
    last = state["last_moves"][-1] if state["last_moves"] else "no moves yet"
    return f"{table['table']:>3}  {names:<50} {state['result']:>7}  {last}"


def events(address, last_id):
    """Yields (id, event, data) of a stream of server-sent events."""
    request = urllib.request.Request(address, headers={"Last-Event-ID": last_id} if last_id else {})
    with urllib.request.urlopen(request, timeout=60) as answer:
        number, event, data = last_id, "message", []
        for text in answer:
            text = text.decode().rstrip("\n")
            if not text:
                if data:
                    yield number, event, json.loads("\n".join(data))
                event, data = "message", []
                continue
            field, _, value = text.partition(": ")
            if field == "id":
                number = value
            elif field == "event":
                event = value
            elif field == "data":
                data.append(value)


class Follower:
    def __init__(self, page):
        self.documents = page + "public/"
        self.tables = {}
        self.event = {}

    def read_all(self):
        """Reads the event and the round that is played, and prints the tables that have changed."""
        self.event = read(self.documents + "event.json")
        if self.event["round"] is None:
            return
        number = self.event["round"]
        round_ = read(f"{self.documents}round/{number}.json")
        for table in round_["tables"]:
            before = self.tables.get((number, table["table"]))
            self.tables[number, table["table"]] = table
            if before is None or before["state"] != table["state"]:
                print(line(table, table["state"]), flush=True)

    def change(self, event, data):
        """Handles an event of the stream."""
        if event in ("round", "event"):
            self.read_all()
        elif event == "table":
            table = self.tables.get((data["round"], data["table"]))
            if table and table["state"] != data["state"]:
                table["state"] = data["state"]
                print(line(table, data["state"]), flush=True)


def main():
    page = sys.argv[1].rstrip("/") + "/"
    follower = Follower(page)
    follower.read_all()
    if "--once" in sys.argv[2:]:
        return
    last_id = None
    while True:
        try:
            if follower.event["stream"] is None:  # files: there is nobody who could say that they have changed
                time.sleep(follower.event["poll_s"])
                follower.read_all()
                continue
            for last_id, event, data in events(follower.documents + follower.event["stream"], last_id):
                follower.change(event, data)
        except (OSError, urllib.error.URLError) as error:
            print(f"{page}: {error}; trying again", file=sys.stderr)
        time.sleep(2)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main()
    except KeyboardInterrupt:
        pass
    except urllib.error.URLError as error:
        sys.exit(f"{sys.argv[1]}: {error}: is the page switched on, as listen in [web]?")
