import { describe, expect, it } from '@jest/globals';
import { valuesOf } from '../../../src/handle/values/index.js';
import { locationsXml } from '../../../src/handle/resolver/page-values.js';
import { recordWith } from '../../records.js';

describe('the XML of the locations of a record', () => {
  it('has the attributes of 10320/loc, and none of other namespaces', () => {
    const xml =
      '<locations xmlns:x="http://www.w3.org/1999/xlink"><location id="0" href="https://a.example/" country="gb" ' +
      'xmlns="http://www.w3.org/1999/xhtml" x:href="https://b.example/" xml:base="https://c.example/"/></locations>';
    const value = {
      ...{ index: 1, type: '10320/loc', data: { format: 'string', value: xml }, ttl: 60, permissions: '1110' },
      timestamp: '2020-01-01T00:00:00Z',
    };
    expect(locationsXml(valuesOf(recordWith({ target: null, handleValues: [value] })))).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<locations><location id="0" href="https://a.example/" country="gb"/></locations>\n',
    );
  });
});
