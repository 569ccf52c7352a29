import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { GuidSource } from './guid-source.js';
import { MintingController } from './minting.controller.js';
import { MintingService } from './minting.service.js';

/** New identifiers, and existing ones that come to be registered. */
@Module({ imports: [RecordModule], controllers: [MintingController], providers: [MintingService, GuidSource] })
export class MintingModule {}
