import pg from 'pg';
import { MintBudget } from '../../../dist/access/limits/mint-budget.js';
import { ChangeEngine } from '../../../dist/changing/change-engine.js';
import { CurationService } from '../../../dist/changing/curation.service.js';
import { HandleRecordsService } from '../../../dist/changing/handle-records.service.js';
import { toResolver } from '@mintmark/identifier';
import { Metrics } from '../../../dist/metrics/metrics.js';
import { MintConflicts } from '../../../dist/minting/mint-conflicts.js';
import { MintReplays } from '../../../dist/minting/mint-replays.js';
import { MintingService } from '../../../dist/minting/minting.service.js';
import { PreviousVersionReader } from '../../../dist/minting/previous-versions.js';
import { GuidGenerator } from '../../../dist/registry/uuid.js';
import { IdempotentRequests } from '../../../dist/storage/idempotency.js';
import { IdentifierReader } from '../../../dist/storage/identifiers/identifier-reader.js';
import { NameHolders } from '../../../dist/storage/identifiers/name-holders.js';
import { IdentifierUpdater } from '../../../dist/storage/identifiers/identifier-updater.js';
import { NamingAuthorityCache } from '../../../dist/storage/naming-authorities/naming-authority-cache.js';
import { ConflictRetries } from '../../../dist/storage/conflict-retries.js';
import { RequestResults } from '../../../dist/storage/request-results.js';
import { Transactions } from '../../../dist/storage/transactions.js';
import { ChangeReader } from '../../../dist/storage/changes/change-reader.js';
import { ConflictFinder } from '../../../dist/storage/identifiers/conflict-finder.js';
import { IdentifierWriter } from '../../../dist/storage/identifiers/identifier-writer.js';

/** The service of the build that writes Handle records, on the database of a running service. */
export function handleRecordsOn(pool: pg.Pool): HandleRecordsService {
  const resolver = toResolver({ scheme: 'http', authority: 'hdl.handle.net' });
  const reader = new IdentifierReader(pool);
  const holders = new NameHolders(pool);
  const updater = new IdentifierUpdater(reader);
  const transactions = new Transactions(pool, pool);
  const results = new RequestResults(pool, transactions);
  const replays = new MintReplays(reader, results, holders, transactions);
  const retries = new ConflictRetries(transactions, updater);
  const authorities = new NamingAuthorityCache(pool, resolver);
  const metrics = new Metrics();
  const conflicts = new MintConflicts(new ConflictFinder(pool), retries, transactions, replays, new ChangeReader(pool));
  const budget = new MintBudget(metrics, 0);
  const minting = new MintingService(
    new IdentifierWriter(transactions),
    conflicts,
    replays,
    authorities,
    new GuidGenerator(),
    budget,
    metrics,
    new PreviousVersionReader(holders, reader),
    transactions,
  );
  const requests = new IdempotentRequests(transactions, results);
  const engine = new ChangeEngine(reader, updater, holders);
  const curation = new CurationService(engine, retries, reader, holders, requests, authorities, resolver);
  return new HandleRecordsService(curation, minting, reader);
}
