#!/bin/sh
# The integration of a repository, with curl, sed, grep and awk only: it deposits 1,000 objects, retries, moves their site, publishes
# new versions, withdraws old ones and reads the events. repository.ts and repository.py do the same.
#
# MINTMARK_URL               the service, such as http://localhost:3000
# MINTMARK_KEY               an API key with the scopes mint and curate; not needed under open access
# MINTMARK_NAMING_AUTHORITY  a naming authority that was created with "metadataIdScheme": "any"
#
# Each run deposits new objects. The last line of the output is a summary as JSON. The exit code is 1 if a check fails.
set -eu
umask 077

url=${MINTMARK_URL:-http://localhost:3000}
naming_authority=${MINTMARK_NAMING_AUTHORITY:-100.102}
objects=1000
# Attempts to send a request.
attempts=6
# Objects of a first attempt, which ends before all objects are sent.
interrupted=400
# Objects that are deposited by a request each.
single=10
# Objects that get a new version; the first one is withdrawn then.
revised=100

run=$(date +%s)-$$
old_site=https://old.example.org/$run/
new_site=https://new.example.org/$run/
reason='Replaced by a corrected version.'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Other users could read a key in the arguments of a process.
{
  echo 'silent'
  echo 'show-error'
  if [ -n "${MINTMARK_KEY:-}" ]; then echo "header = \"Authorization: Bearer $MINTMARK_KEY\""; fi
} >curl.conf

fail() {
  echo "unexpected: $*" >&2
  exit 1
}
# expect WHAT EXPECTED ACTUAL
expect() {
  [ "$2" = "$3" ] || fail "$1: $3 instead of $2"
}
# same WHAT FILE FILE
same() {
  cmp -s "$2" "$3" || fail "$1: $(diff "$2" "$3" | head -n 3)"
}
# matches PATTERN FILE: the number of lines.
matches() {
  grep -c "$1" "$2" || true
}
# rows FILE: the number of rows of a CSV, without the names of the columns.
rows() {
  sed 1d "$1" | wc -l | tr -d ' '
}
# request [curl options]: writes the body of a response to the standard output, or that of a rejection to the standard error. A request is
# sent again after a lost connection, and after Retry-After while the service cannot process it or a request with its key is in
# progress. A repeat has the same idempotency key, or the same metadata IDs, so that it changes nothing twice.
request() {
  attempt=1
  while :; do
    : >response
    : >headers
    exit_code=0
    curl -K curl.conf --fail-with-body -D headers -o response "$@" >written 2>curl.txt || exit_code=$?
    case $exit_code in
      0) break ;;
      # A rejection: another one than these is final.
      22) grep -q '^HTTP[^ ]* \(429\|503\)' headers || grep -q '"REQUEST_IN_FLIGHT"' response || attempt=$attempts ;;
      # The connection could not be made, or was lost.
      5 | 6 | 7 | 16 | 18 | 28 | 35 | 52 | 55 | 56 | 92) ;;
      *) attempt=$attempts ;;
    esac
    if [ "$attempt" -ge $attempts ]; then
      cat curl.txt response >&2
      return 1
    fi
    attempt=$((attempt + 1))
    retry_after=$(tr -d '\r' <headers | sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\)$/\1/p')
    sleep "${retry_after:-1}"
  done
  cat written response
}
# stream PATH TYPE FILE [curl options]: sends the lines of a file, again while the stream ends too early and while lines are rejected that
# can succeed later. The last line of a stream that was read to its end is a summary, which is not written.
stream() {
  path=$1 type=$2 file=$3
  shift 3
  streams=1
  while :; do
    request "$url$path" -H "Content-Type: $type" -H 'Prefer: return=minimal, summary' --data-binary "@$file" "$@" >results || return 1
    if sed -n '$p' results | grep -q '^{"summary"' && ! grep -q '"status":\(429\|503\)\|"REQUEST_IN_FLIGHT"' results; then break; fi
    if [ $streams -ge $attempts ]; then
      cat results >&2
      return 1
    fi
    streams=$((streams + 1))
    sleep 1
  done
  sed '$d' results
}
mint() {
  stream "/identifiers/bulk?namingAuthority=$naming_authority" application/x-ndjson "$@"
}
# change QUERY FILE [curl options]: the columns of CSV that a change does not need are ignored.
change() {
  query=$1 file=$2
  shift 2
  stream "/identifiers/changes?$query" text/csv "$file" "$@"
}
# at_site SITE: the identifiers whose target begins with this text, as CSV.
at_site() {
  request -G "$url/identifiers/export" -H 'Accept: text/csv' \
    --data-urlencode "namingAuthority=$naming_authority" --data-urlencode "targetPrefix=$1"
}
# count: the number of identifiers, or nothing where the service estimates it.
count() {
  request "$url/identifiers?namingAuthority=$naming_authority&limit=1&total=true" >total.json || return 1
  sed -n 's/.*"total":{"value":\([0-9]*\),"isExact":true}.*/\1/p' total.json
}
identifiers_in() { sed -n 's/.*"identifier":"\([^"]*\)".*/\1/p' "$1"; }
next_in() { sed -n 's/.*"next":"\([^"]*\)".*/\1/p' "$1"; }
# events_after CURSOR: writes identifiers and kinds of the events to events.txt. It reads on until there is nothing more, and
# nothing more comes within a second. A page before the end can be empty.
events_after() {
  : >events.txt
  cursor=$1
  while :; do
    request "$url/events?namingAuthority=$naming_authority&limit=1000&wait=1&cursor=$cursor" >page.json
    cursor=$(next_in page.json)
    grep -o '"identifier":"[^"]*","version":[0-9]*,"kind":"[a-z]*"' page.json |
      sed 's/"identifier":"\([^"]*\)".*"kind":"\(.*\)"/\1 \2/' >>events.txt || true
    if grep -q '^{"items":\[\],.*"end":true}$' page.json; then break; fi
  done
}

