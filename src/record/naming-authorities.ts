import { Injectable } from '@nestjs/common';
import { PrismaClient } from '../database/generated/client.js';
import { Problem } from '../problem/problem.js';

/** The naming authorities under which identifiers are minted (CID-09); the only user of their table. */
@Injectable()
export class NamingAuthorities {
  constructor(private readonly prisma: PrismaClient) {}

  /** Makes the configured naming authorities exist. One that exists already is left as it is, suspended or not. */
  async ensure(prefixes: readonly string[]): Promise<void> {
    await this.prisma.namingAuthority.createMany({
      data: prefixes.map((prefix) => ({ prefix })),
      skipDuplicates: true,
    });
  }

  /** Every prefix, in byte order. */
  async prefixes(): Promise<string[]> {
    const rows = await this.prisma.namingAuthority.findMany({ select: { prefix: true }, orderBy: { prefix: 'asc' } });
    return rows.map(({ prefix }) => prefix);
  }

  /** Whether identifiers are minted under it here, now or before. */
  async has(prefix: string): Promise<boolean> {
    return (await this.prisma.namingAuthority.findUnique({ where: { prefix } })) !== null;
  }

  /** @throws Problem UNKNOWN_NAMING_AUTHORITY or SUSPENDED_NAMING_AUTHORITY when nothing may be minted under it. */
  async requireActive(prefix: string): Promise<void> {
    const found = await this.prisma.namingAuthority.findUnique({ where: { prefix } });
    const errors = [{ pointer: '/namingAuthority', detail: `nothing is minted under "${prefix}" here` }];
    if (found === null) {
      const detail = `The naming authority "${prefix}" is not known here; an operator adds it to NAMING_AUTHORITIES.`;
      throw new Problem('UNKNOWN_NAMING_AUTHORITY', detail, { errors });
    }
    if (found.status !== 'active') {
      throw new Problem('SUSPENDED_NAMING_AUTHORITY', `The naming authority "${prefix}" is suspended.`, { errors });
    }
  }
}
