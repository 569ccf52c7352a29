import { applyDecorators } from '@nestjs/common';
import { IsString, MaxLength, ValidateBy } from 'class-validator';
import { MAX_LANGUAGE_LENGTH, isLanguage } from '../../registry/members.js';

export const IsLanguage = (): PropertyDecorator =>
  applyDecorators(
    ValidateBy({
      name: 'isLanguage',
      validator: {
        validate: isLanguage,
        defaultMessage: () => '$property must be a language tag (BCP 47), such as "de" or "pt-BR"',
      },
    }),
    MaxLength(MAX_LANGUAGE_LENGTH),
    IsString(),
  );
