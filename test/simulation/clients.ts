/** Simulated callers of all kinds and their requests: valid and invalid, single and repeated, in the caller's API version. */
import { createHmac } from "node:crypto";
import type { Json } from "../../src/base/json.ts";
import { type HttpRequest, readHeaders } from "../../src/http/message.ts";
import { beats, before, isOfSessions, mostTaken } from "./document.ts";
import { type Actor, type Asked, formFile, type ListAsked, type Oracle, type Rec } from "./oracle.ts";
import { isKeptOf } from "./hashing.ts";
import type { People } from "./people.ts";
import { deviceSecret } from "./process.ts";
import type { Chance } from "./random.ts";
import type { Field, Operation, Resource, World } from "./world.ts";

export const actors: readonly Actor[] = [
  { name: "ann", id: "ann", roles: ["member"], address: "192.0.2.1" },
  { name: "bob", id: "bob", roles: ["member"], address: "192.0.2.2" },
  { name: "carl", id: "carl", roles: ["clerk"], address: "192.0.2.3" },
  { name: "dora", id: "dora", roles: ["member", "clerk"], address: "192.0.2.4" },
  { name: "zoe", id: "zoe", roles: [], address: "192.0.2.5" },
  { name: "nobody", id: null, roles: [], address: "192.0.2.6" },
  { name: "somebody", id: null, roles: [], address: "192.0.2.7" },
];

const passwords = ["a", "b", "c"];

/** What an actor was given and may send again. */
export interface Memory {
  readonly tags: Map<string, string>;
  readonly cursors: { readonly asked: Asked; readonly cursor: string; readonly last: Rec }[];
}

export interface Sent {
  readonly asked: Asked;
  /** The key that is sent. */
  readonly secret: string | undefined;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string | undefined;
}

export interface Asking {
  readonly world: World;
  readonly oracle: Oracle;
  readonly chance: Chance;
  readonly memoryOf: (actor: Actor) => Memory;
  readonly secretOf: (actor: Actor) => string | undefined;
}

/** Something to ask, by chance. */
export function anyRequest(asking: Asking, number: number, by?: Actor): Sent {
  const { chance, oracle, world } = asking;
  const resource = chance.percent(70) ? (world.resources.at(-1) as Resource) : chance.pick(world.resources);
  const isFirst = oracle.records.size < 2 && chance.percent(60);
  const operation = isFirst
    ? (world.resources[chance.int(world.resources.length)]?.operations[0] as Operation)
    : chance.pick(resource.operations.flatMap((one) => Array.from({ length: weightOf(one) }, () => one)));
  const of = world.resources.find(({ operations }) => operations.includes(operation)) as Resource;
  // Mostly somebody who may: of those who may not one alone tells as much as many.
  const able = actors.filter((actor) => oracle.barred({ operation, actor }) === undefined);
  const actor = by ?? (able.length > 0 && chance.percent(85) ? chance.pick(able) : chance.pick(actors));
  return request(asking, actor, of, operation, `k${number}`);
}

function weightOf({ action, file }: Operation): number {
  if (file !== undefined || action === "handler") return 3;
  if (isOfSessions(action)) return 0;
  return action === "create" ? 4 : action === "move" || action === "update" ? 2 : 1;
}

