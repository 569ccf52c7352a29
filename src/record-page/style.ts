/**
 * The style of every page. All text has a contrast of at least 4.5:1 in both color schemes (WCAG 2.2 1.4.3). Up to a width of 480 px, table
 * cells are stacked, but the roles in the markup preserve the table for screen readers.
 */
export const STYLE = `
:root{color-scheme:light dark;--text:#1b1b1f;--soft:#50535c;--back:#fff;--card:#f4f5f8;--line:#c9ccd6;--link:#0b4fb3;--mark:#7a1f00;--mark-back:#fdeadf}
@media (prefers-color-scheme:dark){:root{--text:#e8e9ee;--soft:#b3b7c3;--back:#15171c;--card:#1f2229;--line:#434855;--link:#8fbcff;--mark:#ffc9ae;--mark-back:#43230f}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main,footer{max-width:56rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;line-height:1.25;margin:.25rem 0 .75rem;white-space:break-spaces}
h2{font-size:1.125rem;margin:2rem 0 .5rem}
.kind,footer,caption{color:var(--soft)}
.kind{margin:0}
.state{background:var(--card);border-inline-start:.25rem solid var(--link);padding:.75rem 1rem;margin:0 0 1rem}
.state.gone{border-color:var(--mark)}
.state p{margin:.5rem 0}
a{color:var(--link)}
a:focus-visible,button:focus-visible,input:focus-visible{outline:3px solid var(--link);outline-offset:2px}
code{font:.9375rem/1.5 ui-monospace,monospace;white-space:break-spaces}
table{width:100%;border-collapse:collapse}
caption{text-align:start;padding:.25rem 0}
th,td{text-align:start;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}
tbody th{font-weight:600;width:12rem}
ul{margin:0;padding-inline-start:1.25rem}
td ul{list-style:none;padding:0}
button{font:inherit;font-size:.875rem;min-height:1.75rem;padding:.125rem .75rem;margin:0 .25rem;color:var(--link);background:var(--back);border:1px solid var(--link);border-radius:.25rem;cursor:pointer}
input{font:inherit;width:100%;max-width:32rem;padding:.375rem .5rem;color:var(--text);background:var(--back);border:1px solid var(--soft);border-radius:.25rem}
form button{margin:.75rem 0 0;display:block}
cite{font-style:normal}
th,time,.word{overflow-wrap:break-word}
label{display:block;font-weight:600}
.hidden-character{color:var(--mark);background:var(--mark-back);border-radius:.2rem;padding:0 .2rem;font:.8125rem ui-monospace,monospace}
[hidden]{display:none}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:480px){table,caption,tbody,tr,th,td{display:block}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}tr{border-bottom:1px solid var(--line);padding:.5rem 0}tbody th,td{width:auto;border:0;padding:0 0 .25rem}td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}button{margin:.25rem 0 0;display:block;min-height:2.25rem}}
@media (forced-colors:active){.hidden-character{border:1px solid}}
@media print{button,footer{display:none}}
`;

/** The short style of the body of a redirect, which is sent often and read rarely. */
export const SHORT_STYLE = ':root{color-scheme:light dark;color:CanvasText;background:Canvas;overflow-wrap:anywhere}';
