/** HTML that needs no escaping. Only `markup` and `trusted` create it. */
export class Markup {
  constructor(readonly text: string) {}
}

/** Contents of a template: texts are escaped, arrays are joined, null is empty. */
export type Content = string | number | Markup | null | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for the content of an element or for a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/**
 * A template of HTML. Every value that is not `Markup` is escaped. Attribute values must be quoted. It is not named `html`, because
 * formatters change the white space of templates with that name, and pages show white space.
 */
export function markup(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let text = parts[0] ?? '';
  contents.forEach((content, index) => {
    text += rendered(content) + (parts[index + 1] ?? '');
  });
  return new Markup(text);
}

/** Marks a constant of this folder as HTML. Never pass text of a request or of a record. */
export function trusted(constant: string): Markup {
  return new Markup(constant);
}

function rendered(content: Content): string {
  if (content === null) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'string') return escapeHtml(content);
  return typeof content === 'number' ? String(content) : content.map(rendered).join('');
}

/** A `time` element: the time in UTC for readers, such as `20 Nov 2026, 09:30 UTC`, and in RFC 3339 for programs. */
export function shownTime(time: Date): Markup {
  const words = time.toUTCString();
  return markup`<time datetime="${time.toISOString()}">${words.slice(5, -13)}, ${words.slice(-12, -7)} UTC</time>`;
}

/** A day such as `2026-11-20`, UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