export function request(
  asking: Asking,
  actor: Actor,
  resource: Resource,
  operation: Operation,
  freshKey: string,
  of?: string,
): Sent {
  const { chance, oracle, world } = asking;
  const memory = asking.memoryOf(actor);
  const isOfOne = operation.path.includes("{id}");
  const id = isOfOne && of !== undefined ? of : isOfOne ? targetOf(asking, resource, operation, actor) : undefined;
  const values = bodyOf(asking, resource, operation, id === undefined ? undefined : oracle.records.get(`${resource.name}/${id}`)); // biome-ignore format: short
  const isForm = values !== undefined && takesForms(resource, operation) && chance.percent(45);
  // A form cannot say that a member is null.
  const body = isForm ? Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== null && name !== "photo")) : values; // biome-ignore format: short
  const hasFile = operation.method === "PUT" || (isForm && chance.percent(80));
  const older = world.older !== undefined && chance.percent(40);
  const kept = id === undefined ? undefined : memory.tags.get(`${older ? "older " : ""}${id}`);
  const edits = operation.method !== "GET" && isOfOne;
  const match = edits && kept !== undefined && chance.percent(70) ? kept : edits && chance.percent(8) ? '"stale"' : edits && chance.percent(15) ? "*" : undefined; // biome-ignore format: one choice
  const noneMatch =
    operation.action === "read" && operation.file === undefined && kept !== undefined && chance.percent(40)
      ? kept
      : undefined;
  const key = world.repeats && operation.method === "POST" && chance.percent(60) ? freshKey : undefined;
  const listed = operation.action === "list" ? listOf(asking, actor, resource, operation, older) : undefined;
  return sentOf(asking, {
    operation,
    resource,
    actor,
    older,
    ...(id === undefined ? {} : { id }),
    ...(body === undefined ? {} : { body }),
    ...(hasFile ? { upload: uploadOf(chance) } : {}),
    ...(isForm ? { isForm } : {}),
    ...(key === undefined ? {} : { key }),
    ...(match === undefined ? {} : { match }),
    ...(noneMatch === undefined ? {} : { noneMatch }),
    ...(listed === undefined ? {} : { list: listed.list, cursor: listed.cursor }),
  });
}

/** Operations on the addresses that events are sent to: the service's own, with which a document with webhooks has them. */
const hookResource: Resource = {
  name: "Webhook",
  plural: "webhooks",
  prefix: "whk",
  fields: [],
  owned: true,
  operations: [],
  events: [],
};

/** `ids` are of the endpoints that there are. */
export function hookRequest(
  asking: Asking,
  number: number,
  ids: readonly { readonly id: string; readonly owner: Actor }[],
): Sent {
  // biome-ignore format: short
  const { chance, world } = asking;
  const allow = (world.webhook?.for ?? []).map(({ who }) => ({ who }));
  const able = actors.filter(({ roles }) => allow.some(({ who }) => roles.includes(who as "member")));
  const post = (name: string, path: string): Operation => ({ name, action: "move", method: "POST", path, allow });
  if (ids.length === 0 || chance.percent(30)) {
    return sentOf(asking, {
      operation: { ...post("createWebhook", "/webhooks"), action: "create" },
      resource: hookResource,
      actor: chance.percent(90) ? chance.pick(able) : chance.pick(actors),
      older: world.older !== undefined && chance.percent(40),
      body: { url: `https://hooks.example/${number}` },
    });
  }
  const { id, owner } = chance.pick(ids);
  const operation = chance.pick<Operation>([
    post("disableWebhook", "/webhooks/{id}/disable"),
    post("enableWebhook", "/webhooks/{id}/enable"),
    post("enableWebhook", "/webhooks/{id}/enable"),
    post("recoverWebhook", "/webhooks/{id}/recover"),
    { ...post("deleteWebhook", "/webhooks/{id}"), action: "delete", method: "DELETE" },
  ]);
  return sentOf(asking, {
    operation,
    resource: hookResource,
    actor: chance.percent(90) ? owner : chance.pick(actors),
    id,
    match: "*",
    older: false,
    ...(operation.name === "recoverWebhook" ? { body: { since: "2026-10-01T00:00:00Z" } } : {}),
  });
}

