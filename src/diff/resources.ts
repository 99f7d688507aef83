/** Differences of part 2: resources, embedded types and rules. */
import type { Model } from "../language/model.ts";
import { standardErrors } from "../language/errors/model.ts";
import { lookup } from "../language/resources/fields.ts";
import type { Fields, Rule } from "../language/resources/model.ts";
import { canonical, type Side, strictnessOf } from "./conditions.ts";
import { type Difference, difference, pairs, same, unhandledKeys } from "./difference.ts";
import { fieldDifferences } from "./fields.ts";
import { viewDifferences } from "./shapes.ts";
import type { Alike } from "./types.ts";
import type { Uses } from "./uses.ts";

/** Both models, and how clients use their fields. */
export interface Both {
  readonly old: Side;
  readonly now: Side;
  readonly uses: { readonly old: Uses; readonly now: Uses };
  readonly alike: Alike;
}

export function* resourceDifferences(both: Both): Iterable<Difference> {
  const { resources: old } = both.old.model;
  const { resources: now } = both.now.model;
  for (const pair of pairs(old.resources, now.resources)) {
    const { name } = pair;
    if (pair.old !== undefined && pair.now !== undefined) {
      yield* fieldDifferences(resourceOwner(both, name), pair.old.fields, pair.now.fields);
      yield* unhandledKeys({ subject: name, at: `resources/${name}` }, pair.old, pair.now, ["fields"]);
    } else if (pair.now !== undefined) yield* resourceAdded(both, name);
    else yield removedResource(both, name);
  }
  for (const { name, old: before = [], now: after = [] } of pairs(old.rules, now.rules)) {
    // The difference of a new or removed resource covers its rules.
    const stays = (lookup(old.resources, name) === undefined) === (lookup(now.resources, name) === undefined);
    if (stays) yield* ruleDifferences(both, name, before, after);
  }
  for (const { name, old: before, now: after } of pairs(old.types, now.types)) {
    if (before !== undefined && after !== undefined) yield* fieldDifferences(typeOwner(both, name), before, after);
    else {
      // The differences of the fields with this type report the effect on clients.
      const verb = after === undefined ? "is gone" : "is new";
      const kind = after === undefined ? "type-removed" : "type-added";
      yield difference("neutral", kind, name, `resources/types/${name}`, `The type \`${name}\` ${verb}`);
    }
  }
  yield* viewDifferences(both);
  yield* unhandledKeys({ subject: "resources", at: "resources" }, old, now, ["resources", "types", "views", "rules"]);
}

function resourceOwner({ uses, alike }: Both, name: string) {
  return {
    of: name,
    at: `resources/${name}`,
    use: (when: "old" | "now", field: string, value: Fields[string]) => uses[when].ofField(name, field, value),
    alike,
  };
}

function typeOwner({ uses, alike }: Both, name: string) {
  return {
    of: name,
    at: `resources/types/${name}`,
    use: (when: "old" | "now", _field: string, value: Fields[string]) => uses[when].ofMember(name, value),
    alike,
  };
}

function* resourceAdded({ old, now }: Both, name: string): Iterable<Difference> {
  if (formerName(old.model, now.model, name) === undefined)
    yield difference("additive", "resource-added", name, `resources/${name}`, `\`${name}\` is new`);
}

function removedResource({ old, now, uses }: Both, name: string): Difference {
  const effect = uses.old.has(name) ? "breaking" : "neutral";
  const renamed = Object.keys(now.model.resources.resources).find(
    (other) => formerName(old.model, now.model, other) === name,
  );
  if (renamed === undefined) {
    const details = { entry: { kind: "remove", target: { of: name } } } as const;
    return difference(effect, "resource-removed", name, `resources/${name}`, `\`${name}\` is gone`, details);
  }
  const details = {
    entry: { kind: "rename", from: { of: name }, to: renamed },
    also: renamed,
    oldAt: `resources/${name}`,
  } as const;
  return difference(
    effect,
    "resource-renamed",
    name,
    `resources/${renamed}`,
    `\`${name}\` is called \`${renamed}\``,
    details,
  );
}

