/** The evidence of a statement as HTML: what was expected and came, the requests, and why something was not tried. */
import { type Content, html, type Html } from "../../base/html.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import type { CaseResult, Report, StatementResult } from "../result.ts";
import type { Statement } from "../statement.ts";
import { curlLines, type CurlOptions } from "./curl.ts";
import { type BrokenResult, durationText, expectationOf, number, outcomeOf, statementText } from "./summary.ts";

/** How many cases that hold are listed, and how much of a response is shown. */
const mostCases = 40;
const mostCharacters = 4000;

type ResultOf<Kind extends CaseResult["kind"]> = CaseResult & { readonly kind: Kind };

/** `isOneOfSeveral`: other statements are on the same line, so this one is named. */
export function evidenceHtml(
  report: Report,
  { statement, cases, kind }: StatementResult,
  isOneOfSeveral: boolean,
  options: CurlOptions,
): Html {
  const broken = cases.filter((one) => one.kind === "broken");
  const holding = cases.filter((one) => one.kind === "holds");
  const untried = cases.filter((one) => one.kind === "not tried");
  const name = isOneOfSeveral ? html`<code>${statementText(report, statement)}</code> ` : undefined;
  return html`<div class="statement">
<p class="result">${name}<strong>${kind}</strong> <span class="quiet">${statement.path}</span></p>
${broken.map((one) => brokenHtml(one, statement, options))}${holdingHtml(holding, statement)}${untried.map((one) => untriedHtml(one, statement))}</div>\n`;
}

/** What is broken, with the requests that show it. Without a statement the result is about the service as a whole. */
export function brokenHtml(result: BrokenResult, statement: Statement | undefined, options: CurlOptions): Html {
  const { id, expected, got, also, interactions } = result;
  const rows: readonly (readonly [label: string, text: Content])[] = [
    ["stated", expectationOf(result, statement)],
    ["expected", expected],
    ["got", html`<strong class="broken">${got}</strong>`],
    ["case", html`<code>${id}</code>`],
    ...(also.length === 0 ? [] : [["also broken", also.map((one) => html`<code>${one}</code> `)] as const]),
    ...(interactions.length === 0 ? [] : [["requests", requestsHtml(interactions)] as const]),
  ];
  return html`<dl>${rows.map(([label, text]) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>
${responseHtml(interactions.at(-1))}${
  interactions.length === 0
    ? undefined
    : html`<p class="label">To send them again, in a shell:</p>
<pre tabindex="0"><code>${curlLines(interactions, options)}</code></pre>
`
}`;
}

function requestsHtml(interactions: readonly Interaction[]): Html {
  return html`<ol>${interactions.map((interaction) => html`<li>${requestHtml(interaction)}</li>`)}</ol>`;
}

/** `POST /sites as operator: 201, after 12 ms`. */
function requestHtml(interaction: Interaction): Html {
  const { request, caller, milliseconds } = interaction;
  return html`<code>${request.method} ${pathOf(request.url)}</code> as ${caller}: ${outcomeOf(interaction)}, after ${durationText(milliseconds)}`;
}

function pathOf(url: string): string {
  return /^[a-z]+:\/\/[^/]*(\/.*)$/is.exec(url)?.[1] ?? url;
}

function responseHtml(interaction: Interaction | undefined): Content {
  if (interaction === undefined || !isResponse(interaction.response) || interaction.response.text === "")
    return undefined;
  const { status, headers, json } = interaction.response;
  const text = json === undefined ? interaction.response.text : JSON.stringify(json, undefined, 2);
  const type = headers["content-type"];
  const words = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return html`<p class="label">Response ${status}${type === undefined ? "" : `, ${type}`}:</p>
<pre tabindex="0"><code>${words.replaceAll(/[^\P{Cc}\n\t]/gu, "\ufffd")}</code></pre>
`;
}

function holdingHtml(results: readonly ResultOf<"holds">[], statement: Statement): Content {
  if (results.length === 0) return undefined;
  const more = results.length - mostCases;
  return html`<ul>${results.slice(0, mostCases).map((one) => {
    const last = one.interactions.at(-1);
    return html`<li>${expectationOf(one, statement)}${last === undefined ? undefined : html` <span class="quiet">${requestHtml(last)}</span>`}</li>`;
  })}${more <= 0 ? undefined : html`<li>… and ${number(more)} more cases</li>`}</ul>\n`;
}

function untriedHtml(result: ResultOf<"not tried">, statement: Statement): Html {
  const { reason, remedy, aspects } = result;
  const about = aspects.length === 0 ? undefined : html` whether ${expectationOf(result, statement)}`;
  const toTry = remedy === undefined ? undefined : html` To try it: ${remedy}.`;
  return html`<p>Not tried${about}: ${reason}.${toTry}</p>\n`;
}
