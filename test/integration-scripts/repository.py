"""The integration of a repository, with the standard library of Python 3 only: it deposits 1,000 objects, retries, moves their
site, publishes new versions, withdraws old ones and reads the events. repository.ts and repository.sh do the same.

MINTMARK_URL               the service, such as http://localhost:3000
MINTMARK_KEY               an API key with the scopes mint and curate; not needed under open access
MINTMARK_NAMING_AUTHORITY  a naming authority that was created with "metadataIdScheme": "any"

Each run deposits new objects. The last line of the output is a summary as JSON. The exit code is 1 if a check fails.
"""

import json
import os
import sys
import time
import uuid
from collections import Counter
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL = os.environ.get("MINTMARK_URL", "http://localhost:3000")
KEY = os.environ.get("MINTMARK_KEY")
NAMING_AUTHORITY = os.environ.get("MINTMARK_NAMING_AUTHORITY", "100.102")

OBJECTS = 1000
ATTEMPTS = 6
INTERRUPTED = 400  # objects of a first attempt, which ends before all objects are sent
SINGLE = 10  # objects that are deposited by a request each
REVISED = 100  # objects that get a new version; the first one is withdrawn then

RUN = str(uuid.uuid4())
OLD_SITE = f"https://old.example.org/{RUN}/"
NEW_SITE = f"https://new.example.org/{RUN}/"
REASON = "Replaced by a corrected version."


def check(condition, *values):
    """Ends the program if a condition is false, also under python3 -O."""
    if not condition:
        sys.exit(f"unexpected: {values!r}")


def is_temporary(status, body):
    """Says whether the same request can succeed later. A repeat of a request in progress is 409."""
    return status in (429, 503) or (status == 409 and b"REQUEST_IN_FLIGHT" in body)


def send(path, data=None, query=None, **headers):
    """Sends a request, again after Retry-After if the service cannot process it now, and after a lost connection.

    A repeat has the same idempotency key, or the same metadata IDs, so that it changes nothing twice. Returns the status, the
    headers and the body. A GET has no data.
    """
    url = URL + path + ("?" + urlencode(query) if query else "")
    headers = {name.replace("_", "-"): value for name, value in headers.items() if value}
    if KEY:
        headers["Authorization"] = f"Bearer {KEY}"
    for attempt in range(ATTEMPTS):
        is_last = attempt == ATTEMPTS - 1
        try:
            try:
                response = urlopen(Request(url, data, headers), timeout=120)
            except HTTPError as error:
                response = error
            with response:
                body = response.read()
            if is_last or not is_temporary(response.status, body):
                return response.status, response.headers, body
            time.sleep(int(response.headers.get("Retry-After", "1")))
        except (OSError, HTTPException):  # the connection was lost, perhaps behind the headers
            if is_last:
                raise
            time.sleep(1)


def get(path, expected=200, **query):
    """Returns the headers and the JSON of a GET."""
    status, headers, body = send(path, query=query)
    check(status == expected, path, status, body)
    return headers, json.loads(body)


def lines(path, data=None, query=None, **headers):
    """Returns the lines of a response of NDJSON."""
    status, _, body = send(path, data, query, **headers)
    check(status == 200, path, status, body)
    return [json.loads(line) for line in body.splitlines()]


def stream(path, requests, key=None, **query):
    """Sends lines of NDJSON and returns the result of each line. The stream is sent again while it ends too early, and while
    lines are refused that can succeed later."""
    for attempt in range(ATTEMPTS):
        results = lines(
            path,
            "".join(json.dumps(request) + "\n" for request in requests).encode(),
            query,
            content_type="application/x-ndjson",
            prefer="return=minimal, summary",
            idempotency_key=key,
        )
        # The summary is the last line of a stream that was read to its end.
        is_whole = "summary" in results[-1]
        if is_whole and not any(is_temporary(result["status"], json.dumps(result).encode()) for result in results[:-1]):
            break
        time.sleep(1)
    check(is_whole and len(results) == len(requests) + 1, path, results[-1:])
    return results[:-1]


def mint(requests, key=None):
    return stream("/identifiers/bulk", requests, key, namingAuthority=NAMING_AUTHORITY)


def at_site(site):
    return lines("/identifiers/export", query={"namingAuthority": NAMING_AUTHORITY, "targetPrefix": site})


def count():
    """Returns the number of identifiers, or None where the service estimates it."""
    total = get("/identifiers", namingAuthority=NAMING_AUTHORITY, limit=1, total="true")[1]["total"]
    return total["value"] if total["isExact"] else None


def events_after(cursor):
    """Returns the events after a cursor.

    Reads on until there is nothing more, and nothing more comes within a second. A page before the end can be empty.
    """
    events = []
    while True:
        _, page = get("/events", namingAuthority=NAMING_AUTHORITY, limit=1000, wait=1, cursor=cursor)
        cursor = page["next"]
        events += page["items"]
        if page["end"] and not page["items"]:
            return events


def metadata_id(n):
    return f"oai:repo.example.org:{RUN}/{n}"


def repository_object(n):
    return {"metadataId": metadata_id(n), "target": f"{OLD_SITE}{n}"}


def deposit():
    """Deposits all objects, and returns their identifiers and statuses."""
    deposited = []
    for n in range(1, SINGLE + 1):
        body = {"namingAuthority": NAMING_AUTHORITY, **repository_object(n)}
        key = f"{RUN}-object-{n}"
        status, _, response = send(
            "/identifiers", json.dumps(body).encode(), content_type="application/json", idempotency_key=key
        )
        check(status == 201, status, response)
        deposited.append((json.loads(response)["identifier"], status))
    results = mint(streamed, f"{RUN}-deposit")
    return deposited + [(result.get("identifier"), result["status"]) for result in results]


