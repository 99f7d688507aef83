/** Differences of part 4 in an operation's record, links, query parameters, guard and statuses. */
import type { Endpoint, Association, Statuses } from "../language/endpoints/model.ts";
import type { Field } from "../language/resources/model.ts";
import { canonical, strictnessOf } from "./conditions.ts";
import { type Difference, difference, pairs, restated, same, unhandledKeys } from "./difference.ts";
import { type Both, errorCodeDifference } from "./resources.ts";
import { typeDifferences } from "./types.ts";

export const actionMembers = ["the", "link", "unlink", "filters", "query", "if", "statuses"] as const;

export function* actionDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}`;
  const the = { kind: "record-changed", subject: name, at: `${at}/the`, what: `The record that \`${name}\` is about` };
  yield* restated(the, canonical(old.the), canonical(now.the), "breaking");
  for (const word of ["link", "unlink"] as const) {
    const link = { kind: "link-changed", subject: name, at: `${at}/${word}`, what: `What \`${name}\` ${word}s` };
    yield* restated(link, linkText(old[word]), linkText(now[word]), "breaking");
  }
  yield* filterDifferences(name, old, now);
  yield* queryDifferences(both, name, old, now);
  yield* guardDifferences(both, name, old, now);
  yield* statusDifferences(name, old.statuses, now.statuses);
}

/** Writes the expressions in canonical form, since blanks and redundant parentheses change nothing. */
function linkText(link: Association | undefined): Association | undefined {
  if (link === undefined) return undefined;
  const values = Object.entries(link.with).map(([field, text]) => [field, canonical(text) ?? text] as const);
  return { in: link.in, with: Object.fromEntries(values) };
}

function* filterDifferences(name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  for (const { name: filter, old: before, now: after } of pairs(old.filters, now.filters)) {
    const at = `endpoints/endpoints/${name}/filters/${filter}`;
    const subject = `${name}.${filter}`;
    if (before === undefined) yield difference("additive", "filter-added", subject, at, `\`${subject}\` is a filter`);
    else if (after === undefined)
      yield difference("breaking", "filter-removed", subject, at, `\`${subject}\` is no filter any more`);
    else if (canonical(before.if) !== canonical(after.if) || !same(before.type, after.type))
      yield difference("breaking", "filter-changed", subject, at, `\`${subject}\` filters otherwise`);
  }
}

function* queryDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  for (const { name: parameter, old: before, now: after } of pairs(old.query, now.query)) {
    const at = `endpoints/endpoints/${name}/query/${parameter}`;
    const subject = `${name}.${parameter}`;
    const needed = after !== undefined && !after.optional && after.default === undefined;
    if (before === undefined) {
      const message = `\`${name}\` ${needed ? "needs" : "takes"} the parameter \`${parameter}\``;
      yield difference(needed ? "breaking" : "additive", "parameter-added", subject, at, message);
    } else if (after === undefined)
      yield difference(
        "breaking",
        "parameter-removed",
        subject,
        at,
        `\`${name}\` does not take \`${parameter}\` any more`,
      );
    else yield* parameterChanges(both, subject, at, before, after);
  }
}

function* parameterChanges(both: Both, subject: string, at: string, old: Field, now: Field): Iterable<Difference> {
  const kind = "parameter-changed";
  for (const { direction, wording } of typeDifferences(old.type, now.type, both.alike))
    yield difference(direction === "wider" ? "additive" : "breaking", kind, subject, at, `\`${subject}\` ${wording}`);
  const statement = { kind, subject, at: `${at}/default`, what: `\`${subject}\` by default` };
  yield* restated(statement, old.default, now.default, "breaking");
  if (old.optional !== now.optional) {
    const message = `\`${subject}\` ${now.optional ? "may be left out" : "is needed"}`;
    yield difference(now.optional ? "additive" : "breaking", kind, subject, at, message);
  }
  yield* unhandledKeys({ subject, at }, old, now, ["type", "default", "optional"], "neutral");
}

function* guardDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}/if`;
  const strictness = strictnessOf(
    { side: both.old, path: at, text: old.if },
    { side: both.now, path: at, text: now.if },
  );
  const guard = { kind: `guard-${strictness}`, subject: name, at, what: `What \`${name}\` asks for` };
  if (strictness !== "same")
    yield* restated(guard, old.if, now.if, strictness === "tighter" ? "breaking" : "additive", { category: "right" });
  if (old.if !== undefined && now.if !== undefined)
    yield* errorCodeDifference(both, name, `endpoints/endpoints/${name}`, old.else, now.else);
}

function* statusDifferences(name: string, old: Statuses = {}, now: Statuses = {}): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}/status`;
  for (const outcome of ["created", "same", "accepted", "differs", "errors"] as const) {
    const what = `What \`${name}\` answers for \`${outcome}\``;
    const statement = { kind: "status-changed", subject: name, at: `${at}/${outcome}`, what };
    yield* restated(statement, old[outcome], now[outcome], "breaking");
  }
}
