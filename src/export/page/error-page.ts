/** Renders the page of one error, the target of a problem's `type`: status, meaning, remedy, and operations that return it. */
import { possibleErrorsOf } from "../openapi/possible-errors.ts";
import { anchor, duration, descriptionList, joined, type Words } from "../document/content.ts";
import { blocksHtml } from "../document/to-html.ts";
import { html } from "../../base/html.ts";
import { page } from "./page.ts";
import type { Source } from "./source.ts";

/** Renders the page of an error; undefined if the service has no such error. */
export function errorPage(source: Source, name: string): string | undefined {
  const { plan } = source;
  const error = Object.hasOwn(plan.errors, name) ? plan.errors[name] : undefined;
  if (error === undefined) return undefined;
  const raising = plan.operations.filter((operation) =>
    possibleErrorsOf(plan, operation).some(({ code, hooked }) => code === name && !hooked),
  );
  const all = raising.length === plan.operations.length && raising.length > 1;
  return page({
    title: `${name} · ${plan.title}`,
    description: error.title,
    root: "../",
    navigation: html`<p class="brand"><a href="../">${plan.title}</a></p>
<ul><li><a href="../#errors">All errors</a></li><li><a href="../openapi.json">OpenAPI</a></li></ul>`,
    main: html`<header class="opening">
<p class="kicker">${error.source === "document" ? "An error of this service" : error.source === "catalogue" ? "An error of the standard catalogue" : "An HTTP error"}</p>
<h1><code>${name}</code></h1>
<p class="lead">${error.title}.</p>
${blocksHtml([
  descriptionList([
    ["Status", error.statuses.join(" or ")],
    [
      "Retry",
      error.retryAfterSeconds === undefined ? retry(error.status) : `after ${duration(error.retryAfterSeconds * 1000)}`,
    ],
    ["Returned by", all ? "any operation" : joined(raising, ", ", ({ name: text }) => toOperation(text))],
  ]),
])}
</header>`,
  });
}

function toOperation(text: string): Words {
  return { kind: "address", url: `../#${anchor("operation", text)}`, text };
}

function retry(status: number): string {
  if (status >= 500) return "yes, later";
  if (status === 429 || status === 408) return "yes, after the time in Retry-After or a short wait";
  if (status === 409 || status === 412) return "after reading the record again";
  return "no: the request has to change";
}
