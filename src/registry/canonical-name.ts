import {
  type Name,
  type Recognition,
  canonicalUri,
  comparisonKey,
  formatHandle,
  recognize,
  registryKey,
  toCordraId,
} from '@mintmark/identifier';
import { upperAscii } from './upper-ascii.js';
import { type Digest, digestOf } from './uuid.js';

/** Bytes of the longest stored canonical text: the prefix and a Handle of 4096 bytes that are all escaped. */
export const MAX_STORED_BYTES = 16_384;

/** Bytes in UTF-8; the database has the same limit. */
export const MAX_LOCAL_NAME_BYTES = 8192;

/** How names with the same key are compared: by GUID, or by local name with or without the case of ASCII letters (HS-05). */
export type NameRule = 'guid' | 'folded' | 'exact';

/** A metadata ID or an alternate identifier, as stored. */
export interface CanonicalName {
  /** `hdl:` + Handle for Handles and CORDRA identifiers, `info:fedora/…` for Fedora names, `urn:uuid:…` for UUIDs. */
  readonly canonical: string;
  /** The text that is compared after a hit, equal for all notations of one name. */
  readonly comparison: string;
  readonly rule: NameRule;
  /**
   * The digest by which names are found: of `comparison`, or of the CORDRA identifier that a Handle can be. It depends neither on the
   * profile of the naming authority nor on the principal. For other Handles it depends on whether the naming authority ignores case, or on
   * the default of its prefix until it is created.
   */
  readonly key: Digest;
}

/** What is known about the naming authority of a name. */
export interface Folding {
  /** Whether names are compared without regard to the case of ASCII letters. */
  readonly foldsCase: boolean;
  /** The same for keys, if that differs. */
  readonly keyFoldsCase?: boolean;
  /** Whether the profile is unknown; a Handle that can be a CORDRA identifier is then compared as one. */
  readonly isForeign?: boolean;
}

export function canonicalNameOf(
  name: Name,
  { foldsCase, keyFoldsCase = foldsCase, isForeign = false }: Folding,
): CanonicalName {
  const guidKey = guidKeyOf(name);
  const isGuid = name.type === 'cordra' || (isForeign && guidKey !== null);
  const comparison = (isForeign ? guidKey : null) ?? comparisonOf(name, foldsCase);
  const keyText = guidKey ?? (keyFoldsCase === foldsCase ? comparison : comparisonOf(name, keyFoldsCase));
  const rule = isGuid ? 'guid' : foldsCase ? 'folded' : 'exact';
  return { canonical: canonicalUri(name), comparison, rule, key: digestOf(keyText) };
}

/** The comparison key of a stored name. For a CORDRA identifier it excludes query and fragment. */
export function comparisonOf(name: Name, foldsCase: boolean): string {
  const named = name.type === 'cordra' ? toCordraId(registryKey(name)) : name;
  return comparisonKey(named, { caseInsensitive: foldsCase });
}

/**
 * The name from which a canonical text was made, without the naming authorities; null if it was made from none, like an opaque metadata ID.
 * 32 hexadecimal digits in upper case count as a CORDRA identifier, which has the same URIs as a Handle.
 */
export function nameInCanonical(canonical: string): Name | null {
  const read = recognize(canonical, { charset: 'unicode' });
  if (!read.ok || canonicalUri(read.value.name) === canonical) return read.ok ? read.value.name : null;
  const other = recognize(canonical, { charset: 'unicode', namingAuthorityOf: () => ({ profile: 'handle' }) });
  return other.ok ? other.value.name : null;
}

