import type { Recognition } from '@mintmark/identifier';

/**
 * Schemes before a Handle, namespaces of `info:` URIs of Handles, and the path of the API of Handle servers. `info:doi/` and `api/handles/`
 * are read only in paths, in texts around names, and in the URL of a resolver (`http-uri.ts` of `@mintmark/identifier`), because they are
 * not forms of a Handle (HUS-01). Any other new scheme also needs a parser in `recognize-uri.ts` of that library.
 */
const HANDLE_URI_START = /(?:hdl|doi):|(?:info:(?:hdl|doi)|api\/handles)\//iy;

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

/** Other identifiers that people write like a scheme. */
const WELL_KNOWN_PREFIXES = `
  arxiv bibcode gnd igsn isan isbn ismn isni isrc issn istc iswc lccn nbn oai oclc orcid pmcid pmid purl ror rrid viaf wikidata`;

const OF_OTHERS: ReadonlySet<string> = new Set(['hdl', ...`${URI_SCHEMES} ${WELL_KNOWN_PREFIXES}`.trim().split(/\s+/)]);

/** The length of `hdl:`, `doi:`, `info:hdl/`, `info:doi/` or `api/handles/`, in any case, at an index of a text; 0 for none. */
export function handleUriStart(text: string, index = 0): number {
  HANDLE_URI_START.lastIndex = index;
  return HANDLE_URI_START.exec(text)?.[0].length ?? 0;
}

/**
 * Rejects a text such as `isbn:9780000000000`, which has the syntax of a Fedora PID but means something else. Written as `info:fedora/…`,
 * it is accepted as a PID.
 */
export function withoutOtherSchemes(text: string, read: Recognition): Recognition {
  if (!read.ok || read.value.name.type !== 'fedora-pid' || read.value.kind !== 'fedora-pid') return read;
  const { namespaceId } = read.value.name;
  if (!OF_OTHERS.has(namespaceId.toLowerCase())) return read;
  const detail = `"${namespaceId}:" is the start of another kind of identifier; a Fedora PID of this namespace is written as info:fedora/${read.value.normalized}`;
  const fault = { code: 'WRONG_SCHEME', detail, offset: text.length - text.trimStart().length, rule: 'R-28' } as const;
  return { ok: false, fault, kind: 'fedora-pid' };
}
