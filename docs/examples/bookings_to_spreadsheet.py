#!/usr/bin/env python3
"""Keeps a spreadsheet of bookings up to date: one line per booking in a CSV file. It needs Python 3.8 or later, and no packages.

    export SLOTSTREAM_URL=http://127.0.0.1:8081    # the admin listener of `start` or `work`
    export SLOTSTREAM_TOKEN=...                    # ADMIN_READ_TOKEN
    python3 bookings_to_spreadsheet.py bookings.csv    # the first time all bookings, then what may have changed

Run it every hour, by cron for example. It reads the bookings that were made or moved since the newest one in the file, and those whose
meetings start in the last 30 days or later: until then they are canceled, missed or answered. Columns that you add to the right are kept.
After an erasure, delete the file and run it again: older lines still name the person.
"""
import csv
import datetime
import io
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ.get("SLOTSTREAM_URL", "http://127.0.0.1:8081").rstrip("/")
TOKEN = os.environ.get("SLOTSTREAM_TOKEN", "")
COLUMNS = ["uri", "made_at", "start_time", "outcome", "event_type_name", "host_name", "invitee_name", "invitee_email"]
CHANGING_DAYS = 30


def pages(question):
    """Lists of rows. The header Link has the address of the next page; only its token is used, as a proxy may have another address."""
    while question:
        address = f"{BASE}/api/tables/bookings?{urllib.parse.urlencode(question)}"
        request = urllib.request.Request(address, headers={"Authorization": "Bearer " + TOKEN, "Accept": "text/csv"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            yield list(csv.DictReader(io.TextIOWrapper(answer, "utf-8", newline="")))
            token = re.search(r"[?&]page_token=([\w-]+)", answer.headers.get("Link") or "")
        question = token and {"page_token": token[1], "limit": 1000}


def read(path):
    """The lines of the file by their key, in their order."""
    if not os.path.exists(path):
        return COLUMNS, {}
    with open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        return list(reader.fieldnames or COLUMNS), {line["uri"]: line for line in reader}


def write(path, columns, lines):
    """Replaces the file at once, so that nobody opens half of it. Spreadsheets know UTF-8 by the mark at its beginning."""
    with open(path + ".new", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(lines)
    os.replace(path + ".new", path)


def main(path):
    columns, lines = read(path)
    question = {"select": ",".join(COLUMNS), "order": "made_at", "limit": 1000}
    newest = max((line["made_at"] for line in lines.values()), default="")
    if newest:
        since = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=CHANGING_DAYS)
        question["or"] = f"(made_at.gte.{newest},start_time.gte.{since:%Y-%m-%d})"
    added = changed = 0
    for page in pages(question):
        for row in page:
            line = lines.get(row["uri"])
            added += line is None
            changed += line is not None and any(line.get(name) != value for name, value in row.items())
            lines[row["uri"]] = {**(line or {}), **row}
    write(path, columns, lines.values())
    print(f"Bookings: {len(lines)}. Added: {added}. Changed: {changed}.")


if __name__ == "__main__":
    if not TOKEN or len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except urllib.error.HTTPError as error:
        sys.exit(f"Slotstream answered {error.code}: {error.read().decode()}")
    except OSError as error:
        sys.exit(f"Slotstream cannot be reached at {BASE}: {error}")