/** What those who log in ask for: to be somebody, to be let in, to stay, to go, and whatever others ask for. */
export function personRequest(asking: Asking, people: People, number: number): Sent {
  const { chance, oracle, world } = asking;
  const resource = world.resources[0] as Resource;
  const named = (name: string): Operation => resource.operations.find((one) => one.name === name) as Operation;
  const all = [...oracle.records.values()].filter((rec) => rec.resource === resource);
  const { logins } = people;
  const what = chance.weighted({
    add: all.length < 2 ? 30 : 2,
    login: all.length === 0 ? 0 : logins.length === 0 ? 40 : 12,
    renew: people.renewable.length === 0 ? 0 : 14,
    logout: logins.length === 0 ? 0 : 5,
    change: logins.length === 0 ? 0 : 6,
    remove: logins.length === 0 ? 0 : 2,
    act: logins.length === 0 ? 0 : 40,
  });
  const nobody = chance.pick(actors.filter(({ id }) => id === null));
  const ask = (operation: Operation, body: Asked["body"]): Sent => sentOf(asking, { operation, resource, actor: nobody, older: false, proof: {}, ...(body === undefined ? {} : { body }) }); // biome-ignore format: short
  switch (what) {
    case "add":
      return request(asking, nobody, resource, named("addPerson"), `k${number}`);
    case "login": {
      const rec = chance.pick(all);
      const known = passwords.find((one) => isKeptOf(rec.values["password"], one)) ?? "";
      const password = chance.percent(85) ? known : chance.pick(passwords);
      return ask(named("login"), { name: chance.percent(96) ? (rec.values["name"] ?? "") : "who", password });
    }
    case "renew":
      return ask(named("renew"), { refreshToken: chance.pick(people.renewable.slice(chance.percent(60) ? -2 : -6)) });
    default: {
      const { id, token } = chance.pick(logins.slice(-6));
      const role = oracle.records.get(`Person/${id}`)?.values["role"];
      const actor: Actor = { name: `person ${id}`, id, roles: [role === "clerk" ? "clerk" : "member"], address: "192.0.2.8" }; // biome-ignore format: short
      // Tags and cursors are of what a role sees, which may be another one by then.
      const own = { ...asking, secretOf: () => token, memoryOf: () => ({ tags: new Map(), cursors: [] }) };
      const sent =
        what === "act"
          ? anyRequest(own, number, actor)
          : request(own, actor, resource, named(what === "logout" ? "logout" : what === "change" ? "changePerson" : "removePerson"), `k${number}`, chance.percent(85) ? id : undefined); // biome-ignore format: a choice
      return { ...sent, asked: { ...sent.asked, proof: { token } } };
    }
  }
}

/** What a device tells of a job: mostly signed, and now; senders send it again where they hear no answer. */
export function deviceRequest(asking: Asking, operation: Operation, now: number): Sent {
  const { chance, world } = asking;
  const resource = world.resources.at(-1) as Resource;
  const job = targetOf(asking, resource, operation, device);
  const body = { job, what: chance.percent(95) ? chance.pick(beats) : "else" };
  const seconds = Math.floor(now / 1000) + chance.pick([0, 0, 0, 1, -2, 299, 300, -299, 301, -400]);
  const isRight = chance.percent(92);
  const secret = isRight ? deviceSecret : "another";
  const mac = createHmac("sha256", secret).update(`${seconds}\n${operation.method}\n${operation.path}\n${JSON.stringify(body)}`).digest("hex"); // biome-ignore format: short
  const actor = chance.percent(96) ? device : chance.pick(actors);
  const signed = actor === device ? { signed: { field: `t=${seconds},v1=${mac}`, seconds, isRight } } : {};
  return sentOf(asking, { operation, resource, actor, older: false, body, ...signed }); // biome-ignore format: short
}

const device: Actor = { name: "device", id: "device", roles: [], address: "192.0.2.9" };

/** The same once more, or with the same key something else. */
export function repeated(given: Asking, { asked: before }: Sent): Sent {
  const { chance } = given;
  const { proof } = before;
  const { token } = proof ?? {};
  const asking = token === undefined ? given : { ...given, secretOf: () => token };
  const own = { actor: { ...before.actor }, proof: token === undefined ? {} : { token } };
  const asked = proof === undefined ? before : { ...before, ...own };
  if (asked.key === undefined || chance.percent(85)) return sentOf(asking, asked);
  const body = bodyOf(asking, asked.resource, asked.operation, undefined);
  return sentOf(asking, body === undefined ? asked : { ...asked, body });
}

