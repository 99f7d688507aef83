/** Idempotency keys: a repeated request gets the first response again, and has one effect. */
import { type Endpoint, sessionActions } from "../../language/endpoints/model.ts";
import { type Aspect, Broken, type Case, NotTried } from "../case.ts";
import { type Contract, type Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { expectError, neededSuccess } from "../expect.ts";
import { type Interaction, isResponse, type Response } from "../interaction.ts";
import { shortText } from "../response.ts";
import { type CallOptions, requestFor } from "../trial/calls.ts";
import { clockMilliseconds } from "../effects.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { callersOf, operationCase, plainOperations, validOptions } from "./subjects.ts";

const path = "endpoints/repeats";

export function idempotencyCases(contract: Contract): readonly Case[] {
  const { repeats } = contract.model.endpoints;
  if (repeats === undefined || !contract.places.has(path)) return [];
  const writes = plainOperations(contract).filter(
    ({ action, endpoint, ...one }) =>
      endpoint.method !== "GET" &&
      !sessionActions.has(action) &&
      !(one.kind === "resource" && one.file !== undefined) &&
      !hasTokens(contract, endpoint),
  );
  const creation = writes.find((one) => one.action === "create" && membersOf(contract, one).length > 0);
  if (repeats === "none") return creation === undefined ? [] : [hasNoKeys(creation)];
  const { header, on, required, kept } = repeats;
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

/** Sends a request whose response comes again, or not. @throws NotTried if it does not succeed */
async function sendFirst(trial: Trial, { operation }: Operation, options: CallOptions): Promise<Response> {
  return neededSuccess(trial, await trial.call(operation, options));
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
      const headers = { [header]: newKey(trial) };
      const first = await sendFirst(trial, called, { ...options, headers });
      const again = await trial.call(operation, { ...options, headers });
      expectSame(trial, first, again);
    },
    called.action === "clear" ? { exclusive: true } : {},
  );
}

function expectSame(trial: Trial, first: Response, again: Interaction): void {
  const second = trial.responseOf(again);
  if (first.status === second.status && first.text === second.text) return;
  const text = ({ json, status, text: body }: Response): string => `${status} ${shortText(json ?? body)}`;
  throw new Broken(`the first response, ${text(first)}`, text(second), again);
}

/** Another request with the same key is rejected. */
function rejectsOthers(called: Operation, header: string): Case {
  const { operation } = called;
  return operationCase(
    called,
    "key reused",
    about(`another request with the same ${header} is rejected`),
    async (trial) => {
      const headers = { [header]: newKey(trial) };
      const options = await validOptions(trial, called);
      await sendFirst(trial, called, { ...options, headers });
      const other = await otherOptions(trial, called, options);
      const interaction = await trial.call(operation, { ...other, headers });
      expectError(trial, interaction, { code: "idempotency-key-reused" });
    },
  );
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
  return operationCase(
    called,
    "key at once",
    about(`${racers} requests with one ${header} at once have one effect`),
    async (trial) => {
      const headers = { [header]: newKey(trial) };
      const options = await validOptions(trial, called);
      const all = await Promise.all(
        Array.from({ length: racers }, () => trial.call(operation, { ...options, headers, expectsLimit: true })),
      );
      const successes = all.flatMap(({ response }) =>
        isResponse(response) && response.status < 300 ? [response] : [],
      );
      const got = all.map((one) => statusText(contract, trial.responseOf(one))).join(", ");
      if (successes.length === 0) throw new NotTried(`${operation} answered ${got}`);
      const effects = new Set(successes.map(({ text }) => text)).size;
      if (effects > 1) throw new Broken("one effect", `${effects} different responses: ${got}`, all.at(-1));
    },
  );
}

/** The key of another caller is another key. */
function isOfCaller(called: Operation, header: string): Case {
  const { operation } = called;
  return operationCase(
    called,
    "key of another caller",
    about(`the same ${header} of another caller is another key`),
    async (trial) => {
      const [one, other] = (await callersOf(trial, called)).filter(({ signedIn }) => signedIn);
      if (one === undefined || other === undefined)
        throw new NotTried(`the test has no two callers who may run ${operation}`);
      const headers = { [header]: newKey(trial) };
      const first = await sendFirst(trial, called, { ...(await validOptions(trial, called, one)), headers });
      const second = await trial.call(operation, { ...(await validOptions(trial, called, other)), headers });
      const response = trial.responseOf(second);
      if (response.status < 300 && response.text !== first.text) return;
      const text = response.status < 300 ? "the response to the first caller" : statusText(trial.contract, response);
      throw new Broken("a response of its own for another caller", text, second);
    },
  );
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
      const headers = { [header]: newKey(trial) };
      const options = await validOptions(trial, called);
      const milliseconds = clockMilliseconds(kept);
      if (!(milliseconds > 0)) throw new NotTried(`the test does not know how long ${kept} is`);
      const early = Math.min(margin, milliseconds / 4);
      await trial.pass(0);
      const first = await sendFirst(trial, called, { ...options, headers });
      await trial.pass(milliseconds - early);
      const again = await trial.call(operation, { ...options, headers });
      if (trial.responseOf(again).status === 401) throw new NotTried("the credential of the caller has expired");
      expectSame(trial, first, again);
      await trial.pass(2 * early);
      const late = await trial.call(operation, { ...options, headers });
      if (trial.responseOf(late).text === first.text)
        throw new Broken(`another response after ${kept}`, "the first response", late);
    },
    {
      last: true,
    },
  );
}

/** Without idempotency keys, two requests with one are two requests. */
function hasNoKeys(called: Operation): Case {
  const { operation } = called;
  return operationCase(
    called,
    "no keys",
    about("requests with the same Idempotency-Key have an effect each"),
    async (trial) => {
      const headers = { "Idempotency-Key": newKey(trial) };
      const options = await validOptions(trial, called);
      const first = await sendFirst(trial, called, { ...options, headers });
      const other = await otherOptions(trial, called, options);
      const second = await trial.call(operation, { ...other, headers });
      const { status, text } = trial.responseOf(second);
      if (status < 300 && text !== first.text) return;
      const got = status < 300 ? "the response to the first one" : statusText(trial.contract, trial.responseOf(second));
      throw new Broken("another effect of another request", got, second);
    },
  );
}
