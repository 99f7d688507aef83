/**
 * The model of a simulated service as plain data, from which both its text (`document.ts`) and the expected results (`oracle.ts`)
 * are computed. It has the features that faults affect: states and timers, permissions and visibility, keys, quotas, events,
 * versions. Nothing here uses the plan.
 */
import type { Json } from "../../src/base/json.ts";
import { type Chance, chanceOf } from "./random.ts";

export interface World {
  readonly number: number;
  readonly resources: readonly Resource[];
  readonly unseen: 403 | 404;
  readonly edits: "required" | "optional" | "none";
  /** Whether POST takes an Idempotency-Key, kept a day. */
  readonly repeats: boolean;
  /** Of every operation, for each user. */
  readonly rate?: Rate;
  readonly webhook?: Webhook;
  readonly stream?: { readonly for: readonly Grant[] };
  /** A device tells of jobs, and signs what it says. */
  readonly inbound?: Operation;
  /** Records log in: how long their tokens last, and those that these are renewed with; absent: nobody does. */
  readonly logins?: { readonly lasts: Span; readonly renewed?: Span };
  /** How the version before differs; absent: there is one version. */
  readonly older?: Older;
}

export const roles = ["member", "clerk"] as const;
export type Role = (typeof roles)[number];

export interface Span {
  readonly milliseconds: number;
  readonly text: string;
}

export interface Resource {
  readonly name: string;
  readonly plural: string;
  readonly prefix: string;
  readonly fields: readonly Field[];
  /** Whether `owner` is the one who made it. */
  readonly owned: boolean;
  readonly lifecycle?: Lifecycle;
  readonly operations: readonly Operation[];
  readonly rule?: { readonly holds: Condition; readonly else: string };
  /** A rule that reads other records, and so is evaluated when these are written, too. */
  readonly across?: { readonly holds: Across; readonly else: string };
  /** How long it is kept; then it is deleted, or what is personal of it is erased. */
  readonly keep?: {
    readonly milliseconds: number;
    readonly text: string;
    readonly after: "final" | "createdAt";
    readonly erases: boolean;
  };
  /** Records at a time for each owner, in these states or else in any that is not final. */
  readonly live?: { readonly count: number; readonly states?: readonly string[] };
  readonly events: readonly OutEvent[];
}

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly optional: boolean;
  /** A value, or `now`, or `caller`. */
  readonly default?: Json;
  readonly marks: readonly (
    | "read-only"
    | "create-only"
    | "unique"
    | "filter"
    | "sort"
    | "clear"
    | "delete with"
    | "personal"
  )[];
  /** Who sees it; absent: everybody. */
  readonly shown?: readonly Grant[];
}

export type FieldType =
  | { readonly kind: "text"; readonly most: number }
  | { readonly kind: "number"; readonly most: number }
  | { readonly kind: "flag" }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "moment" }
  | { readonly kind: "user" }
  | { readonly kind: "secret"; readonly most: number }
  | { readonly kind: "file"; readonly most: number }
  | { readonly kind: "reference"; readonly to: string };

export interface Lifecycle {
  readonly states: readonly string[];
  readonly start: string;
  readonly final: readonly string[];
  readonly moves: readonly Transition[];
}

export interface Transition {
  readonly from: readonly string[];
  readonly to: string;
  readonly by: Trigger;
  readonly if?: Condition;
  readonly else?: string;
  readonly set?: { readonly field: string; readonly to: SetTo };
}

export type Trigger =
  | { readonly kind: "operation"; readonly name: string }
  | { readonly kind: "after"; readonly milliseconds: number; readonly text: string }
  | { readonly kind: "at"; readonly field: string }
  | { readonly kind: "event"; readonly name: string };

export type SetTo =
  | { readonly kind: "more"; readonly field: string }
  | { readonly kind: "later"; readonly milliseconds: number; readonly text: string };

