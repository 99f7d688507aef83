/** Methods and paths of operations: the address of all of them, unknown paths, and records below their parents. */
import { withArticle } from "../../base/case.ts";
import { firstResult } from "../attempts.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { isError, isFurtherError, isRejectedByGuard, isStated, statusOf, statusText } from "../errors/expected.ts";
import { observedValues } from "../trial/looking.ts";
import { operationsAddress, versionSelector } from "../request.ts";
import { type PathParent, partsOf } from "../../language/endpoints/model.ts";
import { creates } from "../../language/endpoints/input.ts";
import { determinesUnique } from "../distinguishing.ts";
import { referenceOf } from "../../language/resources/fields.ts";
import { membersOf } from "../trial/learning.ts";
import { subjectFor } from "../trial/calls.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import { itemOf, pagesOf } from "../trial/pages.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import { creatorFor, sendCreation } from "../trial/records.ts";
import { recordsOf } from "../trial/world.ts";
import type { Trial } from "../trial/trial.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import type { Interaction } from "../interaction.ts";
import { aspectsOf, callersOf, expectMissing, operationCase, pathOf, plainOperations } from "./subjects.ts";

export function pathCases(contract: Contract): readonly Case[] {
  const operations = plainOperations(contract);
  return [
    ...operations.map((called) => succeeds(contract, called)),
    ...hasBase(contract, operations),
    ...hidesUnknownPaths(contract),
    ...operations.flatMap((called) => isBelowParent(contract, called)),
  ];
}

function succeeds(contract: Contract, called: Operation): Case {
  const { operation, endpoint } = called;
  const aspects = aspectsOf(
    contract,
    called,
    ["at", "of", "does", "status", "takes", "gives", "query"],
    "a valid request succeeds",
  );
  return operationCase(
    called,
    "succeeds",
    aspects,
    async (trial) => {
      // A record to be replaced may have to be made by the operation itself.
      const isUpsert = called.kind === "resource" && creates(contract.model, called);
      const interaction = isUpsert ? await creation(trial, called) : await trial.call(operation);
      const response = trial.responseOf(interaction);
      if (response.status < 300) return;
      // Other cases are about guards, and the test may have no record on which they are true.
      if (isRejectedByGuard(contract, response, called) || isFurtherError(contract, response, called))
        throw new NotTried(`the guard of ${operation} is false`);
      if (
        isError(contract, response, "already-exists", operation) &&
        (isUpsert || hasUniqueReference(contract, called))
      )
        throw new NotTried("the test has no other values of which there may be one alone");
      throw new Broken(
        `success of ${endpoint.method} ${endpoint.path}`,
        `${statusText(contract, response)} ${response.text.slice(0, 300)}`,
        interaction,
        pathOf(called),
      );
    },
    {
      // What it deletes, no other case may need.
      ...(called.action === "clear" ? { exclusive: true } : {}),
    },
  );
}

async function creation(trial: Trial, called: ResourceEndpoint): Promise<Interaction> {
  const caller = (await creatorFor(trial, called, {})) ?? (await trial.callerFor(called.operation));
  return (await sendCreation(trial, called, caller, { isValid: true })).interaction;
}

/** Whether the operation takes a reference to a record to which no other one may refer. */
function hasUniqueReference(contract: Contract, called: Operation): boolean {
  const { resource = "" } = called;
  return membersOf(contract, called).some(
    ({ name, field }) =>
      referenceOf(contract.model, field.type) !== undefined && determinesUnique(contract, resource, name),
  );
}

/** How many operations have to be missing before their common address is wrong. */
const mostMissing = 3;

/** The operations are below the address and the path of `base`. */
function hasBase({ places, model }: Contract, operations: readonly Operation[]): readonly Case[] {
  const simple = operations.filter((one) => !needsRecord(one) && one.parents.length === 0 && one.action !== "clear");
  const ordered = simple.toSorted((one, other) => Number(isRead(other)) - Number(isRead(one)));
  if (!places.has("endpoints/base") || ordered.length === 0) return [];
  return [
    {
      id: "endpoints/base: is there",
      aspects: [{ path: "endpoints/base", expects: `operations are at ${model.endpoints.base ?? "{base_url}"}` }],
      run: async (trial) => {
        for (const { operation } of ordered.slice(0, mostMissing)) {
          if (trial.responseOf(await trial.call(operation)).status !== 404) return;
        }
        throw new Broken("an operation at this address", "404 for each operation", trial.interactions.at(-1));
      },
    },
  ];
}

function isRead({ endpoint }: Operation): boolean {
  return endpoint.method === "GET";
}

/** A path that no operation has is not found. */
function hidesUnknownPaths(contract: Contract): readonly Case[] {
  const isNamed = isStated(contract, "not-found") && contract.places.has("errors/standard");
  const path = isNamed ? "errors/standard" : "endpoints/base";
  const missing = statusOf(contract, "not-found") ?? 404;
  const depth = Math.max(0, ...[...contract.operations.values()].map(({ segments }) => segments.length)) + 1;
  if (!contract.places.has(path)) return [];
  return [
    {
      id: "endpoints: unknown path",
      aspects: [{ path, expects: `a path that no operation has is ${missing}` }],
      run: async (trial) => {
        const segments = Array.from({ length: depth }, () => `no-${trial.random.text(8)}`);
        const selector = versionSelector(contract, contract.version);
        const url = `${operationsAddress(contract, trial.world.target.address)}${selector.path}/${segments.join("/")}`;
        const query = new URLSearchParams(selector.query).toString();
        const caller = (await trial.callers())[0] ?? anonymous;
        const request = { method: "GET", url: query === "" ? url : `${url}?${query}`, headers: selector.headers };
        const interaction = await sendAfterLimits(trial, caller.authorize(request), caller);
        const { status, json } = trial.responseOf(interaction);
        // A page for browsers, such as an application of one page, is no response of an operation.
        if (status < 400 ? json === undefined : !isNamed || [401, 403, missing].includes(status)) return;
        throw new Broken(`${missing} for an unknown path`, String(status), interaction);
      },
    },
  ];
}

