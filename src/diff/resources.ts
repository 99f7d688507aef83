/** Differences of part 2: resources, embedded types and rules. */
import type { HandoverDifferences } from "./handovers.ts";
import type { Model } from "../language/model.ts";
import { standardErrors } from "../language/errors/model.ts";
import { lookup } from "../language/resources/fields.ts";
import type { Field, Rule } from "../language/resources/model.ts";
import { canonical, type Sides, strictnessOf } from "./conditions.ts";
import { type Difference, difference, pairs, restated, type Site, same, unhandledKeys } from "./difference.ts";
import { fieldDifferences } from "./fields.ts";
import { viewDifferences } from "./shapes.ts";
import type { Alike } from "./types.ts";
import type { Uses } from "./uses.ts";

/** Both models, and how clients use their fields. */
export interface Both extends Sides {
  readonly uses: { readonly old: Uses; readonly now: Uses };
  readonly alike: Alike;
  readonly handovers?: HandoverDifferences;
}

export function* resourceDifferences(both: Both): Iterable<Difference> {
  const { resources: old } = both.old.model;
  const { resources: now } = both.now.model;
  for (const { name, old: before, now: after } of pairs(old.resources, now.resources)) {
    const site = { subject: name, at: `resources/${name}` };
    if (before !== undefined && after !== undefined) {
      const use = (when: "old" | "now", field: string, value: Field) => both.uses[when].ofField(name, field, value);
      yield* fieldDifferences({ of: name, at: site.at, use, alike: both.alike }, before.fields, after.fields);
      yield* unhandledKeys(site, before, after, ["fields"]);
    } else if (after === undefined) yield removedResource(both, name);
    else if (formerName(both.old.model, both.now.model, name) === undefined)
      yield difference("additive", "resource-added", site, `\`${name}\` is new`);
  }
  for (const { name, old: before = [], now: after = [] } of pairs(old.rules, now.rules)) {
    // The difference of a new or removed resource covers its rules.
    const stays = (lookup(old.resources, name) === undefined) === (lookup(now.resources, name) === undefined);
    if (stays) yield* ruleDifferences(both, name, before, after);
  }
  for (const { name, old: before, now: after } of pairs(old.types, now.types)) {
    const site = { subject: name, at: `resources/types/${name}` };
    if (before !== undefined && after !== undefined) {
      const use = (when: "old" | "now", _field: string, value: Field) => both.uses[when].ofMember(name, value);
      yield* fieldDifferences({ of: name, at: site.at, use, alike: both.alike }, before, after);
    } else {
      // The differences of the fields with this type report the effect on clients.
      const [kind, verb] = after === undefined ? ["type-removed", "is removed"] : ["type-added", "is new"];
      yield difference("neutral", kind, site, `The type \`${name}\` ${verb}`);
    }
  }
  yield* viewDifferences(both);
  const tables = { subject: "resources", at: "resources/tables" };
  yield* restated("neutral", "tables-changed", tables, "The existing tables", [old.tables, now.tables]);
  yield* unhandledKeys({ subject: "resources", at: "resources" }, old, now, [
    "resources",
    "types",
    "schemas",
    "views",
    "rules",
    "tables",
  ]);
}

function removedResource({ old, now, uses }: Both, name: string): Difference {
  const effect = uses.old.has(name) ? "breaking" : "neutral";
  const oldAt = `resources/${name}`;
  const renamed = Object.keys(now.model.resources.resources).find(
    (other) => formerName(old.model, now.model, other) === name,
  );
  if (renamed === undefined) {
    const details = { entry: { kind: "remove", target: { of: name } } } as const;
    return difference(effect, "resource-removed", { subject: name, at: oldAt }, `\`${name}\` is removed`, details);
  }
  const details = { entry: { kind: "rename", from: { of: name }, to: renamed }, also: renamed, oldAt } as const;
  const site = { subject: name, at: `resources/${renamed}` };
  return difference(effect, "resource-renamed", site, `\`${name}\` is called \`${renamed}\``, details);
}

/** Returns the old name of a renamed resource: the only removed resource with the same fields. */
export function formerName(old: Model, now: Model, name: string): string | undefined {
  const { fields } = lookup(now.resources.resources, name) ?? {};
  if (fields === undefined || lookup(old.resources.resources, name) !== undefined) return undefined;
  const like = Object.entries(old.resources.resources).filter(
    ([other, resource]) => lookup(now.resources.resources, other) === undefined && same(resource.fields, fields),
  );
  return like.length === 1 ? like[0]?.[0] : undefined;
}

