/** What responses contain by `gives`: members that expressions compute, or nothing. */
import { unixTimeOf, unixUnits } from "../../base/unix-time.ts";
import type { Json } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import { readDuration, readTimestamp } from "../../expression/instant.ts";
import { fieldsIn, nodesOf, readsVariable, type TypedExpression } from "../../expression/typed.ts";
import { sessionActions } from "../../language/endpoints/model.ts";
import { responseExpressions, responseShape } from "../../language/endpoints/shape.ts";
import { lifecycleOf } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { expectSuccess, neededSuccess } from "../expect.ts";
import { evaluate, type Scope } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { expressionInput } from "../trial/inputs.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import { lookAround } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { isSameJson } from "../values/same.ts";
import {
  aspectsOf,
  created,
  ifPossible,
  operationCase,
  pathOf,
  plainOperations,
  validOptions,
  valueAt,
} from "./subjects.ts";

/** A member of a response with its expression. */
interface Computed {
  readonly at: readonly string[];
  readonly typed: TypedExpression;
  /** Whether it is a header field instead. */
  readonly isHeader?: true;
}

export function responseCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    if (called.endpoint.gives === "none") return [isEmpty(contract, called)];
    const members = computedMembers(contract, called);
    return members.length === 0 ? [] : [hasValues(contract, called, members)];
  });
}

function isEmpty(contract: Contract, called: Operation): Case {
  const { operation } = called;
  return operationCase(
    called,
    "no body",
    aspectsOf(contract, called, ["gives"], "the response has no body"),
    async (trial) => {
      const interaction = await trial.call(operation);
      const { text } = expectSuccess(trial, interaction, pathOf(called));
      if (text !== "")
        throw new Broken("a response without a body", text.slice(0, 100), interaction, pathOf(called, "gives"));
    },
    called.action === "clear" ? { exclusive: true } : {},
  );
}

/** Returns the members that the test can compute: those about one record, whatever the present and the tokens are. */
function computedMembers({ model, typed }: Contract, called: Operation): readonly Computed[] {
  const { action } = called;
  if (
    called.kind !== "resource" ||
    ["list", "summary", "history", "clear"].includes(action) ||
    sessionActions.has(action)
  )
    return [];
  const { item } = responseShape(model, called);
  const members = (item === undefined ? [] : responseExpressions(item)).map(({ path: at }) => ({ at }));
  const headers = Object.keys(called.endpoint.headers ?? {}).map((name) => ({ at: [name], isHeader: true as const }));
  return [...members, ...headers].flatMap((member): Computed[] => {
    const found = typed.get(pathOfMember(called, member));
    const isKnowable = found !== undefined && !readsVariable(found, "now") && !readsVariable(found, "tokens");
    // A header field has the public address of the service, and durations in milliseconds.
    const isOther =
      "isHeader" in member && found !== undefined && (readsVariable(found, "base") || found.type.kind === "duration");
    return isKnowable && !isOther ? [{ ...member, typed: found }] : [];
  });
}

function pathOfMember(called: Operation, { at, isHeader }: Omit<Computed, "typed">): string {
  return [pathOf(called, isHeader === true ? "headers" : "gives"), ...at].join("/");
}

function hasValues(contract: Contract, called: Operation, members: readonly Computed[]): Case {
  const names = members.map(({ at }) => `\`${at.join(".")}\``).join(", ");
  const statements = members.some(({ isHeader }) => isHeader) ? ["gives", "headers"] : ["gives"];
  const aspects = aspectsOf(contract, called, statements, `the response has ${names} as the document computes them`);
  return operationCase(called, "computed members", aspects, async (trial) => {
    let count = 0;
    const compare = async (record?: KnownRecord): Promise<void> => {
      const { interaction, scope } = await performed(trial, called, record);
      for (const member of members) {
        const expected = evaluate(member.typed, scope);
        if (expected === undefined) continue;
        count += 1;
        expectValue(trial, called, member, { expected: expected.value, interaction });
      }
    };
    await compare();
    for (const state of statesRead(contract, called, members)) {
      trial.startOver();
      const record = await ifPossible(() => trial.make(called.resource as string, { state }));
      if (record !== undefined) await ifPossible(() => compare(record));
    }
    if (count === 0) throw new NotTried(`the test does not know what ${names} are computed from`);
  });
}

