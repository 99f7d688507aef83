/**
 * Generates documents about permissions: records with an owner, fields of many types, states, nested views, children, events and
 * an older version, with random grants and visibility. It also computes the expected results, independently of the code that
 * serves the document.
 */
import fc from "fast-check";
import type { Block } from "../enforced/document.ts";
import { documentOf } from "../enforced/document.ts";

export const roles = ["clerk", "boss"] as const;
export type Role = (typeof roles)[number];

const conditions = { own: "owner == caller.id", open: "open", shut: "!open", both: "own && open" } as const;

export interface Grant {
  readonly who: Role | "signed-in" | "anyone";
  readonly if?: keyof typeof conditions;
}

/** Whoever asks, as far as permissions go. */
export interface Caller {
  /** Undefined for who is not signed in. */
  readonly id: string | undefined;
  readonly roles: readonly string[];
  /** Whether it is known by a token that scopes bind, to which `signed-in` is closed. */
  readonly scoped?: boolean;
}

/** What a condition reads of a record. */
export interface Facts {
  readonly owner: string;
  readonly open: boolean;
}

export const fields = ["note", "code", "rank", "tags", "place", "labels", "extra", "cost"] as const;
export type FieldName = (typeof fields)[number];

/** Operations about one thing, or about all of them. */
export const operations = [
  "getThing", "listThings", "outThing", "outThings", "changeThing", "replaceThing", "removeThing", "publishThing",
  "pastThing", "addPart", "listParts",
] as const; // biome-ignore format: a table
export type OperationName = (typeof operations)[number];

export interface Vault {
  readonly allow: Readonly<Record<OperationName, readonly Grant[]>>;
  /** Absent: everybody. */
  readonly show: Readonly<Record<FieldName, readonly Grant[] | undefined>>;
  readonly follow: readonly Grant[];
  readonly unseen: 403 | 404;
  readonly marks: Readonly<Record<"note" | "code" | "rank", readonly string[]>>;
  readonly clients: "themselves" | "users";
}

const grant: fc.Arbitrary<Grant> = fc.oneof(
  fc.record({ who: fc.constantFrom(...roles) }),
  fc.record({
    who: fc.constantFrom(...roles, "signed-in" as const),
    if: fc.constantFrom("own", "open", "both", "shut"),
  }),
  fc.record({ who: fc.constantFrom("anyone" as const), if: fc.constantFrom("open", "shut") }),
  fc.constantFrom<Grant>({ who: "signed-in" }, { who: "anyone" }),
) as fc.Arbitrary<Grant>;

const grants = fc.uniqueArray(grant, {
  minLength: 1,
  maxLength: 3,
  selector: ({ who, if: condition = "" }) => `${who} ${condition}`,
});
/** What changes something is rarely for anyone, so that it has somebody to keep out. */
const strict = fc.uniqueArray(
  fc.record({
    who: fc.constantFrom(...roles, "signed-in" as const),
    if: fc.constantFrom(undefined, "own", "open", "both", "shut"),
  }),
  { minLength: 1, maxLength: 2, selector: ({ who, if: condition = "" }) => `${who} ${condition}` },
) as fc.Arbitrary<readonly Grant[]>;
/** A part has neither an owner nor a state of its own. */
const plain = fc.constantFrom<readonly Grant[]>(
  [{ who: "signed-in" }],
  [{ who: "clerk" }],
  [{ who: "boss" }],
  [{ who: "anyone" }],
);
/** The four reads share few grants: each with many of its own, all that there is would be seen by everybody. */
const reading = fc
  .uniqueArray(grant, { minLength: 1, maxLength: 3, selector: ({ who, if: condition = "" }) => `${who} ${condition}` })
  .chain((all) => {
    const some = fc.subarray(all, { minLength: 1 });
    return fc.record({ getThing: some, listThings: some, outThing: some, outThings: some });
  });
const shown = fc.option(strict, { nil: undefined, freq: 3 });
const marks = fc.subarray(["filter", "sort"]);

const changing = fc.record({
  changeThing: strict,
  replaceThing: strict,
  removeThing: strict,
  publishThing: strict,
  pastThing: grants,
  addPart: plain,
  listParts: plain,
});

const anyVault: fc.Arbitrary<Vault> = fc.record({
  allow: fc.tuple(reading, changing).map(([reads, others]) => ({ ...reads, ...others })),
  show: fc.record({
    note: shown,
    code: shown,
    rank: shown,
    tags: shown,
    place: shown,
    labels: shown,
    extra: shown,
    cost: shown,
  }),
  follow: strict,
  unseen: fc.constantFrom(403, 404),
  marks: fc.record({ note: fc.subarray(["filter", "sort", "search"]), code: marks, rank: marks }),
  clients: fc.constantFrom("themselves", "users"),
});

