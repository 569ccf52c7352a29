"""Runs the class HandleNetSystem of NIST's core_linked_records_app, unmodified, against a service; see conformance.js.

Arguments: the checkout, the URL of the service, the user and the key. The class is loaded from its file; the modules of Django that
it imports are replaced by the few names that it uses. The last line says what failed, or that all calls passed.
"""

import importlib.util
import json
import sys
import types
from urllib.parse import quote

import requests

checkout, url, user, key = sys.argv[1:]
prefix = user.split(":", 1)[1].split("/", 1)[0]

settings = types.SimpleNamespace(
    HANDLE_NET_RECORD_INDEX=1,
    HANDLE_NET_ADMIN_DATA={
        "index": 100,
        "type": "HS_ADMIN",
        "data": {
            "format": "admin",
            "value": {"handle": f"0.NA/{prefix}", "index": 200, "permissions": "011111110011"},
        },
    },
)


class AbstractIdProvider:
    def __init__(self, provider_name, provider_lookup_url):
        self.provider_name = provider_name
        self.provider_lookup_url = provider_lookup_url
        self.local_url = "https://repository.example.org/pid"


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    sys.modules[name] = made


module("core_linked_records_app", settings=settings)
module("core_linked_records_app.utils")
module("core_linked_records_app.utils.providers", AbstractIdProvider=AbstractIdProvider)
module("core_main_app")
module("core_main_app.utils")
module("core_main_app.utils.requests_utils")
module(
    "core_main_app.utils.requests_utils.requests_utils",
    send_put_request=lambda target, data=None, headers=None: requests.put(target, data=data, headers=headers),
    send_delete_request=lambda target, headers=None: requests.delete(target, headers=headers),
    send_get_request=lambda target, headers=None: requests.get(target, headers=headers),
)

path = f"{checkout}/core_linked_records_app/utils/providers/handle_net.py"
spec = importlib.util.spec_from_file_location("handle_net", path)
handle_net = importlib.util.module_from_spec(spec)
spec.loader.exec_module(handle_net)

system = handle_net.HandleNetSystem("handle.net", url, url, quote(user, safe=""), key)
failures = []


def expect(what, response, status, code):
    # The client replaces the octets of a response by a text.
    body = json.loads(response.content)
    if (response.status_code, body["responseCode"]) != (status, code):
        failures.append(f"{what}: {response.status_code} {body}")
    return body.get("handle")


minted = expect("create without a name", system.create(prefix), 200, 1)
expect("get", system.get(minted), 200, 1)
named = f"{prefix}/NIST-conformance"
system.delete(named)
expect("create", system.create(prefix, "NIST-conformance"), 201, 1)
expect("create again", system.create(prefix, "NIST-conformance"), 409, 101)
expect("update", system.update(named), 200, 1)
wrong = handle_net.HandleNetSystem("handle.net", url, url, quote(user, safe=""), "wrong")
expect("update with a wrong password", wrong.update(named), 401, 402)
for handle in (minted, named):
    expect("delete", system.delete(handle), 200, 1)
expect("get what was deleted", system.get(named), 404, 100)
print("; ".join(failures) if failures else "all calls of HandleNetSystem passed")
sys.exit(1 if failures else 0)
