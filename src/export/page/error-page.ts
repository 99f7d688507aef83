/** Renders the page of one error, the target of a problem's `type`: status, meaning, remedy, and operations that return it. */
import { possibleErrorsOf } from "../openapi/possible-errors.ts";
import { anchor, duration, descriptionList, joined, type Words } from "../document/content.ts";
import { blocksHtml } from "../document/to-html.ts";
import { type Content, html, type Html } from "../../base/html.ts";
import { getOrMake, onceFor } from "../../base/once.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { ErrorPlan } from "../../plan/errors/types.ts";
import { page } from "./page.ts";
import type { Source } from "./source.ts";

/** Renders the page of an error; undefined if the service has no such error. */
export function errorPage(source: Source, name: string): string | undefined {
  const { plan } = source;
  const error = Object.hasOwn(plan.errors, name) ? plan.errors[name] : undefined;
  if (error === undefined) return undefined;
  const frame = {
    title: `${name} · ${plan.title}`,
    description: error.title,
    root: "../",
    navigation: html`<p class="brand"><a href="../">${plan.title}</a></p>
<ul><li><a href="../#errors">All errors</a></li><li><a href="../openapi.json">OpenAPI</a></li></ul>`,
  };
  const main = html`<header class="opening">
<p class="kicker">${kickerOf(error)}</p>
<h1><code>${name}</code></h1>
<p class="lead">${error.title}.</p>
${descriptionsOf(source, name, error, "../")}
</header>`;
  return [...page(frame, [main])].join("");
}

/** Renders all errors as sections of one page; `#error-NAME` leads to one. */
export function errorSections(source: Source): Html {
  const errors = Object.entries(source.plan.errors);
  return html`<section id="each-error" aria-labelledby="each-error-heading">
<h2 id="each-error-heading">Each error</h2>
${errors.map(
  ([name, error]) => html`<article id="error-${name}"><h3><code>${name}</code></h3>
<p>${error.title}. ${kickerOf(error)}.</p>
${descriptionsOf(source, name, error, "")}
</article>
`,
)}</section>`;
}

function kickerOf({ source }: ErrorPlan): string {
  if (source === "document") return "An error of this service";
  return source === "catalogue" ? "An error of the standard catalogue" : "An HTTP error";
}

/** Returns the operations that may return each error, by its name. */
const raisingIn: (plan: Source["plan"]) => ReadonlyMap<string, readonly Operation[]> = onceFor((plan) => {
  const raising = new Map<string, Operation[]>();
  for (const operation of plan.operations) {
    const own = possibleErrorsOf(plan, operation).filter(({ hooked }) => !hooked);
    for (const code of new Set(own.map((error) => error.code))) getOrMake(raising, code, () => []).push(operation);
  }
  return raising;
});

/** `root`: the address of the page with the operations. */
function descriptionsOf({ plan }: Source, name: string, error: ErrorPlan, root: string): Content {
  const raising = raisingIn(plan).get(name) ?? [];
  const all = raising.length === plan.operations.length && raising.length > 1;
  const toOperation = (text: string): Words => {
    return { kind: "address", url: `${root}#${anchor("operation", text)}`, text };
  };
  return blocksHtml([
    descriptionList([
      ["Status", error.statuses.join(" or ")],
      [
        "Retry",
        error.retryAfterSeconds === undefined
          ? retry(error.status)
          : `after ${duration(error.retryAfterSeconds * 1000)}`,
      ],
      ["Returned by", all ? "any operation" : joined(raising, ", ", ({ name: text }) => toOperation(text))],
    ]),
  ]);
}

function retry(status: number): string {
  if (status >= 500) return "yes, later";
  if (status === 429 || status === 408) return "yes, after the time in Retry-After or a short wait";
  if (status === 409 || status === 412) return "after reading the record again";
  return "no: the request has to change";
}
