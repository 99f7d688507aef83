/** Entity tags: what an edit requires, that a stale one is rejected, and that tags follow the record. */
import { type Aspect, Broken, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { expectError, expectSuccess } from "../expect.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { subjectFor, tagOf } from "../trial/calls.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readersOf } from "../trial/looking.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { creates } from "../../language/endpoints/input.ts";
import { styleOf } from "../../language/endpoints/resolve.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { fieldVisibility } from "../permissions.ts";
import { operationCase, plainOperations, withStyle } from "./subjects.ts";

const path = "endpoints/edits";

export function editCases(contract: Contract): readonly Case[] {
  const operations = plainOperations(contract).filter(
    (one) =>
      one.kind === "resource" &&
      ["update", "replace", "delete"].includes(one.action) &&
      one.file === undefined &&
      one.endpoint.the === undefined,
  );
  const { edits } = contract.model.endpoints;
  return [
    ...operations.flatMap((called) => withStyle(contract, called, "edits", editsOf(contract, called))),
    ...(edits === undefined || edits === "none" || !contract.places.has(path) ? [] : readTags(contract)),
  ];
}

function editsOf(contract: Contract, called: Operation): readonly Case[] {
  const edits = styleOf(contract.model.endpoints, called.endpoint, "edits");
  if (edits === "none") return [needsNoTag(called)];
  return [
    edits === "required" ? needsTag(called) : needsNoTag(called),
    comparesTag(called),
    ...(called.action === "delete" ? [] : [rejectsStale(called), races(contract, called), ...preservesTag(called)]),
  ];
}

function about(expects: string): readonly [Aspect] {
  return [{ path, expects }];
}

/** An edit without `If-Match` is rejected, and changes nothing. */
function needsTag(called: Operation): Case {
  const { operation } = called;
  return operationCase(called, "no If-Match", about(`${operation} without If-Match is rejected`), async (trial) => {
    const { record, caller } = await subjectFor(trial, called);
    const input = await trial.inputFor(operation, caller, record);
    const interaction = await trial.call(operation, { caller, record, ...input, withoutTag: true });
    expectError(trial, interaction, { code: "precondition-needed" });
  });
}

/** A wrong tag is rejected, and the current one is accepted. */
function comparesTag(called: Operation): Case {
  const { operation } = called;
  const aspects = about(`${operation} rejects a tag that is not the current one, and accepts the current one`);
  return operationCase(called, "If-Match", aspects, async (trial) => {
    const { record, caller } = await subjectFor(trial, called);
    const tag = await currentTag(trial, record, caller);
    const input = await trial.inputFor(operation, caller, record);
    const wrong = await trial.call(operation, { caller, record, ...input, headers: { "If-Match": '"wrong"' } });
    expectError(trial, wrong, { code: "stale" });
    const right = await trial.call(operation, { caller, record, ...input, headers: { "If-Match": tag } });
    expectNotStale(trial, right);
  });
}

function expectNotStale(trial: Trial, interaction: Interaction): void {
  const response = trial.responseOf(interaction);
  if (response.status === 412 || response.status === 428)
    throw new Broken("no error about If-Match", statusText(trial.contract, response), interaction);
}

/** A tag that was current before a change is rejected after it. */
function rejectsStale(called: Operation): Case {
  const { operation } = called;
  const aspects = about(`${operation} rejects the tag from before a change, and the change has another tag`);
  return operationCase(called, "stale If-Match", aspects, async (trial) => {
    const { record, caller } = await subjectFor(trial, called);
    const tag = await currentTag(trial, record, caller);
    const body = await changingBody(trial, called, record, caller);
    const first = await trial.call(operation, { caller, record, body, headers: { "If-Match": tag } });
    expectSuccess(trial, first);
    const next = await currentTag(trial, record, caller);
    if (next === tag) throw new Broken("another entity tag after a change", tag, trial.interactions.at(-1));
    const second = await trial.call(operation, { caller, record, body, headers: { "If-Match": tag } });
    expectError(trial, second, { code: "stale" });
  });
}

/** How many edits race. */
const racers = 5;

/** Of concurrent edits with one tag, one succeeds. */
function races(contract: Contract, called: Operation): Case {
  const { operation } = called;
  const aspects = about(`of ${racers} concurrent requests with one tag, one succeeds`);
  return operationCase(called, "race", aspects, async (trial) => {
    const { record, caller } = await subjectFor(trial, called);
    const tag = await currentTag(trial, record, caller);
    const bodies: JsonObject[] = [];
    while (bodies.length < racers) bodies.push(await changingBody(trial, called, record, caller));
    const all = await Promise.all(
      bodies.map((body) =>
        trial.call(operation, { caller, record, body, headers: { "If-Match": tag }, expectsLimit: true }),
      ),
    );
    const successes = all.filter(({ response }) => isResponse(response) && response.status < 300);
    // Equal changes change nothing the second time, so they may all succeed.
    if (successes.length === 1 || new Set(bodies.map((body) => JSON.stringify(body))).size < racers) return;
    const got = all.map((one) => statusText(contract, trial.responseOf(one))).join(", ");
    if (successes.length === 0 && got.includes("429")) throw new NotTried("a rate limit of the document is used up");
    throw new Broken("one success", `${successes.length}: ${got}`, successes.at(-1) ?? all.at(-1));
  });
}

