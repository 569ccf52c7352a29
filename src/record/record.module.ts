import { Module } from '@nestjs/common';
import { ApiKeys } from './api-keys.js';
import { AuthorityCounts } from './authority-counts.js';
import { AuthorityReader } from './authority-reader.js';
import { AuthorityWriter } from './authority-writer.js';
import { ChangeOffset } from './change-offset.js';
import { ChangeReader } from './change-reader.js';
import { FindAny } from './find-any.js';
import { GuidSource } from './guid-source.js';
import { IdentifierChanges } from './identifier-changes.js';
import { IdentifierFinder } from './identifier-finder.js';
import { IdentifierImporter } from './identifier-importer.js';
import { IdentifierPresenter } from './identifier-presenter.js';
import { IdentifierReader } from './identifier-reader.js';
import { IdentifierWriter } from './identifier-writer.js';
import { LawsMet } from './met-laws.js';
import { NameConflicts } from './name-conflicts.js';
import { NamingAuthorities } from './naming-authorities.js';
import { Outcomes } from './outcomes.js';
import { Transactions } from './transactions.js';

const PARTS = [
  ...[IdentifierReader, IdentifierFinder, IdentifierWriter, IdentifierImporter, IdentifierChanges, IdentifierPresenter],
  ...[AuthorityCounts, AuthorityReader, AuthorityWriter, NamingAuthorities],
  ...[ApiKeys, FindAny, GuidSource, LawsMet, NameConflicts, Outcomes, Transactions],
  ...[ChangeOffset, ChangeReader],
];

/** What a registered identifier is, and the only readers and writers of the tables. */
@Module({ providers: PARTS, exports: PARTS })
export class RecordModule {}
