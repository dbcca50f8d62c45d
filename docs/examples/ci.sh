#!/bin/sh
# Tests your code against Slotstream in CI: a simulated service, a mirror and one booking, without an account, Docker or a network.
set -eu
slotstream=${SLOTSTREAM:-./bin/slotstream}
folder=$(mktemp -d)
trap 'kill $started; wait; rm -rf "$folder"' EXIT

$slotstream sandbox --json --port 0 >"$folder/sandbox.json" &
started=$!
until grep -q tokens "$folder/sandbox.json"; do sleep 0.1; done
handle() { node -p "require('$folder/sandbox.json').$1"; }

export DATA_DIR="$folder/data" PORT="${PORT:-8080}" PUBLIC_URL="http://127.0.0.1:${PORT:-8080}"
export API_BASE_URL="$(handle base_url)" API_TOKEN="$(handle tokens.owner)"
$slotstream start 2>"$folder/log" &
started="$started $!"
curl -fsS --retry 30 --retry-delay 1 --retry-all-errors "$PUBLIC_URL/readyz"
$slotstream bootstrap

curl -fsS "$API_BASE_URL/invitees" -H "Authorization: Bearer $API_TOKEN" -H 'Content-Type: application/json' -d "{
  \"event_type\": \"$(handle event_types.solo)\", \"start_time\": \"$(($(date +%Y) + 1))-01-11T10:00:00Z\",
  \"invitee\": {\"name\": \"Ada\", \"email\": \"ada@example.test\", \"timezone\": \"UTC\"}}"
until $slotstream export invitees --columns email,status --out - --format csv | grep ada@example.test; do sleep 0.1; done
# The booking is a row. Now run the tests of your own code: they read tables, the API at http://127.0.0.1:8081 or the feed.
