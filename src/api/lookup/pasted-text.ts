/** Delimiters that texts and mail programs put around identifiers and URLs. */
const DELIMITER = /[\s<>"'`\u2018-\u201f\u2039\u203a\u00ab\u00bb]/;

/** Removes delimiters and one final full stop, which may precede or follow a quotation mark. */
export function withoutDelimiters(text: string): string {
  let start = 0;
  while (start < text.length && DELIMITER.test(text.charAt(start))) start += 1;
  let end = text.length;
  let hasStop = false;
  for (; end > start; end -= 1) {
    const character = text.charAt(end - 1);
    const isStop: boolean = character === '.' && !hasStop;
    if (!isStop && !DELIMITER.test(character)) break;
    hasStop ||= isStop;
  }
  return text.slice(start, end);
}
