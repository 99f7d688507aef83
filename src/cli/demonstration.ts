/**
 * Prints what to try on a service that has just started: a key for each role, and three shell commands that create a record,
 * list records, and get a rejected transition. There are fewer commands if the document has no such operation.
 */
import { fieldWith } from "../language/authentication/sent.ts";
import type { JsonObject, Json } from "../base/json.ts";
import type { Operation, EndpointsPart, PageShape } from "../plan/endpoints/types.ts";
import { inEnvelope } from "../plan/endpoints/envelope.ts";
import { demoCredential, demoUser, mintDemoKeys } from "../runtime/auth/mint.ts";
import { clock, random } from "../server/compose.ts";
import type { Serving } from "../server/serve.ts";
import { segmentText } from "../language/endpoints/resolve.ts";
import type { CredentialPlan } from "../plan/authentication/types.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import { sample } from "../browser/sample.ts";

export async function demonstrate({ first, local }: Serving): Promise<string> {
  const credential = demoCredential(first.plan);
  const keys = credential === undefined ? new Map() : await demoKeys(first, credential);
  const trial: Trial = { plan: first.plan, address: local, credential, keys };
  const lines = await linesToTry(trial);
  return [
    "",
    ...(keys.size === 0 ? [] : ["Demo keys (new at each start):", ...keyLines(trial), ""]),
    ...(lines.length === 0 ? [] : ["Try, in another terminal:", "", ...lines.flatMap((line) => [line, ""])]),
  ].join("\n");
}

/** Creates keys for users named after their roles; keys of earlier starts are revoked. */
async function demoKeys(
  { plan, store }: Serving["first"],
  credential: NonNullable<Trial["credential"]>,
): Promise<Trial["keys"]> {
  const users = plan.roles.map(demoUser);
  for (const earlier of await store.keys.list())
    if (users.includes(earlier.user) && earlier.revoked === undefined) await store.keys.revoke(earlier.id, clock.now());
  const keys = await mintDemoKeys(plan, credential, store.keys, clock, random);
  return new Map(keys.map(({ role, ...key }) => [role, key]));
}

function keyLines({ credential, keys }: Trial): string[] {
  return [...keys].map(([role, { user, secret }]) => {
    return `  ${role}: ${credential?.kind === "basic" ? `${user}:${secret}` : secret}`;
  });
}

async function linesToTry(trial: Trial): Promise<string[]> {
  const creating = operationToCreate(trial);
  const creator = creating && callerFor(trial, creating);
  const body = creating && (await bodyFor(trial, creating));
  const lines: string[] = [];
  if (creating !== undefined && creator !== undefined && body !== undefined)
    lines.push(curl(trial, creating, creator, { body }));
  const listing = creating
    ? operationOn(trial, "list", creating.resource)
    : trial.plan.operations.find(
        (each) => each.action === "list" && each.parents.length === 0 && callerFor(trial, each),
      );
  const lister = listing && callerFor(trial, listing);
  if (listing !== undefined && lister !== undefined) lines.push(curl(trial, listing, lister, {}));
  lines.push(...(await loginLines(trial, creating, body)));
  const rejected = creating && (await rejectedTransition(trial, creating));
  return rejected === undefined ? lines : [...lines, rejected];
}

/**
 * Returns the commands for a login, if records can log in: creates a record, unless `creating` has done so with `body`, and
 * logs in.
 */
async function loginLines(
  trial: Trial,
  creating: Operation | undefined,
  body: JsonObject | undefined,
): Promise<readonly string[]> {
  const login = trial.plan.operations.find((each) => each.action === "login");
  const { name = "", proof = "" } = login?.session ?? {};
  const making = login && operationOn(trial, "create", login.resource);
  const maker = making && callerFor(trial, making);
  const caller = login && callerFor(trial, login);
  if (login === undefined || making === undefined || maker === undefined || caller === undefined) return [];
  const made = making === creating ? body : await bodyFor(trial, making);
  const [who, secret] = [made?.[name], made?.[proof]];
  if (made === undefined || who === undefined || secret === undefined) return [];
  const first = making === creating ? [] : [curl(trial, making, maker, { body: made })];
  return [...first, curl(trial, login, caller, { body: { [name]: who, [proof]: secret } })];
}

/** Returns the best operation to show: its records have transitions, ideally also `choose`. */
function operationToCreate(trial: Trial): Operation | undefined {
  const candidates = trial.plan.operations.filter(
    (each) => each.action === "create" && each.parents.length === 0 && callerFor(trial, each) !== undefined,
  );
  const withTransitions = candidates.filter(({ resource }) => transitionsOf(trial, resource).length > 0);
  return withTransitions.find(({ choose }) => choose.length > 0) ?? withTransitions[0] ?? candidates[0];
}

