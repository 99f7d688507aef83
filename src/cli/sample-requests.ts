/**
 * Trying a service that runs: who may, with what in hand, and the records that have to be there first. They are made
 * through the service itself, by the roles that may, so whatever stands in the way of a caller stands in the way here.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { segmentText } from "../language/endpoints/resolve.ts";
import { inEnvelope } from "../plan/endpoints/envelope.ts";
import type { CredentialPlan } from "../plan/authentication/types.ts";
import type { EndpointsPart, Operation, PageShape } from "../plan/endpoints/types.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import { sample } from "./sample-value.ts";

export interface Trial {
  readonly plan: ResourcesPart & EndpointsPart;
  /** Where this machine reaches the service. */
  readonly address: string;
  readonly credential: CredentialPlan | undefined;
  /** For each role a key of that credential. */
  readonly keys: ReadonlyMap<string, { readonly user: string; readonly secret: string }>;
}

/** A role with a key, or anybody. */
export type Caller = { readonly role: string } | "anyone";

/** Who of those at hand may run all of the operations. */
export function callerFor({ keys }: Trial, ...operations: readonly Operation[]): Caller | undefined {
  if (operations.every(({ allow }) => allow.some(({ who }) => who.kind === "anyone"))) return "anyone";
  const role = [...keys.keys()].find((each) =>
    operations.every(({ allow }) => allow.some(({ who }) => who.kind !== "role" || who.role === each)),
  );
  return role === undefined ? undefined : { role };
}

/** The header field that says who the caller is. */
export function credentialOf({ credential, keys }: Trial, caller: Caller): readonly [string, string] | undefined {
  const key = caller === "anyone" ? undefined : keys.get(caller.role);
  if (key === undefined || credential === undefined) return undefined;
  const { kind, sent } = credential;
  const value = kind === "basic" ? Buffer.from(`${key.user}:${key.secret}`).toString("base64") : key.secret;
  return [sent.header, sent.scheme === undefined ? value : `${sent.scheme} ${value}`];
}

export function pathOf({ plan }: Trial, { path }: Operation, parameters: Readonly<Record<string, string>>): string {
  const prefix = plan.base === "{base_url}" ? "" : new URL(plan.base.replace("{base_url}", "http://any")).pathname;
  const segments = path.map((segment) => segmentText(segment, (name) => encodeURIComponent(parameters[name] ?? name)));
  return `${prefix.replace(/\/+$/, "")}/${segments.join("/")}`;
}

/** A body that the operation takes, with what it refers to and what it chooses from made first. */
export async function bodyFor(
  trial: Trial,
  operation: Operation,
  ancestors: readonly string[] = [],
): Promise<JsonObject | undefined> {
  const references: Record<string, Json> = {};
  for (const { name, form } of operation.body?.fields ?? []) {
    if (form?.kind !== "reference" || !requires(operation, name)) continue;
    const record = await findOrMake(trial, form.resource, ancestors);
    const id = record?.["id"];
    if (id === undefined) return undefined;
    references[name] = id;
  }
  for (const { resource } of operation.choose) {
    const creating = operationOn(trial, "create", resource);
    if (creating !== undefined && !ancestors.includes(resource)) await make(trial, creating, [...ancestors, resource]);
  }
  return { ...(sample(operation.body?.schema ?? {}) as JsonObject), ...references };
}

/** A new record; where what was made up for it is taken already, something else is made up. */
export async function make(
  trial: Trial,
  creating: Operation,
  ancestors: readonly string[] = [],
  caller: Caller | undefined = callerFor(trial, creating),
): Promise<JsonObject | undefined> {
  if (caller === undefined) return undefined;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const body = await bodyFor(trial, creating, ancestors);
    if (body === undefined) return undefined;
    const made = await send(trial, creating, caller, body);
    if (made !== undefined) return made;
  }
  return undefined;
}

/** The operation that does this to a resource and names no other record in its path. */
export function operationOn({ plan }: Trial, action: Operation["action"], resource: string): Operation | undefined {
  return plan.operations.find(
    (each) => each.action === action && each.resource === resource && each.parents.length === 0,
  );
}

function requires({ body }: Operation, name: string): boolean {
  const required = body?.schema["required"];
  return Array.isArray(required) && required.includes(name);
}

async function findOrMake(
  trial: Trial,
  resource: string,
  ancestors: readonly string[],
): Promise<JsonObject | undefined> {
  if (ancestors.includes(resource)) return undefined;
  const listing = operationOn(trial, "list", resource);
  const lister = listing && callerFor(trial, listing);
  if (listing !== undefined && lister !== undefined) {
    const page = await send(trial, listing, lister);
    const items = page === undefined ? undefined : itemsOf(listing.list?.page, page);
    if (Array.isArray(items) && items[0] !== undefined) return items[0] as JsonObject;
  }
  const creating = operationOn(trial, "create", resource);
  return creating && make(trial, creating, [...ancestors, resource]);
}

/** What the service answers; undefined where it refuses. */
async function send(
  trial: Trial,
  operation: Operation,
  caller: Caller,
  body?: JsonObject,
): Promise<JsonObject | undefined> {
  const credential = credentialOf(trial, caller);
  const response = await fetch(trial.address + pathOf(trial, operation, {}), {
    method: operation.method,
    headers: [
      ...(credential === undefined ? [] : [[...credential] as [string, string]]),
      ["Content-Type", "application/json"],
    ],
    ...(body === undefined ? {} : { body: JSON.stringify(inEnvelope(operation.body?.envelope, body)) }),
  });
  const json = (await response.json()) as JsonObject;
  if (!response.ok) return undefined;
  const { wrap } = operation.response;
  return wrap === undefined ? json : (json[wrap] as JsonObject);
}

function itemsOf(shape: PageShape | undefined, page: Json): Json | undefined {
  if (shape?.kind === "items") return page;
  if (shape?.kind !== "object") return undefined;
  for (const { name, shape: inner } of shape.members) {
    const found = itemsOf(inner, (page as JsonObject)[name] ?? null);
    if (found !== undefined) return found;
  }
  return undefined;
}
