import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { BatchController } from './batch.controller.js';
import { BatchService } from './batch.service.js';
import { BulkController } from './bulk.controller.js';
import { BulkService } from './bulk.service.js';
import { EarlierMints } from './earlier-mints.js';
import { MintCounts } from './mint-counts.js';
import { MintResults } from './mint-results.js';
import { MintQueue } from './mint-queue.js';
import { MintingController } from './minting.controller.js';
import { MintingService } from './minting.service.js';

/** New identifiers, and existing ones that come to be registered. */
@Module({
  imports: [RecordModule],
  controllers: [MintingController, BatchController, BulkController],
  providers: [MintingService, EarlierMints, MintQueue, MintCounts, BatchService, BulkService, MintResults],
})
export class MintingModule {}
