export interface RenamedVariable {
  readonly name: string;
  readonly currentName: string;
}

/** The former names of variables, which are read until version 0.2. */
const CURRENT_NAMES: ReadonlyMap<string, string> = new Map([
  ['FACES', 'INTERFACES'],
  ['ANSWER_STALL_TIMEOUT_MS', 'RESPONSE_STALL_TIMEOUT_MS'],
]);

/** @returns the variables by their current names, the variables set by a former name, and a problem for each one set by both names. */
export function withCurrentNames(given: NodeJS.ProcessEnv): {
  variables: NodeJS.ProcessEnv;
  renamed: RenamedVariable[];
  problems: string[];
} {
  const variables = { ...given };
  const renamed: RenamedVariable[] = [];
  const problems: string[] = [];
  for (const [name, currentName] of CURRENT_NAMES) {
    const value = given[name] ?? '';
    if (value === '') continue;
    renamed.push({ name, currentName });
    if ((given[currentName] ?? '') === '') variables[currentName] = value;
    else problems.push(`${name} is the former name of ${currentName}, and both are set; set only ${currentName}`);
  }
  return { variables, renamed, problems };
}

export function describeRenamed({ name, currentName }: RenamedVariable): string {
  return `The variable ${name} was renamed to ${currentName}. The former name is read until version 0.2.`;
}
