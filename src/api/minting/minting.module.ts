import { Module } from '@nestjs/common';
import { GuidGenerator } from '../../registry/guid-generator.js';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { BatchController } from './batch/batch.controller.js';
import { BatchService } from './batch/batch.service.js';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkService } from './bulk/bulk.service.js';
import { MintReplays } from './mint-replays.js';
import { MintMetrics } from './mint-metrics.js';
import { MintResults } from './mint-results.js';
import { MintQueue } from './mint-queue.js';
import { MintingController } from './minting.controller.js';
import { MintingService } from './minting.service.js';
import { RepresentationModule } from '../representation/representation.module.js';

@Module({
  imports: [StorageWriteModule, RepresentationModule],
  controllers: [MintingController, BatchController, BulkController],
  providers: [
    GuidGenerator,
    MintingService,
    MintReplays,
    MintQueue,
    MintMetrics,
    BatchService,
    BulkService,
    MintResults,
  ],
})
export class MintingModule {}
