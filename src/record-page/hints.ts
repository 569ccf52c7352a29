/** What to check when a name is not found, as sentences, from the likely to the general. */
export function hintsFor(name: string): string[] {
  const hints: string[] = [];
  if (/[/]$/.test(name)) hints.push('The name ends with a slash. Remove it if it does not belong to the name.');
  if (/[.,;:)\]>"'”’]$/.test(name)) {
    hints.push('The name ends with a punctuation mark. Remove it if it belongs to the sentence around the name.');
  }
  if (/\s/.test(name)) hints.push('The name contains white space. A line break may have been copied with it.');
  if (/[^!-~]/.test(name)) {
    hints.push('The name contains characters outside ASCII. Some of them look like ASCII characters, such as a dash.');
  }
  hints.push('Compare every character with the source of the name: the digit 0 and the letter O, 1 and l look alike.');
  hints.push('The name may not be registered yet. Ask the publisher of the page that you come from.');
  return hints;
}
