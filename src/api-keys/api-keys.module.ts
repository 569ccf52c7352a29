import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';

/** The keys of clients. */
@Module({ imports: [RecordModule], controllers: [ApiKeysController], providers: [ApiKeysService] })
export class ApiKeysModule {}
