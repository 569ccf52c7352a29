import { randomUUID } from 'node:crypto';

/** 32 hexadecimal digits that nothing else uses. */
export const freshGuid = () => randomUUID().replaceAll('-', '').toUpperCase();

/** A metadata ID that nothing else uses. */
export const freshMetadataId = () => `hdl:2000.03/${freshGuid()}`;

/** A Fedora name that nothing else uses, canonical. */
export const freshPid = () => `info:fedora/demo:${freshGuid()}`;
