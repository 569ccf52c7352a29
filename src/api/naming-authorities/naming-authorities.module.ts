import { Module } from '@nestjs/common';
import { CursorsModule } from '../../http/validation/cursor.module.js';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { NamingAuthoritiesController } from './naming-authorities.controller.js';
import { NamingAuthoritiesService } from './naming-authorities.service.js';

@Module({
  imports: [CursorsModule, StorageWriteModule],
  controllers: [NamingAuthoritiesController],
  providers: [NamingAuthoritiesService],
})
export class NamingAuthoritiesModule {}
