import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';

const SECRET_BYTES = 32;

/** The secret of cursors, shared by all replicas and restored with a backup. */
@Injectable()
export class CursorSecret {
  constructor(private readonly prisma: PrismaService) {}

  async load(): Promise<Buffer> {
    // Another replica may store its secret first.
    await this.prisma.cursorSecret.createMany({ data: { value: randomBytes(SECRET_BYTES) }, skipDuplicates: true });
    const { value } = await this.prisma.cursorSecret.findFirstOrThrow();
    return Buffer.from(value);
  }
}
