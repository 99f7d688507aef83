/** Differences of part 6: outgoing and incoming events, and their delivery. */
import { resolveEndpoint } from "../language/endpoints/resolve.ts";
import type { Events, InEvent, OutEvent, Stream, Webhook } from "../language/events/model.ts";
import type { Model } from "../language/model.ts";
import { fieldsOf } from "../language/resources/fields.ts";
import { spanOf } from "./amounts.ts";
import { grantDifferences } from "./authentication.ts";
import { type Difference, difference, measured, pairs, restated, same, unhandledKeys } from "./difference.ts";
import { fieldDifferences } from "./fields.ts";
import type { Both } from "./resources.ts";

export function* eventDifferences(both: Both): Iterable<Difference> {
  const { events: old } = both.old.model;
  const { events: now } = both.now.model;
  const envelope = {
    kind: "envelope-changed",
    subject: "envelope",
    at: "events/envelope",
    what: "The envelope of events",
  };
  yield* restated(envelope, old.envelope, now.envelope, old.envelope === undefined ? "neutral" : "breaking");
  yield* outDifferences(both, old, now);
  for (const pair of pairs(old.in, now.in)) yield* inDifferences(both, pair.name, pair.old, pair.now);
  yield* webhookDifferences(both, old.delivery?.webhook, now.delivery?.webhook);
  yield* streamDifferences(both, old.delivery?.stream, now.delivery?.stream);
  yield* unhandledKeys({ subject: "events", at: "events" }, old, now, ["envelope", "out", "in", "delivery"]);
  yield* unhandledKeys({ subject: "delivery", at: "events/delivery" }, old.delivery ?? {}, now.delivery ?? {}, [
    "webhook",
    "stream",
  ]);
}

// ── Out ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function* outDifferences(both: Both, old: Events, now: Events): Iterable<Difference> {
  const renamed = renamedEvents(old.out ?? {}, now.out ?? {});
  const newNames = new Set(renamed.values());
  for (const { name, old: before, now: after } of pairs(old.out, now.out)) {
    const subject = `event ${name}`;
    const at = `events/out/${name}`;
    if (before !== undefined && after !== undefined) yield* emittedDifferences(both, name, before, after);
    else if (after !== undefined && !newNames.has(name))
      yield difference("additive", "event-added", subject, at, `The event \`${name}\` is new`);
    else if (before !== undefined) yield removedEvent(name, renamed.get(name));
  }
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

function removedEvent(name: string, renamed: string | undefined): Difference {
  const oldAt = `events/out/${name}`;
  const subject = `event ${name}`;
  if (renamed === undefined)
    return difference("breaking", "event-removed", subject, oldAt, `The event \`${name}\` is gone`);
  const entry = { kind: "event", name: renamed, was: name } as const;
  const message = `The event \`${name}\` is called \`${renamed}\``;
  return difference("breaking", "event-renamed", subject, `events/out/${renamed}`, message, {
    entry,
    also: `event ${renamed}`,
    oldAt,
  });
}

function* emittedDifferences(both: Both, name: string, old: OutEvent, now: OutEvent): Iterable<Difference> {
  const at = `events/out/${name}`;
  const subject = `event ${name}`;
  const when = { kind: "event-source-changed", subject, at, what: `What emits \`${name}\`` };
  yield* restated(when, sourceText(old), sourceText(now), "breaking");
  const [before, after] = [payloadOf(both.old.model, old), payloadOf(both.now.model, now)];
  // If the payload is the full record, the differences of its fields cover it.
  if (old.carries !== undefined || now.carries !== undefined) {
    for (const member of before.filter((one) => !after.includes(one)))
      yield difference(
        "breaking",
        "payload-removed",
        subject,
        `${at}/carries`,
        `\`${name}\` does not carry \`${member}\` any more`,
      );
    for (const member of after.filter((one) => !before.includes(one)))
      yield difference("additive", "payload-added", subject, `${at}/carries`, `\`${name}\` carries \`${member}\``);
  }
  if (!same(old.carries?.toSorted(), now.carries?.toSorted()) && same(before.toSorted(), after.toSorted()))
    yield difference(
      "neutral",
      "payload-said",
      subject,
      `${at}/carries`,
      `What \`${name}\` carries is written differently`,
    );
  yield* unhandledKeys({ subject, at }, old, now, ["when", "carries"]);
}

function sourceText({ when }: OutEvent): string {
  return when.kind === "enters" ? `${when.resource} -> ${when.state}` : when.operation;
}

function payloadOf(model: Model, { when, carries }: OutEvent): readonly string[] {
  if (carries !== undefined) return carries;
  const resolved = when.kind === "operation" ? resolveEndpoint(model, when.operation) : undefined;
  const resource =
    when.kind === "enters" ? when.resource : resolved?.kind === "resource" ? resolved.resource : undefined;
  return resource === undefined ? [] : Object.keys(fieldsOf(model, resource));
}

// ── In ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function* inDifferences(
  both: Both,
  name: string,
  old: InEvent | undefined,
  now: InEvent | undefined,
): Iterable<Difference> {
  const at = `events/in/${name}`;
  const subject = `event ${name}`;
  if (old === undefined || now === undefined) {
    const [effect, kind, verb] =
      old === undefined
        ? (["additive", "inbound-added", "is taken"] as const)
        : (["breaking", "inbound-removed", "is not taken any more"] as const);
    yield difference(effect, kind, subject, at, `The event \`${name}\` ${verb}`);
    return;
  }
  const statement = (member: string, what: string) => ({
    kind: "inbound-changed",
    subject,
    at: `${at}/${member}`,
    what,
  });
  yield* restated(
    statement("at", `Where \`${name}\` is sent`),
    `${old.method} ${old.path}`,
    `${now.method} ${now.path}`,
    "breaking",
  );
  yield* restated(statement("with", `What proves the sender of \`${name}\``), old.with, now.with, "breaking");
  const owner = {
    of: name,
    at: `${at}/carries`,
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
    // Version entries describe resources and operations, not requests of other services.
    const { entry: _entry, ...rest } = one;
    yield rest;
  }
  yield* unhandledKeys({ subject, at }, old, now, ["method", "path", "with", "carries", "optional"]);
}

