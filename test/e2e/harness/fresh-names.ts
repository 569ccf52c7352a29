import { randomUUID } from 'node:crypto';

/** A new GUID. */
export const freshGuid = () => randomUUID().replaceAll('-', '').toUpperCase();

/** A new metadata ID. */
export const freshMetadataId = () => `hdl:2000.03/${freshGuid()}`;

/** A new Fedora object URI, canonical. */
export const freshPid = () => `info:fedora/demo:${freshGuid()}`;