/** To be told of events, from after the last that is known. */
export function followRequest(asking: Asking, actor: Actor, older: boolean, last: string | undefined): Sent {
  const allow = (asking.world.stream?.for ?? []).map(({ who }) => ({ who }));
  return sentOf(asking, {
    operation: { name: "followEvents", action: "list", method: "GET", path: "/events", allow },
    resource: { ...hookResource, name: "Event", plural: "events", prefix: "evt" },
    actor,
    older,
    headers: ["Accept", "text/event-stream", ...(last === undefined ? [] : ["Last-Event-ID", last])],
  });
}

type Unsent = Omit<Asked, "fingerprint"> & {
  readonly cursor?: string | undefined;
  readonly headers?: readonly string[];
};

function sentOf({ world, secretOf }: Asking, asked: Unsent): Sent {
  const { actor, body, cursor, headers = [], id = "", key, list, match, noneMatch, older, operation, resource } = asked;
  const { older: then } = world;
  const path = older && then?.path?.operation === operation.name ? then.path.was : operation.path;
  const nameOf = (name: string): string => (older ? olderName(world, resource, name) : name);
  const query = new URLSearchParams();
  for (const { field, value } of list?.filters ?? []) query.append(nameOf(field), String(value as string));
  if (list?.sort !== undefined) query.append("sort", `${list.sort.descending ? "-" : ""}${nameOf(list.sort.field)}`);
  if (list !== undefined && list.limit !== 3) query.append("limit", String(list.limit));
  if (cursor !== undefined) query.append("cursor", cursor);
  const target = `${path.replace("{id}", id)}${query.size === 0 ? "" : `?${query.toString()}`}`;
  const members = body && Object.entries(body).map(([name, value]) => [nameOf(name), value] as const);
  const [text, type] = contentOf(asked, members);
  const secret = asked.signed === undefined ? secretOf(actor) : undefined;
  return {
    asked: { ...asked, fingerprint: `${operation.method} ${target} ${older} ${canonical(body)} ${asked.upload}` },
    secret,
    method: operation.method,
    target,
    headers: [
      ...(secret === undefined ? [] : ["Authorization", `Bearer ${secret}`]),
      ...(text === undefined ? [] : ["Content-Type", type, "Content-Length", String(Buffer.byteLength(text))]),
      ...(key === undefined ? [] : ["Idempotency-Key", key]),
      ...(match === undefined ? [] : ["If-Match", match]),
      ...(noneMatch === undefined ? [] : ["If-None-Match", noneMatch]),
      ...(older ? ["Api-Version", before] : []),
      ...(asked.signed === undefined ? [] : ["Device-Signature", asked.signed.field]),
      ...headers,
    ],
    body: text,
  };
}

/** A body and what it is: JSON, a file by itself, or a form. */
function contentOf(
  { isForm, upload }: Unsent,
  members: readonly (readonly [string, Json])[] | undefined,
): readonly [text: string | undefined, type: string] {
  if (isForm === true) {
    const part = (name: string, more: string, value: string): string => `--part\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`; // biome-ignore format: short
    const parts = (members ?? []).map(([name, value]) => part(name, "", typeof value === "string" ? value : JSON.stringify(value))); // biome-ignore format: short
    const file =
      upload === undefined ? [] : [part("photo", `; filename="${formFile}"\r\nContent-Type: text/plain`, upload)];
    // The file comes somewhere among the others.
    return [
      `${[...parts.slice(0, 1), ...file, ...parts.slice(1)].join("")}--part--\r\n`,
      "multipart/form-data; boundary=part",
    ];
  }
  if (upload !== undefined) return [upload, "text/plain"];
  return [members && JSON.stringify(Object.fromEntries(members)), "application/json"];
}

