/** A canonical name, with texts that denote it. */
export interface Name {
  readonly canonical: string;
  readonly spellings: readonly string[];
}

/** A name of a command before it runs: indexes into small alphabets, so that commands conflict and can be shrunk. */
export interface NamePick {
  /** `record` and `other` are foreign names, `guid` is one to register, `entry` the n-th existing identifier. */
  readonly from: 'record' | 'other' | 'guid' | 'entry';
  readonly index: number;
  readonly authority: number;
}

/** The alphabet of one run. Alphabets are disjoint, so that runs share a database. */
export class Names {
  /** A naming authority and a derived one. */
  readonly authorities: readonly [string, string];
  readonly guids: readonly string[];
  readonly record: readonly Name[];
  readonly other: readonly Name[];

  constructor(readonly run: number) {
    const digits = run.toString(16).toUpperCase().padStart(24, '0');
    this.authorities = [`9.${run}`, `9.${run}.1`];
    this.guids = ['ABCDEF01', 'ABCDEF02', '00000003'].map((lead) => lead + digits);
    this.record = [cordra(`2000.09/DA7A0001${digits}`), handle(`2000.09/Record-${run}`), fedora(`rec:x${run}`)];
    this.other = [fedora(`alt:x${run}`), handle(`2000.08/alt ${run}`), fedora(`alt:x${run}`, '/DC')];
  }
}

/** A CORDRA identifier: its hexadecimal digits are case-insensitive (CID-13). */
export function cordra(identifier: string): Name {
  const lower = identifier.toLowerCase();
  return {
    canonical: `hdl:${identifier}`,
    spellings: [
      identifier,
      lower,
      `hdl:${lower}`,
      `info:hdl/${identifier}`,
      `https://hdl.handle.net/${lower}`,
      ` ${lower}\t`,
    ],
  };
}

/** A text as an alternate, which keeps the letters of an identifier of others: with those of the canonical form. */
export const asAlternate = (text: string): string => text.replace(/[0-9a-f]{32}/i, (digits) => digits.toUpperCase());

/** The permitted texts of a UUID. */
export function uuidSpellings(guid: string): string[] {
  const grouped = guid.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return [guid, guid.toLowerCase(), grouped, `urn:uuid:${grouped}`, `{${grouped.toUpperCase()}}`];
}

/** Another Handle, whose local name is case-sensitive. */
function handle(text: string): Name {
  const escaped = text.replace(' ', '%20');
  return {
    canonical: `hdl:${escaped}`,
    spellings: [`hdl:${escaped}`, text, `info:hdl/${escaped}`, `http://hdl.handle.net/${escaped}`],
  };
}

/** A Fedora PID (FED-02, FED-09), or with a datastream a dissemination (FED-14). */
function fedora(pid: string, datastream = ''): Name {
  const canonical = `info:fedora/${pid}${datastream}`;
  const texts = [canonical, ` ${canonical}`];
  return { canonical, spellings: datastream === '' ? [...texts, pid, pid.replace(':', '%3a')] : texts };
}
