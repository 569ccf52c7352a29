/**
 * Runs test suites of clients of the Handle System, unmodified, against a running service:
 *
 * npm run conformance
 *
 * CONFORMANCE_URL    the service, such as http://127.0.0.1:3000
 * CONFORMANCE_USER   the Handle user of a key with the scopes of reading and writing, such as 300:21.T14999/ADMIN. Its prefix is
 *                    a naming authority with the profile "handle", storesHandleValues, sandbox and caseInsensitive.
 * CONFORMANCE_KEY    the key
 * PYHANDLE_DIR       a checkout of https://github.com/EUDAT-B2HANDLE/PYHANDLE
 * ARGO_PROBE_DIR     a checkout of https://github.com/ARGOeu-Metrics/argo-probe-eudat-b2handle; needs PYHANDLE_DIR too
 * NIST_DIR           a checkout of https://github.com/usnistgov/core_linked_records_app; needs the Python package requests
 *
 * Exits with 0 if each suite whose checkout is given passes (of PYHANDLE, the tests that can pass), and with 1 otherwise.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Number of PYHANDLE's tests that can pass. The remaining tests need the public proxy, or use arguments that PYHANDLE removed. */
const REACHABLE_PYHANDLE_TESTS = 29;

const { CONFORMANCE_URL, CONFORMANCE_USER, CONFORMANCE_KEY, PYHANDLE_DIR, ARGO_PROBE_DIR, NIST_DIR } = process.env;
const suites = [
  { name: 'PYHANDLE', folder: PYHANDLE_DIR, run: runPyhandle },
  { name: 'ARGO probe', folder: PYHANDLE_DIR && ARGO_PROBE_DIR, run: runArgoProbe },
  { name: "NIST's HandleNetSystem", folder: NIST_DIR, run: runNist },
];
const chosen = suites.filter(({ folder }) => folder);

if (chosen.length === 0)
  console.log('No suite was run: set PYHANDLE_DIR, ARGO_PROBE_DIR or NIST_DIR (see scripts/conformance.js).');
else if (!CONFORMANCE_URL || !CONFORMANCE_USER || !CONFORMANCE_KEY) {
  console.error('Set CONFORMANCE_URL, CONFORMANCE_USER and CONFORMANCE_KEY (see scripts/conformance.js).');
  process.exitCode = 1;
} else {
  for (const { name, run } of chosen) {
    const { isPassed, summary } = await run();
    console.log(`${name}: ${isPassed ? 'passed' : 'FAILED'}, ${summary}`);
    if (!isPassed) process.exitCode = 1;
  }
}

function prefixOf(user) {
  return user.slice(user.indexOf(':') + 1).split('/')[0];
}

/** PYHANDLE reads settings from a file in its checkout that its repository ignores. Its tests read a record that must exist. */
async function runPyhandle() {
  const prefix = prefixOf(CONFORMANCE_USER);
  const settings = {
    user: CONFORMANCE_USER,
    password: CONFORMANCE_KEY,
    handle_server_url_read: CONFORMANCE_URL,
    handle_server_url_write: CONFORMANCE_URL,
    url_extension_REST_API: '/api/handles/',
    reverselookup_username: CONFORMANCE_USER,
    reverselookup_password: CONFORMANCE_KEY,
    reverselookup_baseuri: CONFORMANCE_URL,
    reverselookup_baseuri_wrong: `${CONFORMANCE_URL}/no-such-servlet`,
    reverselookup_url_extension: '/hrls/handles',
    handle_for_read_tests: `${prefix}/PYHANDLE-READ`,
    handle_globally_resolvable: `${prefix}/PYHANDLE-READ`,
    handle_to_be_created: `${prefix}/PYHANDLE-NEW`,
    handle_to_be_modified: `${prefix}/PYHANDLE-MODIFY`,
    HTTPS_verify: false,
  };
  await putRecord(settings.handle_for_read_tests);
  const file = join(PYHANDLE_DIR, 'pyhandle/tests/resources/testvalues_for_integration_tests_IGNORE.json');
  writeFileSync(file, JSON.stringify(settings));
  try {
    const modules = ['read', 'write', 'search'].map(
      (kind) => `pyhandle.tests.testcases.handleclient_${kind}_integration_test`,
    );
    const { output } = python(['-m', 'unittest', '-v', ...modules], PYHANDLE_DIR);
    // Warnings may stand between the name of a test and its result, so the results are not counted line by line.
    const failed = output.match(/^(?:ERROR|FAIL): .*$/gm) ?? [];
    const passed = Number(/^Ran ([0-9]+) tests/m.exec(output)?.[1] ?? 0) - failed.length;
    const summary = `${passed} tests passed, ${REACHABLE_PYHANDLE_TESTS} are reachable${failed.map((line) => `\n  ${line}`).join('')}`;
    return { isPassed: passed >= REACHABLE_PYHANDLE_TESTS, summary };
  } finally {
    rmSync(file);
  }
}

async function putRecord(handle) {
  const [index, owner] = CONFORMANCE_USER.split(':');
  const value = { handle: owner, index: Number(index), permissions: '011111110011' };
  const values = [
    { index: 100, type: 'HS_ADMIN', data: { format: 'admin', value } },
    ...[111, 2222, 333, 4].map((at, number) => ({ index: at, type: `TEST${number + 1}`, data: `val${number + 1}` })),
  ];
  const user = `${encodeURIComponent(CONFORMANCE_USER)}:${CONFORMANCE_KEY}`;
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  const { status } = await fetch(`${CONFORMANCE_URL}/api/handles/${handle}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(values),
  });
  if (status >= 300) throw new Error(`${handle} cannot be written: ${status}`);
}

/** The probe uses PYHANDLE to register, read, change and delete a Handle, and exits with 0 if this succeeds. */
function runArgoProbe() {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-conformance-'));
  const file = join(folder, 'credentials.json');
  const credentials = {
    handle_server_url: CONFORMANCE_URL,
    client: 'rest',
    username: CONFORMANCE_USER,
    password: CONFORMANCE_KEY,
    prefix: prefixOf(CONFORMANCE_USER),
    handleowner: CONFORMANCE_USER,
  };
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  try {
    const probe = join(ARGO_PROBE_DIR, 'check_handle_api.py');
    const { status, output } = python([probe, '-f', file, '-p', credentials.prefix, '-t', '60'], ARGO_PROBE_DIR);
    return { isPassed: status === 0, summary: output.trim().split('\n').at(-1) ?? '' };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runNist() {
  const script = fileURLToPath(new URL('conformance-nist.py', import.meta.url));
  const { status, output } = python([script, NIST_DIR, CONFORMANCE_URL, CONFORMANCE_USER, CONFORMANCE_KEY], NIST_DIR);
  return { isPassed: status === 0, summary: output.trim().split('\n').at(-1) ?? '' };
}

function python(args, cwd) {
  const env = { ...process.env, PYTHONPATH: [PYHANDLE_DIR, process.env.PYTHONPATH].filter(Boolean).join(delimiter) };
  const { status, stdout, stderr } = spawnSync('python3', args, { cwd, env, encoding: 'utf8', timeout: 300_000 });
  return { status, output: `${stdout}${stderr}` };
}
