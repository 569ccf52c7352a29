/**
 * The cost of identifier syntax, in one run:
 *
 *   1. parse + format of 100,000 texts in mixed forms, compared with JSON.stringify of the parsed values (target: at least
 *      0.5 times as fast), and for URIs with `new URL(text).href` (target: at least 10 times as fast);
 *   2. the time for hostile texts of 64 KiB to 1 MiB (target: the time per character is constant).
 *
 * `new URL` is native code that locates the components of a URI. The parsers here also validate every character by the rules
 * of the form, decode, and build a value and its canonical text.
 *
 * The compared functions run in alternation, so that other activity of the machine affects both. The fastest round of each counts.
 * Run `npm run bench:syntax`.
 */
import * as id from '@mintmark/identifier';

const COUNT = 100_000;
const ROUNDS = 9;

const resolver = id.toResolver({ scheme: 'http', authority: 'hdl.handle.net' });
const http = { resolver };
const scheme = { profile: 'handle-scheme' };

/** A generator for each form, with a different text for each `n`. `uri` marks the forms that `new URL` can parse. */
const FORMS = [
  {
    name: 'cordra',
    uri: false,
    make: (n) => `100.102/${hex(n)}`,
    parse: (t) => id.parseCordraId(t),
    format: id.formatCordraId,
  },
  {
    name: 'handle',
    uri: false,
    make: (n) => `10.1045/april${n}-paskin`,
    parse: (t) => id.parseHandle(t),
    format: id.formatHandle,
  },
  {
    name: 'hdl path',
    uri: true,
    make: (n) => `hdl:100.102/${hex(n)}`,
    parse: (t) => id.parseHdlUri(t),
    format: id.formatHdlUri,
  },
  {
    name: 'hdl host',
    uri: true,
    make: (n) => `hdl://100.102/${hex(n)}`,
    parse: (t) => id.parseHdlUri(t),
    format: id.formatHdlUri,
  },
  {
    name: 'handle scheme',
    uri: true,
    make: (n) => `hdl:1234/a/${n}`,
    parse: (t) => id.parseHdlUri(t, scheme),
    format: id.formatHdlUri,
  },
  {
    name: 'http',
    uri: true,
    make: (n) => `http://hdl.handle.net/100.102/${hex(n)}`,
    parse: (t) => id.parseHttpUri(t, http),
    format: id.formatHttpUri,
  },
  {
    name: 'info:hdl',
    uri: true,
    make: (n) => `info:hdl/1234/a%20b${n}`,
    parse: (t) => id.parseInfoHdl(t),
    format: id.formatInfoHdl,
  },
  { name: 'pid', uri: false, make: (n) => `demo:${n}`, parse: (t) => id.parseFedoraPid(t), format: id.formatFedoraPid },
  {
    name: 'fedora',
    uri: true,
    make: (n) => `info:fedora/demo:${n}`,
    parse: (t) => id.parseFedoraUri(t),
    format: id.formatFedoraUri,
  },
  {
    name: 'dissemination',
    uri: true,
    make: (n) => `info:fedora/demo:${n}/DC`,
    parse: (t) => id.parseFedoraDissemination(t),
    format: id.formatFedoraDissemination,
  },
  { name: 'uuid', uri: false, make: (n) => hex(n), parse: (t) => id.parseUuid(t), format: id.formatUuid },
];

/** Hostile texts: each repeats a pattern that a naive parser would scan repeatedly. */
const HOSTILE = [
  ['one long NA segment', 'handle', (n) => '1'.repeat(n)],
  ['dots', 'cordra', (n) => `${'1.'.repeat(n / 2)}/`],
  ['slashes', 'hdl-uri', (n) => `hdl:${'/'.repeat(n)}`],
  ['escapes', 'info-hdl', (n) => `info:hdl/1/${'%41'.repeat(n / 3)}`],
  ['escapes beyond ASCII', 'info-hdl', (n) => `info:hdl/1/${'%C3%A9'.repeat(n / 6)}`],
  ['escapes in small letters', 'hdl-uri', (n) => `hdl:1/${'%c3%a9'.repeat(n / 6)}`],
  ['escapes in a query', 'cordra', (n) => `1/${'0'.repeat(32)}?${'%41'.repeat(n / 3)}`],
  ['escapes in params', 'fedora-dissemination', (n) => `info:fedora/d:1/d:2/m?a=${'%c3%a9'.repeat(n / 6)}`],
  ['percent signs', 'hdl-uri', (n) => `hdl:1/${'%'.repeat(n)}`],
  ['question marks', 'cordra', (n) => `1/${'0'.repeat(32)}${'?'.repeat(n)}`],
  ['hashes', 'hdl-uri', (n) => `hdl:1/2${'#'.repeat(n)}`],
  ['brackets', 'http-uri', (n) => `http://${'['.repeat(n)}/1/2`],
  ['colons', 'fedora-pid', (n) => 'a:'.repeat(n / 2)],
  ['params in reverse', 'fedora-dissemination', (n) => `info:fedora/d:1/d:2/m?${reversed(n)}`],
  ['params in no order', 'fedora-dissemination', (n) => `info:fedora/d:1/d:2/m?${shuffled(n)}`],
  ['equal params', 'fedora-dissemination', (n) => `info:fedora/d:1/d:2/m?${'a=b&'.repeat(n / 4)}a=b`],
  ['letters of other scripts', 'handle', (n) => `1/${'é'.repeat(n)}`],
  ['characters beyond UCS-2', 'handle', (n) => `1/${'😀'.repeat(n / 2)}`],
  ['hexadecimal digits', 'uuid', (n) => 'a'.repeat(n)],
  ['white space', undefined, (n) => `${' '.repeat(n / 2)}1/2${' '.repeat(n / 2)}`],
  ['recognition of slashes', undefined, (n) => `https://doi.org/10.1/${'/'.repeat(n)}`],
  ['letters and others by turns', 'handle', (n) => `1/${'aé'.repeat(n / 2)}`],
  ['recognition of raw letters', undefined, (n) => `hdl:1/${'é'.repeat(n)}`],
];

