import { Module } from '@nestjs/common';
import { ChangingModule } from '../../changing/changing.module.js';
import { MintingServiceModule } from '../../minting/minting-service.module.js';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { BatchController } from './batch/batch.controller.js';
import { BatchService } from './batch/batch.service.js';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkService } from './bulk/bulk.service.js';
import { MintPresenter } from './mint-presenter.js';
import { MintingController } from './minting.controller.js';

@Module({
  imports: [StorageWriteModule, ChangingModule, MintingServiceModule, RepresentationModule],
  controllers: [MintingController, BatchController, BulkController],
  providers: [MintPresenter, BatchService, BulkService],
})
export class MintingModule {}
