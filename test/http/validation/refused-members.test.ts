import { describe, expect, it } from '@jest/globals';
import { ListQueryDto } from '../../../src/api/lookup/list-query.dto.js';
import { refusalOf } from '../../../src/http/validation/request-validation.js';

class Other {
  target?: string;
}

describe('a member that a DTO refuses', () => {
  it.each(['targetPrefix', 'changedBy'])('has its own detail: %s', (name) => {
    expect(refusalOf(ListQueryDto, name)).toContain('GET /identifiers/export');
  });

  it('has none at another DTO, and neither has another member', () => {
    expect(refusalOf(Other, 'targetPrefix')).toBeUndefined();
    expect(['target', 'constructor', 'toString', ''].map((name) => refusalOf(ListQueryDto, name))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });
});