/** Where all is seen by whoever is signed in, R5.8 is not tried at all. */
export const vaults: fc.Arbitrary<Vault> = anyVault.filter((vault) => {
  const hides = (own: readonly Role[]): boolean =>
    [true, false].some((open) => !isSeen(vault, { id: "ona", roles: own }, { owner: "bell", open }));
  return hides([]) || roles.some((role) => hides([role]));
});

/** What a test adds to the document. */
export interface More {
  /** Filters of `listThings` by conditions of the document's own. */
  readonly filters?: Block;
  /** Other versions than one older one. */
  readonly versions?: Block;
  /** Further fields of `Thing`. */
  readonly fields?: Block;
  /** Further operations, which whoever may run `listThings` may run. */
  readonly endpoints?: Block;
  readonly repeats?: string;
}

export function textOf(vault: Vault, more: More = {}): string {
  const marked = (name: keyof Vault["marks"], type: string): string => [type, ...vault.marks[name]].join(", ");
  const show = Object.entries(vault.show).flatMap(([name, all]) =>
    all === undefined ? [] : [[`Thing.${name}`, words(all)]],
  );
  return documentOf({
    purpose: { users: { clerk: "keeps things", boss: "sees to it" } },
    resources: {
      Member: { id: "id(mem)", email: "email, unique", password: "string(8..72), secret", "role?": "clerk | boss" },
      Thing: {
        id: "id(thi)",
        owner: "user = caller, read-only, filter",
        open: "boolean, filter",
        title: "string(1..60), filter, sort",
        note: marked("note", "string(1..60)"),
        code: marked("code", "string(1..60), unique"),
        rank: marked("rank", "integer"),
        tags: "string(1..60)[](0..3)",
        place: "Place",
        labels: "map(string(1..60))",
        extra: { schema: { type: "object" } },
        cost: "money",
        "pin?": "string(1..60), secret",
        "hint?": "string(1..60), write-only",
        "peer?": "Thing, clear",
        ...more.fields,
      },
      Part: { id: "id(prt)", thing: "Thing, create-only, delete with", body: "string(1..60)" },
      types: { Place: { street: "string(1..60)", "zip?": "string(1..60)" } },
      views: {
        Brief: { of: "Thing", fields: ["id", "title", "note", "rank", "place"] },
        Out: {
          of: "Thing",
          fields: ["id", "owner", "title", ...fields],
          "peer?": "Brief",
          "loud?": "string := note + '!'",
          "known?": "boolean := rank > 0",
          "ranked?": "integer := Thing.filter(t, t.rank > 0).size()",
          "others?": "Brief[] := Thing.filter(t, t.peer == id)",
        },
      },
    },
    states: {
      Thing: {
        states: { draft: "not told", live: "told" },
        start: "draft",
        moves: { "draft -> live": "by publishThing" },
      },
    },
    endpoints: {
      lists: "cursor, 50 per page, at most 200",
      ...(more.repeats === undefined ? {} : { repeats: more.repeats }),
      endpoints: {
        register: "POST /members",
        login: { at: "POST /sessions", does: "login" },
        logout: { at: "DELETE /sessions/current", does: "logout" },
        addThing: "POST /things",
        getThing: "GET /things/{id}",
        listThings: { at: "GET /things", ...(more.filters === undefined ? {} : { filters: more.filters }) },
        outThing: { at: "GET /things/{id}/out", gives: "Out", does: "read" },
        outThings: { at: "GET /things/out", gives: "Out[]", does: "list" },
        changeThing: "PATCH /things/{id}",
        replaceThing: "PUT /things/{id}",
        removeThing: "DELETE /things/{id}",
        publishThing: "POST /things/{id}/publish",
        pastThing: "GET /things/{id}/history",
        addPart: "POST /things/{id}/parts",
        listParts: "GET /things/{id}/parts",
        ...more.endpoints,
      },
    },
    authentication: {
      credentials: {
        key: { kind: "api-key", prefix: "vk_", lasts: "365d", revoked: "at once" },
        pass: { kind: "basic", sent: "Authorization Basic" },
        session: {
          kind: "password", of: "Member", name: "email", secret: "password", roles: "field role",
          sent: "header X-Session", lasts: "30d", revoked: "at once",
        }, // biome-ignore format: a table
        app: {
          kind: "oauth2", sent: "header X-Token", lasts: "30d", scopes: { "things:read": "clerk", "things:all": ["clerk", "boss"] },
          ...(vault.clients === "users" ? { login: "session" } : {}),
        }, // biome-ignore format: a table
        ticket: { kind: "jwt", sent: "header X-Ticket", secret: "env TICKET_SECRET" },
        bell: { kind: "hmac-sha256", sent: "header Bell-Signature", secret: "env BELL_SECRET", roles: ["clerk"] },
      },
      roles: [...roles],
      own: { Thing: conditions.own },
      allow: {
        // Each by itself, or the line adds to what the smallest document allows.
        register: "anyone",
        login: "anyone",
        logout: "signed-in",
        addThing: "signed-in",
        ...Object.fromEntries(operations.map((name) => [name, words(vault.allow[name])])),
        ...Object.fromEntries(Object.keys(more.endpoints ?? {}).map((name) => [name, words(vault.allow.listThings)])),
      },
      show: show.length === 0 ? "none" : Object.fromEntries(show),
      unseen: String(vault.unseen),
    },
    events: {
      envelope: "plain",
      out: { "thing.live": "Thing -> live", "thing.changed": "changeThing" },
      delivery: {
        webhook: {
          subscribe: "POST /webhooks", for: words(vault.follow), signed: "standard-webhooks", timeout: "2s", retry: "5s 5m",
          promise: "at least once, in order per resource", then: "disable and keep 30d",
        }, // biome-ignore format: a table
        stream: {
          at: "GET /events",
          for: words(vault.follow),
          kind: "server-sent",
          resume: "Last-Event-ID",
          keep: "7d",
        },
      },
    },
    versioning: {
      scheme: "dated",
      sent: "header Vault-Version",
      absent: "newest",
      versions: more.versions ?? {
        "2026-09-01": ["rename Thing.memo -> note", "rename Place.road -> street"],
        "2026-03-01": "first",
      },
    },
  });
}

