/**
 * Lists all differences between two models, each once, with its effect on clients (R9.4). It reads only models; callers look up
 * the source locations.
 */
import type { Effect } from "../language/grammar/changes.ts";
import { type Model, partNames } from "../language/model.ts";
import { lookup } from "../language/resources/fields.ts";
import { authenticationDifferences } from "./authentication.ts";
import { sideOf } from "./conditions.ts";
import { type Difference, same } from "./difference.ts";
import { errorDifferences } from "./errors.ts";
import { eventDifferences } from "./events.ts";
import type { HandoverDifferences } from "./handovers.ts";
import { limitDifferences } from "./limits.ts";
import { operationDifferences } from "./operations.ts";
import { purposeDifferences, statusDifferences } from "./purpose.ts";
import { type Both, formerName, resourceDifferences } from "./resources.ts";
import { stateDifferences } from "./states.ts";
import { usesOf } from "./uses.ts";
import { versioningDifferences } from "./versioning.ts";

/** Returns the differences, sorted by part in the order of `all` below. */
export function differencesOf(old: Model, now: Model, handovers?: HandoverDifferences): readonly Difference[] {
  const both = bothOf(old, now, handovers);
  const resources = [...resourceDifferences(both)];
  const states = [...stateDifferences(both)];
  const operations = [...operationDifferences(both)];
  const replaced = [...resources, ...states, ...operations].flatMap(({ kind, entry }) =>
    kind === "refusal-changed" && entry?.kind === "error" ? [[entry.was, entry.code] as const] : [],
  );
  const all = [
    ...purposeDifferences(old, now),
    ...resources,
    ...states,
    ...operations,
    ...authenticationDifferences(both),
    ...eventDifferences(both),
    ...errorDifferences(old.errors, now.errors, new Map(replaced)),
    ...limitDifferences(old.limits, now.limits),
    ...versioningDifferences(old.versioning, now.versioning),
    ...statusDifferences(old, now),
  ];
  return all.map((one) =>
    one.effect === "breaking" && breaksNobody(one, old, now) ? withEffect(one, "additive") : one,
  );
}

/**
 * Whether a difference breaks nobody: a part that the old document left out promised nothing, and no client uses a new member
 * yet, so its limits break nobody.
 */
function breaksNobody({ at, subject }: Difference, old: Model, now: Model): boolean {
  const part = partNames.find((name) => at === name || at.startsWith(`${name}/`));
  const status = part === undefined ? "shown" : old.status[part];
  if (status === "silent" || status === "not shown") return true;
  const restricts = part === "limits" || /^authentication\/(?:show|set)\//.test(at);
  return restricts && !has(old, subject) && has(now, subject);
}

/** Whether the document has the operation, the resource or the field with this name. */
function has({ endpoints, resources }: Model, name: string): boolean {
  const [of = "", field] = name.split(".");
  const resource = lookup(resources.resources, of);
  if (field !== undefined) return resource !== undefined && lookup(resource.fields, field) !== undefined;
  return resource !== undefined || lookup(endpoints.endpoints, of) !== undefined;
}

function withEffect({ entry: _entry, ...one }: Difference, effect: Effect): Difference {
  return { ...one, effect };
}

function bothOf(old: Model, now: Model, handovers?: HandoverDifferences): Both {
  const inBoth = Object.keys(old.endpoints.endpoints).filter((name) => lookup(now.endpoints.endpoints, name));
  const common = new Set(inBoth).difference(handovers?.operations ?? new Set());
  return {
    old: sideOf(old),
    now: sideOf(now),
    uses: { old: usesOf(old, common), now: usesOf(now, common) },
    ...(handovers === undefined ? {} : { handovers }),
    alike: (before, after) => before === after || isSameType(old, now, before, after),
  };
}

/**
 * Whether two names mean the same type. Requests do not contain type names, so a renamed type with the same fields, or of a
 * renamed resource, is the same.
 */
function isSameType(old: Model, now: Model, before: string, after: string): boolean {
  const [former, later] = [lookup(old.resources.types, before), lookup(now.resources.types, after)];
  if (former !== undefined || later !== undefined) return former !== undefined && same(former, later);
  return formerName(old, now, after) === before;
}
