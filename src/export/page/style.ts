/** The stylesheet of the pages: light and dark, down to the width of a phone. The contrast is WCAG AA throughout. */
export const style = `:root {
  color-scheme: light dark;
  --ground: #fcfcfa; --text: #1e2226; --quiet: #5b636b; --line: #e2e2dc; --sunk: #f4f4ef; --accent: #205f8a;
  --get: #1f5f8b; --post: #256b3a; --change: #7d5200; --delete: #a3302a; --note: #fbf6e6; --note-line: #d9c98f; --shade: #1e222626;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15181b; --text: #e3e6e8; --quiet: #a1a9b1; --line: #2d3338; --sunk: #1c2024; --accent: #85bde6;
    --get: #85bde6; --post: #86c995; --change: #dfb566; --delete: #f0938c; --note: #24211a; --note-line: #5a4f2c; --shade: #00000080;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .18em; text-decoration-color: color-mix(in srgb, currentColor 40%, transparent); }
a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
code { font-family: var(--mono); font-size: .875em; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--ground); padding: .5rem 1rem; z-index: 2; }
.skip:focus { top: .5rem; }
.quiet { color: var(--quiet); font-weight: 400; }

nav { padding: 1rem 1.25rem; border-bottom: 1px solid var(--line); font-size: .9375rem; }
nav .brand { margin: 0 0 .5rem; font-weight: 650; }
nav .brand a { color: inherit; text-decoration: none; }
nav ol, nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .125rem 1rem; }
nav ol { counter-reset: part; }
nav li a { display: inline-block; padding: .2rem 0; color: var(--quiet); text-decoration: none; }
nav li a:hover { color: var(--text); text-decoration: underline; }
nav ol li a::before { counter-increment: part; content: counter(part); display: inline-block; width: 1.4em; font-variant-numeric: tabular-nums; }
nav .count { font-size: .75rem; padding: 0 .4em; border-radius: 1em; background: var(--note); border: 1px solid var(--note-line); color: var(--text); }

main { padding: 0 1.25rem 6rem; min-width: 0; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 5vw, 2.6rem); letter-spacing: -.02em; font-weight: 680; margin: 0 0 .75rem; }
h1 code { font-size: .9em; letter-spacing: -.03em; }
h2 { font-size: 1.5rem; letter-spacing: -.012em; font-weight: 650; margin: 0 0 1.25rem; }
h2 .number { color: var(--quiet); font-weight: 400; margin-right: .35em; font-variant-numeric: tabular-nums; }
h3 { font-size: 1.0625rem; font-weight: 650; margin: 2.25rem 0 .75rem; }
h4 { font-size: 1rem; font-weight: 500; margin: 0; }
p, ul, ol, dl, pre, blockquote { margin: 0 0 1rem; }
.opening { padding: 2.5rem 0 1rem; max-width: 46rem; }
.kicker { color: var(--quiet); margin: 0 0 .5rem; font-size: .9375rem; }
.kicker::first-letter { text-transform: uppercase; }
.lead { font-size: 1.1875rem; line-height: 1.5; }
section { border-top: 1px solid var(--line); padding: 2.5rem 0 1.5rem; }
.reading { min-width: 0; max-width: 46rem; }
.reading > p, .reading > ul, .reading > ol { max-width: 38rem; }
.reading > :first-child, .reading > h3:first-child { margin-top: 0; }
blockquote { border-left: 3px solid var(--line); padding-left: 1rem; color: var(--quiet); margin-left: 0; }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }

.facts { display: grid; gap: .375rem 0; font-size: .9375rem; }
.facts > div { display: grid; grid-template-columns: minmax(6.5rem, 8.5rem) minmax(0, 1fr); gap: 0 1rem; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; min-width: 0; }

/* A shadow at the side where there is more to see. */
.scroll {
  overflow-x: auto; margin: 0 0 1.25rem;
  background:
    linear-gradient(to right, var(--ground) 40%, transparent) left / 2.5rem 100%, linear-gradient(to left, var(--ground) 40%, transparent) right / 2.5rem 100%,
    linear-gradient(to right, var(--shade), transparent) left / .75rem 100%, linear-gradient(to left, var(--shade), transparent) right / .75rem 100%;
  background-repeat: no-repeat; background-attachment: local, local, scroll, scroll;
}
table { border-collapse: collapse; width: 100%; font-size: .9375rem; line-height: 1.5; }
caption { text-align: left; color: var(--quiet); padding: 0 0 .375rem; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem 1.25rem .4rem 0; border-top: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--quiet); font-size: .8125rem; border-top: 0; padding-top: 0; white-space: nowrap; }
tbody th { white-space: nowrap; }
td code, th code { font-size: .8438rem; }
.mark { display: inline-block; font-size: .75rem; line-height: 1.4; color: var(--quiet); border: 1px solid var(--line); border-radius: 3px; padding: 0 .35em; white-space: nowrap; }

.operation { padding: 1rem 0 .125rem; border-top: 1px solid var(--line); }
.operation h4 { display: flex; flex-wrap: wrap; align-items: baseline; gap: .125rem .75rem; }
.operation .path { font-size: .9375rem; font-weight: 600; overflow-wrap: anywhere; }
.operation .name { margin-left: auto; color: var(--quiet); font: .8125rem var(--mono); }
.operation > p { margin: .25rem 0; }
.operation details { display: inline-block; margin: .25rem 1.25rem .5rem 0; vertical-align: top; }
.operation details[open] { display: block; margin-right: 0; }
.method { font: 700 .75rem/1 var(--mono); letter-spacing: .03em; min-width: 3.5em; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--change); } .delete { color: var(--delete); }

.note { background: var(--note); border-left: 3px solid var(--note-line); padding: .75rem 1rem .25rem; margin: 0 0 1.25rem; font-size: .9375rem; border-radius: 0 4px 4px 0; }
.note h3 { margin: 0 0 .25rem; font-size: .875rem; }
.note ul { margin: 0 0 .5rem; padding-left: 1.1rem; }

pre { background: var(--sunk); border-radius: 6px; padding: .875rem 1rem; overflow: auto; font-size: .875rem; line-height: 1.55; tab-size: 2; }
pre code { font-size: .8125rem; }
pre .comment { color: var(--quiet); font-style: italic; }
pre .key { color: var(--accent); }
details { margin: 0 0 1.25rem; }
details + details { margin-top: -.75rem; }
summary { cursor: pointer; color: var(--quiet); font-size: .875rem; padding: .25rem 0; }
summary:hover { color: var(--text); }
details[open] > summary { margin-bottom: .5rem; }
.definition pre { max-height: 26rem; }
.defaults { margin-top: 1.5rem; }
.defaults dl { font-size: .9375rem; }
.defaults dl > div { margin: 0 0 .5rem; }
.defaults dt { color: var(--quiet); }
.defaults dd { margin: 0; }
.footnote { font-size: .875rem; color: var(--quiet); }
.footnote p { display: inline; }

.diagram { padding: .25rem 0; }
.diagram svg { display: block; font-family: var(--mono); }
.diagram .state rect { fill: var(--ground); stroke: var(--text); stroke-width: 1.25; }
.diagram .state.final rect + rect { stroke-width: 1; }
.diagram .state.any rect { stroke-dasharray: 3 3; stroke: var(--quiet); }
.diagram .state > text { fill: var(--text); font-size: 13px; font-weight: 600; }
.diagram .state.any > text { fill: var(--quiet); font-weight: 400; }
.diagram .start { fill: var(--text); }
.diagram .move path { fill: none; stroke: var(--quiet); stroke-width: 1.25; }
.diagram .move rect { fill: var(--ground); }
.diagram .move.timed path { stroke-dasharray: 5 4; }
.diagram .move .label { fill: var(--text); font-size: 12px; font-weight: 400; }
.diagram .move .guard { fill: var(--quiet); }
.diagram .head { fill: var(--quiet); }

@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 14.5rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); padding: 2.5rem 1rem 2rem 1.75rem; }
  nav .brand { margin-bottom: 1.25rem; }
  nav ol, nav ul { display: block; }
  nav ul { margin-top: 1.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
  main { padding: 0 3rem 6rem; }
  .opening { padding-top: 3rem; }
}
@media (min-width: 82rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 26.5rem); gap: 2.5rem; align-items: start; }
  .definition { position: sticky; top: 1rem; }
  .definition pre { max-height: calc(100vh - 6rem); margin-bottom: 0; }
  .definition details { margin-bottom: 0; }
}
@media (max-width: 40rem) {
  .operation .name { margin-left: 0; flex-basis: 100%; }
  .facts > div { grid-template-columns: minmax(0, 1fr); }
  .facts { gap: .5rem; }
  th, td { padding-right: .875rem; }
}
@media print {
  nav, .skip { display: none; }
  body { display: block; }
}
`;

/** The stylesheet of the console: in the pages, and in the playground. */
export const consoleStyle = `.console label { display: grid; grid-template-columns: minmax(0, 1fr); gap: .2rem; margin: 0 0 .6rem; }
.console :is(input, select, textarea, button) { font: inherit; color: inherit; background: var(--sunk); border: 1px solid var(--line); border-radius: 4px; padding: .3rem .6rem; min-width: 0; }
.console textarea, .console pre { font: .8125rem/1.5 var(--mono); } .console pre { white-space: pre-wrap; }
.console button { cursor: pointer; background: var(--accent); border-color: var(--accent); color: var(--ground); } .console p { margin: .5rem 0; }
.console-fine strong { color: var(--post); } .console-refused strong, p.console-refused { color: var(--delete); }
`;
