import { type Content, type Markup, html } from './markup.js';

/** A row of two columns: a header and its content. */
export type Row = readonly [header: string, content: Content];

/**
 * A table of headers and contents. The roles repeat those of the elements: browsers drop these where the style stacks
 * the cells.
 */
export function factTable(caption: string, columns: readonly [string, string], rows: readonly Row[]): Markup {
  return html`<table role="table">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((name) => columnHeader(name))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        ([header, content]) =>
          html`<tr role="row">
            <th scope="row" role="rowheader">${header}</th>
            <td role="cell">${content}</td>
          </tr> `,
      )}
    </tbody>
  </table>`;
}

/** A table whose cells have a header each; the first cell of a row is its header. */
export function listTable(caption: string, columns: readonly string[], rows: readonly (readonly Content[])[]): Markup {
  return html`<table role="table">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((name) => columnHeader(name))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (cells) =>
          html`<tr role="row">
            ${cells.map((cell, index) => cellOf(cell, columns[index] ?? '', index))}
          </tr> `,
      )}
    </tbody>
  </table>`;
}

function columnHeader(name: string): Markup {
  return html`<th scope="col" role="columnheader">${name}</th>`;
}

function cellOf(content: Content, column: string, index: number): Markup {
  return index === 0
    ? html`<th scope="row" role="rowheader">${content}</th>`
    : html`<td role="cell" data-label="${column}">${content}</td>`;
}
