import { Body, Controller, Get, Headers, NotFoundException, Param, Post } from '@nestjs/common';
import { type Identifier, PrismaClient } from '../../../src/database/generated/client.js';
import { MintDto } from './mint.dto.js';
import { rowOf } from './row.js';

/** The response for a record, without the columns that JSON cannot express. */
function shown({ namingAuthority, guid, metadataId, target, state, version, createdAt }: Identifier) {
  const identifier = `${namingAuthority}/${(guid ?? '').replaceAll('-', '').toUpperCase()}`;
  return { identifier, namingAuthority, guid, metadataId, target, state, version, createdAt };
}

@Controller('identifiers')
export class IdentifiersController {
  constructor(private readonly prisma: PrismaClient) {}

  @Post()
  async mint(@Body() mint: MintDto, @Headers('idempotency-key') key: string) {
    return shown(await this.prisma.identifier.create({ data: rowOf(mint, key) }));
  }

  @Get(':namingAuthority/:guid')
  async find(@Param('namingAuthority') namingAuthority: string, @Param('guid') guid: string) {
    const found = await this.prisma.identifier.findUnique({
      where: { guid_namingAuthority: { namingAuthority, guid } },
    });
    if (found === null) throw new NotFoundException();
    return shown(found);
  }
}