# objects_of FROM TO SUFFIX MEMBERS: a line for each object.
objects_of() {
  awk -v from="$1" -v to="$2" -v id="oai:repo.example.org:$run/" -v target="$old_site" -v suffix="$3" -v members="$4" 'BEGIN {
    for (n = from; n <= to; n++) printf "{\"metadataId\":\"%s%d\",\"target\":\"%s%d%s\"%s}\n", id, n, target, n, suffix, members
  }'
}

request "$url/events?cursor=latest" >page.json
start=$(next_in page.json)

# Deposit: some objects by a request each, the others as a stream, whose first attempt is incomplete.
objects_of 1 $single '' ",\"namingAuthority\":\"$naming_authority\"" >singles.ndjson
objects_of $((single + 1)) $objects '' '' >deposit.ndjson
deposit() {
  n=0
  while read -r body; do
    n=$((n + 1))
    request "$url/identifiers" -H 'Content-Type: application/json' -H "Idempotency-Key: $run-object-$n" \
      -w '{"status":%{http_code}}\n' --data "$body"
  done <singles.ndjson >"singles.$1"
  mint deposit.ndjson -H "Idempotency-Key: $run-deposit" >"deposit.$1"
}
head -n $interrupted deposit.ndjson >interrupted.ndjson
mint interrupted.ndjson -H "Idempotency-Key: $run-deposit" >interrupted.results
deposit first
head -n $interrupted deposit.first >expected.txt
same 'results of the first attempt' expected.txt interrupted.results
cat singles.first deposit.first >deposited
expect 'deposited objects' $objects "$(matches '"status":201' deposited)"
# The first identifier in a representation is its own.
sed -n 's/^{"identifier":"\([^"]*\)".*/\1/p' singles.first >identifiers.txt
identifiers_in deposit.first >>identifiers.txt
expect 'different identifiers' $objects "$(sort -u identifiers.txt | wc -l | tr -d ' ')"
count_after_deposit=$(count)

# Retry: the same keys return the same results, and the same requests return the same identifiers without a key too.
# Other values for a metadata ID are 409, with the identifier and the members that differ.
deposit second
same 'retry of the single objects' singles.first singles.second
same 'retry of the stream' deposit.first deposit.second
head -n $single identifiers.txt >known.txt
objects_of 1 $single /latest '' >other.ndjson
mint other.ndjson >contradicted.ndjson
identifiers_in contradicted.ndjson >returned.txt
same 'identifiers that exist' known.txt returned.txt
contradicted=$(matches '"status":409.*"pointer":"/target"' contradicted.ndjson)
expect 'lines with another target' $single "$contradicted"
objects_of 1 $single /latest ',"onExisting":"update"' >update.ndjson
mint update.ndjson >updated.ndjson
identifiers_in updated.ndjson >returned.txt
same 'identifiers that are updated' known.txt returned.txt
updated=$(matches '"status":200,"identifier":"[^"]*"}$' updated.ndjson)
expect 'lines that update' $single "$updated"
count_after_retries=$(count)
# Two estimates can differ by any number.
minted_by_retries=null
if [ -n "$count_after_deposit" ] && [ -n "$count_after_retries" ]; then
  minted_by_retries=$((count_after_retries - count_after_deposit))
  expect 'identifiers minted by retries' 0 $minted_by_retries
fi

# Move: the identifiers at the old site get targets at the new one, unless somebody has changed them meanwhile.
columns='columns=identifier:identifier,target:target,version:ifVersion,*:ignore'
at_site "$old_site" >before.csv
expect 'identifiers at the old site' $objects "$(rows before.csv)"
sed "s|$old_site|$new_site|" before.csv >moves.csv
change "dryRun=true&$columns" moves.csv >preview.ndjson
expect 'changes of the dry run' $objects \
  "$(matches "\"outcome\":\"changed\".*\"old\":{\"target\":\"$old_site[^\"]*\"},\"new\":{\"target\":\"$new_site" preview.ndjson)"
