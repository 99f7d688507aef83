/**
 * What to try on a service that has just started: a key for each role, and lines for a shell that work as pasted. What
 * they need (a site to deliver to, a free locker) is made through the service itself, by the roles that may.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { Operation, Plan } from "../plan/plan.ts";
import { keyCredential, mintKey } from "./key.ts";
import { sample } from "./sample.ts";
import type { Loaded } from "./serve.ts";
import { pathOf } from "./serve-report.ts";

/** Keys for the demonstration's users are named after their roles. */
const userOf = (role: string) => `demo-${role}`;

export async function demonstrate(loaded: Loaded, url: string): Promise<string> {
  const { plan, store } = loaded;
  const hasKeys = plan.credentials.some(({ kind }) => kind === "api-key");
  if (!hasKeys) return "";
  const keys = new Map<string, string>();
  const credential = keyCredential(plan, plan.credentials.find(({ kind }) => kind === "api-key")?.name);
  const earlier = await store.keys.list();
  for (const role of plan.roles) {
    for (const old of earlier) if (old.user === userOf(role)) await store.keys.revoke(old.id, Date.now());
    keys.set(role, (await mintKey(plan, store, { user: userOf(role), roles: [role], credential })).secret);
  }
  const lines = [...keys].map(([role, secret]) => `  ${role}: ${secret}`);
  const tries = await tryLines({ plan, url, keys });
  return [
    "Demo keys (new at each start):",
    ...lines,
    "",
    ...(tries.length === 0 ? [] : ["Try, in another terminal:", "", ...tries, ""]),
    "",
  ].join("\n");
}

interface Demo {
  readonly plan: Plan;
  readonly url: string;
  readonly keys: ReadonlyMap<string, string>;
}

/** Create, list, and a transition that is refused; fewer where the document has no such operation for a role with a key. */
async function tryLines(demo: Demo): Promise<string[]> {
  const target =
    demo.plan.operations.find(
      (operation) =>
        operation.deed === "create" &&
        movesOf(demo.plan, operation).length > 0 &&
        roleFor(demo, operation) !== undefined &&
        operation.choose.length > 0,
    ) ??
    demo.plan.operations.find((operation) => operation.deed === "create" && roleFor(demo, operation) !== undefined);
  if (target === undefined) return [];
  const body = await bodyFor(demo, target, []);
  if (body === undefined) return [];
  const lines = [comment(target), curl(demo, target, body, {})];
  const lister = demo.plan.operations.find(
    ({ deed, resource, parents }) => deed === "list" && resource === target.resource && parents.length === 0,
  );
  if (lister !== undefined && roleFor(demo, lister) !== undefined)
    lines.push(comment(lister), curl(demo, lister, undefined, {}));
  return [...lines, ...(await refusedMove(demo, target))];
}

async function refusedMove(demo: Demo, target: Operation): Promise<string[]> {
  const start = demo.plan.tables.find(({ resource }) => resource === target.resource)?.lifecycle?.start;
  const refused = movesOf(demo.plan, target).find(
    (operation) =>
      operation.body?.required !== true &&
      !operation.moves.some(({ from }) => from.includes(start ?? "")) &&
      sharedRole(demo, target, operation) !== undefined,
  );
  if (refused === undefined || refused.key === undefined) return [];
  const made = await make(demo, target, []);
  const key = made?.[refused.key.column];
  if (key === undefined) return [];
  return [
    `# ${refused.sentence}: refused, since it is ${start}`,
    curl(demo, refused, undefined, { [refused.key.parameter]: String(key) }, sharedRole(demo, target, refused)),
  ];
}

function movesOf({ operations }: Plan, { resource }: Operation): readonly Operation[] {
  return operations.filter(
    (operation) => operation.deed === "move" && operation.resource === resource && operation.parents.length === 0,
  );
}

function comment({ sentence }: Operation): string {
  return `# ${sentence}`;
}