function takesForms({ fields }: Resource, { action, file }: Operation): boolean {
  return file === undefined && (action === "create" || action === "update") && fields.some(({ type }) => type.kind === "file"); // biome-ignore format: short
}

function canonical(body: Readonly<Record<string, Json>> | undefined): string {
  return body === undefined ? "" : JSON.stringify(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function olderName({ older }: World, resource: Resource, name: string): string {
  return older?.field?.resource === resource.name && older.field.name === name ? older.field.was : name;
}

/** Mostly a record that there is, whoever may see it; else one that is gone, or that never was. */
function targetOf({ chance, oracle }: Asking, resource: Resource, operation: Operation, actor: Actor): string {
  const all = [...oracle.records.values()].filter((rec) => rec.resource.name === resource.name);
  const own = all.filter((rec) => oracle.mayRun(operation, actor, rec));
  const present = own.length > 0 && chance.percent(70) ? own : all;
  const gone = oracle.gone.filter((one) => one.resource === resource.name);
  if (present.length > 0 && chance.percent(95)) return chance.pick(present).id;
  if (gone.length > 0 && chance.percent(70)) return chance.pick(gone).id;
  return chance.percent(50) ? "nothing" : `${resource.prefix}_01k00000007000000000000000`;
}

function bodyOf(
  asking: Asking,
  resource: Resource,
  operation: Operation,
  rec: Rec | undefined,
): Readonly<Record<string, Json>> | undefined {
  const { chance } = asking;
  if (operation.action === "move") {
    if (operation.takes === undefined) return undefined;
    if (chance.percent(5)) return { [operation.takes]: "a text that is too long" };
    return { [operation.takes]: chance.percent(65) ? "yes" : "no" };
  }
  if (operation.action === "handler")
    return { plan: chance.percent(3) ? "x".repeat(mostTaken("handler") + 1) : planOf(chance, resource) };
  if ((operation.action !== "create" && operation.action !== "update") || operation.file !== undefined)
    return undefined;
  const members: Record<string, Json> = {};
  const isNew = operation.action === "create";
  for (const field of resource.fields) {
    if (field.marks.includes("read-only")) {
      // What the service sets may be sent back as it is.
      const same = rec?.values[field.name];
      if (!isNew && same !== undefined && same !== null && chance.percent(8)) members[field.name] = same;
      continue;
    }
    const isNeeded = isNew && !field.optional && field.default === undefined;
    if (!isNew && field.marks.includes("create-only")) {
      if (chance.percent(10)) members[field.name] = rec?.values[field.name] ?? 1;
      continue;
    }
    if (!(isNeeded ? chance.percent(97) : chance.percent(isNew ? 50 : 40))) continue;
    if (field.type.kind === "file" && (isNew || chance.percent(80))) continue;
    members[field.name] = !isNew && field.optional && chance.percent(20) ? null : valueOf(asking, field);
  }
  if (chance.percent(3)) members["surprise"] = 1;
  if (chance.percent(3)) members["count"] = 99;
  return members;
}

/** What a function is to do, one step after another. */
function planOf(chance: Chance, { lifecycle, operations }: Resource): string {
  const moves = operations.filter(
    ({ action, quota, takes }) => action === "move" && quota === undefined && takes === undefined,
  );
  const codes = (lifecycle?.moves ?? []).flatMap((move) => move.else ?? []);
  const step = (): string => {
    const kind = chance.weighted({ see: 10, title: 20, move: moves.length > 0 ? 20 : 0, wait: 30, slow: 3, fail: codes.length > 0 ? 3 : 0, throw: 3 }); // biome-ignore format: short
    if (kind === "title") return `title ${chance.pick(["a", "b", "c", "d", "e", "f", "bad"])}`;
    if (kind === "move") return `move ${chance.pick(moves).name}`;
    return kind === "fail" ? `fail ${chance.pick(codes)}` : kind;
  };
  return Array.from({ length: chance.between(1, 5) }, step).join(", ");
}

/** Now and then more than it may be. */
function uploadOf(chance: Chance): string {
  return chance.pick(["a", "b", "c", "d"]).repeat(chance.percent(4) ? 101 : chance.between(1, 100));
}

function valueOf(asking: Asking, { name, type }: Field): Json {
  const { chance, oracle } = asking;
  // Few values, so that they meet.
  switch (type.kind) {
    case "text":
      if (chance.percent(2)) return "x".repeat(type.most + 1);
      if (name === "title" && chance.percent(8)) return "bad";
      return chance.pick(["a", "b", "c", "d", "e", "f", "1", "2"]);
    case "number":
      return chance.percent(2) ? type.most + 1 : chance.between(0, Math.min(type.most, 4));
    case "flag":
      return chance.percent(50);
    case "secret":
      return chance.pick(passwords);
    case "choice":
      return chance.percent(3) ? "none of them" : chance.pick(type.of);
    case "reference": {
      const others = [...oracle.records.values()].filter((rec) => rec.resource.name === type.to);
      if (others.length > 0 && chance.percent(90)) return chance.pick(others).id;
      return chance.percent(70) ? "box_01k00000007000000000000000" : "not an id";
    }
    default:
      return "";
  }
}

function listOf(
  asking: Asking,
  actor: Actor,
  resource: Resource,
  operation: Operation,
  older: boolean,
): { readonly list: ListAsked; readonly cursor: string | undefined } {
  const { chance, oracle } = asking;
  const memory = asking.memoryOf(actor);
  const known = memory.cursors.filter(({ asked }) => asked.operation === operation && asked.older === older);
  if (known.length > 0 && chance.percent(60)) {
    const { asked, cursor, last } = chance.pick(known);
    return { list: { ...(asked.list as ListAsked), after: last }, cursor };
  }
  const visible = oracle.seen(resource, actor);
  const filters = chance
    .some(
      visible.filter(({ marks, type }) => marks.includes("filter") && type.kind !== "reference"),
      25,
    )
    .map((field) => ({ field: field.name, value: field.type.kind === "user" ? "ann" : inRange(asking, field) }));
  const states = resource.lifecycle?.states ?? [];
  const sortable = visible.filter(({ marks }) => marks.includes("sort"));
  return {
    list: {
      filters: [
        ...filters,
        ...(states.length > 0 && chance.percent(20) ? [{ field: "state", value: chance.pick(states) }] : []),
      ],
      ...(sortable.length > 0 && chance.percent(50)
        ? { sort: { field: chance.pick(sortable).name, descending: chance.percent(50) } }
        : {}),
      limit: chance.pick([3, 1, 2, 10]),
    },
    cursor: undefined,
  };
}

function inRange(asking: Asking, field: Field): Json {
  const { type } = field;
  if (type.kind === "choice") return asking.chance.pick(type.of);
  return type.kind === "number" ? asking.chance.between(0, 4) : asking.chance.pick(["a", "b", "c", "d"]);
}

/** `between`: others may go on before each piece of a body that brings a file. */
export function exchangeOf({ asked, body, headers, method, target }: Sent, between: () => Promise<void>): HttpRequest {
  const bytes = Buffer.from(body ?? "");
  const pipe: HttpRequest["pipe"] = async (limit, _, take) => {
    if (bytes.length > limit) return "too-large";
    const third = Math.ceil(bytes.length / 3);
    for (let at = 0; at < bytes.length; at += third) {
      await between();
      await take(bytes.subarray(at, at + third));
    }
    return "whole";
  };
  return {
    ...(asked.upload === undefined ? {} : { pipe }),
    method,
    target,
    headers: readHeaders(headers),
    address: asked.actor.address,
    secure: false,
    body: () => Promise.resolve({ kind: "bytes", bytes }),
  };
}
