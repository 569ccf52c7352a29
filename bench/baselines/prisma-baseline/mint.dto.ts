import { IsOptional, IsString, IsUrl, Matches } from 'class-validator';

/** The body of a mint, with the rules that class-validator's documentation would lead one to. */
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
