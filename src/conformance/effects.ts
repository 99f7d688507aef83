/** Which records an operation may change besides its own: the events of part 6 make transitions of part 3. */
import { parseClockDuration } from "../base/duration.ts";
import { getOrMake, onceFor } from "../base/once.ts";
import { bareType, fieldsOf, lookup } from "../language/resources/fields.ts";
import type { FieldType } from "../language/resources/model.ts";
import { type FurtherWriteOwner, type FurtherWriteSite, furtherWriteSites } from "../language/states/further-writes.ts";
import { transitionName, type Transition, type Trigger } from "../language/states/model.ts";
import type { Contract, Operation } from "./contract.ts";

export interface TriggeredTransition {
  readonly resource: string;
  readonly transition: Transition;
  readonly trigger: Trigger;
  /** The path of the trigger, as in `SourceLocations`. */
  readonly path: string;
  /** The states that the transition leaves; for `any`, all non-final states but the target. */
  readonly from: readonly string[];
  readonly to: string;
}

/** Returns all transitions of existing records, once for each of their triggers. */
export const transitionsOf: (contract: Contract) => readonly TriggeredTransition[] = onceFor((contract: Contract) =>
  allTransitions(contract).filter((one) => !isOfNewRecord(contract, one)),
);

/** Returns the transitions of new records by the operation that creates them, in the order in which their guards decide. */
export function transitionsOfNew(contract: Contract, operation: string): readonly TriggeredTransition[] {
  if (contract.operations.get(operation)?.action !== "create") return [];
  return allTransitions(contract).filter(({ trigger: { on } }) => on.kind === "by" && on.operation === operation);
}

/** Returns the fields of a new record that its creation sets by itself, whatever was sent: by a choice or a transition. */
export function setAtCreation(contract: Contract, { endpoint, operation }: Operation): ReadonlySet<string> {
  const set = transitionsOfNew(contract, operation).flatMap(({ trigger }) => Object.keys(trigger.set ?? {}));
  return new Set([...Object.keys(endpoint.choose ?? {}), ...set]);
}

function isOfNewRecord({ operations }: Contract, { trigger: { on } }: TriggeredTransition): boolean {
  return on.kind === "by" && operations.get(on.operation)?.action === "create";
}

const allTransitions: (contract: Contract) => readonly TriggeredTransition[] = onceFor(({ model }: Contract) =>
  Object.entries(model.states).flatMap(([resource, lifecycle]) => {
    if (lifecycle === "none") return [];
    const { final = [], moves, states } = lifecycle;
    return moves.flatMap((transition) =>
      transition.triggers.map((trigger, index): TriggeredTransition => {
        const from =
          transition.from === "any"
            ? Object.keys(states).filter((state) => state !== transition.to && !final.includes(state))
            : transition.from;
        const path = `states/${resource}/moves/${transitionName(transition)}/${index}`;
        return { resource, transition, trigger, path, from, to: transition.to };
      }),
    );
  }),
);

/** Returns the transitions of existing records that an operation makes. */
export function transitionsBy(contract: Contract, operation: string): readonly TriggeredTransition[] {
  return transitionsOf(contract).filter(({ trigger: { on } }) => on.kind === "by" && on.operation === operation);
}

/** Returns the start state of a resource. */
export function startOf({ model }: Contract, resource: string): string | undefined {
  const lifecycle = lookup(model.states, resource);
  if (lifecycle === undefined || lifecycle === "none") return undefined;
  return lifecycle.start ?? Object.keys(lifecycle.states)[0];
}

/** Returns the events that a record causes by entering a state. */
export function eventsOfEntering({ model }: Contract, resource: string, state: string): readonly string[] {
  return Object.entries(model.events.out ?? {}).flatMap(([name, { when }]) =>
    when.kind === "enters" && when.resource === resource && when.state === state ? [name] : [],
  );
}

/** What an operation may write besides its own record, by further writes and through events, at any distance. */
interface FurtherEffects {
  /** The resources of the written records. */
  readonly resources: ReadonlySet<string>;
  readonly writes: readonly FurtherWriteSite[];
}

const effectsByContract = onceFor((_: Contract) => new Map<string, FurtherEffects>());

export function furtherEffects(contract: Contract, operation: Operation): FurtherEffects {
  return getOrMake(effectsByContract(contract), operation.operation, () => findEffects(contract, operation));
}