mixedForms();
againstLength();

function mixedForms() {
  const items = Array.from({ length: COUNT }, (_, n) => {
    const form = FORMS[n % FORMS.length];
    return { form, text: flat(form.make(n)) };
  });
  const values = items.map(({ form, text }) => form.parse(text).value);
  console.log(`parse + format, ${COUNT} texts in ${FORMS.length} forms, best of ${ROUNDS} rounds, time for one text`);
  compare('the mix', items, 'JSON.stringify of the values', 0.5, () =>
    sum(values, (value) => JSON.stringify(value).length),
  );
  compareWithUrl(
    'the URIs of the mix',
    items.filter(({ form }) => form.uri),
  );
  for (const form of FORMS) {
    const own = Array.from({ length: COUNT / 10 }, (_, n) => ({ form, text: flat(form.make(n)) }));
    if (form.uri) compareWithUrl(`${form.name} alone`, own);
    else console.log(line(`${form.name} alone`, best([() => parseAndFormat(own)])[0], own.length));
  }
}

function compareWithUrl(name, items) {
  compare(name, items, 'new URL(text).href', 10, () => sum(items, ({ text }) => new URL(text).href.length));
}

function compare(name, items, otherName, target, other) {
  const [ours, theirs] = best([() => parseAndFormat(items), other]);
  const ratio = `ratio ${(theirs / ours).toFixed(2)} (target ${target})`;
  console.log(`${line(name, ours, items.length)}   ${otherName} ${perItem(theirs, items.length)}   ${ratio}`);
}

function againstLength() {
  const lengths = [64, 256, 1024];
  console.log(
    `\ntime against length, ms, best of ${ROUNDS}   ${lengths.map((kib) => `${kib} KiB`.padStart(9)).join('')}`,
  );
  for (const [name, kind, make] of HOSTILE) {
    const times = lengths.map((kib) => {
      const text = flat(make(kib * 1024));
      return best([() => id.normalize(text, kind)])[0];
    });
    console.log(`  ${name.padEnd(36)} ${times.map((time) => time.toFixed(2).padStart(9)).join('')}`);
  }
}

function parseAndFormat(items) {
  return sum(items, ({ form, text }) => form.format(form.parse(text).value).length);
}

function sum(items, measure) {
  let total = 0;
  for (const item of items) total += measure(item);
  return total;
}

/** The minimum time of each function, in milliseconds. */
function best(functions) {
  const least = functions.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, run] of functions.entries()) {
      const start = performance.now();
      run();
      least[index] = Math.min(least[index], performance.now() - start);
    }
  }
  return least;
}

function line(name, milliseconds, count) {
  return `  ${name.padEnd(22)} ${perItem(milliseconds, count)}`;
}

function perItem(milliseconds, count) {
  return `${((milliseconds * 1e6) / count).toFixed(0).padStart(5)} ns`;
}

function hex(n) {
  return (n * 2654435761).toString(16).toUpperCase().padStart(32, 'F58FB49EB1F848F0A606E84CEF294BE5');
}

function reversed(n) {
  const count = Math.floor(n / 9);
  return Array.from({ length: count }, (_, i) => `p${String(count - i).padStart(6, '0')}=`).join('&');
}

function shuffled(n) {
  const count = Math.floor(n / 14);
  return Array.from({ length: count }, (_, i) => `p=${String((i * 2654435761) % 4294967296).padStart(11, '0')}`).join(
    '&',
  );
}

/** A text in one piece of memory, as in a request. V8 concatenates lazily, which would add to the measured time. */
function flat(text) {
  return JSON.parse(JSON.stringify(text));
}