/** A Handle that is a CORDRA identifier unless its naming authority has the profile "handle"; the digits may have hyphens. */
const WITH_GUID = /^([0-9.]+)\/([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:$|[?#])/i;

/**
 * The key text of a Handle that can be a CORDRA identifier is that of the CORDRA identifier, because naming authorities become known later,
 * and not to every principal. Two Handles can therefore have the same key, and names are compared after each hit. The database function
 * `self_key` does the same.
 */
function guidKeyOf(name: Name): string | null {
  const [, prefix, guid] = name.type === 'handle' ? (WITH_GUID.exec(formatHandle(name)) ?? []) : [];
  return prefix === undefined || guid === undefined ? null : `hdl:${prefix}/${upperAscii(guid.replaceAll('-', ''))}`;
}

/** URI schemes registered with IANA (RFC 7595) that can be namespaces of Fedora PIDs (FED-03), in lower case. */
const URI_SCHEMES = `
  aaa aaas about acap acct acd acr adiumxtra adt afp afs aim amss android appdata apt ar ark at attachment aw barion bb beshare bitcoin
  bitcoincash blob bolo brid browserext cabal calculator callto cap cast casts chrome chrome-extension cid coap coaps
  com-eventbrite-attendee content content-type crid cstr cvs dab dat data dav dhttp diaspora dict did dis dlna-playcontainer
  dlna-playsingle dns dntp doi dpp drm drop dtmi dtn dvb dvx dweb ed2k eid elsi embedded ens ethereum example facetime fax feed feedready
  fido file filesystem finger first-run-pen-experience fish fm ftp fuchsia-pkg geo gg git gitoid gizmoproject go gopher graph grd gtalk
  h323 ham hcap hcp http https hxxp hxxps hydrazone hyper iax icap icon im imap info iotdisco ipfs ipn ipns ipp ipps irc irc6 ircs iris
  iris.beep iris.lwz iris.xpc iris.xpcs isostore itms jabber jar jms keyparc lastfm lbry ldap ldaps leaptofrogans lid lorawan lpa lvlt
  machineprovisioningprogressreporter magnet mailserver mailto maps market matrix message microsoft.windows.camera
  microsoft.windows.camera.multipicker microsoft.windows.camera.picker mid mms modem mongodb moz ms-access ms-appinstaller
  ms-browser-extension ms-calculator ms-drive-to ms-enrollment ms-excel ms-eyecontrolspeech ms-gamebarservices ms-gamingoverlay
  ms-getoffice ms-help ms-infopath ms-inputapp ms-launchremotedesktop ms-lockscreencomponent-config ms-media-stream-id ms-meetnow
  ms-mixedrealitycapture ms-mobileplans ms-newsandinterests ms-officeapp ms-people ms-powerpoint ms-project ms-publisher ms-remotedesktop
  ms-remotedesktop-launch ms-restoretabcompanion ms-screenclip ms-screensketch ms-search ms-search-repair ms-secondary-screen-controller
  ms-secondary-screen-setup ms-settings ms-settings-airplanemode ms-settings-bluetooth ms-settings-camera ms-settings-cellular
  ms-settings-cloudstorage ms-settings-connectabledevices ms-settings-displays-topology ms-settings-emailandaccounts ms-settings-language
  ms-settings-location ms-settings-lock ms-settings-nfctransactions ms-settings-notifications ms-settings-power ms-settings-privacy
  ms-settings-proximity ms-settings-screenrotation ms-settings-wifi ms-settings-workplace ms-spd ms-stickers ms-sttoverlay ms-transit-to
  ms-useractivityset ms-virtualtouchpad ms-visio ms-walk-to ms-whiteboard ms-whiteboard-cmd ms-word msnim msrp msrps mss mt mtqp mumble
  mupdate mvn mvrp mvrps news nfs ni nih nntp notes num ocf oid onenote onenote-cmd opaquelocktoken openid openpgp4fpr otpauth p1 pack
  palm paparazzi payment payto pkcs11 platform pop pres prospero proxy psyc pttp pwid qb query quic-transport redis rediss reload res
  resource rmi rsync rtmfp rtmp rtsp rtsps rtspu sarif secondlife secret-token service session sftp sgn shc shttp sieve simpleledger
  simplex sip sips skype smb smp sms smtp snews snmp soap.beep soap.beeps soldat spiffe spotify ssb ssh starknet steam stun stuns submit
  svn swh swid swidpath tag taler teamspeak tel teliaeid telnet tftp things thismessage tip tn3270 tool turn turns tv udp unreal upt urn
  ut2004 uuid-in-package v-event vemmi ventrilo ves videotex view-source vnc vscode vscode-insiders vsls w3 wais wcr web3 webcal wifi
  wpid ws wss wtai wyciwyg xcon xcon-userid xfire xftp xmlrpc.beep xmlrpc.beeps xmpp xrcp xri ymsgr z39.50 z39.50r z39.50s`;

/** Prefixes of other identifiers that people write like a scheme. */
const WELL_KNOWN_PREFIXES = `
  arxiv bibcode gnd hdl igsn isan isbn ismn isni isrc issn istc iswc lccn nbn oai oclc orcid pmcid pmid purl ror rrid viaf wikidata`;

const OF_OTHERS: ReadonlySet<string> = new Set(`${URI_SCHEMES} ${WELL_KNOWN_PREFIXES}`.trim().split(/\s+/));

/**
 * Rejects a text such as `isbn:9780000000000`, which has the syntax of a Fedora PID but means something else. Written as `info:fedora/…`,
 * it is accepted as a PID.
 * @param read what the text was recognized as.
 */
export function withoutOtherSchemes(text: string, read: Recognition): Recognition {
  if (!read.ok || read.value.name.type !== 'fedora-pid' || read.value.kind !== 'fedora-pid') return read;
  const { namespaceId } = read.value.name;
  if (!OF_OTHERS.has(namespaceId.toLowerCase())) return read;
  const detail = `"${namespaceId}:" is the start of another kind of identifier; a Fedora PID of this namespace is written as info:fedora/${read.value.normalized}`;
  const fault = { code: 'WRONG_SCHEME', detail, offset: text.length - text.trimStart().length, rule: 'R-28' } as const;
  return { ok: false, fault, kind: 'fedora-pid' };
}
