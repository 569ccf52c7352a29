import { ValidateBy } from 'class-validator';
import { isTarget, targetFault } from '../../registry/target.js';

export const IsTarget = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTarget',
    validator: {
      validate: isTarget,
      defaultMessage: (validated) => `$property ${targetFault(validated?.value)}`,
    },
  });
