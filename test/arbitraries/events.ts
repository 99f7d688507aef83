/** Generates any valid part 6. */
import fc from "fast-check";
import type { Delivery, Events, InEvent, OutEvent, Stream, Webhook } from "../../src/language/events/model.ts";
import type { FieldType } from "../../src/language/resources/model.ts";
import { grantLists, signatures } from "./authentication.ts";
import { durations, methods, names, paths, records, resourceNames, waits } from "./words.ts";
import { furtherWrites } from "./states.ts";

const eventNames = fc.uniqueArray(names, { minLength: 1, maxLength: 3 }).map((words) => words.join("."));

const out: fc.Arbitrary<OutEvent> = fc.record(
  {
    when: fc.oneof(
      fc.record({ kind: fc.constant("enters" as const), resource: resourceNames, state: names }),
      fc.record({ kind: fc.constant("operation" as const), operation: names }),
    ),
    carries: fc.uniqueArray(names, { maxLength: 4 }),
  },
  { requiredKeys: ["when"] },
);

const types: fc.Arbitrary<FieldType> = fc.constantFrom<FieldType[]>(
  { kind: "named", name: "Locker" },
  { kind: "scalar", name: "string", min: 1, max: 80 },
  { kind: "one-of", values: ["jammed", "sensor"], open: false },
  { kind: "list", of: { kind: "scalar", name: "integer" }, max: 5 },
  { kind: "schema", schema: { type: "object" } },
);

const inward: fc.Arbitrary<InEvent> = fc
  .record(
    {
      method: methods,
      path: paths,
      with: names,
      carries: records(names, types),
      share: fc.nat(4),
      also: furtherWrites,
    },
    { requiredKeys: ["method", "path", "with", "carries", "share"] },
  )
  .map(({ share, ...event }) => {
    const optional = Object.keys(event.carries).slice(0, share);
    return optional.length === 0 ? event : { ...event, optional };
  });

const webhook: fc.Arbitrary<Webhook> = fc.record(
  {
    method: methods,
    path: paths,
    for: grantLists,
    signed: fc.oneof(signatures, fc.constant("none" as const)),
    promise: fc.constantFrom("at least once", "at least once, in order per resource", "at least once, in any order"),
    timeout: waits,
    retry: fc.array(waits, { maxLength: 4 }),
    then: fc.record({ disable: fc.boolean(), keep: durations }, { requiredKeys: ["disable"] }),
  },
  { requiredKeys: ["method", "path", "for"] },
);

const stream: fc.Arbitrary<Stream> = fc.record(
  {
    method: methods,
    path: paths,
    for: grantLists,
    kind: fc.constant("server-sent" as const),
    resume: fc.constant("Last-Event-ID"),
    keep: durations,
  },
  { requiredKeys: ["method", "path", "for", "kind"] },
);

const delivery: fc.Arbitrary<Delivery> = fc.record({ webhook, stream }, { requiredKeys: [] });

export const events: fc.Arbitrary<Events> = fc.record(
  {
    envelope: fc.constantFrom("cloudevents" as const, "plain" as const),
    out: records(eventNames, out),
    in: records(eventNames, inward),
    delivery,
  },
  { requiredKeys: [] },
);
