import { describe, expect, it } from '@jest/globals';
import { ListQueryDto } from '../../../src/api/lookup/list-query.dto.js';
import { rejectionOf } from '../../../src/http/validation/request-validation.js';

class Other {
  target?: string;
}

describe('a member that a DTO rejects', () => {
  it.each(['targetPrefix', 'changedBy'])('has its own detail: %s', (name) => {
    expect(rejectionOf(ListQueryDto, name)).toContain('GET /identifiers/export');
  });

  it('has none at another DTO, and neither has another member', () => {
    expect(rejectionOf(Other, 'targetPrefix')).toBeUndefined();
    expect(['target', 'constructor', 'toString', ''].map((name) => rejectionOf(ListQueryDto, name))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });
});
