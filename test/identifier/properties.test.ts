import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as id from '../../packages/identifier/src/index.js';
import { prefix, rubble, type Sample, samples, suffix } from './texts.js';

const RUNS = { numRuns: 2500 };

function valid({ input, kind, context }: Sample, changes: id.Context = {}): id.Normalized {
  const found = id.normalize(input, kind, { ...context, ...changes });
  if (!found.valid) throw new Error(`${JSON.stringify(input)} as ${kind}: ${found.fault.code} ${found.fault.detail}`);
  return found;
}

describe('every valid text', () => {
  it('parses as its kind, and its canonical form parses as the same name', () => {
    fc.assert(
      fc.property(samples, (sample) => {
        const first = valid(sample);
        const second = valid({ ...sample, input: first.normalized });
        expect(second.name).toEqual(first.name);
        expect(second.parts).toEqual(first.parts);
      }),
      RUNS,
    );
  });

  it('has a canonical form that is a fixed point', () => {
    fc.assert(
      fc.property(samples, (sample) => {
        const { normalized } = valid(sample);
        expect(valid({ ...sample, input: normalized })).toMatchObject({ normalized, repairs: [] });
      }),
      RUNS,
    );
  });

  it('needs repairs exactly when it is not canonical', () => {
    fc.assert(
      fc.property(samples, (sample) => {
        const { normalized, repairs } = valid(sample);
        expect(repairs.length === 0).toBe(normalized === sample.input);
      }),
      RUNS,
    );
  });

  it('equals its canonical form, and another text exactly when the keys are equal', () => {
    fc.assert(
      fc.property(samples, samples, fc.boolean(), (sample, other, caseInsensitive) => {
        const { normalized, name } = valid(sample);
        expect(valid(sample, { equalTo: normalized }).equal).toBe(true);
        const second = id.normalize(other.input, sample.kind, sample.context);
        const keys = second.valid && id.comparisonKey(second.name, { caseInsensitive });
        const equal = keys === id.comparisonKey(name, { caseInsensitive });
        expect(valid(sample, { equalTo: other.input, caseInsensitive }).equal).toBe(equal);
      }),
      RUNS,
    );
  });

  it('is the same name in every URI form, or has no such form by a stated rule', () => {
    const resolver = id.toResolver({ scheme: 'https', authority: 'h', firstSegment: 'x' });
    const kinds = {
      cordraPath: 'hdl-uri',
      cordraHost: 'hdl-uri',
      resolver: 'http-uri',
      handleUri: 'hdl-uri',
      infoHdl: 'info-hdl',
    } as const;
    const shown = new Set<string>();
    fc.assert(
      fc.property(samples, (sample) => {
        const { name } = valid(sample);
        const uris = id.urisOf(name, { resolver });
        const unavailable = id.unavailableUris(name, { resolver });
        const missing = Object.entries(uris).filter(([, uri]) => uri === null);
        expect(Object.keys(unavailable).sort()).toEqual(missing.map(([form]) => form).sort());
        for (const [form, kind] of Object.entries(kinds)) {
          const uri = uris[form as keyof typeof kinds];
          if (uri === null) continue;
          shown.add(form);
          const profile = name.type === 'cordra' ? 'cordra' : form === 'handleUri' ? 'handle-scheme' : 'generic';
          const read = id.normalize(uri, kind, { profile, resolver });
          expect(read).toMatchObject({ valid: true, name, normalized: uri, repairs: [] });
        }
      }),
      RUNS,
    );
    expect([...shown].sort()).toEqual(['cordraHost', 'cordraPath', 'handleUri', 'infoHdl', 'resolver']);
  });

  it('is stored as a URI that recognition parses as the same name', () => {
    fc.assert(
      fc.property(samples, (sample) => {
        const { name } = valid(sample);
        const stored = id.canonicalUri(name);
        const read = id.recognize(stored);
        if (!read.ok) throw new Error(`${stored}: ${read.fault.detail}`);
        // A Handle can be a CORDRA identifier, which has the key of its canonical text.
        const native = name.type === 'handle' ? id.parseCordraId(id.formatHandle(name)) : null;
        expect(id.comparisonKey(read.value.name)).toBe(id.comparisonKey(native?.ok === true ? native.value : name));
        expect(id.canonicalUri(read.value.name)).toBe(native?.ok === true ? id.canonicalUri(native.value) : stored);
      }),
      RUNS,
    );
  });

  it('is written in texts that recognition does not repair; the canonical text of a UUID is no URI', () => {
    const resolver = id.toResolver({ scheme: 'https', authority: 'h', firstSegment: 'x' });
    fc.assert(
      fc.property(samples, (sample) => {
        const { name: read } = valid(sample);
        const cordra = read.type === 'handle' ? id.parseCordraId(id.formatHandle(read)) : null;
        const name = cordra?.ok === true ? cordra.value : read;
        const { cordraHost, resolver: http, infoHdl, fedoraUri } = id.urisOf(name, { resolver });
        const canonical = name.type === 'uuid' ? id.formatUuid(name) : id.canonicalUri(name);
        for (const text of [canonical, cordraHost, http, infoHdl, fedoraUri]) {
          if (text === null) continue;
          expect(id.normalize(text, undefined, { resolver })).toMatchObject({ normalized: text, repairs: [] });
        }
      }),
      RUNS,
    );
  });

  it('is recognised to a canonical form that is recognised as itself', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          samples.map(({ input }) => input),
          rubble,
        ),
        (input) => {
          const first = id.normalize(input);
          if (!first.valid) return;
          const { kind, normalized } = first;
          expect(id.normalize(normalized)).toMatchObject({ kind, normalized, repairs: [] });
        },
      ),
      RUNS,
    );
  });
});

