/** Standard errors that most operations can get: of missing records, other media types, and bodies that are no objects. */
import { withArticle } from "../../base/case.ts";
import { batchOf } from "../../language/endpoints/shape.ts";
import type { Json } from "../../base/json.ts";
import { revealingOperations } from "../../language/authentication/visible.ts";
import { type PathKey, partsOf } from "../../language/endpoints/model.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import { type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayEverRun, mayRun } from "../permissions.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { expectError } from "../expect.ts";
import { newNames } from "../trial/records.ts";
import { supplyFor } from "../trial/inputs.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { validValue } from "../values/valid.ts";
import { isStated } from "./expected.ts";

export function standardCases(contract: Contract): readonly Case[] {
  const operations = [...contract.operations.values()].filter(
    (one) => one.kind === "resource" && one.endpoint.wire === undefined,
  );
  return operations.flatMap((called) => [
    ...isMissing(contract, called),
    ...isUnacceptable(contract, called),
    ...isUnsupported(contract, called),
    ...isNoObject(contract, called),
  ]);
}

function pathOf({ places }: Contract, { operation }: Operation, code: string): string {
  const own = `endpoints/endpoints/${operation}/status/${code}`;
  return places.has(own) ? own : "errors/standard";
}

/** Greater than any number that a service has counted to in a test. */
const firstUnused = 987_654_321;

/** An id that no record has. */
function isMissing(contract: Contract, called: Operation): readonly Case[] {
  const { endpoint, key, operation, resource = "" } = called;
  const code = "not-found";
  const creates = endpoint.method === "PUT" && called.action === "replace";
  if (!isStated(contract, code) || key === undefined || !needsRecord(called) || creates) return [];
  const path = pathOf(contract, called, code);
  return [
    {
      id: `errors/standard: ${operation} of no record`,
      aspects: [{ path, expects: `${operation} of ${withArticle(resource)} that does not exist is ${code}` }],
      operation,
      run: async (trial) => {
        const caller = await knowingCaller(trial, called);
        const type = lookup(fieldsOf(contract.model, resource), key.column)?.type;
        const valid = type && validValue(contract, type, supplyFor(trial, caller), "all");
        const id = typeof valid === "number" ? firstUnused : valid;
        const path = id === undefined ? {} : newNames(trial, resource, key, id);
        if (id === undefined || isNamed(trial, resource, key, path))
          throw new NotTried(`the test finds no \`${key.column}\` that no ${resource} has`);
        // The path may name a record above it, which exists.
        const record = called.parents.length === 0 ? null : await trial.make(resource);
        const interaction = await trial.call(operation, {
          ...{ caller, record, path },
          ...(endpoint.method === "GET" || membersOf(contract, called).length === 0
            ? {}
            : await trial.inputFor(operation, caller)),
        });
        expectError(trial, interaction, { code });
      },
    },
  ];
}

/** Whether the test knows a record that the parameters name. */
function isNamed({ world }: Trial, resource: string, key: PathKey, path: Readonly<Record<string, Json>>): boolean {
  return world.records.some(
    (one) =>
      one.resource === resource &&
      partsOf(key).every(({ column, parameter }) => one.values.get(column) === path[parameter]),
  );
}

/** Returns a caller who gets the error of a missing record: with `unseen: 403` only one who sees all records does. */
async function knowingCaller(trial: Trial, called: Operation): Promise<Caller> {
  const { contract } = trial;
  const { allow, unseen } = contract.model.authentication;
  const callers = (await trial.callers()).filter((one) => mayEverRun(contract, called.operation, one));
  const readsAll = (caller: Caller): boolean =>
    revealingOperations(contract.model, called.resource as string).some(
      ({ operation }) =>
        (lookup(allow, operation) ?? []).some((grant) => grant.if === undefined) &&
        mayRun(contract, operation, caller, trial.around()) === true,
    );
  const found = unseen === 403 ? callers.find(readsAll) : callers[0];
  if (found === undefined) throw new NotTried(`no caller of the test may know that there is no ${called.resource}`);
  return found;
}

/** A media type that no service of records returns. */
const otherType = "image/x-no-such-type";

function isUnacceptable(contract: Contract, called: Operation): readonly Case[] {
  const { operation, endpoint } = called;
  const code = "not-acceptable";
  const isJson = endpoint.method === "GET" && ["read", "list"].includes(called.action) && !("file" in called);
  if (!isStated(contract, code) || !isJson || contract.model.versioning.sent?.kind === "media-type") return [];
  return [
    {
      id: `errors/standard: ${operation} as an image`,
      aspects: [{ path: pathOf(contract, called, code), expects: `a request for an image is ${code}` }],
      operation,
      run: async (trial) => {
        const interaction = await trial.call(operation, { headers: { Accept: otherType } });
        if (trial.responseOf(interaction).status < 300)
          throw new NotTried("the service ignores Accept, as RFC 9110 allows (12.5.1)");
        expectError(trial, interaction, { code });
      },
    },
  ];
}

function acceptsJson(contract: Contract, called: Operation): boolean {
  const isFile = called.kind === "resource" && called.file !== undefined;
  return called.endpoint.method !== "GET" && !isFile && membersOf(contract, called).some(({ required }) => required);
}

function isUnsupported(contract: Contract, called: Operation): readonly Case[] {
  const { operation } = called;
  const code = "unsupported-media";
  if (!isStated(contract, code) || !acceptsJson(contract, called)) return [];
  return [
    {
      id: `errors/standard: text for ${operation}`,
      aspects: [{ path: pathOf(contract, called, code), expects: `a body of text/plain is ${code}` }],
      operation,
      run: async (trial) => {
        const rawBody = { type: "text/plain", bytes: "no object" };
        expectError(trial, await trial.call(operation, { rawBody }), { code });
      },
    },
  ];
}

/** Bodies that are no JSON, and JSON that is no object. */
const noObjects: readonly string[] = ['{ "a": 1', "{ a: 1 }", "null", "[]", '"text"', "1"];

function isNoObject(contract: Contract, called: Operation): readonly Case[] {
  const { operation } = called;
  const code = "invalid-request";
  if (!isStated(contract, code) || !acceptsJson(contract, called)) return [];
  const isNamed = contract.model.errors.standard === "all";
  const batch = called.kind === "resource" ? batchOf(contract.model, called) : undefined;
  // An operation for many records takes an array.
  const sent = noObjects.filter((bytes) => bytes !== "[]" || batch === undefined || batch.member !== undefined);
  return [
    {
      id: `errors/standard: no object for ${operation}`,
      aspects: [{ path: pathOf(contract, called, code), expects: `a body that is no object of JSON is ${code}` }],
      operation,
      run: async (trial) => {
        for (const bytes of sent) {
          trial.startOver();
          const rawBody = { type: "application/json", bytes };
          const interaction = await trial.call(operation, { rawBody, isInvalid: true });
          // The table of standard errors has 400 for an unreadable request, and a service may hold a text for unreadable.
          const isUnreadable = !isJson(bytes) || trial.responseOf(interaction).status === 400;
          // A document may mean only bodies that it can read by the status that it writes for the code.
          if (isNamed || trial.responseOf(interaction).status !== 400)
            expectError(trial, interaction, { code, status: isUnreadable ? 400 : 422 });
        }
      },
    },
  ];
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