/** The old name of a renamed resource: the only removed resource with the same fields. */
export function formerName(old: Model, now: Model, name: string): string | undefined {
  const { fields } = lookup(now.resources.resources, name) ?? {};
  if (fields === undefined || lookup(old.resources.resources, name) !== undefined) return undefined;
  const like = Object.entries(old.resources.resources).filter(
    ([other, resource]) => lookup(now.resources.resources, other) === undefined && same(resource.fields, fields),
  );
  return like.length === 1 ? like[0]?.[0] : undefined;
}

// ── Rules ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function* ruleDifferences(
  both: Both,
  resource: string,
  old: readonly Rule[],
  now: readonly Rule[],
): Iterable<Difference> {
  const at = (index: number): string => `resources/rules/${resource}/${index}`;
  const before = old.map((rule, index) => ({ rule, at: at(index) }));
  const after = now.map((rule, index) => ({ rule, at: at(index) }));
  const removed = before.filter(({ rule }) => !after.some((other) => sameCondition(rule, other.rule)));
  const added = after.filter(({ rule }) => !before.some((other) => sameCondition(rule, other.rule)));
  for (const { rule, at: target } of after) {
    const formers = before.filter((other) => sameCondition(rule, other.rule));
    const [former] = formers;
    if (former !== undefined && formers.every((other) => other.rule.else !== rule.else))
      yield* errorCodeDifference(both, resource, target, former.rule.else, rule.else);
    if (former !== undefined && formers.every((other) => isAbsentEqual(other.rule) !== isAbsentEqual(rule))) {
      const [effect, kind] = isAbsentEqual(rule)
        ? (["breaking", "rule-tighter"] as const)
        : (["additive", "rule-looser"] as const);
      const message = `A rule of \`${resource}\` is ${ruleText(rule)}, and was ${ruleText(former.rule)}`;
      yield difference(effect, kind, resource, target, message, { category: "right", oldAt: former.at });
    }
  }
  const paired = new Set<object>();
  for (const { rule, at: target } of added) {
    const former = removed.find(
      (other) => !paired.has(other) && other.rule.kind === "holds" && other.rule.else === rule.else,
    );
    if (former?.rule.kind !== "holds" || rule.kind !== "holds") {
      const message = `${ruleText(rule)} is a new rule of \`${resource}\``;
      yield difference("breaking", "rule-added", resource, target, message, { category: "right" });
      continue;
    }
    paired.add(former);
    const strictness = strictnessOf(
      { side: both.old, path: `${former.at}/holds`, text: former.rule.expression },
      { side: both.now, path: `${target}/holds`, text: rule.expression },
    );
    if (strictness === "same") continue;
    const effect = strictness === "tighter" ? "breaking" : "additive";
    const message = `A rule of \`${resource}\` is ${ruleText(rule)}, and was ${ruleText(former.rule)}`;
    yield difference(effect, `rule-${strictness}`, resource, target, message, { category: "right", oldAt: former.at });
  }
  for (const former of removed) {
    if (paired.has(former)) continue;
    const message = `${ruleText(former.rule)} is no rule of \`${resource}\` any more`;
    yield difference("additive", "rule-removed", resource, former.at, message, { category: "right" });
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

/** Compares the error codes after `else`; `what` names the operation or rule. */
export function* errorCodeDifference(
  { old: { model } }: Both,
  what: string,
  at: string,
  old: string | undefined,
  now: string | undefined,
): Iterable<Difference> {
  if (old === now) return;
  const name = (code: string | undefined): string => (code === undefined ? "the standard error" : `\`${code}\``);
  const message = `\`${what}\` is refused with ${name(now)}, and was with ${name(old)}`;
  const status =
    old === undefined ? undefined : (lookup(model.errors.errors, old) ?? lookup(standardErrors, old))?.status;
  if (old === undefined || now === undefined || status === undefined) {
    yield difference("breaking", "refusal-changed", what, `${at}/else`, message);
    return;
  }
  const entry = { kind: "error", code: now, status, was: old } as const;
  yield difference("breaking", "refusal-changed", `error ${old}`, `${at}/else`, message, {
    entry,
    also: `error ${now}`,
  });
}
