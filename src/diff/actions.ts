/** Differences of part 4 in an operation's record, links, query parameters, guard and statuses. */
import type { Endpoint, Association } from "../language/endpoints/model.ts";
import type { Field } from "../language/resources/model.ts";
import { canonical, conditionDifferences } from "./conditions.ts";
import { below, type Difference, difference, pairs, type Site, restated, same, unhandledKeys } from "./difference.ts";
import { furtherWriteDifferences } from "./further-writes.ts";
import { type Both, errorCodeDifference } from "./resources.ts";
import { typeDifferences } from "./types.ts";

export const actionMembers = ["the", "link", "unlink", "filters", "query", "if", "statuses", "also"] as const;

export function* actionDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const site = { subject: name, at: `endpoints/endpoints/${name}` };
  const records = [canonical(old.the), canonical(now.the)] as const;
  yield* restated("breaking", "record-changed", below(site, "the"), `The record of \`${name}\``, records);
  for (const word of ["link", "unlink"] as const) {
    const links = [linkText(old[word]), linkText(now[word])] as const;
    yield* restated("breaking", "link-changed", below(site, word), `The association that \`${name}\` ${word}s`, links);
  }
  yield* furtherWriteDifferences(both, site, `\`${name}\``, old.also, now.also);
  yield* filterDifferences(name, old, now);
  yield* queryDifferences(both, name, old, now);
  const guard = { kind: "guard", what: `The condition of \`${name}\`` };
  yield* conditionDifferences(both, below(site, "if"), guard, [old.if, now.if]);
  if (old.if !== undefined && now.if !== undefined) yield* errorCodeDifference(both, name, site.at, old.else, now.else);
  for (const outcome of ["created", "same", "accepted", "differs", "errors"] as const) {
    const statuses = [old.statuses?.[outcome], now.statuses?.[outcome]] as const;
    const what = `The status of \`${name}\` for \`${outcome}\``;
    yield* restated("breaking", "status-changed", below(site, `status/${outcome}`), what, statuses);
  }
}

/** Writes the expressions of an association in canonical form, since blanks and redundant parentheses change nothing. */
function linkText(link: Association | undefined): Association | undefined {
  if (link === undefined) return undefined;
  const values = Object.entries(link.with).map(([field, text]) => [field, canonical(text) ?? text] as const);
  return { in: link.in, with: Object.fromEntries(values) };
}

function* filterDifferences(name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  for (const { name: filter, old: before, now: after } of pairs(old.filters, now.filters)) {
    const subject = `${name}.${filter}`;
    const site = { subject, at: `endpoints/endpoints/${name}/filters/${filter}` };
    if (before === undefined) yield difference("additive", "filter-added", site, `\`${subject}\` is a filter`);
    else if (after === undefined)
      yield difference("breaking", "filter-removed", site, `\`${subject}\` is no longer a filter`);
    else if (
      canonical(before.if) !== canonical(after.if) ||
      !same([before.type, before.several], [after.type, after.several])
    )
      yield difference("breaking", "filter-changed", site, `\`${subject}\` has another condition or type`);
  }
}

function* queryDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  for (const { name: parameter, old: before, now: after } of pairs(old.query, now.query)) {
    const site = { subject: `${name}.${parameter}`, at: `endpoints/endpoints/${name}/query/${parameter}` };
    if (after === undefined)
      yield difference("breaking", "parameter-removed", site, `\`${name}\` no longer takes \`${parameter}\``);
    else if (before === undefined) {
      const needed = !after.optional && after.default === undefined;
      const message = `\`${name}\` ${needed ? "needs" : "takes"} the parameter \`${parameter}\``;
      yield difference(needed ? "breaking" : "additive", "parameter-added", site, message);
    } else yield* parameterChanges(both, site, before, after);
  }
}

function* parameterChanges(both: Both, site: Site, old: Field, now: Field): Iterable<Difference> {
  const kind = "parameter-changed";
  const name = `\`${site.subject}\``;
  for (const { direction, wording } of typeDifferences(old.type, now.type, both.alike))
    yield difference(direction === "wider" ? "additive" : "breaking", kind, site, `${name} ${wording}`);
  yield* restated("breaking", kind, below(site, "default"), `The default of ${name}`, [old.default, now.default]);
  if (!same(old.marks, now.marks)) yield difference("breaking", kind, site, `${name} is sent in another form`);
  if (old.optional !== now.optional) {
    const [effect, verb] = now.optional
      ? (["additive", "may be omitted"] as const)
      : (["breaking", "is required"] as const);
    yield difference(effect, kind, site, `${name} ${verb}`);
  }
  yield* unhandledKeys(site, old, now, ["type", "default", "optional"], "neutral");
}