function membersOf({ carries, optional = [] }: InEvent) {
  return Object.fromEntries(
    Object.entries(carries).map(([name, type]) => [name, { type, optional: optional.includes(name), marks: [] }]),
  );
}

// ── Delivery ───────────────────────────────────────────────────────────────────────────────────────────────────────

function* webhookDifferences(both: Both, old: Webhook | undefined, now: Webhook | undefined): Iterable<Difference> {
  const at = "events/delivery/webhook";
  const subject = "webhook";
  if (old === undefined || now === undefined) {
    if (old === now) return;
    const isRemoved = now === undefined;
    const message = isRemoved ? "Events are not sent to webhooks any more" : "Events are sent to webhooks";
    yield difference(
      isRemoved ? "breaking" : "additive",
      isRemoved ? "webhook-removed" : "webhook-added",
      subject,
      at,
      message,
    );
    return;
  }
  const statement = (member: string, what: string) => ({
    kind: "webhook-changed",
    subject,
    at: `${at}/${member}`,
    what,
  });
  yield* restated(
    statement("subscribe", "Where to subscribe a webhook"),
    `${old.method} ${old.path}`,
    `${now.method} ${now.path}`,
    "breaking",
  );
  yield* grantDifferences(both, { kind: "webhook", subject, at: `${at}/for`, may: "have webhooks" }, old.for, now.for);
  yield* restated(
    statement("signed", "How webhooks are signed"),
    old.signed,
    now.signed,
    old.signed === undefined || old.signed === "none" ? "additive" : "breaking",
  );
  yield* restated(
    statement("promise", "What the delivery of webhooks promises"),
    old.promise,
    now.promise,
    old.promise === undefined ? "additive" : "breaking",
  );
  const timeout = { ...statement("timeout", "How long a receiver may take"), kind: "webhook-timeout-changed" };
  yield* measured(timeout, old.timeout, now.timeout, spanOf, { less: "breaking", more: "additive" });
  yield* retryDifferences(old, now);
  yield* restated(
    statement("then", "Whether a webhook is disabled that fails"),
    old.then?.disable,
    now.then?.disable,
    now.then?.disable === true ? "breaking" : "additive",
  );
  const keep = {
    ...statement("then", "How long events of a webhook that fails are kept"),
    kind: "webhook-keep-changed",
  };
  yield* measured(keep, old.then?.keep, now.then?.keep, spanOf, { less: "breaking", more: "additive", none: "least" });
  yield* unhandledKeys({ subject, at }, old, now, [
    "method",
    "path",
    "for",
    "signed",
    "promise",
    "timeout",
    "retry",
    "then",
  ]);
}

function* retryDifferences({ retry: old }: Webhook, { retry: now }: Webhook): Iterable<Difference> {
  if (same(old, now)) return;
  const total = (waits: readonly string[] = []) => waits.reduce((sum, wait) => sum + (spanOf(wait) ?? 0), 0);
  const shorter = old !== undefined && (now === undefined || now.length < old.length || total(now) < total(old));
  const statement = {
    kind: "webhook-retry-changed",
    subject: "webhook",
    at: "events/delivery/webhook/retry",
    what: "When a delivery is tried again",
  };
  yield* restated(statement, old?.join(" "), now?.join(" "), shorter ? "breaking" : "additive", { category: "limit" });
}

function* streamDifferences(both: Both, old: Stream | undefined, now: Stream | undefined): Iterable<Difference> {
  const at = "events/delivery/stream";
  const subject = "stream";
  if (old === undefined || now === undefined) {
    if (old === now) return;
    const isRemoved = now === undefined;
    const message = isRemoved ? "There is no stream of events any more" : "There is a stream of events";
    yield difference(
      isRemoved ? "breaking" : "additive",
      isRemoved ? "stream-removed" : "stream-added",
      subject,
      at,
      message,
    );
    return;
  }
  const statement = (member: string, what: string) => ({
    kind: "stream-changed",
    subject,
    at: `${at}/${member}`,
    what,
  });
  yield* restated(
    statement("at", "Where the stream of events is"),
    `${old.method} ${old.path}`,
    `${now.method} ${now.path}`,
    "breaking",
  );
  yield* grantDifferences(
    both,
    { kind: "stream", subject, at: `${at}/for`, may: "read the stream of events" },
    old.for,
    now.for,
  );
  yield* restated(statement("kind", "The kind of the stream"), old.kind, now.kind, "breaking");
  yield* restated(
    statement("resume", "What resumes the stream"),
    old.resume,
    now.resume,
    old.resume === undefined ? "additive" : "breaking",
  );
  const keep = { ...statement("keep", "How long the stream keeps events"), kind: "stream-keep-changed" };
  yield* measured(keep, old.keep, now.keep, spanOf, { less: "breaking", more: "additive" });
  yield* unhandledKeys({ subject, at }, old, now, ["method", "path", "for", "kind", "resume", "keep"]);
}
