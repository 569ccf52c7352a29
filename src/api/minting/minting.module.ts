import { Module } from '@nestjs/common';
import { GuidGenerator } from '../../registry/uuid.js';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { BatchController } from './batch/batch.controller.js';
import { BatchService } from './batch/batch.service.js';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkService } from './bulk/bulk.service.js';
import { MintReplays } from './mint-replays.js';
import { MintConflicts } from './mint-conflicts.js';
import { MintPresenter } from './mint-presenter.js';
import { MintingController } from './minting.controller.js';
import { MintingService } from './minting.service.js';
import { RepresentationModule } from '../representation/representation.module.js';

@Module({
  imports: [StorageWriteModule, RepresentationModule],
  controllers: [MintingController, BatchController, BulkController],
  providers: [GuidGenerator, MintingService, MintConflicts, MintReplays, MintPresenter, BatchService, BulkService],
})
export class MintingModule {}