function findEffects(contract: Contract, operation: Operation): FurtherEffects {
  const { out = {} } = contract.model.events;
  const resources = new Set<string>();
  const writes: FurtherWriteSite[] = [];
  const subject = operation.endpoint.link?.in ?? operation.endpoint.unlink?.in ?? operation.resource;
  const pending = subject === undefined ? [] : [subject];
  const alsoWritten = (isOf: (owner: FurtherWriteOwner) => boolean): void => {
    for (const site of furtherWriteSites(contract.model)) {
      if (!isOf(site.of) || writes.includes(site)) continue;
      writes.push(site);
      if (!resources.has(site.write.resource)) pending.push(site.write.resource);
      resources.add(site.write.resource);
    }
  };
  alsoWritten((of) => of.kind === "operation" && of.operation === operation.operation);
  const own = [...transitionsBy(contract, operation.operation), ...transitionsOfNew(contract, operation.operation)];
  for (const { trigger } of own) alsoWritten((of) => of.kind === "transition" && of.trigger === trigger);
  for (const resource of pending) {
    const events = Object.entries(out).flatMap(([name, { when }]) => {
      if (when.kind === "operation") return when.operation === operation.operation ? [name] : [];
      return when.resource === resource ? [name] : [];
    });
    for (const { resource: transitioned, trigger } of transitionsOf(contract)) {
      if (trigger.on.kind !== "when" || !trigger.on.events.some((event) => events.includes(event))) continue;
      if (!resources.has(transitioned)) pending.push(transitioned);
      resources.add(transitioned);
      alsoWritten((of) => of.kind === "transition" && of.trigger === trigger);
    }
  }
  return { resources, writes };
}

/** Whether a transition or a further write of an operation may set this field of its record again, or delete the record. */
export function maySetAgain(contract: Contract, operation: Operation, name: string): boolean {
  const { resource = "" } = operation;
  const { resources, writes } = furtherEffects(contract, operation);
  if (!resources.has(resource)) return false;
  const isUpdated = lookup(fieldsOf(contract.model, resource), name)?.default?.kind === "now-on-change";
  const sets = (set: Readonly<Record<string, string>> = {}): boolean => Object.hasOwn(set, name);
  return (
    isUpdated ||
    writes.some(({ write }) => write.resource === resource && (write.kind === "delete" || sets(write.set))) ||
    transitionsOf(contract).some(({ resource: of, trigger }) => of === resource && sets(trigger.set))
  );
}

/** Returns the errors of the guards and choices of an operation, and of the transitions that it makes. */
export function guardErrors(contract: Contract, { endpoint, operation }: Operation): readonly string[] {
  const transitions = [...transitionsBy(contract, operation), ...transitionsOfNew(contract, operation)];
  return [
    ...(endpoint.else === undefined ? [] : [endpoint.else]),
    ...Object.values(endpoint.choose ?? {}).flatMap((choice) => choice.else ?? []),
    ...transitions.flatMap(({ trigger }) => trigger.else ?? []),
  ];
}

/** Returns the errors that a valid request for an operation may get because of its further writes. */
export function furtherErrors(contract: Contract, operation: Operation): readonly string[] {
  const { model, typed } = contract;
  return furtherEffects(contract, operation).writes.flatMap(({ at, write }): readonly string[] => {
    const { else: code, kind, resource, set = {}, with: values = {} } = write;
    const rules = lookup(model.resources.rules, resource) ?? [];
    const isBounded = Object.keys({ ...set, ...values }).some((name) => {
      const value = typed.get(`${at}/${kind === "create" ? "with" : "set"}/${name}`);
      return value?.kind !== "constant" && isNarrow(lookup(fieldsOf(model, resource), name)?.type);
    });
    return [
      ...(code === undefined ? [] : [code]),
      ...rules.map((rule) => rule.else ?? "already-exists"),
      ...(kind === "delete" ? ["still-referenced"] : ["already-exists", "quota-exceeded"]),
      ...(isBounded ? ["invalid-request"] : []),
    ];
  });
}

/** The types of which any computed value is valid. */
const wide: readonly string[] = ["boolean", "integer", "number", "string", "text"];

/** Whether a type has limits that a computed value may exceed. */
function isNarrow(type: FieldType | undefined): boolean {
  const bare = type === undefined ? undefined : bareType(type);
  if (bare?.kind !== "scalar" || !wide.includes(bare.name)) return true;
  return bare.min !== undefined || bare.max !== undefined || bare.pattern !== undefined;
}

/** Returns a duration as the document writes it, in milliseconds. */
export function clockMilliseconds(written: string): number {
  return parseClockDuration(written) ?? Number.NaN;
}