/** A change that changes nothing leaves the tag. */
function preservesTag(called: Operation): readonly Case[] {
  const { operation, endpoint } = called;
  if (called.action !== "update" || endpoint.takes !== undefined) return [];
  return [
    operationCase(
      called,
      "the same tag",
      about(`a ${endpoint.method} that changes nothing does not change the tag`),
      async (trial) => {
        const { record, caller } = await subjectFor(trial, called);
        const body = await changingBody(trial, called, record, caller);
        // Whether a field that the caller does not see is the same must not show.
        const isVisible = (name: string): boolean =>
          fieldVisibility(trial.contract, record.resource, name, caller, trial.around(record)) === true;
        if (!Object.keys(body).every(isVisible)) throw new NotTried("the body has fields that no response shows");
        expectSuccess(trial, await trial.call(operation, { caller, record, body }));
        // The response of an edit may show another part of the record, with a tag of its own.
        trial.world.tags.delete(record);
        const tag = await currentTag(trial, record, caller);
        expectSuccess(trial, await trial.call(operation, { caller, record, body }));
        trial.world.tags.delete(record);
        const next = await currentTag(trial, record, caller);
        if (next !== tag) throw new Broken(`the entity tag ${tag}`, next, trial.interactions.at(-1));
      },
    ),
  ];
}

/** Returns a valid body with a member that is not as the record has it. */
async function changingBody(trial: Trial, called: Operation, record: KnownRecord, caller: Caller): Promise<JsonObject> {
  await trial.look(record);
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const { body = {} } = await trial.inputFor(called.operation, caller, record);
    const isChange = membersOf(trial.contract, called).some(({ name, sets }) => {
      const [sent, old]: (Json | undefined)[] = [lookup(body, name), record.values.get(name)];
      return sets && sent !== undefined && old !== undefined && JSON.stringify(sent) !== JSON.stringify(old);
    });
    if (isChange) return body;
  }
  throw new NotTried(`the test finds no change for ${called.operation}`);
}

const mostAttempts = 20;

/** If the document does not require `If-Match`, an edit without it is accepted. */
function needsNoTag(called: Operation): Case {
  const { operation } = called;
  return operationCase(called, "no If-Match", about(`${operation} needs no If-Match`), async (trial) => {
    const { record, caller } = await subjectFor(trial, called);
    const input = await trial.inputFor(operation, caller, record);
    expectNotStale(trial, await trial.call(operation, { caller, record, ...input, withoutTag: true }));
  });
}

// ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reading a record with its current tag gets 304. */
function readTags(contract: Contract): readonly Case[] {
  const edited = new Set(
    plainOperations(contract).flatMap((one) => (isEdit(contract, one) ? (one.resource ?? []) : [])),
  );
  const readers = plainOperations(contract).filter(
    (one) => one.action === "read" && one.kind === "resource" && one.file === undefined && edited.has(one.resource),
  );
  return readers.map((called) =>
    operationCase(
      called,
      "If-None-Match",
      about(`${called.operation} with the current tag gets 304, with another one the record`),
      async (trial) => {
        const { record, caller } = await subjectFor(trial, called);
        const first = await trial.call(called.operation, { caller, record });
        const tag = expectSuccess(trial, first).headers["etag"];
        if (tag === undefined) throw new Broken("ETag in the response", "no such header", first);
        const same = await trial.call(called.operation, { caller, record, headers: { "If-None-Match": tag } });
        const { status } = trial.responseOf(same);
        if (status !== 304) throw new Broken("304 for the current tag", String(status), same);
        const other = await trial.call(called.operation, { caller, record, headers: { "If-None-Match": '"wrong"' } });
        expectSuccess(trial, other);
        if (trial.responseOf(other).status === 304) throw new Broken("the record for another tag", "304", other);
      },
    ),
  );
}

function isEdit({ model }: Contract, called: Operation): boolean {
  if (called.kind !== "resource") return false;
  return ["update", "replace", "delete"].includes(called.action) && !creates(model, called);
}

/** Returns the current entity tag. @throws Broken if no response of the record has one */
async function currentTag(trial: Trial, record: KnownRecord, caller: Caller): Promise<string> {
  const tag = await tagOf(trial, record, caller);
  if (tag !== "*") return tag;
  const reader = readersOf(trial, record.resource).find(({ action }) => action === "read");
  const last = trial.interactions.findLast((one) => one.operation === reader?.operation);
  const isRead = last !== undefined && isResponse(last.response) && last.response.status === 200;
  if (isRead) throw new Broken("ETag in the response", "no such header", last);
  throw new NotTried(`${caller.name} cannot read the ${record.resource}`);
}
