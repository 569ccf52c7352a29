import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** What an orchestrator asks. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