function transitionsOf({ plan }: Trial, resource: string): readonly Operation[] {
  return plan.operations.filter(
    (each) => each.action === "move" && each.resource === resource && each.parents.length === 0,
  );
}

/**
 * Returns a transition that is not allowed in the start state, on a new record; its creator calls it, because only the owner
 * may.
 */
async function rejectedTransition(trial: Trial, creating: Operation): Promise<string | undefined> {
  const start = trial.plan.tables.find(({ resource }) => resource === creating.resource)?.lifecycle?.start;
  const operation = transitionsOf(trial, creating.resource).find(
    (each) =>
      each.body?.required !== true &&
      each.moves.every(({ from }) => !from.includes(start ?? "")) &&
      callerFor(trial, creating, each) !== undefined,
  );
  const caller = operation && callerFor(trial, creating, operation);
  if (operation?.key === undefined || caller === undefined) return undefined;
  const made = await make(trial, creating, [], caller);
  const key = made?.[operation.key.column];
  if (typeof key !== "string" && typeof key !== "number") return undefined;
  const remark = `: refused, as it is ${start}`;
  return curl(trial, operation, caller, { parameters: { [operation.key.parameter]: String(key) }, remark });
}

interface CurlParts {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly remark?: string;
}

/** Returns a POSIX shell command below a comment, without an idempotency key so that it can be repeated. */
function curl(
  trial: Trial,
  operation: Operation,
  caller: Caller,
  { parameters = {}, body, remark = "" }: CurlParts,
): string {
  const credential = credentialOf(trial, caller);
  const words = [
    "curl -i",
    ...(operation.method === "GET" ? [] : [`-X ${operation.method}`]),
    quoted(trial.address + pathOf(trial, operation, parameters)),
    ...(credential === undefined ? [] : [`-H ${quoted(credential.join(": "))}`]),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d ${quoted(JSON.stringify(inEnvelope(operation.body?.envelope, body)))}`,
        ]),
  ];
  return `# ${operation.sentence}${remark}\n${words.join(" ")}`;
}

/** Quotes a word for a POSIX shell if necessary. */
function quoted(text: string): string {
  return /^[\w:/.@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

interface Trial {
  readonly plan: ResourcesPart & EndpointsPart;
  /** The service's URL on this machine. */
  readonly address: string;
  readonly credential: CredentialPlan | undefined;
  /** A key of the credential for each role. */
  readonly keys: ReadonlyMap<string, { readonly user: string; readonly secret: string }>;
}

/** A caller: a role with a key, or anonymous. */
type Caller = { readonly role: string } | "anyone";

/** Returns a caller who may run all of the operations. */
function callerFor({ keys }: Trial, ...operations: readonly Operation[]): Caller | undefined {
  if (operations.every(({ allow }) => allow.some(({ who }) => who.kind === "anyone"))) return "anyone";
  const role = [...keys.keys()].find((each) =>
    operations.every(({ allow }) => allow.some(({ who }) => who.kind !== "role" || who.role === each)),
  );
  return role === undefined ? undefined : { role };
}

/** Returns the header field of the caller's credential. */
function credentialOf({ credential, keys }: Trial, caller: Caller): readonly [string, string] | undefined {
  const key = caller === "anyone" ? undefined : keys.get(caller.role);
  if (key === undefined || credential === undefined) return undefined;
  const { kind, sent } = credential;
  const value = kind === "basic" ? Buffer.from(`${key.user}:${key.secret}`).toString("base64") : key.secret;
  return sent.map((sentIn) => fieldWith(sentIn, value)).find((field) => field !== undefined);
}

function pathOf({ plan }: Trial, { path }: Operation, parameters: Readonly<Record<string, string>>): string {
  const prefix = plan.base === "{base_url}" ? "" : new URL(plan.base.replace("{base_url}", "http://any")).pathname;
  const segments = path.map((segment) => segmentText(segment, (name) => encodeURIComponent(parameters[name] ?? name)));
  return `${prefix.replace(/\/+$/, "")}/${segments.join("/")}`;
}

/** Returns a valid body; creates the records to which it refers or from which `choose` selects. */
async function bodyFor(
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

/** Creates a record; tries other random values after a conflict. */
async function make(
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

/** Returns the operation with this action on the resource, without parents in its path. */
function operationOn({ plan }: Trial, action: Operation["action"], resource: string): Operation | undefined {
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

/** Sends a request; returns the response body, or undefined for an error. */
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
