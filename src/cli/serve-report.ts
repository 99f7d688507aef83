/** Prints the report of `serve` at its start and after a document has changed. */
import { homeOf } from "../export/page/pages.ts";
import { includes, nameOf } from "../language/authentication/grants.ts";
import type { Grant } from "../language/authentication/model.ts";
import { withWebhooks } from "../plan/events/webhooks.ts";
import { streamOperations } from "../plan/events/events.ts";
import { servedOperations } from "../plan/endpoints/contract.ts";
import type { Operation } from "../plan/endpoints/types.ts";
import type { PartAnswers } from "../language/analysis/questions.ts";
import { columns, count, wrapped } from "../base/layout.ts";
import type { Serving } from "../server/serve.ts";
import { withoutSecret } from "../server/open-store.ts";
import type { Terminal } from "../server/terminal.ts";

const mostColumns = 120;

/**
 * Describes a service: URL, operations with their callers, defaults, open questions, and statements that are not enforced yet.
 */
export function describe(
  { first, url, local, admin, testClock }: Serving,
  terminal: Pick<Terminal, "columns">,
): string {
  const { result, plan, data } = first;
  const { allow } = withWebhooks(result.model).authentication;
  const width = Math.min(terminal.columns, mostColumns);
  const follow = result.model.events.delivery?.stream?.for ?? [];
  const prefix = plan.base === "{base_url}" ? "" : new URL(plan.base.replace("{base_url}", "http://any")).pathname;
  const row = ({ method, template, name }: Operation, who: string): readonly string[] => [
    `${method} ${prefix.replace(/\/+$/, "")}${template}`,
    name,
    who,
  ];
  const operations = [
    ...servedOperations(plan).map((one) => row(one, one.inbound?.credential ?? grantsText(allow[one.name] ?? [], one))),
    ...streamOperations(plan).map((one) => row(one, grantsText(follow, one))),
  ];
  const taken = result.questions.filter(({ status }) => status === "default");
  const { warnings } = result.summary;
  return [
    `${plan.title} at ${url}`,
    `  data: ${withoutSecret(data)}; document: ${url}/${homeOf(plan)}; OpenAPI: ${url}/openapi.json`,
    ...(url === local ? [] : [`  listens at ${local}`]),
    ...(admin === undefined ? [] : [`  for operators: ${admin}/metrics, ${admin}/readyz`]),
    ...(testClock === undefined ? [] : [`  test clock: anyone on this machine can move the time, at ${testClock}`]),
    ...(warnings === 0 ? [] : [`  ${count(warnings, "warning")}: nonet check ${result.name}`]),
    "",
    ...section("Operations and permissions", columns(operations)),
    ...section(
      "Defaults",
      taken.flatMap(({ id, taken: value }) => hanging(value === undefined ? id : `${id}: ${value}`, width)),
    ),
    ...section(
      "Still open",
      result.parts.flatMap(openIn).flatMap((each) => hanging(each, width)),
    ),
    ...section(
      "Not enforced yet by this release",
      plan.unenforced.flatMap(({ line, what }) => hanging(`line ${line}: ${what}`, width)),
    ),
  ].join("\n");
}

/** Returns the open questions of a part; a part without any answer is one line. */
function openIn({ part, status, questions }: PartAnswers): string[] {
  if (status === "gap") return [`${part}: all of it (${count(questions.length, "question")})`];
  return questions
    .filter((each) => each.status === "not shown" || each.status === "silent")
    .map(({ text }) => `${part}: ${text}`);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ""];
}

/** Wraps a text to lines; continuation lines are indented. */
function hanging(text: string, width: number): string[] {
  return wrapped(text, width - 6).map((line, at) => (at === 0 ? line : `    ${line}`));
}

function grantsText(grants: readonly Grant[], operation: Operation): string {
  return grants.map((grant) => grantText(grant, operation)).join(" | ") || "nobody";
}

/** Returns a grant as the document writes it; below a parent also which callers may see the parent. */
function grantText({ who, if: condition }: Grant, { parents }: Operation): string {
  const hidden = parents.filter(
    ({ visible }) => !visible.some((one) => one.if === undefined && includes(one.who, who)),
  );
  const name = nameOf({ who });
  const narrowed = [name, ...hidden.map(({ resource }) => `who may see the ${resource}`)].join(" ");
  return condition === undefined ? narrowed : `${narrowed} if ${condition}`;
}
