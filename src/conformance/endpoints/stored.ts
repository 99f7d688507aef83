/** What a creation, a change or a replacement stores: reading the record shows it afterwards. */
import { isObject, type JsonObject } from "../../base/json.ts";
import { creates } from "../../language/endpoints/input.ts";
import { bareType, fieldsOf, lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { setAtCreation, transitionsOf } from "../effects.ts";
import { expectSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { subjectFor } from "../trial/calls.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import type { Input } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { observedValues } from "../trial/looking.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { isSame, mergePatch } from "../values/same.ts";
import { aspectsOf, operationCase, pathOf, plainOperations } from "./subjects.ts";

export function storedCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    if (called.kind !== "resource" || called.file !== undefined) return [];
    const isUpsert = creates(contract.model, called);
    switch (called.action) {
      case "create":
        return [stores(contract, called), ...isLocated(contract, called)];
      case "update":
        return [changes(contract, called)];
      case "replace":
        return [...(isUpsert ? [stores(contract, called)] : []), changes(contract, called)];
      default:
        return [];
    }
  });
}

function stores(contract: Contract, called: Operation): Case {
  const { operation, resource } = called;
  const aspects = aspectsOf(contract, called, ["takes"], `reading a new ${resource} shows what was sent`);
  return operationCase(called, "stored", aspects, async (trial) => {
    const caller = await trial.callerFor(operation);
    const input = await fullInput(trial, called, caller);
    const record = await trial.make(resource as string, { creator: caller, by: operation, input });
    const interaction = trial.interactions.at(-1);
    await expectObserved(trial, called, record, { sent: input.body ?? {}, interaction });
  });
}

/** `Location` of a new record is its address, if an operation reads it. */
function isLocated(contract: Contract, called: Operation): readonly Case[] {
  const { operation, resource, endpoint } = called;
  const reader = [...contract.operations.values()].find(
    (one) =>
      one.action === "read" && one.resource === resource && one.key !== undefined && one.endpoint.shape === undefined,
  );
  // A record that an operation with another status makes need not exist yet.
  if ((endpoint.statuses?.created ?? endpoint.status ?? 201) !== 201 || reader === undefined) return [];
  return [
    operationCase(
      called,
      "Location",
      aspectsOf(contract, called, [], `Location is the address of the new ${resource}`),
      async (trial) => {
        const record = await trial.make(resource as string, { by: operation });
        const made = trial.interactions.findLast((one) => one.operation === operation);
        const response = made === undefined ? undefined : trial.responseOf(made);
        if (response?.status !== 201) throw new NotTried(`${operation} created no ${resource}`);
        const location = response.headers["location"];
        // No statement of a document asks for it.
        if (location === undefined) throw new NotTried("the response has no Location");
        await expectRecordAt(trial, called, record, { location, reader, made });
      },
    ),
  ];
}

async function expectRecordAt(
  trial: Trial,
  called: Operation,
  record: KnownRecord,
  {
    location,
    reader,
    made,
  }: { readonly location: string; readonly reader: Operation; readonly made: Interaction | undefined },
): Promise<void> {
  const request = made?.request;
  if (request === undefined || !URL.canParse(location, request.url))
    throw new Broken("an address in Location (RFC 9110, 10.2.2)", location, made, pathOf(called));
  const address = new URL(location, request.url);
  // Another host may be a public address that the test cannot reach.
  if (address.host !== new URL(request.url).host) throw new NotTried(`Location leads to another host: ${address.host}`);
  const caller = await trial.callerFor(reader.operation, record);
  const { "Content-Type": _, ...headers } = request.headers;
  const bare = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(?:authorization|if-match)$/i.test(name)),
  );
  const reading = caller.authorize({ method: "GET", url: address.href, headers: bare });
  const { status } = trial.responseOf(await sendAfterLimits(trial, reading, caller));
  if (status === 404) throw new Broken("the new record at Location", "404", trial.interactions.at(-1), pathOf(called));
}

function changes(contract: Contract, called: Operation): Case {
  const { operation, resource } = called;
  const aspects = aspectsOf(contract, called, ["takes"], `reading a changed ${resource} shows what was sent`);
  return operationCase(called, "stored", aspects, async (trial) => {
    const { record, caller } = await subjectFor(trial, called);
    const input = await fullInput(trial, called, caller, record);
    // A merge patch changes only the members of an object that it names (RFC 7396).
    const patched = called.action === "update" ? await observedValues(trial, record) : undefined;
    const interaction = await trial.call(operation, { caller, record, ...input });
    expectSuccess(trial, interaction);
    await expectObserved(trial, called, record, { sent: input.body ?? {}, interaction, patched });
  });
}

/** How many random inputs the test compares. */
const mostAttempts = 6;

/** Returns the input with the most members of several random ones, so that as many fields as possible are compared. */
export async function fullInput(trial: Trial, called: Operation, caller: Caller, record?: KnownRecord): Promise<Input> {
  let fullest = await trial.inputFor(called.operation, caller, record);
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const other = await trial.inputFor(called.operation, caller, record);
    if (countOf(other) > countOf(fullest)) fullest = other;
  }
  return fullest;
}

function countOf({ body = {} }: Input): number {
  return Object.keys(body).length;
}

// ── What reading shows ─────────────────────────────────────────────────────────────────────────────────────────────

/** Expects the fields that were sent, as far as reading the record shows them. */
async function expectObserved(
  trial: Trial,
  called: Operation,
  record: KnownRecord,
  {
    sent,
    interaction,
    patched,
  }: {
    readonly sent: JsonObject;
    readonly interaction: Interaction | undefined;
    /** The values before a merge patch, as far as they are known. */
    readonly patched?: Awaited<ReturnType<typeof observedValues>> | undefined;
  },
): Promise<void> {
  const { contract } = trial;
  const fields = fieldsOf(contract.model, record.resource);
  const values = await observedValues(trial, record);
  const others = setElsewhere(contract, called);
  let count = 0;
  for (const { name, sets } of membersOf(contract, called)) {
    const field = lookup(fields, name);
    const [value, found] = [lookup(sent, name), values.get(name)];
    const before = patched?.get(name);
    if (!sets || field === undefined || value === undefined || found === undefined || others.has(name)) continue;
    if (bareType(field.type).kind === "file") continue;
    if (patched !== undefined && before === undefined && isObject(value)) continue;
    count += 1;
    const expected = before === undefined ? value : mergePatch(before, value);
    if (isSame(contract.model, field.type, expected, found)) continue;
    throw new Broken(
      `\`${name}\` with ${shortText(expected)}`,
      shortText(found),
      trial.interactions.at(-1),
      pathOf(called),
    );
  }
  if (count > 0 || Object.keys(sent).length === 0) return;
  throw new NotTried(`no response shows what ${interaction?.operation ?? "the operation"} stores`);
}

/** Returns the fields that a transition may set besides the operation's own members. */
export function setElsewhere(contract: Contract, called: Operation): ReadonlySet<string> {
  const { resource, operation } = called;
  const set = transitionsOf(contract).flatMap(({ resource: of, trigger }) => {
    const isOther = trigger.on.kind !== "by" || trigger.on.operation === operation;
    return of === resource && isOther ? Object.keys(trigger.set ?? {}) : [];
  });
  return new Set([...setAtCreation(contract, called), ...set]);
}