at_site "$old_site" >after-preview.csv
same 'identifiers after the dry run' before.csv after-preview.csv
change "$columns" moves.csv -H "Idempotency-Key: $run-move" >moved.ndjson
moved=$(matches '"status":200,"outcome":"changed"' moved.ndjson)
expect 'moved identifiers' $objects "$moved"
change "$columns" moves.csv -H "Idempotency-Key: $run-move" >moved-again.ndjson
same 'retry of the move' moved.ndjson moved-again.ndjson
at_site "$old_site" >left.csv
expect 'identifiers that are left at the old site' 0 "$(rows left.csv)"
at_site "$new_site" >after.csv
cut -d, -f1-3 moves.csv >expected.txt
cut -d, -f1-3 after.csv >actual.txt
same 'identifiers at the new site' expected.txt actual.txt

# New versions: each has an identifier of its own, which names the previous one.
head -n $revised identifiers.txt >older.txt
awk -v id="oai:repo.example.org:$run/" -v target="$new_site" '{
  printf "{\"metadataId\":\"%s%d/v2\",\"target\":\"%s%d/v2\",\"previousVersion\":\"%s\"}\n", id, NR, target, NR, $0
}' older.txt >versions.ndjson
mint versions.ndjson -H "Idempotency-Key: $run-versions" >versions.results
versions=$(matches '"status":201' versions.results)
expect 'new versions' $revised "$versions"
identifiers_in versions.results >newer.txt
# read_all FILE: reads the identifiers of a file over one connection, with headers. Each response has a file of its own, which curl
# empties before it repeats a request: the beginning of a lost response does not remain.
read_all() {
  rm -f read-*
  awk -v url="$url/identifiers/" '{ printf "url = \"%s%s\"\noutput = \"read-%03d\"\n", url, $0, NR }' "$1" >urls.conf
  curl -K curl.conf --retry 5 --retry-all-errors -K urls.conf -i 2>>curl.txt
  # awk ends the last line of each file.
  awk 1 read-*
}
read_all older.txt >older.http
read_all newer.txt >newer.http
sed -n 's/.*"newerVersions":\["\([^"]*\)"\].*/\1/p' older.http >actual.txt
same 'newerVersions of the old versions' newer.txt actual.txt
sed -n 's/.*"previousVersion":"hdl:\([^"]*\)".*/\1/p' newer.http >actual.txt
same 'previousVersion of the new versions' older.txt actual.txt
# same_links REL FROM TO: the links of this relation in one file are the HTTP URIs in the other file.
same_links() {
  sed -n "s/^[Ll]ink: .*<\\([^>]*\\)>; rel=\"$1\".*/\\1/p" "$2" >actual.txt
  sed -n 's/.*"resolver":"\([^"]*\)".*/\1/p' "$3" >expected.txt
  same "$1" expected.txt actual.txt
}
same_links successor-version older.http newer.http
same_links predecessor-version newer.http older.http

# Withdraw the first versions. Their identifiers stay known, and name their replacements.
{
  echo 'identifier,replacedBy,withdrawalReason'
  paste -d , older.txt newer.txt | sed "s/\$/,$reason/"
} >withdrawals.csv
change '' withdrawals.csv -H "Idempotency-Key: $run-withdraw" >withdrawn.ndjson
withdrawn=$(matches '"status":200,"outcome":"changed"' withdrawn.ndjson)
expect 'withdrawn identifiers' $revised "$withdrawn"
read_all older.txt >withdrawn.http
expect 'responses 410' $revised "$(matches '^HTTP[^ ]* 410' withdrawn.http)"
sed -n "s/.*\"code\":\"IDENTIFIER_WITHDRAWN\".*\"reason\":\"$reason\",\"replacedBy\":\"hdl:\\([^\"]*\\)\".*/\\1/p" \
  withdrawn.http >actual.txt
same 'replacements in the tombstones' newer.txt actual.txt

# Follow the events that this run has caused.
events_after "$start"
cat identifiers.txt newer.txt >mine.txt
kinds=$(awk 'NR == FNR { mine[$1]; next } $1 in mine { print $2 }' mine.txt events.txt | sort | uniq -c |
  awk '{ printf "%s\"%s\":%d", NR == 1 ? "" : ",", $2, $1 }')

cat <<END
{"run":"$run","deposited":$objects,"mintedByRetries":$minted_by_retries,"contradicted":$contradicted,"updated":$updated,"moved":$moved,"versions":$versions,"withdrawn":$withdrawn,"events":{$kinds}}
END