export type Condition =
  | { readonly kind: "below"; readonly field: string; readonly value: number }
  | { readonly kind: "is"; readonly field: string; readonly value: string }
  | { readonly kind: "isNot"; readonly field: string; readonly value: string }
  | { readonly kind: "input"; readonly member: string; readonly value: string };

export type Across =
  /** So many of this resource at most have the same in a field. */
  | { readonly kind: "alike"; readonly field: string; readonly most: number }
  /** The sum of a field over all of them is at most so much. */
  | { readonly kind: "total"; readonly field: string; readonly most: number }
  /** The record that `box` refers to has something else in a field. */
  | { readonly kind: "referred"; readonly field: string; readonly isNot: Json; readonly state?: string }
  /** So many jobs at most refer to it, of those in a state. */
  | { readonly kind: "referring"; readonly most: number; readonly state?: string };

export interface Grant {
  readonly who: Role | "signed-in" | "anyone";
  readonly own?: true;
}

export type SessionAction = "login" | "renew" | "logout";

export interface Operation {
  readonly name: string;
  readonly action:
    | "create"
    | "read"
    | "list"
    | "update"
    | "delete"
    | "move"
    | "history"
    | "receive"
    | "handler"
    | SessionAction;
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** The field whose bytes alone it gives or takes. */
  readonly file?: string;
  /** With `{id}` where it is of one record. */
  readonly path: string;
  readonly allow: readonly Grant[];
  /** What a move takes: a text. */
  readonly takes?: string;
  readonly quota?: { readonly count: number; readonly milliseconds: number; readonly text: string };
  readonly rate?: Rate;
}

export interface Rate {
  readonly count: number;
  readonly milliseconds: number;
  readonly text: string;
  /** A bucket of this size in place of a window. */
  readonly burst?: number;
}

export interface OutEvent {
  readonly name: string;
  readonly on:
    | { readonly kind: "state"; readonly state: string }
    | { readonly kind: "operation"; readonly operation: string };
}

export interface Webhook {
  readonly for: readonly Grant[];
  readonly inOrder: boolean;
  readonly retry: readonly { readonly milliseconds: number; readonly text: string }[];
}

