/** Differences of part 6: outgoing and incoming events, and their delivery. */
import { resolveEndpoint } from "../language/endpoints/resolve.ts";
import { events } from "../language/events/grammar.ts";
import type { InEvent, OutEvent, SentRequest, Webhook } from "../language/events/model.ts";
import type { Grant } from "../language/authentication/model.ts";
import type { FurtherWrite } from "../language/states/model.ts";
import { durationOf } from "../language/grammar/amounts.ts";
import type { Model } from "../language/model.ts";
import { fieldsOf } from "../language/resources/fields.ts";
import { grantDifferences } from "./authentication.ts";
import { below, type Difference, difference, pairs, restated, same, unhandledKeys } from "./difference.ts";
import { furtherWriteDifferences } from "./further-writes.ts";
import { fieldDifferences } from "./fields.ts";
import type { Both } from "./resources.ts";
import { partDifferences, type Statement } from "./walk.ts";

export function eventDifferences(both: Both): Iterable<Difference> {
  const { events: old } = both.old.model;
  const { events: now } = both.now.model;
  const renamed = renamedEvents(old.out ?? {}, now.out ?? {});
  const newNames = new Set(renamed.values());
  const receivers =
    (may: string) =>
    (before: readonly Grant[] = [], after: readonly Grant[] = [], site: Statement) =>
      grantDifferences(both, { ...site, may }, before, after);
  return partDifferences("events", events, old, now, {
    "out/*": (before: OutEvent | undefined, after: OutEvent | undefined, site) => {
      const { name } = site;
      if (before === undefined)
        return newNames.has(name) ? [] : [difference("additive", "event-added", site, `The event \`${name}\` is new`)];
      return after === undefined
        ? [removedEvent(site, renamed.get(name))]
        : emittedDifferences(both, site, before, after);
    },
    "wire/*": (before: SentRequest | undefined, after: SentRequest | undefined, site) =>
      sentDifferences(site, before, after),
    "in/*/carries": (before: InEvent, after: InEvent, { at, name }) =>
      carriedDifferences(both, name, at, before, after),
    "in/*/also": (
      before: readonly FurtherWrite[] | undefined,
      after: readonly FurtherWrite[] | undefined,
      { at, name, subject },
    ) => furtherWriteDifferences(both, { at: at.replace(/\/also$/, ""), subject }, `\`${name}\``, before, after),
    "delivery/webhook/for": receivers("have webhooks"),
    "delivery/webhook/retry": retryDifferences,
    "delivery/stream/for": receivers("read the stream of events"),
  });
}

/** Finds renamed events: a removed event and a single new one with the same trigger. */
function renamedEvents(
  old: Readonly<Record<string, OutEvent>>,
  now: Readonly<Record<string, OutEvent>>,
): ReadonlyMap<string, string> {
  const all = pairs(old, now);
  const added = all.filter((pair) => pair.old === undefined);
  return new Map(
    all.flatMap((pair) => {
      const like = pair.now === undefined ? added.filter((other) => same(other.now?.when, pair.old?.when)) : [];
      const [only] = like;
      return only === undefined || like.length > 1 ? [] : [[pair.name, only.name] as const];
    }),
  );
}

function removedEvent(site: Statement, renamed: string | undefined): Difference {
  const { at: oldAt, name, subject } = site;
  if (renamed === undefined) return difference("breaking", "event-removed", site, `The event \`${name}\` is removed`);
  const entry = { kind: "event", name: renamed, was: name } as const;
  const newSite = { subject, at: `events/out/${renamed}` };
  const details = { entry, also: `event ${renamed}`, oldAt };
  return difference("breaking", "event-renamed", newSite, `The event \`${name}\` is called \`${renamed}\``, details);
}

