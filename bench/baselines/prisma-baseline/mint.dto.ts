import { IsOptional, IsString, IsUrl, Matches } from 'class-validator';

/** The body of a mint, with the decorators of class-validator's documentation. */
export class MintDto {
  @Matches(/^[0-9]+(\.[0-9]+)*$/)
  namingAuthority: string;

  @IsOptional()
  @IsString()
  metadataId?: string;

  @IsOptional()
  @IsUrl()
  target?: string;
}