describe('any text at all', () => {
  const contexts: fc.Arbitrary<id.Context> = fc.record(
    {
      profile: fc.constantFrom('cordra', 'generic', 'handle-scheme'),
      hdlAuthority: fc.constantFrom('naming-authority', 'server'),
      charset: fc.constantFrom('ucs2', 'unicode'),
    },
    { requiredKeys: [] },
  );

  it('is read or refused at a place inside it, with a listed code, and never throws', () => {
    const codes = new Set(id.SYNTAX_CODES);
    fc.assert(
      fc.property(rubble, fc.constantFrom(undefined, ...id.KINDS), contexts, (input, kind, context) => {
        const found = id.normalize(input, kind, context);
        if (found.valid) return true;
        const { code, offset } = found.fault;
        return codes.has(code) && offset >= 0 && offset <= input.length;
      }),
      { numRuns: 20_000 },
    );
  });

  it('gives the boolean and the throwing function the result of the parser', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          rubble,
          samples.map(({ input }) => input),
        ),
        (input) => {
          const parsed = id.parseHdlUri(input);
          expect(id.isHdlUri(input)).toBe(parsed.ok);
          if (parsed.ok) expect(id.toHdlUri(input)).toEqual(parsed.value);
          else expect(() => id.toHdlUri(input)).toThrow(id.IdentifierSyntaxError);
        },
      ),
      RUNS,
    );
  });
});

describe('keys of Handles', () => {
  it('agree for two Handles exactly when prefixes agree without ASCII case and suffixes agree', () => {
    const fold = (text: string): string => [...text].map((c) => (c >= 'a' && c <= 'z' ? c.toUpperCase() : c)).join('');
    fc.assert(
      fc.property(prefix, prefix, suffix, suffix, (na, otherNa, local, otherLocal) => {
        const key = id.comparisonKey(id.toHandle(`${na}/${local}`));
        const other = id.comparisonKey(id.toHandle(`${otherNa}/${otherLocal}`));
        expect(key === other).toBe(fold(na) === fold(otherNa) && local === otherLocal);
        expect(id.comparisonKey(id.toHandle(`${fold(na)}/${local}`))).toBe(key);
      }),
      RUNS,
    );
  });
});
