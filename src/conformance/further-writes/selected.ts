/**
 * What clients can observe of transitions by an event that select their records (`when … where, first, sort`): the selected records
 * move, and no others.
 */
import { withArticle } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { nodesOf, type TypedExpression } from "../../expression/typed.ts";
import { lookup, referenceOf } from "../../language/resources/fields.ts";
import { type FurtherWriteSite, isSelecting } from "../../language/states/further-writes.ts";
import { ifPossible } from "../attempts.ts";
import { type Case, NotTried } from "../case.ts";
import { anonymous } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { eventsOfEntering, transitionsOf, type TriggeredTransition } from "../effects.ts";
import { statusText } from "../errors/expected.ts";
import { truth } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { makeApart } from "../resources/candidates.ts";
import { creationsOf } from "../resources/writing.ts";
import { payloadInput, payloadOf } from "../trial/incoming.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readId } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { expectRecords } from "./expected-records.ts";
import { candidatesOf } from "./observed.ts";
import { makeMatching } from "./matching.ts";
import { predict, selecting } from "./predict.ts";

export function selectionCases(contract: Contract): readonly Case[] {
  return transitionsOf(contract).flatMap((transition): readonly Case[] => {
    const { path, resource, to, trigger } = transition;
    if (trigger.on.kind !== "when" || !isSelecting(trigger)) return [];
    const { first, where = "true" } = trigger;
    const which = first === undefined ? `each ${resource}` : `the first ${first} ${resource}`;
    return trigger.on.events.map((event) => ({
      id: `${path}: ${event} selects`,
      aspects: [{ path, expects: `${event} moves ${which} where \`${where}\` to ${to}, and no other ${resource}` }],
      exclusive: true,
      run: (trial) => selects(trial, transition, event),
    }));
  });
}

async function selects(trial: Trial, transition: TriggeredTransition, event: string): Promise<void> {
  const { contract } = trial;
  const { from, path, resource, to, trigger } = transition;
  const { where } = trigger;
  const caused = await causeOf(trial, event);
  if (mayTransitionOthers(contract, transition, caused))
    throw new NotTried(`other events move ${withArticle(resource)}, too`);
  const scope = trial.scope(anonymous, undefined, caused.input);
  const condition = contract.typed.get(`${path}/where`);
  expectKnown(condition, caused.input);
  const [state] = from;
  const wish = { state, creator: caused.record?.creator };
  await makeMatching(trial, { resource, selection: trigger, condition, scope, wish });
  const all = await candidatesOf(trial, resource);
  const isOpen = (values: ReadonlyMap<string, Json>): boolean => from.some((one) => values.get("state") === one);
  const guard = contract.typed.get(`${path}/if`);
  const isGuarded = (values: ReadonlyMap<string, Json>): boolean =>
    guard !== undefined && truth(guard, { ...selecting(scope, resource, values), old: values }) !== true;
  const open = all.all.filter((one) => isOpen(one.before) && one.record !== caused.record);
  if (open.some(({ before }) => isGuarded(before))) throw new NotTried("the guard is not true of all records");
  const response = trial.responseOf(await caused.send());
  if (response.status >= 300) throw new NotTried(`the cause of ${event} answered ${statusText(contract, response)}`);
  // The transition is a change of the records that sets their state, too.
  const site: FurtherWriteSite = {
    at: path,
    write: {
      ...{ kind: "change", resource, set: { state: to, ...trigger.set } },
      ...(where === undefined ? {} : { where }),
      ...(trigger.first === undefined ? {} : { first: trigger.first }),
      ...(trigger.sort === undefined ? {} : { sort: trigger.sort }),
    },
    of: { kind: "transition", resource, trigger },
  };
  const typed = new Map([...contract.typed, [`${path}/set/state`, constant(to)] as const]);
  const candidates = new Map([[resource, { all: open, isComplete: all.isComplete }]]);
  const { groups } = predict({ ...contract, typed }, [site], scope, candidates);
  const others = all.all.filter(({ record }) => record !== caused.record);
  await expectRecords(trial, [site], new Map([[resource, { ...all, all: others }]]), groups);
}

function constant(value: string): TypedExpression {
  return { kind: "constant", value, type: { kind: "string" }, nullable: false, at: { start: 0, end: 0 } };
}

/** Expects that the test knows all that a condition reads of the event. @throws NotTried */
function expectKnown(condition: TypedExpression | undefined, input: JsonObject): void {
  for (const node of condition === undefined ? [] : nodesOf(condition)) {
    const member = node.kind === "variable" && node.path[0] === "input" ? node.path[1] : undefined;
    if (member !== undefined && lookup(input, member) === undefined)
      throw new NotTried(`the test does not know \`${member}\` of the event`);
  }
}

// ── Causes ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Cause {
  /** The record that the event is about; undefined for an incoming event. */
  readonly record: KnownRecord | undefined;
  /** The resource whose record enters a state, and the state. */
  readonly reached: readonly [resource: string, state: string] | undefined;
  readonly input: JsonObject;
  readonly send: () => Promise<Interaction>;
}

/** Creates the records that an event needs, and returns the request that causes the event. */
async function causeOf(trial: Trial, event: string): Promise<Cause> {
  const { contract } = trial;
  const { model } = contract;
  if (lookup(model.events.in ?? {}, event) !== undefined) {
    const payload = await payloadOf(trial, event);
    const input = payloadInput(contract, event, payload);
    return { record: undefined, reached: undefined, input, send: () => trial.sendIncoming(event, payload) };
  }
  const source = lookup(model.events.out ?? {}, event);
  if (source?.when.kind !== "enters") throw new NotTried(`the test cannot cause ${event}`);
  const { resource, state } = source.when;
  const values: Record<string, Json> = {};
  for (const { field, name } of creationsOf(contract, resource)[0]?.members ?? []) {
    const of = referenceOf(model, field.type);
    const id = of === undefined || of === resource ? undefined : await readId(trial, await makeApart(trial, of));
    if (id !== undefined) values[name] = id;
  }
  const causing = transitionsOf(contract).filter(
    (one) => one.resource === resource && one.to === state && one.trigger.on.kind === "by",
  );
  for (const transition of causing) {
    for (const from of transition.from) {
      const record = await ifPossible(() => trial.make(resource, { state: from, values }));
      if (record === undefined) continue;
      await trial.look(record);
      const known = [...record.values].filter(([name]) => source.carries?.includes(name) ?? name !== "state");
      const input = Object.fromEntries(known) as JsonObject;
      const send = async (): Promise<Interaction> => (await trial.makeTransition(record, transition)).interaction;
      return { record, reached: [resource, state], input, send };
    }
  }
  throw new NotTried(`the test cannot cause ${event}`);
}

/** Whether what happens at the event may move further records of the resource, or the moved ones again. */
function mayTransitionOthers(
  contract: Contract,
  { path, resource, to }: TriggeredTransition,
  { reached }: Cause,
): boolean {
  const states = [[resource, to] as const, ...(reached === undefined ? [] : [reached])];
  const events = states.flatMap(([of, state]) => eventsOfEntering(contract, of, state));
  return transitionsOf(contract).some(
    ({ path: other, resource: of, trigger: { on } }) =>
      other !== path && of === resource && on.kind === "when" && on.events.some((event) => events.includes(event)),
  );
}