function curl(
  demo: Demo,
  operation: Operation,
  body: JsonObject | undefined,
  parameters: Readonly<Record<string, string>>,
  role = roleFor(demo, operation),
): string {
  const parts = [
    `curl -i ${operation.method === "GET" ? "" : `-X ${operation.method} `}${demo.url}${pathOf(operation, parameters)}`,
    ...headersOf(demo, role).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ];
  return `${parts.join(" ")}\n`;
}

/** A role with a demo key that may run the operation; the empty text where anybody may; undefined where nobody of them. */
function roleFor({ keys }: Demo, { allow }: Operation): string | undefined {
  if (allow.some(({ who }) => who.kind === "anyone")) return "";
  return [...keys.keys()].find((role) =>
    allow.some(({ who }) => who.kind === "signed-in" || (who.kind === "role" && who.role === role)),
  );
}

/** A role that may run both, so that it owns what it made. */
function sharedRole(demo: Demo, one: Operation, other: Operation): string | undefined {
  return [...demo.keys.keys()].find((role) =>
    [one, other].every(({ allow }) => allow.some(({ who }) => who.kind !== "role" || who.role === role)),
  );
}

function headersOf({ plan, keys }: Demo, role: string | undefined): [string, string][] {
  const secret = keys.get(role ?? "");
  const credential = plan.credentials.find(({ kind }) => kind === "api-key");
  if (secret === undefined || credential === undefined) return [];
  const { header, scheme } = credential.sent;
  return [[header, scheme === undefined ? secret : `${scheme} ${secret}`]];
}

/** A body that the operation takes, its references and its stock made first. Undefined where that cannot be done. */
async function bodyFor(demo: Demo, operation: Operation, within: readonly string[]): Promise<JsonObject | undefined> {
  const references = new Map<string, Json>();
  for (const { name, form } of operation.body?.fields ?? []) {
    if (form?.kind !== "reference" || !isRequired(operation, name)) continue;
    const record = await findOrMake(demo, form.resource, within);
    if (record === undefined) return undefined;
    references.set(name, record["id"] as Json);
  }
  for (const { resource } of operation.choose) {
    const maker = createOf(demo, resource);
    if (maker !== undefined && !within.includes(resource)) await make(demo, maker, [...within, resource]);
  }
  const sampled = sample(operation.body?.schema ?? {}) as JsonObject;
  return { ...sampled, ...Object.fromEntries(references) };
}

function isRequired({ body }: Operation, name: string): boolean {
  const required = body?.schema["required"];
  return Array.isArray(required) && required.includes(name);
}

function createOf({ plan }: Demo, resource: string): Operation | undefined {
  return plan.operations.find(
    (operation) => operation.deed === "create" && operation.resource === resource && operation.parents.length === 0,
  );
}

async function findOrMake(demo: Demo, resource: string, within: readonly string[]): Promise<JsonObject | undefined> {
  if (within.includes(resource)) return undefined;
  const lister = demo.plan.operations.find(
    (operation) => operation.deed === "list" && operation.resource === resource && operation.parents.length === 0,
  );
  if (lister !== undefined && roleFor(demo, lister) !== undefined) {
    const listed = await send(demo, lister, undefined);
    const items = listed?.["items"];
    if (Array.isArray(items) && items[0] !== undefined) return items[0] as JsonObject;
  }
  const maker = createOf(demo, resource);
  return maker === undefined ? undefined : make(demo, maker, [...within, resource]);
}

/** A new record; where a number of the sample is taken already, another is tried. */
async function make(demo: Demo, operation: Operation, within: readonly string[]): Promise<JsonObject | undefined> {
  if (roleFor(demo, operation) === undefined) return undefined;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const body = await bodyFor(demo, operation, within);
    if (body === undefined) return undefined;
    const made = await send(demo, operation, body);
    if (made !== undefined) return made;
  }
  return undefined;
}

async function send(demo: Demo, operation: Operation, body: JsonObject | undefined): Promise<JsonObject | undefined> {
  const response = await fetch(`${demo.url}${pathOf(operation, {})}`, {
    method: operation.method,
    headers: { ...Object.fromEntries(headersOf(demo, roleFor(demo, operation))), "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.ok ? ((await response.json()) as JsonObject) : undefined;
}
