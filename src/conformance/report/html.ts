/**
 * The report as one page of HTML that needs nothing else: the document itself, each statement with its result, and its evidence
 * one click away. The page has no script; a filter of radio buttons is a matter of its stylesheet.
 */
import { type Content, html, type Html } from "../../base/html.ts";
import { partHeadings } from "../../language/grammar/sections.ts";
import type { Report } from "../result.ts";
import type { Statement } from "../statement.ts";
import type { CurlOptions } from "./curl.ts";
import { documentHtml, kinds, signHtml, signs } from "./html-document.ts";
import { brokenHtml } from "./html-evidence.ts";
import { style } from "./html-style.ts";
import {
  type BrokenGroup,
  brokenGroups,
  countsOf,
  durationText,
  expectationOf,
  type NotTriedGroup,
  notTriedGroups,
  number,
  resultsByPart,
  statementText,
  thinness,
} from "./summary.ts";

/** A page without scripts, forms and requests: nothing in it can run or be sent, whatever the implementation responded. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function reportHtml(report: Report, options: CurlOptions = {}): string {
  const counts = countsOf(report.statements);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${titleOf(report)}</title>
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#document">Skip to the document</a>
<header class="opening">
<p class="kicker">Conformance test</p>
<h1>${report.title === "" ? report.document : report.title}</h1>
<p class="totals">${kinds.map((kind) => html`<span class="total ${signs[kind].style}"><span aria-hidden="true">${signs[kind].sign}</span> <strong>${number(counts[kind])}</strong> ${kind === "holds" ? "hold" : kind}</span> `)}</p>
<p class="quiet">${targetHtml(report)}</p>
${warningHtml(report)}</header>
<nav aria-label="Summary">
${partsHtml(report)}
</nav>
<main id="content">
${brokenSummary(report, options)}${notTriedSummary(report)}<div id="document" tabindex="-1">
${filterHtml(report)}
${documentHtml(report, options)}</div>
</main>
</body>
</html>
`.html;
}

function titleOf(report: Report): string {
  const { broken } = countsOf(report.statements);
  return `${broken === 0 ? "" : `${number(broken)} broken · `}${report.title === "" ? report.document : report.title}`;
}

function targetHtml({ document, url, version, seed, startedAt, milliseconds, requests }: Report): Html {
  const time = new Date(startedAt).toISOString();
  return html`<code>${document}</code> against <code>${url}</code>${version === undefined ? undefined : html`, version ${version}`}: ${number(requests)} requests in ${durationText(milliseconds)}, seed ${seed}, on <time datetime="${time}">${time.slice(0, 16).replace("T", " ")} UTC</time>`;
}

function warningHtml(report: Report): Content {
  const warning = thinness(report);
  return warning === undefined ? undefined : html`<p class="warning">${warning}</p>\n`;
}

function partsHtml(report: Report): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Results by part"><table>
<thead><tr><th scope="col">Part</th>${kinds.map((kind) => html`<th scope="col"><span aria-hidden="true">${signs[kind].sign}</span> ${signs[kind].word}</th>`)}</tr></thead>
<tbody>${resultsByPart(report).map(({ part, statements }) => {
    const counts = countsOf(statements);
    return html`<tr><th scope="row"><a href="#${part}">${partHeadings[part][0]}</a></th>${kinds.map((kind) => html`<td class="${counts[kind] === 0 ? "quiet" : signs[kind].style}">${number(counts[kind])}</td>`)}</tr>`;
  })}</tbody>
</table></div>`;
}

function brokenSummary(report: Report, options: CurlOptions): Content {
  const groups = brokenGroups(report);
  if (groups.length === 0) return undefined;
  return html`<section class="summary">
<h2>Broken</h2>
<ol>${groups.map((cause) => brokenItem(report, cause, options))}</ol>
</section>
`;
}

function brokenItem(report: Report, { result, statements }: BrokenGroup, options: CurlOptions): Html {
  const [first, ...others] = statements;
  const { expected, got } = result;
  const about =
    first === undefined
      ? html`<span class="quiet">about no line of the document</span>`
      : html`${lineLink(first)} <code>${statementText(report, first)}</code>`;
  const more = html` Also at ${listHtml(others.map(lineLink))}.`;
  return html`<li>${signHtml("broken")} ${about}<br>
<span class="quiet">${expectationOf(result, first)}:</span> expected ${shortened(expected)}, got <strong>${shortened(got)}</strong>.${others.length === 0 ? undefined : more}
${
  first === undefined
    ? html`<details><summary>evidence</summary><div class="evidence">${brokenHtml(result, undefined, options)}</div></details>`
    : undefined
}</li>\n`;
}

/** The evidence has the rest. */
function shortened(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

function notTriedSummary(report: Report): Content {
  const groups = notTriedGroups(report);
  if (groups.length === 0) return undefined;
  return html`<section class="summary">
<h2>Not tried</h2>
<ul>${groups.map(groupHtml)}</ul>
</section>
`;
}

function groupHtml({ reason, remedy, statements }: NotTriedGroup): Html {
  const links = statements.map(({ statement, kind }) => {
    const link = lineLink(statement);
    return kind === "not tried" ? link : html`${link} in part`;
  });
  return html`<li><details><summary>${reason}: ${number(statements.length)} ${statements.length === 1 ? "statement" : "statements"}${
    remedy === undefined ? undefined : html` <span class="quiet">to try: ${remedy}</span>`
  }</summary><div class="evidence"><p>${listHtml(links)}</p></div></details></li>\n`;
}

function lineLink({ path, part, span }: Statement): Html {
  const { line } = span.start;
  // The line of a part that is `none` is its heading.
  return html`<a href="#${path === part ? part : `L${line}`}">line ${line}</a>`;
}

function listHtml(items: readonly Html[]): Html {
  return html`${items.map((item, index) => (index === 0 ? item : html`, ${item}`))}`;
}

const filters = [
  { id: "all", label: "all" },
  { id: "broken", label: "broken" },
  { id: "untried", label: "not tried" },
] as const;

function filterHtml(report: Report): Html {
  const counts = countsOf(report.statements);
  const numbers = { all: report.statements.length, broken: counts.broken, untried: counts["not tried"] };
  return html`<fieldset class="filter"><legend>Statements</legend>${filters.map(
    ({ id, label }) =>
      html`<label><input type="radio" name="filter" id="filter-${id}"${id === "all" ? html` checked` : undefined}> ${label} (${number(numbers[id])})</label> `,
  )}</fieldset>
<p class="nothing">There is none.</p>`;
}
