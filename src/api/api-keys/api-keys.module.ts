import { Module } from '@nestjs/common';
import { CursorsModule } from '../../http/validation/cursor.module.js';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';

@Module({ imports: [CursorsModule, StorageWriteModule], controllers: [ApiKeysController], providers: [ApiKeysService] })
export class ApiKeysModule {}
