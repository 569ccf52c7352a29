import { Controller, Get, Param } from '@nestjs/common';
import { PublicPage } from '../../access/requires.js';
import { ApiExcludeController } from '../../openapi/annotations.js';
import { CATALOGUE, PROBLEM_CODES, type ProblemCode, type ProblemKind } from '../../problem/catalogue.js';
import { Problem } from '../../problem/problem.js';

/** Makes the `type` of every problem document resolvable (RFC 9457 3.1.1). */
@PublicPage()
@ApiExcludeController()
@Controller('problems')
export class ProblemsController {
  @Get()
  list(): ({ code: ProblemCode } & ProblemKind)[] {
    return PROBLEM_CODES.map((code) => ({ code, ...CATALOGUE[code] }));
  }

  @Get(':code')
  one(@Param('code') code: string): { code: ProblemCode } & ProblemKind {
    const found = PROBLEM_CODES.find((known) => known === code);
    if (found === undefined) throw new Problem('NOT_FOUND', `The problem code "${code}" does not exist.`);
    return { code: found, ...CATALOGUE[found] };
  }
}