start = get("/events", cursor="latest")[1]["next"]

# Deposit: some objects by a request each, the others as a stream, whose first attempt is incomplete.
streamed = [repository_object(n) for n in range(SINGLE + 1, OBJECTS + 1)]
interrupted = mint(streamed[:INTERRUPTED], f"{RUN}-deposit")
deposited = deposit()
check({status for _, status in deposited} == {201}, deposited)
identifiers = [identifier for identifier, _ in deposited]
check(len(set(identifiers)) == OBJECTS, len(set(identifiers)))
check([result.get("identifier") for result in interrupted] == identifiers[SINGLE : SINGLE + INTERRUPTED], interrupted)
count_after_deposit = count()

# Retry: the same keys return the same results, and the same requests return the same identifiers without a key too.
# Other values for a metadata ID are 409, with the identifier and the members that differ.
check(deposit() == deposited, "the retry differs")
more_targets = [{**repository_object(n), "target": f"{OLD_SITE}{n}/latest"} for n in range(1, SINGLE + 1)]
contradicted = mint(more_targets)
for identifier, result in zip(identifiers, contradicted):
    problem = result.get("problem", {})
    pointers = [error["pointer"] for error in problem.get("errors", [])]
    values = result["status"], problem.get("identifier"), pointers
    check(values == (409, identifier, ["/metadataId", "/target"]), result)
updated = mint([{**request, "onExisting": "update"} for request in more_targets])
for identifier, result in zip(identifiers, updated):
    values = result["status"], result.get("identifier"), result.get("ignored")
    check(values == (200, identifier, None), result)
count_after_retries = count()
minted_by_retries = None  # two estimates can differ by any number
if count_after_deposit is not None and count_after_retries is not None:
    minted_by_retries = count_after_retries - count_after_deposit
    check(minted_by_retries == 0, minted_by_retries)

# Move: the identifiers at the old site get targets at the new one, unless somebody has changed them meanwhile.
at_old_site = at_site(OLD_SITE)
check({record["identifier"] for record in at_old_site} == set(identifiers), len(at_old_site))
changes = [
    {
        "identifier": record["identifier"],
        "ifVersion": record["version"],
        "target": NEW_SITE + record["target"][len(OLD_SITE) :],
    }
    for record in at_old_site
]
previewed = stream("/identifiers/changes", changes, dryRun="true")
for record, move, result in zip(at_old_site, changes, previewed):
    values = result.get("outcome"), result.get("old"), result.get("new")
    check(values == ("changed", {"target": record["target"]}, {"target": move["target"]}), result)
check(len(at_site(OLD_SITE)) == OBJECTS, "the dry run has changed targets")
moved = stream("/identifiers/changes", changes, f"{RUN}-move")
for record, result in zip(at_old_site, moved):
    values = result["status"], result.get("outcome"), result.get("identifier"), result.get("version")
    check(values == (200, "changed", record["identifier"], record["version"] + 1), result)
    check(result["old"] == {"target": record["target"]}, result)
check(stream("/identifiers/changes", changes, f"{RUN}-move") == moved, "the retry differs")
check(at_site(OLD_SITE) == [], "identifiers are still at the old site")
check({record["target"] for record in at_site(NEW_SITE)} == {move["target"] for move in changes}, "not all have moved")

# New versions: each has an identifier of its own, which names the previous one.
versions = mint(
    [
        {"metadataId": f"{metadata_id(n)}/v2", "target": f"{NEW_SITE}{n}/v2", "previousVersion": identifiers[n - 1]}
        for n in range(1, REVISED + 1)
    ],
    f"{RUN}-versions",
)
check({result["status"] for result in versions} == {201}, versions)
pairs = [(older, result["identifier"]) for older, result in zip(identifiers, versions)]
for older, newer in pairs:
    older_headers, previous = get(f"/identifiers/{older}")
    newer_headers, following = get(f"/identifiers/{newer}")
    check(previous["newerVersions"] == [newer] and following["previousVersion"] == f"hdl:{older}", previous, following)
    successor = f'<{following["uris"]["resolver"]}>; rel="successor-version"'
    predecessor = f'<{previous["uris"]["resolver"]}>; rel="predecessor-version"'
    check(successor in older_headers["Link"] and predecessor in newer_headers["Link"], older_headers["Link"])

# Withdraw the first versions. Their identifiers stay known, and name their replacements.
withdrawals = [
    {"identifier": older, "withdraw": {"reason": REASON, "replacedBy": newer}} for older, newer in pairs
]
withdrawn = stream("/identifiers/changes", withdrawals, f"{RUN}-withdraw")
check({(result["status"], result.get("outcome")) for result in withdrawn} == {(200, "changed")}, withdrawn)
for older, newer in pairs:
    _, problem = get(f"/identifiers/{older}", expected=410)
    tombstone = problem["tombstone"]
    check(problem["code"] == "IDENTIFIER_WITHDRAWN", problem)
    check((tombstone["reason"], tombstone["replacedBy"]) == (REASON, f"hdl:{newer}"), problem)

# Follow the events that this run has caused.
mine = {identifier for pair in pairs for identifier in pair} | set(identifiers)
events = events_after(start)
kinds = Counter(event["kind"] for event in events if event["identifier"] in mine)

print(
    json.dumps(
        {
            "run": RUN,
            "deposited": len(identifiers),
            "mintedByRetries": minted_by_retries,
            "contradicted": len(contradicted),
            "updated": len(updated),
            "moved": len(moved),
            "versions": len(pairs),
            "withdrawn": len(withdrawn),
            "events": kinds,
        }
    )
)
