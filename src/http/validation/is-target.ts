import { ValidateBy } from 'class-validator';
import { isTarget } from '../../registry/target.js';

export const IsTarget = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTarget',
    validator: {
      validate: isTarget,
      defaultMessage: () =>
        'target must be an http or https URL without user and password; characters that a URI does not allow must be percent-encoded',
    },
  });
