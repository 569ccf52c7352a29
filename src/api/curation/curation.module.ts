import { Module } from '@nestjs/common';
import { ChangingModule } from '../../changing/changing.module.js';
import { CurationController } from './curation.controller.js';

@Module({ imports: [ChangingModule], controllers: [CurationController] })
export class CurationModule {}