function words(all: readonly Grant[]): string {
  return all
    .map(({ who, if: condition }) => {
      if (condition === undefined) return who;
      return `${who} if ${condition === "own" ? "own" : conditions[condition]}`;
    })
    .join(" | ");
}

// ── What has to come of it ─────────────────────────────────────────────────────────────────────────────────────────

export function isMeant({ who }: Grant, caller: Caller): boolean {
  if (who === "anyone") return true;
  return caller.id !== undefined && (who === "signed-in" ? caller.scoped !== true : caller.roles.includes(who));
}

export function passes(one: Grant, caller: Caller, { owner, open }: Facts): boolean {
  if (!isMeant(one, caller)) return false;
  if (one.if === undefined) return true;
  const own = caller.id !== undefined && caller.id === owner;
  return { own, open, shut: !open, both: own && open }[one.if];
}

const reads: readonly OperationName[] = ["getThing", "listThings", "outThing", "outThings"];

/** docs/reference/http.md#hidden-records: by any read or list of the resource. */
export function isSeen({ allow }: Vault, caller: Caller, facts: Facts): boolean {
  return reads.some((name) => allow[name].some((one) => passes(one, caller, facts)));
}

function seesAll({ allow }: Vault, caller: Caller): boolean {
  return reads.some((name) => allow[name].some((one) => one.if === undefined && isMeant(one, caller)));
}

export type AttemptOutcome = "allowed" | 401 | 403 | 404;

/** Of an operation on one thing; `facts` undefined where there is none. Lists have no thing: they are allowed or barred. */
export function verdict(
  vault: Vault,
  operation: OperationName,
  caller: Caller,
  facts: Facts | undefined,
): AttemptOutcome {
  const granted = vault.allow[operation];
  if (!granted.some((one) => isMeant(one, caller))) return caller.id === undefined ? 401 : 403;
  if (operation === "listThings" || operation === "outThings") return "allowed";
  if (facts === undefined) return seesAll(vault, caller) ? 404 : vault.unseen;
  const below = operation === "addPart" || operation === "listParts";
  if (!below && granted.some((one) => passes(one, caller, facts))) return "allowed";
  if (!isSeen(vault, caller, facts)) return vault.unseen;
  return below ? "allowed" : 403;
}

/** R5.9, of one record. */
export function isShown({ show }: Vault, name: FieldName, caller: Caller, facts: Facts): boolean {
  return show[name]?.some((one) => passes(one, caller, facts)) ?? true;
}

/** R4.13, of every record: what a list may be filtered and sorted by. */
export function isAlwaysShown({ show }: Vault, name: FieldName, caller: Caller): boolean {
  return show[name]?.some((one) => one.if === undefined && isMeant(one, caller)) ?? true;
}