/** The version before: what it called a field, where it had an operation, what it called an error. */
export interface Older {
  readonly field?: { readonly resource: string; readonly name: string; readonly was: string };
  readonly path?: { readonly operation: string; readonly was: string };
  readonly error?: { readonly code: string; readonly was: string };
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A world by its number; the same for the same number. */
export function worldOf(number: number): World {
  const chance = chanceOf(number, "world");
  const box = chance.percent(60) ? boxOf(chance) : undefined;
  const job = jobOf(chance, box);
  const linked = box === undefined ? [job] : [linkedBox(chance, box, job), job];
  // What came later draws from streams of its own, so that the rest of a world stays as it is.
  const logins = loginsOf(chanceOf(number, "logins"));
  const bursts = chanceOf(number, "bursts");
  const inbound = chanceOf(number, "inbound").percent(30) ? inboundOf() : undefined;
  const across = acrossOf(chanceOf(number, "across"), linked);
  return {
    number,
    resources: [
      ...(logins === undefined ? [] : [personOf(chanceOf(number, "person"), logins)]),
      ...linked.map((plain) => {
        const one = plain.name === across?.of ? { ...plain, across: across.rule } : plain;
        if (one.name !== "Job") return bursting(one, bursts);
        const job = bursting(inbound === undefined ? one : told(one), bursts);
        const shown = chanceOf(number, "files").percent(25) ? pictured(job, chanceOf(number, "pictures")) : job;
        return chanceOf(number, "functions").percent(25) ? worked(shown, chanceOf(number, "work")) : shown;
      }),
    ],
    ...(inbound === undefined ? {} : { inbound }),
    ...(logins === undefined ? {} : { logins }),
    unseen: chance.percent(70) ? 404 : 403,
    edits: chance.pick(["required", "optional", "none"]),
    repeats: chance.percent(85),
    ...(chance.percent(40) ? { rate: burstOf(rateOf(chance), bursts) } : {}),
    ...(linked.some(({ events }) => events.length > 0) && chance.percent(60)
      ? { webhook: webhookOf(chance, linked) }
      : {}),
    ...(linked.some(({ events }) => events.length > 0) && chance.percent(50)
      ? { stream: { for: webhookOf(chance, linked).for } }
      : {}),
    ...(chance.percent(40) ? { older: olderOf(chance, job) } : {}),
  };
}

/** In three of ten worlds a rule of one of them reads others. */
function acrossOf(
  chance: Chance,
  resources: readonly Resource[],
): { readonly of: string; readonly rule: NonNullable<Resource["across"]> } | undefined {
  if (!chance.percent(30)) return undefined;
  const box = resources.find(({ name }) => name === "Box");
  const job = resources.find(({ name }) => name === "Job");
  const has = (resource: Resource | undefined, field: string): boolean =>
    resource?.fields.some(({ name }) => name === field) === true;
  const rules: readonly (readonly [of: string, holds: Across])[] = [
    ["Job", { kind: "total", field: "count", most: chance.between(1, 3) }],
    ["Job", { kind: "total", field: "size", most: chance.between(4, 9) }],
    ...(has(job, "grade") ? [["Job", { kind: "alike", field: "grade", most: chance.between(1, 2) }] as const] : []),
    ...(box === undefined
      ? []
      : ([
          ["Job", { kind: "alike", field: "box", most: chance.between(1, 2) }],
          ["Box", { kind: "referring", most: chance.between(1, 2) }],
          ["Box", { kind: "referring", most: chance.between(0, 1), state: "held" }],
        ] as const)),
    ...(has(box, "room") ? [["Job", { kind: "referred", field: "room", isNot: 2 }] as const] : []),
    ...(box?.lifecycle === undefined
      ? []
      : [["Job", { kind: "referred", field: "state", isNot: "taken", state: "open" }] as const]),
  ];
  const [of, holds] = chance.pick(rules);
  return { of, rule: { holds, else: "crowded" } };
}

function rateOf(chance: Chance): Rate {
  return chance.pick([
    { count: chance.between(2, 5), milliseconds: minute, text: "min" },
    { count: chance.between(4, 8), milliseconds: hour, text: "h" },
    { count: chance.between(1, 3), milliseconds: 10_000, text: "10s" },
  ]);
}

/** In half of the worlds that have rates some are buckets. */
function burstOf(rate: Rate, chance: Chance): Rate {
  return chance.percent(40) ? { ...rate, burst: chance.between(1, 4) } : rate;
}

function bursting(resource: Resource, chance: Chance): Resource {
  const operations = resource.operations.map((one) =>
    one.rate === undefined ? one : { ...one, rate: burstOf(one.rate, chance) },
  );
  return { ...resource, operations };
}

function webhookOf(chance: Chance, resources: readonly Resource[]): Webhook {
  const isOwned = resources.every(({ events, owned }) => owned || events.length === 0);
  const waits = [
    { milliseconds: 5_000, text: "5s" },
    { milliseconds: 5 * minute, text: "5m" },
    { milliseconds: 2 * hour, text: "2h" },
  ];
  return {
    for: chance.pick<readonly Grant[]>([
      [{ who: "clerk" }],
      [{ who: "member" }, { who: "clerk" }],
      isOwned ? [{ who: "clerk" }, { who: "member", own: true }] : [{ who: "member" }],
    ]),
    inOrder: chance.percent(70),
    retry: waits.slice(0, chance.between(1, 3)),
  };
}

function olderOf(chance: Chance, job: Resource): Older {
  const renamed = job.fields.find(({ name }) => name === "title" || name === "note");
  const moved = job.operations.find(({ action }) => action === "move");
  const refused = job.lifecycle?.moves.find((move) => move.else !== undefined)?.else;
  return {
    ...(renamed === undefined || chance.percent(20)
      ? {}
      : { field: { resource: job.name, name: renamed.name, was: "label" } }),
    ...(moved === undefined || chance.percent(40)
      ? {}
      : { path: { operation: moved.name, was: `/jobs/{id}/old-${moved.name.toLowerCase()}` } }),
    ...(refused === undefined || chance.percent(50) ? {} : { error: { code: refused, was: "no-way" } }),
  };
}

const crud = (chance: Chance, name: string, plural: string, owned: boolean): Operation[] => {
  const grants = (): readonly Grant[] => grantsOf(chance, owned);
  const reading = grants();
  return [
    {
      name: `add${name}`,
      action: "create",
      method: "POST",
      path: `/${plural}`,
      allow: chance.pick<readonly Grant[]>([
        [{ who: "signed-in" }],
        [{ who: "member" }],
        [{ who: "member" }, { who: "clerk" }],
        ...(owned ? [] : [[{ who: "anyone" }] as const]),
      ]),
      ...(chance.percent(30)
        ? {
            quota: chance.pick([
              { count: chance.between(2, 5), milliseconds: day, text: "day" },
              { count: chance.between(1, 3), milliseconds: hour, text: "h" },
            ]),
          }
        : {}),
    },
    { name: `get${name}`, action: "read", method: "GET", path: `/${plural}/{id}`, allow: reading },
    {
      name: `list${name}s`,
      action: "list",
      method: "GET",
      path: `/${plural}`,
      // Mostly the same people: where they differ, one of the two says what is seen.
      allow: chance.percent(75) ? reading : grants(),
    },
    ...(chance.percent(80)
      ? [
          {
            name: `change${name}`,
            action: "update",
            method: "PATCH",
            path: `/${plural}/{id}`,
            allow: grants(),
          } as const,
        ]
      : []),
    ...(chance.percent(60)
      ? [
          {
            name: `remove${name}`,
            action: "delete",
            method: "DELETE",
            path: `/${plural}/{id}`,
            allow: grants(),
          } as const,
        ]
      : []),
  ];
};

function grantsOf(chance: Chance, owned: boolean): readonly Grant[] {
  const mine: readonly (readonly Grant[])[] = [
    [{ who: "clerk" }, { who: "member", own: true }],
    [{ who: "signed-in", own: true }],
    [{ who: "member", own: true }],
  ];
  const plain: readonly (readonly Grant[])[] = [
    [{ who: "signed-in" }],
    [{ who: "clerk" }],
    [{ who: "clerk" }, { who: "member" }],
    [{ who: "anyone" }],
  ];
  return chance.pick(owned && chance.percent(65) ? mine : plain);
}

function loginsOf(chance: Chance): World["logins"] {
  if (!chance.percent(25)) return undefined;
  const lasts = chance.pick([
    { milliseconds: 10 * minute, text: "10m" },
    { milliseconds: day, text: "1d" },
  ]);
  return { lasts, ...(chance.percent(75) ? { renewed: { milliseconds: 3 * day, text: "3d" } } : {}) };
}

/** Those who log in: whose roles and passwords change, and who are deleted while they are about something. */
function personOf(chance: Chance, { renewed }: NonNullable<World["logins"]>): Resource {
  const own: readonly Grant[] = [{ who: "clerk" }, { who: "signed-in", own: true }];
  const one = "/people/{id}";
  const operation = (name: string, action: Operation["action"], method: Operation["method"], path: string, allow: readonly Grant[]): Operation => ({ name, action, method, path, allow }); // biome-ignore format: short
  return {
    name: "Person",
    plural: "people",
    prefix: "per",
    owned: false,
    fields: [
      { name: "name", type: { kind: "text", most: 8 }, optional: false, marks: ["unique", "filter"] },
      { name: "password", type: { kind: "secret", most: 9 }, optional: false, marks: [] },
      {
        name: "role",
        type: { kind: "choice", of: roles },
        optional: false,
        default: "member",
        marks: chance.some(["filter"] as const, 50),
      },
    ],
    operations: [
      operation("addPerson", "create", "POST", "/people", [{ who: "anyone" }]),
      operation("getPerson", "read", "GET", one, own),
      operation("changePerson", "update", "PATCH", one, own),
      operation("removePerson", "delete", "DELETE", one, own),
      operation("login", "login", "POST", "/sessions", [{ who: "anyone" }]),
      ...(renewed === undefined ? [] : [operation("renew", "renew", "POST", "/sessions/renewal", [{ who: "anyone" }])]),
      operation("logout", "logout", "DELETE", "/sessions/current", [{ who: "signed-in" }]),
    ],
    events: [],
  };
}

function inboundOf(): Operation {
  return {
    name: "device.beat",
    action: "receive",
    method: "POST",
    path: "/hooks/devices",
    allow: [{ who: "signed-in" }],
  };
}

/** A function of the owner's does something with it. */
function worked(job: Resource, chance: Chance): Resource {
  const work: Operation = {
    name: "workJob",
    action: "handler",
    method: "POST",
    path: "/jobs/{id}/work",
    allow: grantsOf(chance, job.owned),
    takes: "plan",
  };
  return { ...job, operations: [...job.operations, work] };
}

/** It has a file, which comes and goes by itself, too. */
function pictured(job: Resource, chance: Chance): Resource {
  const field: Field = {
    name: "photo",
    type: { kind: "file", most: 100 },
    optional: true,
    marks: job.keep?.erases === true && chance.percent(70) ? ["personal"] : [],
  };
  const path = "/jobs/{id}/photo";
  const operations: readonly Operation[] = [
    { name: "setPhoto", action: "update", method: "PUT", path, allow: grantsOf(chance, job.owned), file: "photo" },
    { name: "getPhoto", action: "read", method: "GET", path, allow: grantsOf(chance, job.owned), file: "photo" },
  ];
  return { ...job, fields: [...job.fields, field], operations: [...job.operations, ...operations] };
}

/** It counts what devices tell of it: whatever is done twice is seen. */
function told(job: Resource): Resource {
  const { lifecycle } = job;
  if (lifecycle === undefined) return job;
  const more: Transition["set"] = { field: "count", to: { kind: "more", field: "count" } };
  const beat = (state: string): Transition => ({ from: [state], to: state, by: { kind: "event", name: "device.beat" }, if: { kind: "below", field: "count", value: 3 }, set: more }); // biome-ignore format: short
  const states = lifecycle.states.filter((state) => !lifecycle.final.includes(state));
  return { ...job, lifecycle: { ...lifecycle, moves: [...lifecycle.moves, ...states.map(beat)] } };
}

function boxOf(chance: Chance): Resource {
  const owned = chance.percent(30);
  const name: Field = {
    name: "name",
    type: { kind: "text", most: 8 },
    optional: false,
    marks: ["unique", "filter", ...chance.some(["sort"] as const, 50)],
  };
  const room: Field = { name: "room", type: { kind: "number", most: 9 }, optional: true, marks: ["filter"] };
  return {
    name: "Box",
    plural: "boxes",
    prefix: "box",
    owned,
    fields: [...(owned ? [ownerField] : []), name, ...chance.some([room], 60)],
    operations: crud(chance, "Box", "boxes", owned),
    events: [],
  };
}

const ownerField: Field = {
  name: "owner",
  type: { kind: "user" },
  optional: false,
  default: "caller",
  marks: ["read-only", "filter"],
};

/** A box follows the jobs that refer to it, where these tell of an event. */
function linkedBox(chance: Chance, box: Resource, job: Resource): Resource {
  const [first, second] = job.events.filter(({ on }) => on.kind === "state");
  if (first === undefined || chance.percent(40)) return box;
  const repair: Operation = {
    name: "freeBox",
    action: "move",
    method: "POST",
    path: "/boxes/{id}/free",
    allow: [{ who: "clerk" }],
  };
  const when = (name: string): Trigger => ({ kind: "event", name });
  return {
    ...box,
    operations: [...box.operations, repair],
    lifecycle: {
      states: ["free", "taken"],
      start: "free",
      final: [],
      moves: [
        { from: ["free"], to: "taken", by: when(first.name) },
        ...(second === undefined ? [] : [{ from: ["taken"], to: "free", by: when(second.name) }]),
        { from: ["taken"], to: "free", by: { kind: "operation", name: "freeBox" } },
      ],
    },
    events: chance.percent(50) ? [{ name: "box.taken", on: { kind: "state", state: "taken" } }] : [],
  };
}

function jobOf(chance: Chance, box: Resource | undefined): Resource {
  const owned = chance.percent(75);
  const lifecycle = lifecycleOf(chance);
  const hidden: readonly Grant[] = chance.pick<readonly Grant[]>([
    [{ who: "clerk" }],
    [{ who: "member" }, { who: "clerk" }],
  ]);
  const fields: readonly Field[] = [
    ...(owned ? [ownerField] : []),
    {
      name: "title",
      type: { kind: "text", most: 12 },
      optional: false,
      marks: [...chance.some(["unique"] as const, 25), ...chance.some(["filter", "sort"] as const, 50)],
    },
    {
      name: "size",
      type: { kind: "number", most: 9 },
      optional: chance.percent(50),
      ...(chance.percent(40) ? { default: 3 } : {}),
      marks: chance.some(["create-only", "filter", "sort"] as const, 40),
    },
    ...chance.some<Field>(
      [
        {
          name: "grade",
          type: { kind: "choice", of: ["low", "mid", "high"] },
          optional: chance.percent(30),
          marks: chance.some(["filter"] as const, 50),
        },
        { name: "urgent", type: { kind: "flag" }, optional: false, default: false, marks: [] },
        {
          name: "note",
          type: { kind: "text", most: 20 },
          optional: true,
          marks: chance.some(["filter", "sort"] as const, 30),
          shown: hidden,
        },
        { name: "code", type: { kind: "number", most: 9 }, optional: true, marks: ["filter"], shown: hidden },
      ],
      70,
    ),
    ...(box === undefined
      ? []
      : [
          {
            name: "box",
            type: { kind: "reference", to: "Box" },
            ...chance.pick<Pick<Field, "optional" | "marks">>([
              { optional: false, marks: ["create-only", "filter"] },
              { optional: true, marks: ["filter", "clear"] },
              { optional: false, marks: ["filter", "delete with"] },
            ]),
          } as const,
        ]),
    { name: "count", type: { kind: "number", most: 3 }, optional: false, default: 0, marks: ["read-only"] },
    { name: "dueAt", type: { kind: "moment" }, optional: true, marks: ["read-only"] },
    { name: "createdAt", type: { kind: "moment" }, optional: false, default: "now", marks: ["read-only", "sort"] },
  ];
  const operations = [
    ...crud(chance, "Job", "jobs", owned),
    ...chance.some<Operation>(
      [
        {
          name: "getJobHistory",
          action: "history",
          method: "GET",
          path: "/jobs/{id}/history",
          allow: grantsOf(chance, owned),
        },
      ],
      50,
    ),
    ...lifecycle.moves.flatMap(({ by }): readonly Operation[] =>
      by.kind !== "operation"
        ? []
        : [
            {
              name: by.name,
              action: "move",
              method: "POST",
              path: `/jobs/{id}/${by.name.toLowerCase()}`,
              allow: grantsOf(chance, owned),
              ...(by.name === "finish" ? { takes: "code" } : {}),
              ...(chance.percent(20) ? { quota: { count: 2, milliseconds: hour, text: "h" } } : {}),
              ...(chance.percent(15) ? { rate: rateOf(chance) } : {}),
            },
          ],
    ),
  ];
  const unique = [...new Map(operations.map((operation) => [operation.name, operation])).values()];
  const emitted = chance.some(lifecycle.states, 60);
  const keep = keepOf(chance, lifecycle);
  return {
    name: "Job",
    plural: "jobs",
    prefix: "job",
    owned,
    fields: keep?.erases === true ? personalOf(chance, fields) : fields,
    lifecycle,
    operations: unique,
    ...(chance.percent(40)
      ? { rule: { holds: { kind: "isNot", field: "title", value: "bad" }, else: "bad-title" } }
      : {}),
    ...(keep === undefined ? {} : { keep }),
    ...(owned && chance.percent(40)
      ? { live: { count: chance.between(1, 3), ...(chance.percent(50) ? { states: ["open", "held"] } : {}) } }
      : {}),
    events: [
      ...emitted.map((state): OutEvent => ({ name: `job.${state}`, on: { kind: "state", state } })),
      ...unique
        .filter(({ action }) => action === "update" || action === "move")
        .filter(() => chance.percent(25))
        .map(({ name }): OutEvent => ({ name: `job.did-${name.toLowerCase()}`, on: { kind: "operation", operation: name } })), // biome-ignore format: short
    ],
  };
}

function keepOf(chance: Chance, { final }: Lifecycle): Resource["keep"] {
  if (!chance.percent(55)) return undefined;
  const after = final.length > 0 && chance.percent(60) ? "final" : "createdAt";
  const long = chance.pick([
    { milliseconds: day, text: "1d" },
    { milliseconds: hour, text: "1h" },
  ]);
  return { ...long, after, erases: chance.percent(60) };
}

/** Some of them are about a person. */
function personalOf(chance: Chance, fields: readonly Field[]): readonly Field[] {
  const often: Readonly<Record<string, number>> = { title: 70, note: 80, code: 50, size: 30, owner: 25 };
  const marked = fields.map((field): Field => chance.percent(often[field.name] ?? 0) ? { ...field, marks: [...field.marks, "personal"] } : field); // biome-ignore format: short
  return marked.some(({ marks }) => marks.includes("personal"))
    ? marked
    : fields.map((field) => (field.name === "title" ? { ...field, marks: [...field.marks, "personal"] } : field));
}

function lifecycleOf(chance: Chance): Lifecycle {
  const operation = (name: string): Trigger => ({ kind: "operation", name });
  const later: Transition["set"] = { field: "dueAt", to: { kind: "later", milliseconds: hour, text: "1h" } };
  const waits = chance.pick([
    { milliseconds: 10 * minute, text: "10m" },
    { milliseconds: 2 * hour, text: "2h" },
    { milliseconds: 3 * day, text: "3d" },
  ]);
  const moves: readonly Transition[] = [
    { from: ["open"], to: "held", by: operation("hold"), ...(chance.percent(70) ? { set: later } : {}) },
    {
      from: chance.percent(50) ? ["open", "held"] : ["held"],
      to: "done",
      by: operation("finish"),
      ...(chance.percent(70) ? { if: { kind: "input", member: "code", value: "yes" }, else: "wrong-code" } : {}),
    },
    ...chance.some<Transition>(
      [
        {
          from: ["held"],
          to: "held",
          by: operation("extend"),
          if: { kind: "below", field: "count", value: 2 },
          else: "no-more",
          set: { field: "count", to: { kind: "more", field: "count" } },
        },
        { from: ["open"], to: "gone", by: { kind: "after", ...waits } },
        { from: ["held"], to: "open", by: { kind: "at", field: "dueAt" } },
        {
          from: ["open"],
          to: "open",
          by: { kind: "after", milliseconds: 5 * minute, text: "5m" },
          if: { kind: "below", field: "count", value: 2 },
          set: { field: "count", to: { kind: "more", field: "count" } },
        },
        { from: ["open", "held"], to: "gone", by: operation("cancel") },
        ...(chance.percent(30) ? [{ from: ["done"], to: "open", by: operation("reopen") }] : []),
      ],
      65,
    ),
  ];
  const reached = new Set(["open", ...moves.flatMap(({ from, to }) => [...from, to])]);
  const states = ["open", "held", "done", "gone"].filter((state) => reached.has(state));
  const final = states.filter((state) => !moves.some(({ from }) => from.includes(state)));
  return { states, start: "open", final, moves };
}
