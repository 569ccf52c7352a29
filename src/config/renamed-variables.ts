/** A variable that was set by its former name. */
export interface RenamedVariable {
  readonly name: string;
  readonly today: string;
}

/** The former names of variables, which are read until version 0.2. */
const TODAY: ReadonlyMap<string, string> = new Map([
  ['FACES', 'INTERFACES'],
  ['ANSWER_STALL_TIMEOUT_MS', 'RESPONSE_STALL_TIMEOUT_MS'],
]);

/** @returns the variables by their current names, those with a former name, and a problem for each that is set by both. */
export function withTodaysNames(given: NodeJS.ProcessEnv): {
  variables: NodeJS.ProcessEnv;
  renamed: RenamedVariable[];
  problems: string[];
} {
  const variables = { ...given };
  const renamed: RenamedVariable[] = [];
  const problems: string[] = [];
  for (const [name, today] of TODAY) {
    const value = given[name] ?? '';
    if (value === '') continue;
    renamed.push({ name, today });
    if ((given[today] ?? '') === '') variables[today] = value;
    else problems.push(`${name} is the former name of ${today}, and both are set; set only ${today}`);
  }
  return { variables, renamed, problems };
}

export function describeRenamed({ name, today }: RenamedVariable): string {
  return `The variable ${name} has the name ${today} now. The former name is read until version 0.2.`;
}
