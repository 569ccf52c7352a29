import { Module } from '@nestjs/common';
import { IdentifierPresenter } from './identifier-presenter.js';
import { IdentifierReader } from './identifier-reader.js';
import { IdentifierWriter } from './identifier-writer.js';
import { NamingAuthorities } from './naming-authorities.js';

/** What a registered identifier is, and the only readers and writers of the tables. */
@Module({
  providers: [IdentifierReader, IdentifierWriter, NamingAuthorities, IdentifierPresenter],
  exports: [IdentifierReader, IdentifierWriter, IdentifierPresenter, NamingAuthorities],
})
export class RecordModule {}
