/** Generates any valid part 3. */
import fc from "fast-check";
import {
  type FurtherWrite,
  type TriggerSource,
  type Lifecycle,
  type Transition,
  transitionName,
  type States,
  type Trigger,
} from "../../src/language/states/model.ts";
import { durations, expressions, kebabNames, names, records, resourceNames, sentences } from "./words.ts";

const stateNames = kebabNames.filter((name) => name !== "any" && name !== "none");
const eventNames = fc.tuple(names, names).map(([noun, verb]) => `${noun}.${verb}`);

const causes: fc.Arbitrary<TriggerSource> = fc.oneof(
  names.map((operation): TriggerSource => ({ kind: "by", operation })),
  durations.map((duration): TriggerSource => ({ kind: "after", duration })),
  names.map((field): TriggerSource => ({ kind: "at", field })),
  fc
    .tuple(fc.uniqueArray(eventNames, { minLength: 1, maxLength: 3 }), fc.option(names, { nil: undefined }))
    .map(([events, field]): TriggerSource => ({ kind: "when", events, ...(field === undefined ? {} : { field }) })),
);

const selection = {
  where: expressions,
  first: fc.integer({ min: 1, max: 99 }),
  sort: fc.tuple(fc.constantFrom("", "-"), names).map(([sign, name]) => `${sign}${name}`),
};

/** Generates the writes of an `also`. */
export const furtherWrites: fc.Arbitrary<readonly FurtherWrite[]> = fc.array(
  fc.record(
    {
      kind: fc.constantFrom("create" as const, "change" as const, "delete" as const),
      resource: resourceNames,
      each: fc.record({ name: names, list: expressions }),
      if: expressions,
      ...selection,
      with: records(names, expressions, 2),
      set: records(names, expressions, 2),
      else: kebabNames,
    },
    { requiredKeys: ["kind", "resource"] },
  ),
  { minLength: 1, maxLength: 2 },
);

const triggers: fc.Arbitrary<Trigger> = fc.oneof(
  causes.map((on) => ({ on })),
  fc.record(
    {
      on: causes,
      ...selection,
      if: expressions,
      else: kebabNames,
      set: records(names, expressions),
      also: furtherWrites,
    },
    { requiredKeys: ["on"] },
  ),
);

const moves: fc.Arbitrary<Transition> = fc.record({
  from: fc.oneof(fc.constant("any" as const), fc.uniqueArray(stateNames, { minLength: 1, maxLength: 3 })),
  to: stateNames,
  triggers: fc.array(triggers, { minLength: 1, maxLength: 3 }),
});

const lifecycles: fc.Arbitrary<Lifecycle> = fc.record(
  {
    states: records(stateNames, fc.oneof(sentences, fc.constant(""))),
    start: stateNames,
    final: fc.uniqueArray(stateNames, { maxLength: 3 }),
    moves: fc.uniqueArray(moves, { maxLength: 4, selector: transitionName }),
  },
  { requiredKeys: ["states", "moves"] },
);

export const states: fc.Arbitrary<States> = records(resourceNames, fc.oneof(fc.constant("none" as const), lifecycles));
