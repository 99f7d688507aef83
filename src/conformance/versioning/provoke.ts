/** Provokes an error of the document by the condition that it states. */
import { needsRecord } from "../contract.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { fieldsOf, referenceOf } from "../../language/resources/fields.ts";
import { firstResult } from "../attempts.ts";
import { NotTried } from "../case.ts";
import { anonymous } from "../caller.ts";
import { transitionsOf } from "../effects.ts";
import { truth } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { expressionInput, recordAfter, supplyFor } from "../trial/inputs.ts";
import { membersOf } from "../trial/learning.ts";
import { creatorFor, creatorsOf, sendCreation } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { problemOf } from "../values/fits.ts";
import { validValue } from "../values/valid.ts";

/** Sends a request that has to get the error. @throws NotTried if the test knows none */
export async function provoke(trial: Trial, code: string): Promise<Interaction> {
  const attempts = [byTransition, byGuard, byChoice, byRule];
  return firstResult(attempts, (attempt) => attempt(trial, code), `the test cannot provoke ${code}`);
}

/** The guard of a transition is false. */
async function byTransition(trial: Trial, code: string): Promise<Interaction | undefined> {
  for (const { from, path, resource, trigger } of transitionsOf(trial.contract)) {
    const { on } = trigger;
    const [state] = from;
    if (on.kind !== "by" || trigger.else !== code || state === undefined) continue;
    const record = await trial.make(resource, { state });
    const caller = await trial.callerFor(on.operation, record);
    const input = await trial.inputWhere(on.operation, caller, record, `${path}/if`, false);
    if (input !== undefined) return trial.call(on.operation, { caller, record, ...input });
  }
  return undefined;
}

/** The guard of an operation is false. */
async function byGuard(trial: Trial, code: string): Promise<Interaction | undefined> {
  for (const called of trial.contract.operations.values()) {
    const { endpoint, operation, resource } = called;
    if (endpoint.if === undefined || endpoint.else !== code) continue;
    const record = needsRecord(called) && resource !== undefined ? await trial.make(resource) : undefined;
    const caller = await trial.callerFor(operation, record);
    const path = `endpoints/endpoints/${operation}/if`;
    const input = await trial.inputWhere(operation, caller, record, path, false);
    if (input !== undefined)
      return trial.call(operation, { caller, ...(record === undefined ? {} : { record }), ...input });
  }
  return undefined;
}

/** An operation finds nothing to choose: the record to which its input refers is new, so that no other one belongs to it. */
async function byChoice(trial: Trial, code: string): Promise<Interaction | undefined> {
  const { contract } = trial;
  for (const called of contract.operations.values()) {
    const { endpoint, operation } = called;
    const choices = Object.values(endpoint.choose ?? {});
    if (needsRecord(called) || !choices.some((choice) => choice.else === code)) continue;
    const caller = await trial.callerFor(operation);
    const { body = {}, query } = await trial.inputFor(operation, caller);
    const fresh: Record<string, Json> = {};
    for (const { field, name } of membersOf(contract, called)) {
      const resource = referenceOf(contract.model, field.type);
      const isRelated = choices.some(({ from }) =>
        Object.values(fieldsOf(contract.model, from)).some(
          ({ type }) => referenceOf(contract.model, type) === resource,
        ),
      );
      if (resource === undefined || !isRelated) continue;
      const record = await trial.make(resource);
      if (!record.values.has("id")) await trial.look(record);
      fresh[name] = record.values.get("id") ?? null;
    }
    if (Object.keys(fresh).length > 0) return trial.call(operation, { caller, body: { ...body, ...fresh }, query });
  }
  return undefined;
}

/** How many values the test tries until one violates a rule. */
const mostValues = 80;

/** A new record violates a rule. */
async function byRule(trial: Trial, code: string): Promise<Interaction | undefined> {
  const { contract } = trial;
  for (const [resource, rules] of Object.entries(contract.model.resources.rules)) {
    for (const [index, rule] of rules.entries()) {
      if (rule.kind !== "holds" || rule.else !== code) continue;
      const condition = contract.typed.get(`resources/rules/${resource}/${index}/holds`);
      const [called] = creatorsOf(trial, resource);
      const caller = called === undefined ? undefined : await creatorFor(trial, called, {});
      if (condition === undefined || called === undefined || caller === undefined) continue;
      const change = (body: JsonObject): JsonObject => {
        for (let attempt = 0; attempt < mostValues; attempt += 1) {
          const changed = { ...body, ...otherValue(trial, called, rule.expression) };
          const record = recordAfter(trial, called, { caller, record: undefined }, changed);
          const input = expressionInput(trial, called, { body: changed, query: {} });
          if (truth(condition, { ...trial.scope(caller, undefined, input), resource, record, old: null }) === false)
            return changed;
        }
        throw new NotTried(`the test finds no ${resource} that violates \`${rule.expression}\``);
      };
      return (await sendCreation(trial, called, caller, { change })).interaction;
    }
  }
  return undefined;
}

/** Returns another value of a random member: any valid one, or one of those near which the rule may change its value. */
function otherValue(trial: Trial, called: ResourceEndpoint, rule: string): JsonObject {
  const { contract, random } = trial;
  const members = membersOf(contract, called).filter(({ sets }) => sets);
  if (members.length === 0) return {};
  const { field, name } = random.pick(members);
  const literals = literalsIn(rule).filter((one) => problemOf(contract, field.type, one, "input") === undefined);
  const value =
    literals.length > 0 && random.chance(0.7)
      ? random.pick(literals)
      : validValue(contract, field.type, supplyFor(trial, anonymous));
  return value === undefined ? {} : { [name]: value };
}

/** Returns the texts that a condition contains, and its numbers with those beside them. */
function literalsIn(condition: string): readonly Json[] {
  const numbers = [...condition.matchAll(/\d+(?:\.\d+)?/g)].map(([text]) => Number(text));
  const texts = [...condition.matchAll(/'([^']*)'/g)].map(([, text = ""]) => text);
  return [...numbers.flatMap((number) => [number, number + 1, number - 1]), ...texts];
}
