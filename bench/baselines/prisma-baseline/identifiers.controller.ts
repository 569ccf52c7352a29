import { Body, Controller, Get, Headers, NotFoundException, Param, Post } from '@nestjs/common';
import { type Identifier, PrismaClient } from '../../../src/database/generated/client.js';
import { MintDto } from './mint.dto.js';
import { rowOf } from './row.js';

/** The response for a record, without the columns that JSON cannot express. */
function shown(namingAuthority: string, { guid, metadataId, target, state, version, createdAt }: Identifier) {
  const identifier = `${namingAuthority}/${(guid ?? '').replaceAll('-', '').toUpperCase()}`;
  return { identifier, namingAuthority, guid, metadataId, target, state, version, createdAt };
}

@Controller('identifiers')
export class IdentifiersController {
  /** The numbers of naming authorities, which never change. */
  private readonly ids = new Map<string, number>();

  constructor(private readonly prisma: PrismaClient) {}

  @Post()
  async mint(@Body() mint: MintDto, @Headers('idempotency-key') key: string) {
    const { namingAuthority } = mint;
    const data = rowOf(mint, await this.idOf(namingAuthority), key);
    return shown(namingAuthority, await this.prisma.identifier.create({ data }));
  }

  @Get(':namingAuthority/:guid')
  async find(@Param('namingAuthority') namingAuthority: string, @Param('guid') guid: string) {
    const found = await this.prisma.identifier.findUnique({
      where: { guid_namingAuthorityId: { namingAuthorityId: await this.idOf(namingAuthority), guid } },
    });
    if (found === null) throw new NotFoundException();
    return shown(namingAuthority, found);
  }

  private async idOf(prefix: string): Promise<number> {
    const known = this.ids.get(prefix);
    if (known !== undefined) return known;
    const { id } = await this.prisma.namingAuthority.findUniqueOrThrow({ where: { prefix } });
    this.ids.set(prefix, id);
    return id;
  }
}
