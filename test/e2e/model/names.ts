/** A name as the registry keeps it, with texts that all mean it. */
export interface Name {
  readonly canonical: string;
  readonly spellings: readonly string[];
}

/** What a command names before it runs: places in small alphabets, so that commands collide, and shrink. */
export interface NamePick {
  /** `record` and `other` are names of others, `guid` one that may be registered, `entry` the n-th identifier there is. */
  readonly from: 'record' | 'other' | 'guid' | 'entry';
  readonly index: number;
  readonly authority: number;
}

/** The alphabet of one run. No two runs have a name in common, so they share a database without meeting. */
export class Names {
  /** A naming authority and one that is derived from it. */
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

/** A CORDRA identifier: its hexadecimal digits have no case (CID-13). */
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

/** The texts of a UUID that a request may bring. */
export function uuidSpellings(guid: string): string[] {
  const grouped = guid.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return [guid, guid.toLowerCase(), grouped, `urn:uuid:${grouped}`, `{${grouped.toUpperCase()}}`];
}

/** Another Handle; the case of its local name counts. */
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
