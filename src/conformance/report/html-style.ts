/**
 * The stylesheet of the report's page: light and dark, down to the width of a phone, and on paper. The contrast is WCAG AA
 * throughout. Signs and the style of the lines beside statements show results without colours.
 */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #fcfcfa; --text: #1e2226; --quiet: #5b636b; --line: #e2e2dc; --sunk: #f4f4ef; --accent: #205f8a;
  --holds: #256b3a; --broken: #a3302a; --untried: #5b636b; --broken-ground: #fdeeec; --evidence: #f4f4ef; --note: #fbf6e6; --note-line: #b08a2e;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15181b; --text: #e3e6e8; --quiet: #a1a9b1; --line: #2d3338; --sunk: #1c2024; --accent: #85bde6;
    --holds: #86c995; --broken: #f0938c; --untried: #a1a9b1; --broken-ground: #2f1d1d; --evidence: #1c2024; --note: #24211a; --note-line: #a08438;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; max-width: 72rem; padding: 0 1.25rem 6rem; background: var(--ground); color: var(--text); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .18em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
#document:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: .875em; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; overflow: auto; max-height: 30rem; margin: 0 0 1rem; line-height: 1.55; }
pre code { font-size: .8125rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--ground); padding: .5rem 1rem; z-index: 3; }
.skip:focus { top: .5rem; }
.quiet { color: var(--quiet); font-weight: 400; }
.holds { color: var(--holds); } .broken { color: var(--broken); } .untried { color: var(--untried); }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 5vw, 2.6rem); letter-spacing: -.02em; font-weight: 680; margin: 0 0 .75rem; }
h2 { font-size: 1.375rem; letter-spacing: -.012em; font-weight: 650; margin: 0 0 1rem; }
h2 .number { color: var(--quiet); font-weight: 400; margin-right: .35em; }
p, ul, ol, dl, blockquote { margin: 0 0 1rem; }

.opening { padding: 2.5rem 0 .5rem; }
.kicker { color: var(--quiet); margin: 0 0 .25rem; }
.totals { display: flex; flex-wrap: wrap; gap: .25rem 2rem; font-size: 1.25rem; margin: 0 0 .5rem; }
.total strong { font-size: 1.75rem; font-weight: 680; font-variant-numeric: tabular-nums; }
.warning { background: var(--note); border-left: 4px solid var(--note-line); padding: .75rem 1rem; border-radius: 0 4px 4px 0; margin: 1rem 0 0; }
.scroll { overflow-x: auto; }
nav { margin: 1.5rem 0 2rem; }
table { border-collapse: collapse; font-size: .9375rem; min-width: min(100%, 36rem); }
th, td { text-align: left; padding: .3rem 1.5rem .3rem 0; border-top: 1px solid var(--line); font-weight: 400; white-space: nowrap; }
td { font-variant-numeric: tabular-nums; }
thead th { color: var(--quiet); border-top: 0; font-size: .875rem; }
.summary { margin: 0 0 2.5rem; }
.summary ol, .summary ul { padding-left: 0; list-style: none; margin: 0; }
.summary li { border-top: 1px solid var(--line); padding: .5rem 0; }
.summary li > details { margin-top: .25rem; }
.summary summary { cursor: pointer; }

.filter { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; background: var(--ground); border: 0; border-bottom: 1px solid var(--line); margin: 0 0 1.5rem; padding: .625rem 0; min-width: 0; }
.filter legend { float: left; padding: 0 1.25rem 0 0; color: var(--quiet); }
.filter label { cursor: pointer; white-space: nowrap; }
.filter input { accent-color: var(--accent); margin: 0 .25rem 0 0; }

