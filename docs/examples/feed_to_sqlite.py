#!/usr/bin/env python3
"""Copies the records of Slotstream into a SQLite file and keeps the copy up to date. It needs Python 3.8 or later, and no packages.

    export SLOTSTREAM_URL=http://127.0.0.1:8081    # the admin listener of `start` or `work`; `receive` has no tables
    export SLOTSTREAM_TOKEN=...                    # ADMIN_TOKEN, or DATA_DIR/admin-token
    python3 feed_to_sqlite.py copy.db            # runs until it is stopped
    python3 feed_to_sqlite.py copy.db --once     # ends at the end of the log

It copies the ten tables that mirror records of the service. What the others contain is in their columns: `emails` and `phone_numbers`
of contacts, and `no_show_uri` and `no_show_at`, the open mark, of invitees.

It reads the feed with the rows after each change (include=row). The rows and the position in the log are written in one
transaction: stopped or killed at any moment, it resumes without a gap. Acknowledging lets `GET /api/feed/consumers` show how far
behind the copy is. Use the same pattern for another database: only `write` and `delete` have to change.
"""
import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.request

BASE = os.environ.get("SLOTSTREAM_URL", "http://127.0.0.1:8081").rstrip("/")
TOKEN = os.environ.get("SLOTSTREAM_TOKEN", "")
CONSUMER = os.environ.get("SLOTSTREAM_CONSUMER", "feed-to-sqlite")


def call(path, body=None):
    request = urllib.request.Request(
        BASE + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=90) as answer:
        return json.loads(answer.read() or b"null")


def name(identifier):
    return '"' + identifier.replace('"', '""') + '"'


def cell(value):
    """Lists and objects are stored as JSON text."""
    return json.dumps(value) if isinstance(value, (list, dict)) else value


def write(copy, table, row):
    """Inserts or replaces a row. Tables and columns are created when they first occur."""
    copy.execute(f"create table if not exists {name(table)} (uri text primary key)")
    known = {column[1] for column in copy.execute(f"pragma table_info({name(table)})")}
    for column in row.keys() - known:
        copy.execute(f"alter table {name(table)} add column {name(column)}")
    columns = ", ".join(name(column) for column in row)
    values = ", ".join("?" for _ in row)
    copy.execute(f"insert or replace into {name(table)} ({columns}) values ({values})", [cell(v) for v in row.values()])


def delete(copy, table, uri):
    copy.execute(f"create table if not exists {name(table)} (uri text primary key)")
    copy.execute(f"delete from {name(table)} where uri = ?", [uri])


def apply_entry(copy, entry):
    for table, row in (entry.get("row") or {}).items():
        if row is None:
            delete(copy, table, entry["subject_uri"])
        else:
            write(copy, table, row)


def main(path, once):
    copy = sqlite3.connect(path, isolation_level=None)
    copy.execute("create table if not exists feed_position (seq integer not null)")
    (position,) = copy.execute("select coalesce(max(seq), 0) from feed_position").fetchone()
    copied = 0
    while True:
        page = call(f"/api/feed?after={position}&include=row&wait={0 if once else 30}")
        entries, next_position = page["collection"], page["pagination"]["next_after"]
        copy.execute("begin immediate")
        for entry in entries:
            apply_entry(copy, entry)
        copy.execute("delete from feed_position")
        copy.execute("insert into feed_position values (?)", [next_position])
        copy.execute("commit")
        copied += len(entries)
        if next_position > position:
            position = next_position
            call(f"/api/feed/consumers/{CONSUMER}", {"acknowledged": position})
        elif once:
            print(f"Copied entries: {copied}. Position in the log: {position}.")
            return


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--once"]
    if len(arguments) != 1 or not TOKEN:
        sys.exit(__doc__)
    while True:
        try:
            main(arguments[0], "--once" in sys.argv)
            break
        except urllib.error.HTTPError as error:
            sys.exit(f"Slotstream answered {error.code}: {error.read().decode()}")
        except OSError as error:
            if "--once" in sys.argv:
                sys.exit(f"Slotstream cannot be reached at {BASE}: {error}")
            time.sleep(5)
        except KeyboardInterrupt:
            break
