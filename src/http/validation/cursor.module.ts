import { Module } from '@nestjs/common';
import { Cursors } from './cursor.js';

@Module({ providers: [Cursors], exports: [Cursors] })
export class CursorsModule {}
