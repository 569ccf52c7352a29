import { type Content, type Markup, markup } from './markup.js';

export type Row = readonly [header: string, content: Content];

/** A table of attributes: the first cell of a row is the header of the second. */
export function factTable(caption: string, columns: readonly [string, string], rows: readonly Row[]): Markup {
  return tableOf(
    caption,
    columns,
    rows.map(([header, content]) => [rowHeader(header), markup`<td role="cell">${content}</td>`]),
  );
}

/** A table of items. When the style stacks the cells, each but the first shows the header of its column. */
export function listTable(caption: string, columns: readonly string[], rows: readonly (readonly Content[])[]): Markup {
  const cellOf = (content: Content, index: number) =>
    index === 0 ? rowHeader(content) : markup`<td role="cell" data-label="${columns[index] ?? ''}">${content}</td>`;
  return tableOf(
    caption,
    columns,
    rows.map((cells) => cells.map(cellOf)),
  );
}

/** The explicit roles repeat the implicit roles of the elements, which browsers drop when the style stacks the cells. */
function tableOf(caption: string, columns: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  return markup`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((name) => markup`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map((cells) => markup`<tr role="row">${cells}</tr>\n`)}</tbody>
</table>`;
}

function rowHeader(content: Content): Markup {
  return markup`<th scope="row" role="rowheader">${content}</th>`;
}
