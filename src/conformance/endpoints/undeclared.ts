/** The surface that no endpoint declares: other methods of the paths of operations do not succeed. */
import { segmentShape } from "../../language/endpoints/resolve.ts";
import type { JsonObject } from "../../base/json.ts";
import { type Method, methods } from "../../language/endpoints/model.ts";
import { windowMilliseconds } from "../../language/limits/model.ts";
import { Broken, type Case } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { isStated, statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import { requestFor, subjectFor } from "../trial/calls.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { ifPossible, pathOf } from "./subjects.ts";

/** A path with its operations. */
interface Address {
  /** The path without the names of its parameters: `/parcels/{}`. */
  readonly shape: string;
  readonly operations: readonly [Operation, ...Operation[]];
  readonly undeclared: readonly Method[];
  /** Whether another path of the document fits the same requests: `/parcels/{id}` for `/parcels/overdue`. */
  readonly isShared: boolean;
}

export function undeclaredCases(contract: Contract): readonly Case[] {
  const addresses = addressesOf(contract);
  const most = mostMethods(contract, addresses.length);
  return addresses.flatMap((address) =>
    hasNoOtherMethods(contract, { ...address, undeclared: address.undeclared.slice(0, most) }),
  );
}

/** Deletions first, since they do the most harm. */
const order: readonly Method[] = ["DELETE", "PUT", "PATCH", "POST", "GET"];

function addressesOf(contract: Contract): readonly Address[] {
  const all = [...contract.operations.values()].filter(({ endpoint }) => endpoint.wire === undefined);
  const others = otherPaths(contract);
  const byShape = Map.groupBy(all, shapeOf);
  const byStart = Map.groupBy(byShape.keys(), firstSegment);
  const wide = [...byShape.keys()].filter((shape) => firstSegment(shape).includes("{}"));
  return [...byShape].flatMap(([shape, operations]): Address[] => {
    const [first, ...rest] = operations;
    // The root is the page of a service for browsers.
    if (first === undefined || shape === "/" || others.some((path) => shape === path || shape.startsWith(`${path}/`)))
      return [];
    const declared = new Set(operations.map(({ endpoint }) => endpoint.method));
    const described = new Set(contract.unserved.filter((one) => shapeOf(one) === shape).map(methodOf));
    const undeclared = order.filter((method) => !declared.has(method) && !described.has(method));
    const near = [...(byStart.get(firstSegment(shape)) ?? []), ...wide];
    const isShared = near.some((other) => other !== shape && fits(other, shape));
    return [{ shape, operations: [first, ...rest], undeclared, isShared }];
  });
}

function methodOf({ endpoint }: Operation): Method {
  return endpoint.method;
}

function shapeOf({ segments }: Operation): string {
  return `/${segments.map(segmentShape).join("/")}`;
}

function firstSegment(shape: string): string {
  return shape.split("/")[1] ?? "";
}

/** Whether requests for the path `shape` also fit the path `other`. */
function fits(other: string, shape: string): boolean {
  const [wide, narrow] = [other.split("/"), shape.split("/")];
  return (
    wide.length === narrow.length && wide.every((segment, index) => segment.includes("{}") || segment === narrow[index])
  );
}

/** The paths of operations that other parts declare. */
function otherPaths({ model: { events } }: Contract): readonly string[] {
  const { webhook, stream } = events.delivery ?? {};
  const incoming = Object.values(events.in ?? {}).map(({ path }) => path);
  return [...incoming, ...[webhook, stream].flatMap((one) => one?.path ?? [])];
}

/** Requests to no operation count by address: a narrow limit admits fewer of them. */
function mostMethods({ model: { limits } }: Contract, addresses: number): number {
  const rates = [...(limits.rate?.["all"] ?? []), ...(limits.rate?.["anyone"] ?? [])];
  const perMinute = rates.map(
    ({ count, window, burst = count }) => (burst * 60_000) / Math.max(windowMilliseconds(window), 60_000),
  );
  return Math.max(
    1,
    Math.min(methods.length, Math.floor((Math.min(...perMinute, 1000) * 0.8) / Math.max(addresses, 1))),
  );
}

function hasNoOtherMethods(contract: Contract, address: Address): readonly Case[] {
  const { isShared, operations, shape, undeclared } = address;
  const [first] = operations;
  if (undeclared.length === 0) return [];
  const path = pathOf(first);
  const isNamed = !isShared && isStated(contract, "method-not-allowed") && contract.places.has("errors/standard");
  const expects = `${undeclared.join(", ")} of ${first.endpoint.path} do not succeed`;
  return [
    {
      id: `endpoints${shape}: other methods`,
      aspects: [
        { path, expects },
        ...(isNamed ? [{ path: "errors/standard", expects: `${undeclared.join(", ")} are 405 with Allow` }] : []),
      ],
      // A deletion that succeeds may delete what other cases need.
      ...(operations.some(({ key }) => key !== undefined) ? {} : { exclusive: true }),
      run: async (trial) => {
        const record = await subjectOf(trial, operations);
        const responses: Interaction[] = [];
        for (const method of undeclared) responses.push(await attempt(trial, address, method, record));
        if (!isNamed) return;
        for (const one of responses) expectNotAllowed(trial, one, address);
      },
    },
  ];
}

/** Returns a record for the path, if it needs one and the test can make it. */
async function subjectOf(trial: Trial, operations: readonly Operation[]): Promise<KnownRecord | null> {
  const about = operations.find(({ key }) => key !== undefined);
  if (about === undefined) return null;
  return (await ifPossible(() => subjectFor(trial, about)))?.record ?? null;
}

async function attempt(
  trial: Trial,
  { operations }: Address,
  method: Method,
  record: KnownRecord | null,
): Promise<Interaction> {
  const [first] = operations;
  const about = (record === null ? undefined : operations.find(({ key }) => key !== undefined)) ?? first;
  const caller = await trial.callerFor(about.operation, record ?? undefined);
  const called: Operation = { ...about, endpoint: { ...about.endpoint, method } };
  const hasBody = method !== "GET" && method !== "DELETE";
  const body = hasBody ? await bodyFor(trial, operations, record) : null;
  const { request } = await requestFor(trial, called, { caller, record, body });
  const interaction = await sendAfterLimits(trial, request, caller);
  const { status, json } = trial.responseOf(interaction);
  // A page for browsers is no response of an operation.
  if (status >= 300 || (method === "GET" && json === undefined)) return interaction;
  throw new Broken(`no success of ${method} ${first.endpoint.path}`, String(status), interaction, pathOf(first));
}

/** Returns a body that an operation at the path takes. */
async function bodyFor(
  trial: Trial,
  operations: readonly Operation[],
  record: KnownRecord | null,
): Promise<JsonObject> {
  const writing = operations.find(({ action }) => action === "create" || action === "update" || action === "replace");
  if (writing === undefined) return {};
  const input = await ifPossible(async () => {
    const caller = await trial.callerFor(writing.operation, record ?? undefined);
    return trial.inputFor(writing.operation, caller, record ?? undefined);
  });
  return input?.body ?? {};
}

function expectNotAllowed(trial: Trial, interaction: Interaction, { operations }: Address): void {
  const response = trial.responseOf(interaction);
  const { status, headers } = response;
  // Credentials may be checked before the method.
  if (status === 401 || status === 403) return;
  const fail = (expected: string, got: string): never => {
    throw new Broken(expected, got, interaction, "errors/standard");
  };
  if (status !== 405) fail("405 method-not-allowed", statusText(trial.contract, response));
  const allowed = (headers["allow"] ?? "").split(",").map((one) => one.trim());
  const declared: readonly string[] = operations.map(({ endpoint }) => endpoint.method);
  const other = allowed.find((one) => methods.some((method) => method === one) && !declared.includes(one));
  if (other !== undefined || declared.some((one) => !allowed.includes(one)))
    fail(`Allow with ${declared.join(", ")}`, headers["allow"] ?? "no such header");
}
