const NUMBER = '(?:CID|URI|HUS|HS|FED|UUID|R)-[0-9]+';
const ALONE = new RegExp(`\\s*\\(${NUMBER}\\)`, 'g');
const IN_PARENTHESES = new RegExp(`,\\s*${NUMBER}\\)`, 'g');

/** The document without the numbers of rules, such as CID-14, in its descriptions. These numbers are for readers of the code. */
export function withoutRuleNumbers(document) {
  return JSON.parse(
    JSON.stringify(document, (key, value) =>
      key === 'description' && typeof value === 'string'
        ? value.replace(ALONE, '').replace(IN_PARENTHESES, ')')
        : value,
    ),
  );
}