function* emittedDifferences(both: Both, site: Statement, old: OutEvent, now: OutEvent): Iterable<Difference> {
  const { name } = site;
  const texts = [sourceText(old), sourceText(now)] as const;
  yield* restated("breaking", "event-source-changed", site, `The source of \`${name}\``, texts);
  const [before, after] = [payloadOf(both.old.model, old), payloadOf(both.now.model, now)];
  const carries = below(site, "carries");
  // If the payload is the full record, the differences of the record's fields cover it.
  if (old.carries !== undefined || now.carries !== undefined) {
    const resource = resourceOf(both.old.model, old);
    for (const member of before.filter((one) => !after.includes(one))) {
      const message = `\`${name}\` no longer carries \`${member}\``;
      yield difference("breaking", "payload-removed", carries, message, { endsWith: [`${resource}.${member}`] });
    }
    for (const member of after.filter((one) => !before.includes(one)))
      yield difference("additive", "payload-added", carries, `\`${name}\` carries \`${member}\``);
  }
  if (!same(old.carries?.toSorted(), now.carries?.toSorted()) && same(before.toSorted(), after.toSorted()))
    yield difference("neutral", "payload-said", carries, `The list of what \`${name}\` carries is written differently`);
  yield* unhandledKeys(site, old, now, ["when", "carries"]);
}

/** Yields whether an event is there, and where it is sent; `contractDifferences` compares its content. */
function* sentDifferences(
  site: Statement,
  old: SentRequest | undefined,
  now: SentRequest | undefined,
): Iterable<Difference> {
  const { name } = site;
  if (now === undefined) yield difference("breaking", "event-removed", site, `The event \`${name}\` is removed`);
  else if (old === undefined) yield difference("additive", "event-added", site, `The event \`${name}\` is new`);
  else {
    const addresses = [old, now].map(({ method = "POST", to = "" }) => `${method} ${to}`.trim());
    yield* restated(
      "breaking",
      "event-address-changed",
      site,
      `The request of \`${name}\``,
      addresses as [string, string],
    );
  }
}

function sourceText({ when }: OutEvent): string {
  return when.kind === "enters" ? `${when.resource} -> ${when.state}` : when.operation;
}

function payloadOf(model: Model, event: OutEvent): readonly string[] {
  if (event.carries !== undefined) return event.carries;
  const resource = resourceOf(model, event);
  return resource === undefined ? [] : Object.keys(fieldsOf(model, resource));
}

function resourceOf(model: Model, { when }: OutEvent): string | undefined {
  if (when.kind === "enters") return when.resource;
  const resolved = resolveEndpoint(model, when.operation);
  return resolved?.kind === "resource" ? resolved.resource : undefined;
}

function* carriedDifferences(both: Both, name: string, at: string, old: InEvent, now: InEvent): Iterable<Difference> {
  const owner = {
    of: name,
    at,
    use: (when: "old" | "now", member: string) => {
      const optional = (when === "old" ? old : now).optional?.includes(member) === true;
      return {
        creates: optional ? "optional" : "required",
        changes: undefined,
        returned: false,
        listed: false,
      } as const;
    },
    alike: both.alike,
  };
  for (const one of fieldDifferences(owner, membersOf(old), membersOf(now))) {
    // The proposed entry is dropped, since version entries describe resources and operations, not requests of other services.
    const { entry: _entry, ...rest } = one;
    yield rest;
  }
}

function membersOf({ carries, optional = [] }: InEvent) {
  return Object.fromEntries(
    Object.entries(carries).map(([name, type]) => [name, { type, optional: optional.includes(name), marks: [] }]),
  );
}

function* retryDifferences(old: Webhook["retry"], now: Webhook["retry"], site: Statement): Iterable<Difference> {
  const total = (waits: readonly string[] = []) => waits.reduce((sum, wait) => sum + (durationOf(wait) || 0), 0);
  const shorter = old !== undefined && (now === undefined || now.length < old.length || total(now) < total(old));
  const values = [old?.join(" "), now?.join(" ")] as const;
  const what = "The waits before a delivery is retried";
  yield* restated(shorter ? "breaking" : "additive", "webhook-retry-changed", site, what, values, {
    category: "limit",
  });
}