.part { margin: 0 0 2.5rem; }
.part > h2 { display: flex; flex-wrap: wrap; align-items: baseline; scroll-margin-top: 4rem; }
.counts { margin-left: auto; font-size: .9375rem; font-weight: 400; display: flex; gap: 1rem; letter-spacing: 0; }
.prose { max-width: 44rem; }
.prose blockquote { border-left: 3px solid var(--line); padding-left: 1rem; color: var(--quiet); margin-left: 0; }
.block { margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: 6px; overflow: clip; }
.row { display: grid; grid-template-columns: 3.25rem 1.75rem minmax(0, 1fr) 1.75rem; align-items: baseline; padding-left: 12px; color: var(--text); }
/* The rest of a line that is too long for the screen is indented. */
.row code { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8438rem; line-height: 1.65; padding: .0625rem .75rem .0625rem 6ch; text-indent: -6ch; }
.row code * { text-indent: 0; }
.line { color: var(--quiet); font: .75rem/1.65 var(--mono); text-align: right; padding-right: .75rem; user-select: none; scroll-margin-top: 6rem; }
.gutter, .sign { user-select: none; }
.gutter { text-align: center; }
.sign { font-weight: 700; font-family: var(--sans); line-height: 1; }
.words .sign { margin: 0 .3em 0 .1em; }
.words { color: var(--text); }
.row.holds { border-left: 3px solid var(--holds); padding-left: 9px; }
.row.broken { border-left: 6px double var(--broken); padding-left: 6px; background: var(--broken-ground); }
.row.untried { border-left: 3px dotted var(--untried); padding-left: 9px; }
.row:has(:target) { outline: 2px solid var(--accent); outline-offset: -2px; }
details > summary { cursor: pointer; }
.block details > summary { list-style: none; display: block; }
.block details > summary::-webkit-details-marker { display: none; }
.block details > summary:hover .row:not(.broken) { background: var(--sunk); }
.block summary > .row:first-child::after { content: "▸"; content: "▸" / ""; color: var(--quiet); text-align: center; font-size: .625rem; }
.block details[open] > summary > .row:first-child::after { content: "▾"; content: "▾" / ""; }
.block details > summary:focus-visible { outline-offset: -2px; }

.evidence { background: var(--evidence); padding: .75rem 1rem; font-size: .9375rem; }
.block .evidence { border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); padding-left: 5.25rem; }
.summary .evidence { border-radius: 6px; margin-top: .5rem; }
.statement + .statement { border-top: 1px solid var(--line); padding-top: .75rem; margin-top: .75rem; }
.evidence .result { margin: 0 0 .5rem; }
.evidence .label { margin: 0 0 .25rem; color: var(--quiet); }
.evidence p, .evidence ul, .evidence ol { margin-bottom: .5rem; }
.evidence ul, .evidence ol { padding-left: 1.25rem; }
.evidence dd ol { margin: 0; }
.evidence dl { display: grid; gap: .125rem; margin: 0 0 .75rem; }
.evidence dl > div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 1rem; }
.evidence dt { color: var(--quiet); }
.evidence dd { margin: 0; min-width: 0; }
.evidence :last-child { margin-bottom: 0; }

/* The filters. A line to which a link leads stays, whatever is filtered. */
:root:has(#filter-broken:checked) :is(.prose, .part:not(.has-broken), .block > .row, .block > details:not(.has-broken)):not(:has(:target)),
:root:has(#filter-untried:checked) :is(.prose, .part:not(.has-untried), .block > .row, .block > details:not(.has-untried)):not(:has(:target)) { display: none; }
.nothing { display: none; }
:root:has(#filter-broken:checked):not(:has(.part.has-broken)) .nothing,
:root:has(#filter-untried:checked):not(:has(.part.has-untried)) .nothing { display: block; }

@media (max-width: 40rem) {
  .row { grid-template-columns: 2.25rem 1.5rem minmax(0, 1fr) 1.25rem; }
  .block .evidence { padding-left: 1rem; }
  .evidence dl > div { grid-template-columns: minmax(0, 1fr); margin-bottom: .25rem; }
  th, td { padding-right: .75rem; white-space: normal; }
}

@media print {
  :root { --ground: #fff; --text: #000; --quiet: #444; --holds: #000; --broken: #000; --untried: #000; --broken-ground: #fff; --evidence: #fff; --accent: #000; }
  .skip, .filter, .row::after { display: none !important; }
  body { max-width: none; padding: 0; }
  .block { overflow: visible; }
  .row, .summary li { break-inside: avoid; }
  .broken .sign, .row.broken code { font-weight: 700; }
  /* What is broken is printed with its evidence, opened or not. */
  details.has-broken::details-content { content-visibility: visible; display: block; block-size: auto; }
  pre { max-height: none; white-space: pre-wrap; }
}
`;
