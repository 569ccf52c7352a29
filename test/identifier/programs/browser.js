// Shows what a reader types into a page: the canonical URI, or the place of the fault.
import { canonicalUri, recognize } from '@mintmark/identifier';

const [input, output] = ['input', 'output'].map((name) => document.body.appendChild(document.createElement(name)));
input.addEventListener('input', () => {
  const read = recognize(input.value);
  output.textContent = read.ok ? canonicalUri(read.value.name) : `${read.fault.code} at ${read.fault.offset}`;
});
