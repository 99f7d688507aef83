/** Idempotency keys: a repeated request gets the first response again, and has one effect. */
import { type Endpoint, sessionActions } from "../../language/endpoints/model.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../case.ts";
import { type Contract, type Operation } from "../contract.ts";
import { codeIn, statusText } from "../errors/expected.ts";
import { expectError, neededSuccess } from "../expect.ts";
import { type Interaction, isResponse, type Response } from "../interaction.ts";
import { recordIn } from "../response.ts";
import { type CallOptions, requestFor } from "../trial/calls.ts";
import { clockMilliseconds } from "../effects.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import { membersOf } from "../trial/learning.ts";
import { identifier } from "../trial/pages.ts";
import { makeRoom } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { callersOf, ifPossible, operationCase, plainOperations, validOptions, withStyle } from "./subjects.ts";

const path = "endpoints/repeats";

export function idempotencyCases(contract: Contract): readonly Case[] {
  const writes = plainOperations(contract).filter(
    ({ action, endpoint, ...one }) =>
      endpoint.method !== "GET" &&
      !sessionActions.has(action) &&
      !(one.kind === "resource" && one.file !== undefined) &&
      !hasTokens(contract, endpoint),
  );
  const local = writes.filter(({ endpoint }) => endpoint.repeats !== undefined);
  const general = writes.filter(({ endpoint }) => endpoint.repeats === undefined);
  const { repeats } = contract.model.endpoints;
  return [
    ...(contract.places.has(path) ? keyCases(contract, general, repeats) : []),
    ...local.flatMap((one) => withStyle(contract, one, "repeats", keyCases(contract, [one], one.endpoint.repeats))),
  ];
}

/** Returns the cases of operations with the same style. */
function keyCases(contract: Contract, writes: readonly Operation[], repeats: Endpoint["repeats"]): readonly Case[] {
  if (repeats === undefined) return [];
  const creation = writes.find((one) => one.action === "create" && membersOf(contract, one).length > 0);
  if (repeats === "none") return creation === undefined ? [] : [hasNoKeys(creation)];
  const { header, on, required, kept, echoed } = repeats;
  const covered = writes.filter(({ endpoint }) => on === "write" || endpoint.method === "POST");
  return [
    ...covered.map((called) => replays(called, header)),
    ...(required ? covered.slice(0, 1).map((called) => isRequired(called, header)) : []),
    ...(creation === undefined
      ? []
      : [
          rejectsOthers(creation, header),
          hasOneEffect(contract, creation, header),
          isOfCaller(creation, header),
          ...(kept === undefined ? [] : [lasts(creation, header, kept)]),
          ...(echoed === true ? [echoes(creation, header)] : []),
        ]),
  ];
}

function about(expects: string): readonly [Aspect] {
  return [{ path, expects }];
}

/** Whether a response contains tokens: no service should store these, so each response has others. */
function hasTokens({ model }: Contract, { gives }: Endpoint): boolean {
  const { views = {} } = model.resources;
  const text = JSON.stringify(gives ?? "");
  const named = Object.entries(views).filter(([view]) => text.includes(view));
  return /(?:oken|expiry)\(/.test(text + JSON.stringify(named));
}

function newKey(trial: Trial): string {
  return `test-${trial.world.count()}-${trial.random.text(12)}`;
}

interface First {
  readonly response: Response;
  /** The header with the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request with a new key. @throws NotTried if it does not succeed */
async function sendFirst(trial: Trial, { operation }: Operation, header: string, options: CallOptions): Promise<First> {
  const send = async (): Promise<First> => {
    const headers = { [header]: newKey(trial) };
    return { response: neededSuccess(trial, await trial.call(operation, { ...options, headers })), headers };
  };
  // If a quota rejects the first request, there is room for another one now.
  return (await ifPossible(send)) ?? send();
}

/** The same request with the same key gets the first response, byte for byte. */
function replays(called: Operation, header: string): Case {
  const { operation } = called;
  return operationCase(
    called,
    "replayed",
    about(`${operation} with the same ${header} gets the first response again`),
    async (trial) => {
      const options = await validOptions(trial, called);
      const { response, headers } = await sendFirst(trial, called, header, options);
      expectSame(trial, response, await trial.call(operation, { ...options, headers }));
    },
    called.action === "clear" ? { exclusive: true } : {},
  );
}

/** Responses have the key of their request. */
function echoes(called: Operation, header: string): Case {
  return operationCase(called, "key echoed", about(`responses have the ${header} of their request`), async (trial) => {
    const headers = { [header]: newKey(trial) };
    const interaction = await trial.call(called.operation, { ...(await validOptions(trial, called)), headers });
    const { headers: got } = neededSuccess(trial, interaction);
    const key = got[header.toLowerCase()];
    if (key !== headers[header])
      throw new Broken(`${header}: ${headers[header]}`, key === undefined ? "no such header field" : key, interaction);
  });
}

function expectSame(trial: Trial, first: Response, again: Interaction): void {
  const second = trial.responseOf(again);
  if (first.status === second.status && first.text === second.text) return;
  const text = ({ json, status, text: body }: Response): string => `${status} ${shortText(json ?? body)}`;
  throw new Broken(`the first response, ${text(first)}`, text(second), again);
}

/** Expects a response that is not the first one again. */
function expectAnother(trial: Trial, called: Operation, first: Response, second: Interaction, expected: string): void {
  const { contract } = trial;
  const observed = recordIn(contract, called, first.json);
  if (identifier(contract, called.resource as string, observed) === undefined)
    throw new NotTried("the response does not show which record it is about");
  const response = trial.responseOf(second);
  const isReused = codeIn(contract, response) === "idempotency-key-reused";
  if (response.text !== first.text && !isReused) return;
  throw new Broken(expected, isReused ? statusText(contract, response) : "the first response", second);
}

/** Another request with the same key is rejected. */
function rejectsOthers(called: Operation, header: string): Case {
  const { operation } = called;
  const aspects = about(`another request with the same ${header} is rejected`);
  return operationCase(called, "key reused", aspects, async (trial) => {
    const options = await validOptions(trial, called);
    const { headers } = await sendFirst(trial, called, header, options);
    const other = await otherOptions(trial, called, options);
    const interaction = await trial.call(operation, { ...other, headers });
    expectError(trial, interaction, { code: "idempotency-key-reused" });
  });
}

/** Returns the same request with another body. */
async function otherOptions(trial: Trial, called: Operation, options: CallOptions): Promise<CallOptions> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const other = await validOptions(trial, called, options.caller);
    if (JSON.stringify(other.body) !== JSON.stringify(options.body)) return other;
  }
  throw new NotTried(`the test finds no other valid body for ${called.operation}`);
}

