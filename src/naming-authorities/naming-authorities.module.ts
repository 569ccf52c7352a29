import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { NamingAuthoritiesController } from './naming-authorities.controller.js';
import { NamingAuthoritiesService } from './naming-authorities.service.js';

/** The prefixes under which identifiers are minted, and how they are. */
@Module({
  imports: [RecordModule],
  controllers: [NamingAuthoritiesController],
  providers: [NamingAuthoritiesService],
})
export class NamingAuthoritiesModule {}
