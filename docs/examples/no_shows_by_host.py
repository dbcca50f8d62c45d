#!/usr/bin/env python3
"""Prints the no-shows of last month by host: the meetings that ended, and how many of them were missed. It needs Python 3.8 or later, and no packages.

    export SLOTSTREAM_URL=http://127.0.0.1:8081    # the admin listener of `start` or `work`
    export SLOTSTREAM_TOKEN=...                    # ADMIN_READ_TOKEN
    python3 no_shows_by_host.py                    # last month, by the days of REPORT_TIMEZONE
    python3 no_shows_by_host.py 2026-11            # another one
"""
import datetime
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ.get("SLOTSTREAM_URL", "http://127.0.0.1:8081").rstrip("/")
TOKEN = os.environ.get("SLOTSTREAM_TOKEN", "")


def rows(table, conditions):
    """The rows of one page, which is all where a question groups them."""
    address = f"{BASE}/api/tables/{table}?{urllib.parse.urlencode(conditions)}"
    request = urllib.request.Request(address, headers={"Authorization": "Bearer " + TOKEN})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["collection"]


def main(month):
    try:
        first = datetime.date.fromisoformat(month + "-01")
    except ValueError:
        sys.exit("Write the month as 2026-11.")
    next_month = (first + datetime.timedelta(days=31)).replace(day=1)
    days = [("start_day", f"gte.{first}"), ("start_day", f"lt.{next_month}")]
    by_host = [("select", "host,host_name,count()")]
    ended = rows("bookings", [*days, *by_host, ("ended_at", "not.is.null"), ("order", "count.desc,host")])
    missed = rows("bookings", [*days, *by_host, ("outcome", "eq.no_show")])
    missed_by = {row["host"]: row["count"] for row in missed}

    print(f"{'Host':<30} {'Meetings':>9} {'No-shows':>9} {'Share':>6}")
    for row in ended:
        count = missed_by.get(row["host"], 0)
        name = row["host_name"] or row["host"] or "(without a host)"
        print(f"{name[:30]:<30} {row['count']:>9} {count:>9} {count / row['count']:>6.0%}")


if __name__ == "__main__":
    if not TOKEN or len(sys.argv) > 2:
        sys.exit(__doc__)
    last_month = datetime.date.today().replace(day=1) - datetime.timedelta(days=1)
    try:
        main(sys.argv[1] if len(sys.argv) == 2 else f"{last_month:%Y-%m}")
    except urllib.error.HTTPError as error:
        sys.exit(f"Slotstream answered {error.code}: {error.read().decode()}")
    except OSError as error:
        sys.exit(f"Slotstream cannot be reached at {BASE}: {error}")