const mostAttempts = 20;

/** How many equal requests are sent at once. */
const racers = 5;

/** Of equal requests at once, one has an effect. */
function hasOneEffect(contract: Contract, called: Operation, header: string): Case {
  const { operation } = called;
  const aspects = about(`${racers} requests with one ${header} at once have one effect`);
  return operationCase(called, "key at once", aspects, async (trial) => {
    const headers = { [header]: newKey(trial) };
    const options = await validOptions(trial, called);
    const race = (): Promise<readonly Interaction[]> =>
      Promise.all(
        Array.from({ length: racers }, () => trial.call(operation, { ...options, headers, expectsLimit: true })),
      );
    const isSuccess = ({ response }: Interaction): boolean => isResponse(response) && response.status < 300;
    let all = await race();
    if (!all.some(isSuccess) && (await makeRoom(trial, called.resource as string, options.caller)).length > 0)
      all = await race();
    const successes = all.filter(isSuccess);
    const got = all.map((one) => statusText(contract, trial.responseOf(one))).join(", ");
    if (successes.length === 0) throw new NotTried(`${operation} answered ${got}`);
    const effects = new Set(successes.map((one) => trial.responseOf(one).text)).size;
    if (effects > 1) throw new Broken("one effect", `${effects} different responses: ${got}`, all.at(-1));
  });
}

/** The key of another caller is another key. */
function isOfCaller(called: Operation, header: string): Case {
  const { operation } = called;
  const aspects = about(`the same ${header} of another caller is another key`);
  return operationCase(called, "key of another caller", aspects, async (trial) => {
    const [one, other] = (await callersOf(trial, called)).filter(({ signedIn }) => signedIn);
    if (one === undefined || other === undefined)
      throw new NotTried(`the test has no two callers who may run ${operation}`);
    const { response, headers } = await sendFirst(trial, called, header, await validOptions(trial, called, one));
    const second = await trial.call(operation, { ...(await validOptions(trial, called, other)), headers });
    expectAnother(trial, called, response, second, "another response for another caller");
    neededSuccess(trial, second);
  });
}

function isRequired(called: Operation, header: string): Case {
  const { operation } = called;
  return operationCase(called, "no key", about(`a request without ${header} is rejected`), async (trial) => {
    const { request, caller } = await requestFor(trial, called, await validOptions(trial, called));
    const { [header]: _, ...headers } = request.headers;
    const interaction = await sendAfterLimits(trial, { ...request, headers }, caller, { operation });
    expectError(trial, interaction, { code: "invalid-request", status: 400 });
  });
}

/** How long before and after the end of a key the test looks, in milliseconds. */
const margin = 60_000;

/** A key is valid for the declared time, and not longer. */
function lasts(called: Operation, header: string, kept: string): Case {
  const { operation } = called;
  return operationCase(
    called,
    `key for ${kept}`,
    about(`a key is known for ${kept}, and not longer`),
    async (trial) => {
      const options = await validOptions(trial, called);
      const milliseconds = clockMilliseconds(kept);
      if (!(milliseconds > 0)) throw new NotTried(`the test does not know how long ${kept} is`);
      const early = Math.min(margin, milliseconds / 4);
      await trial.pass(0);
      const { response, headers } = await sendFirst(trial, called, header, options);
      await trial.pass(milliseconds - early);
      const again = await trial.call(operation, { ...options, headers });
      if (trial.responseOf(again).status === 401) throw new NotTried("the credential of the caller has expired");
      expectSame(trial, response, again);
      await trial.pass(2 * early);
      const late = await trial.call(operation, { ...options, headers });
      expectAnother(trial, called, response, late, `another response after ${kept}`);
    },
    { last: true },
  );
}

/** Without idempotency keys, two requests with one are two requests. */
function hasNoKeys(called: Operation): Case {
  const { operation } = called;
  const aspects = about("requests with the same Idempotency-Key have an effect each");
  return operationCase(called, "no keys", aspects, async (trial) => {
    const options = await validOptions(trial, called);
    const { response, headers } = await sendFirst(trial, called, "Idempotency-Key", options);
    const other = await otherOptions(trial, called, options);
    const second = await trial.call(operation, { ...other, headers });
    expectAnother(trial, called, response, second, "another effect of another request");
    neededSuccess(trial, second);
  });
}
