/** Changes of operations: their method and path, the members of their bodies, new ones; and of errors. */
import type { Json, JsonObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { fieldAt } from "../../language/versioning/conversions.ts";
import { type Change, type ChangeTarget, targetName } from "../../language/versioning/model.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import { anonymous } from "../caller.ts";
import { type Operation, needsRecord } from "../contract.ts";
import { transitionsBy } from "../effects.ts";
import { isByOperation, isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { supplyFor } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { validValue } from "../values/valid.ts";
import { provoke } from "./provoke.ts";
import { olderRecord, type Pair, pairOf } from "./readings.ts";
import { olderField, olderName, type Step } from "./steps.ts";
import { about, expectAccepted } from "./writings.ts";

type Of<Kind extends Change["kind"]> = Extract<Change, { readonly kind: Kind }>;

/** In the older version an operation has its old method and path, in the newer one its new ones, and neither has those of the other. */
export function pathCase(step: Step, { method, operation, path: template }: Of<"path">, path: string): Case {
  return {
    id: `${path}: both paths`,
    aspects: [{ path, expects: `${operation} is ${method} ${template} in version ${step.older}, and only there` }],
    operation,
    run: async (trial) => {
      const pair = pairOf(trial, step);
      const { newer, older } = pair;
      const now = newer.operation(operation);
      const then = older.operation(olderName(step, operation));
      const record = needsRecord(now) ? await recordFor(newer, now) : undefined;
      const inOlder = record === undefined ? {} : { record: olderRecord(pair, record) };
      const inNewer = record === undefined ? {} : { record };
      if (!isElsewhere(newer, then))
        await expectNowhere(newer, await older.build(then.operation, { ...inOlder, version: step.newer }));
      if (!isElsewhere(older, now))
        await expectNowhere(older, await newer.build(now.operation, { ...inNewer, version: step.older }));
      await expectThere(older, await older.call(then.operation, inOlder));
    },
  };
}

/** Makes a record on which the operation can succeed. */
function recordFor(trial: Trial, called: Operation): Promise<KnownRecord> {
  const state = transitionsBy(trial.contract, called.operation).find(({ resource }) => resource === called.resource)
    ?.from[0];
  return trial.make(called.resource as string, state === undefined ? {} : { state });
}

/** Whether a version has an operation with the method and path of an operation of another version. */
function isElsewhere({ contract }: Trial, { endpoint: { method, path } }: Operation): boolean {
  const shape = (template: string): string => template.replaceAll(/\{[^}]*\}/g, "{}");
  const isLike = (one: string, other: string): boolean => {
    const [a, b] = [shape(one).split("/"), shape(other).split("/")];
    return (
      a.length === b.length &&
      a.every((part, index) => part === b[index] || part.includes("{}") || b[index]?.includes("{}") === true)
    );
  };
  return [...contract.operations.values()].some(
    ({ endpoint }) => endpoint.method === method && isLike(endpoint.path, path),
  );
}

async function expectNowhere(trial: Trial, { caller, request }: Awaited<ReturnType<Trial["build"]>>): Promise<void> {
  const interaction = await trial.send(request, caller);
  const response = trial.responseOf(interaction);
  if (response.status === 404 || response.status === 405 || response.status === 501) return;
  const got = statusText(trial.contract, response);
  if (response.status === 429 || response.status >= 500) throw new NotTried(`the service answered ${got}`);
  const path = new URL(request.url).pathname;
  throw new Broken(`no operation at ${request.method} ${path} in version ${trial.contract.version}`, got, interaction);
}

async function expectThere(trial: Trial, interaction: Interaction): Promise<void> {
  const { contract } = trial;
  const response = trial.responseOf(interaction);
  const { operation = "" } = interaction;
  if (isByOperation(contract, response, operation)) return;
  const got = statusText(contract, response);
  const isMissing = ["not-found", "method-not-allowed", "not-implemented"].some((code) =>
    isError(contract, response, code, operation),
  );
  if (!isMissing) throw new NotTried(`${operation} answered ${got}`);
  throw new Broken(`a response of ${operation} in version ${contract.version}`, got, interaction);
}

/** An operation, or a resource with its operations, that is new is not in the older version. */
export function additionCase(step: Step, { of }: ChangeTarget, path: string): Case {
  return {
    id: `${path}: not before`,
    aspects: [{ path, expects: `version ${step.older} does not have ${of}` }],
    run: async (trial) => {
      const { newer, older } = pairOf(trial, step);
      const added = [...newer.contract.operations.values()].filter(
        ({ operation, resource }) => (operation === of || resource === of) && !older.contract.operations.has(operation),
      );
      const called = added.find((one) => !isElsewhere(older, one));
      if (called === undefined) throw new NotTried(`no method and path of ${of} is new`);
      await expectNowhere(older, await newer.build(called.operation, { version: step.older }));
    },
  };
}

/** Requests with the names that the older version has succeed there. */
export function operationMemberCase(
  step: Step,
  target: Required<ChangeTarget>,
  path: string,
  isRemoved: boolean,
): Case {
  const { of: operation } = target;
  return {
    id: `${path}: older request`,
    aspects: [
      { path, expects: `${operation} takes and gives what version ${step.older} describes (${targetName(target)})` },
    ],
    operation,
    run: async (trial) => {
      const { older }: Pair = pairOf(trial, step);
      const name = isRemoved ? target.field : olderField(step, target);
      const called = older.operation(olderName(step, operation));
      const subject = { path, names: [...new Set([target.field, ...(name === undefined ? [] : [name])])] };
      await about(subject, async () => {
        const record = needsRecord(called) ? await recordFor(older, called) : undefined;
        const interaction = await callWith(older, called, record, name);
        expectAccepted(older, interaction, subject);
      });
    },
  };
}

/** Calls an operation with a certain member in its body, if it takes one of this name. */
async function callWith(
  trial: Trial,
  called: Operation,
  record: KnownRecord | undefined,
  name: string | undefined,
): Promise<Interaction> {
  const { operation } = called;
  const caller = await trial.callerFor(operation, record);
  const known = { caller, ...(record === undefined ? {} : { record }) };
  const field = name === undefined ? undefined : fieldAt(trial.contract.model, { of: operation, field: name });
  const isInput = name !== undefined && lookup(called.endpoint.takes ?? {}, name) !== undefined;
  if (field === undefined || !isInput) return trial.call(operation, known);
  const value: Json | undefined = validValue(trial.contract, field.type, supplyFor(trial, anonymous), "all");
  const guard = transitionsBy(trial.contract, operation).find((one) => trial.contract.typed.has(`${one.path}/if`));
  const input =
    guard === undefined
      ? await trial.inputFor(operation, caller, record, value === undefined ? {} : { [name]: value })
      : await trial.inputWhere(operation, caller, record, `${guard.path}/if`, true);
  const { body = {}, query } = input ?? { query: {} };
  const complete: JsonObject =
    lookup(body, name) === undefined && value !== undefined ? { ...body, [name]: value } : body;
  return trial.call(operation, { ...known, body: complete, query });
}

/** An error has its old status and code in the older version. */
export function errorCase(step: Step, { code, status, was }: Of<"error">, path: string): Case {
  return {
    id: `${path}: older error`,
    aspects: [{ path, expects: `${code} is ${status} ${was} in version ${step.older}` }],
    run: async (trial) => {
      const { older } = pairOf(trial, step);
      try {
        expectError(older, await provoke(older, was), { code: was, status });
      } catch (thrown) {
        // The statements about errors are those of the newest version.
        const isAboutCode = thrown instanceof Broken && /^errors\/(?:standard|errors)\b/.test(thrown.path ?? path);
        throw isAboutCode ? new Broken(`${status} ${was}`, thrown.got, thrown.interaction, path) : thrown;
      }
    },
  };
}