// ── Rules ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A rule and its path. */
interface RuleSite extends Site {
  readonly rule: Rule;
}

function* ruleDifferences(
  both: Both,
  resource: string,
  old: readonly Rule[],
  now: readonly Rule[],
): Iterable<Difference> {
  const ruleSite = (rule: Rule, index: number): RuleSite => ({
    rule,
    subject: resource,
    at: `resources/rules/${resource}/${index}`,
  });
  const changed = (strictness: "tighter" | "looser", former: RuleSite, later: RuleSite): Difference => {
    const message = `A rule of \`${resource}\` is ${ruleText(later.rule)}, and was ${ruleText(former.rule)}`;
    const details = { category: "right", oldAt: former.at } as const;
    return difference(
      strictness === "tighter" ? "breaking" : "additive",
      `rule-${strictness}`,
      later,
      message,
      details,
    );
  };
  const [before, after] = [old.map(ruleSite), now.map(ruleSite)];
  const removed = before.filter(({ rule }) => !now.some((other) => sameCondition(rule, other)));
  const added = after.filter(({ rule }) => !old.some((other) => sameCondition(rule, other)));
  for (const later of after) {
    const { rule } = later;
    const formers = before.filter((other) => sameCondition(rule, other.rule));
    const [former] = formers;
    if (former === undefined) continue;
    if (formers.every((other) => other.rule.else !== rule.else))
      yield* errorCodeDifference(both, resource, later.at, former.rule.else, rule.else);
    if (formers.every((other) => isAbsentEqual(other.rule) !== isAbsentEqual(rule)))
      yield changed(isAbsentEqual(rule) ? "tighter" : "looser", former, later);
  }
  const paired = new Set<object>();
  for (const later of added) {
    const { rule } = later;
    const former = removed.find(
      (other) => !paired.has(other) && other.rule.kind === "holds" && other.rule.else === rule.else,
    );
    if (former?.rule.kind !== "holds" || rule.kind !== "holds") {
      const message = `${ruleText(rule)} is a new rule of \`${resource}\``;
      yield difference("breaking", "rule-added", later, message, { category: "right" });
      continue;
    }
    paired.add(former);
    const strictness = strictnessOf(
      { side: both.old, path: `${former.at}/holds`, text: former.rule.expression },
      { side: both.now, path: `${later.at}/holds`, text: rule.expression },
    );
    if (strictness !== "same") yield changed(strictness, former, later);
  }
  for (const former of removed.filter((one) => !paired.has(one))) {
    const message = `${ruleText(former.rule)} is no longer a rule of \`${resource}\``;
    yield difference("additive", "rule-removed", former, message, { category: "right" });
  }
}

function sameCondition(one: Rule, other: Rule): boolean {
  if (one.kind === "unique") return other.kind === "unique" && same(one.fields.toSorted(), other.fields.toSorted());
  return other.kind === "holds" && canonical(one.expression) === canonical(other.expression);
}

function isAbsentEqual(rule: Rule): boolean {
  return rule.kind === "unique" && rule.absent === "equal";
}

function ruleText(rule: Rule): string {
  if (rule.kind !== "unique") return `\`${rule.expression}\``;
  return `\`unique ${rule.fields.join(" + ")}${isAbsentEqual(rule) ? ", absent equal" : ""}\``;
}

/** Compares the error codes after `else`. `what`: the operation or rule in words. */
export function* errorCodeDifference(
  { old: { model } }: Both,
  what: string,
  at: string,
  old: string | undefined,
  now: string | undefined,
): Iterable<Difference> {
  if (old === now) return;
  const name = (code: string | undefined): string => (code === undefined ? "the standard error" : `\`${code}\``);
  const message = `\`${what}\` fails with ${name(now)}, and failed with ${name(old)}`;
  const status =
    old === undefined ? undefined : (lookup(model.errors.errors, old) ?? lookup(standardErrors, old))?.status;
  const isReplaced = old !== undefined && now !== undefined && status !== undefined;
  const details = isReplaced
    ? { entry: { kind: "error", code: now, status, was: old } as const, also: `error ${now}` }
    : {};
  const site = { subject: isReplaced ? `error ${old}` : what, at: `${at}/else` };
  yield difference("breaking", "refusal-changed", site, message, details);
}