// ── Parents ────────────────────────────────────────────────────────────────────────────────────────────────────────

function isBelowParent(contract: Contract, called: Operation): readonly Case[] {
  const { action, key, parents, resource } = called;
  const last = parents.at(-1);
  if (last === undefined || resource === undefined) return [];
  const about = (what: string, expects: string, run: Case["run"]): Case =>
    operationCase(called, what, aspectsOf(contract, called, [], expects), run);
  const other = `other ${last.resource}`;
  const isUpsert = called.kind === "resource" && creates(contract.model, called);
  if (key !== undefined && isUpsert) return [];
  if (key !== undefined)
    return parents.map((parent) =>
      about(
        parent === last ? other : `other ${parent.resource} in {${parent.parameter}}`,
        `${withArticle(resource)} of another ${parent.resource} is not found`,
        (trial) => isMissingBelowOther(trial, called, parent),
      ),
    );
  if (action === "create")
    return [
      about(other, `a new ${resource} belongs to the ${last.resource} of the path`, (trial) =>
        belongsToParent(trial, called),
      ),
    ];
  return action === "list"
    ? [
        about(other, `the list has no ${resource} of another ${last.resource}`, (trial) =>
          listsOnlyChildren(trial, called),
        ),
      ]
    : [];
}

async function isMissingBelowOther(trial: Trial, called: Operation, parent: PathParent): Promise<void> {
  const { record, caller } = await subjectFor(trial, called);
  const usual = (await trial.build(called.operation, { caller, record })).request.url;
  // Each caller may be able to create only one parent, which may be that of the record.
  const path = await firstResult(
    [
      ...[undefined, ...(await trial.callers())].map((creator) => () => otherParent(trial, parent, creator)),
      ...recordsOf(trial.world, parent.resource).map((known) => async () => {
        if (known.isDeleted) throw new NotTried(`the ${parent.resource} is deleted`);
        return known;
      }),
    ],
    async (other) => {
      const path = pathBelow(parent, await other());
      const { request } = await trial.build(called.operation, { caller, record, path });
      return request.url === usual ? undefined : path;
    },
    `the test has no other ${parent.resource}`,
  );
  expectMissing(trial, await trial.call(called.operation, { caller, record, path }), pathOf(called));
}

async function belongsToParent(trial: Trial, called: Operation): Promise<void> {
  const parent = await otherParent(trial, lastParent(called));
  const field = called.parents.at(-1)?.field as string;
  const child = await trial.make(called.resource as string, { parent, by: called.operation });
  const found = (await observedValues(trial, child)).get(field);
  if (found === undefined)
    throw new NotTried(`no response shows \`${field}\` of ${withArticle(called.resource ?? "record")}`);
  if (found === parent.values.get("id")) return;
  throw new Broken(`\`${field}\` with ${textOf(parent.values.get("id"))}`, shortText(found), trial.interactions.at(-1));
}

async function listsOnlyChildren(trial: Trial, called: Operation): Promise<void> {
  const { resource } = called;
  const [parent, other] = [await otherParent(trial, lastParent(called)), await otherParent(trial, lastParent(called))];
  const child = await childOf(trial, called, parent);
  const stranger = await childOf(trial, called, other);
  const [caller] = await callersOf(trial, called, child);
  if (caller === undefined) throw new NotTried(`no caller of the test may run ${called.operation}`);
  for await (const page of pagesOf(trial, called, { caller, record: child }, mostPages)) {
    const found = itemOf(trial.contract, called, page, stranger);
    if (found === "unknown") throw new NotTried(`nothing in the list identifies ${withArticle(resource ?? "record")}`);
    if (found === undefined) continue;
    throw new Broken(
      `only the ${resource} of this ${called.parents.at(-1)?.resource}`,
      "another one",
      page.interaction,
    );
  }
}

/** How many pages the test reads. */
const mostPages = 10;

function childOf(trial: Trial, { parents, resource }: Operation, parent: KnownRecord): Promise<KnownRecord> {
  const field = parents.at(-1)?.field as string;
  const id = parent.values.get("id");
  return trial.make(resource as string, { parent, ...(id === undefined ? {} : { values: { [field]: id } }) });
}

function lastParent({ parents }: Operation): PathParent {
  return parents.at(-1) as PathParent;
}

/** Makes a record to be the parent in the path. */
async function otherParent(trial: Trial, parent: PathParent, creator?: Caller): Promise<KnownRecord> {
  const made = await trial.make(parent.resource, { creator });
  if (["id", ...partsOf(parent).map(({ column }) => column)].some((column) => !made.values.has(column)))
    await trial.look(made);
  return made;
}

function pathBelow(parent: PathParent, record: KnownRecord): Readonly<Record<string, string>> {
  const values = partsOf(parent).map(({ column, parameter }) => [parameter, record.values.get(column)] as const);
  if (values.some(([, value]) => value === undefined))
    throw new NotTried("the test does not know the address of the parent");
  return Object.fromEntries(values.map(([parameter, value]) => [parameter, textOf(value)]));
}