/** Returns the states in which a reading operation may show other values. */
function statesRead(
  { model }: Contract,
  { endpoint, resource = "" }: Operation,
  members: readonly Computed[],
): readonly string[] {
  const isRead = members.some(({ typed }) => fieldsIn(typed).includes("state"));
  if (!isRead || endpoint.method !== "GET" || endpoint.the !== undefined) return [];
  return Object.keys(lifecycleOf(model, resource)?.states ?? {});
}

/** Runs the operation, and returns what its expressions read. */
async function performed(
  trial: Trial,
  called: Operation,
  wished?: KnownRecord,
): Promise<{ readonly interaction: Interaction; readonly scope: Scope }> {
  const { operation } = called;
  if (called.action === "create") {
    const { record, input, interaction } = await created(trial, called);
    await lookAround(trial, record);
    return { interaction, scope: trial.scope(record.creator, record, expressionInput(trial, called, input)) };
  }
  const { record, ...options } = await validOptions(trial, called, undefined, wished);
  if (record === undefined) throw new NotTried(`${operation} is about no record`);
  await lookAround(trial, record);
  const before = new Map(record.values);
  const interaction = await trial.call(operation, { ...options, record });
  neededSuccess(trial, interaction);
  if (called.action !== "delete") await lookAround(trial, record);
  if (called.endpoint.method === "GET" && before.get("state") !== record.values.get("state"))
    throw new NotTried(`the state of the ${record.resource} has changed meanwhile`);
  const input = expressionInput(trial, called, { body: options.body ?? undefined, query: options.query });
  const scope = trial.scope(options.caller, record, input);
  return { interaction, scope: called.action === "delete" ? { ...scope, record: before } : scope };
}

function expectValue(
  trial: Trial,
  called: Operation,
  { at, typed, isHeader }: Computed,
  { expected: computed, interaction }: { readonly expected: Value; readonly interaction: Interaction },
): void {
  const { headers, json } = trial.responseOf(interaction);
  const found = isHeader === true ? headers[at.join("").toLowerCase()] : valueAt(json, at);
  const isText = isHeader === true && computed !== null && typed.type.kind !== "timestamp";
  const expected = isText ? textOf(computed as Json) : computed;
  if (found === undefined && mayBeHidden(trial, typed)) return;
  if (isComputed(typed, expected, found)) return;
  const path = pathOfMember(called, { at, ...(isHeader === undefined ? {} : { isHeader }) });
  throw new Broken(`\`${at.join(".")}\` with ${shortText(expected as Json)}`, shortText(found), interaction, path);
}

/** Whether the expression reads a field that not every caller sees. */
function mayBeHidden({ contract: { model } }: Trial, typed: TypedExpression): boolean {
  const read = nodesOf(typed).flatMap((one) => (one.kind === "walk" || one.kind === "item-field" ? [one.name] : []));
  const hidden = Object.keys(model.authentication.show).map((name) => name.slice(name.indexOf(".") + 1));
  return [...fieldsIn(typed), ...read].some((name) => hidden.includes(name));
}

/** Compares a value with the one in a response, which is JSON. */
function isComputed(typed: TypedExpression, expected: Value, found: Json | undefined): boolean {
  if (expected === null || found === undefined || found === null) return (expected ?? null) === (found ?? null);
  if (typed.type.kind === "timestamp" && typeof found === "number")
    return unixUnits.some((unit) => unixTimeOf(expected as string, unit) === found);
  if (typed.type.kind === "timestamp") return typeof found === "string" && readTimestamp(found) === expected;
  if (typed.type.kind === "duration") return typeof found === "string" && readDuration(found) === expected;
  if (typeof expected === "number" && typeof found === "number")
    return Math.abs(expected - found) <= 1e-9 * Math.max(1, Math.abs(expected));
  if (readsVariable(typed, "base") && typeof expected === "string" && typeof found === "string")
    return withoutOrigin(expected) === withoutOrigin(found);
  return isSameJson(expected as Json, found);
}

/** The public address of a service may be another one than that which the test calls. */
function withoutOrigin(text: string): string {
  return text.replace(/^https?:\/\/[^/]+/, "");
}
