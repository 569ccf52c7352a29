import { describe, expect, it } from '@jest/globals';
import { cutForwardedPorts, ownOrigin, readTraceParent } from '../../../src/http/headers/request-headers.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

// The first is the example of W3C Trace Context 3.2.3.
describe('a traceparent', () => {
  it.each([
    ['of version 00', `00-${TRACE}-${SPAN}-01`],
    ['that is not sampled', `00-${TRACE}-${SPAN}-00`],
    ['with flags that are not known', `00-${TRACE}-${SPAN}-ff`],
    ['of a later version', `cc-${TRACE}-${SPAN}-01`],
    ['of a later version with more behind it', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`],
  ])('%s is read', (_, header) => {
    expect(readTraceParent(header)).toEqual({ traceId: TRACE, parentId: SPAN });
  });

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['of version ff', `ff-${TRACE}-${SPAN}-01`],
    ['of version 00 with more behind it', `00-${TRACE}-${SPAN}-01-more`],
    ['of a later version with more behind it without a separator', `cc-${TRACE}-${SPAN}-01.more`],
    ['with a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['with a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['in capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['with a trace id too short', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['without flags', `00-${TRACE}-${SPAN}`],
    ['sent twice', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['with a line break', `00-${TRACE}-${SPAN}-01\n`],
  ])('that is %s is ignored', (_, header) => {
    expect(readTraceParent(header)).toBeNull();
  });
});

describe('X-Forwarded-For', () => {
  it.each([
    ['192.0.2.7:50123', '192.0.2.7'],
    ['[2001:db8::7]:50123, 198.51.100.1', '2001:db8::7, 198.51.100.1'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['192.0.2.7', '192.0.2.7'],
  ])('%s has the addresses %s', (sent, addresses) => {
    const headers = { 'x-forwarded-for': sent };
    cutForwardedPorts(headers);
    expect(headers).toEqual({ 'x-forwarded-for': addresses });
  });
});

describe('the origin of the service', () => {
  it.each([
    ['pid.example.org', 'https://pid.example.org'],
    ['[2001:db8::7]:8443', 'https://[2001:db8::7]:8443'],
    ['pid.example.org/x', null],
    ['', null],
  ])('behind the Host "%s" is %s', (host, origin) => {
    expect(ownOrigin({ protocol: 'https', host })).toBe(origin);
  });
});
