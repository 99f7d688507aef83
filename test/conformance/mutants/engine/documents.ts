/**
 * The documents that the mutants of the engine serve: small ones with everything that a mistake is about, so that a test by the
 * document takes little time, and examples.
 */
import { readFileSync } from "node:fs";
import { type Block, crud, documentOf } from "../../../enforced/document.ts";

/** The same grants for several operations. */
function each(grants: string, ...operations: readonly string[]): Block {
  return Object.fromEntries(operations.map((operation) => [operation, grants]));
}

/** Things that members own, with parts inside them, loans about them, states, events and limits. */
const things = documentOf({
  resources: {
    Thing: {
      id: "id(thi)",
      owner: "user = caller, read-only, filter",
      name: "string(2..20), unique, filter, sort, search",
      size: "small | large = small, filter",
      weight: "integer(1..100), filter",
      "mail?": "email",
      "note?": "string(0..50)",
      "hint?": "string(0..20), write-only",
      serial: "string(1..10) /^[A-Z]+$/, create-only",
      code: "string(6) = digits(6), read-only",
      uses: "integer = 0, read-only",
      label: "string := name + '/' + size",
      madeAt: "datetime = now, read-only, sort",
      seenAt: "datetime = now on change, read-only",
    },
    Part: { id: "id(prt)", thing: "Thing, create-only, delete with", title: "string(1..20)" },
    Loan: { id: "id(lon)", thing: "Thing, create-only", days: "integer(1..9)" },
    rules: { Thing: "weight <= 50 || size == 'large' else too-heavy" },
  },
  states: {
    Thing: {
      states: ["open", "closed", "lost"],
      start: "open",
      final: ["lost"],
      moves: {
        "open -> closed": { by: "closeThing", if: "input.pin == '1234'", else: "wrong-pin", set: { uses: "uses + 1" } },
        "closed -> open": ["by openThing", "when bell.rang"],
        "closed -> lost": "after 2d",
      },
    },
  },
  endpoints: {
    lists: "cursor, 3 per page, at most 5",
    edits: "If-Match required",
    repeats: "Idempotency-Key on every POST, kept 24h",
    cors: "https://app.example",
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      listThings: "GET /things",
      changeThing: "PATCH /things/{id}",
      removeThing: "DELETE /things/{id}",
      closeThing: { at: "POST /things/{id}/close", takes: { pin: "string(4)" } },
      openThing: "POST /things/{id}/open",
      thingHistory: { at: "GET /things/{id}/history", does: "history" },
      addPart: "POST /things/{thing}/parts",
      listParts: "GET /things/{thing}/parts",
      getPart: "GET /things/{thing}/parts/{id}",
      addLoan: "POST /loans",
      getLoan: "GET /loans/{id}",
    },
  },
  authentication: {
    credentials: {
      key: { kind: "api-key", lasts: "30d", revoked: "at once" },
      bell: { kind: "hmac-sha256", sent: "header Bell-Signature", secret: "env BELL_SECRET" },
    },
    own: { Thing: "owner == caller.id", Part: "thing.owner == caller.id" },
    allow: {
      ...each("member", "addThing", "addPart", "addLoan"),
      ...each("admin | member if own", "getThing", "listThings", "thingHistory", "listParts", "getPart"),
      ...each("member if own", "changeThing", "removeThing", "closeThing", "openThing"),
      getLoan: "signed-in",
    },
    show: { "Thing.code": "admin" },
    unseen: "404",
  },
  events: {
    envelope: "cloudevents",
    out: {
      "thing.made": "Thing -> open",
      "thing.closed": { when: "Thing -> closed", carries: ["id", "name"] },
      "thing.lost": "Thing -> lost",
    },
    in: { "bell.rang": { at: "POST /hooks/bell", with: "bell", carries: { thing: "Thing", times: "integer(1..9)" } } },
    delivery: {
      webhook: {
        subscribe: "POST /webhooks",
        for: "admin",
        signed: "standard-webhooks",
        retry: ["5s", "30s"],
        then: "disable and keep 30d",
        promise: "at least once, in order per resource",
      },
      stream: { at: "GET /events", for: "admin | member if own", resume: "Last-Event-ID", keep: "7d" },
    },
  },
  errors: { errors: { "too-heavy": "422 Only large things are heavy", "wrong-pin": "403 This is not the pin" } },
  limits: {
    rate: { closeThing: "4/min per Thing" },
    quota: { Thing: "3 in open | closed per user", addLoan: "2/day per user" },
    size: { request: "2KB" },
    keep: { Thing: "1d after lost" },
  },
});

/** Things that callers with a token of an issuer handle. */
const tokens = documentOf({
  resources: { Thing: { id: "id(thi)", "name?": "string(1..9)" } },
  authentication: {
    credentials: {
      token: {
        ...{ kind: "jwt", secret: "env TOKEN_SECRET", issuer: "https://issuer.example", audience: "things" },
        ...{ roles: "claim roles", lasts: "1h", revoked: "none" },
      },
    },
    allow: {
      addThing: "member",
      ...each("signed-in", "getThing", "listThings"),
      ...each("admin", "changeThing", "putThing", "removeThing"),
    },
  },
});

/** People who log in, and whose password they can change. */
const people = documentOf({
  resources: {
    User: { id: "id(usr)", email: "email, unique", password: "string(8..72), secret" },
    Thing: { id: "id(thi)", by: "User = caller, read-only" },
  },
  endpoints: {
    endpoints: {
      ...crud,
      register: "POST /users",
      changeUser: "PATCH /users/{id}",
      login: { at: "POST /login", does: "login", of: "User" },
      logout: { at: "POST /logout", does: "logout", of: "User" },
    },
  },
  authentication: {
    credentials: {
      session: {
        ...{ kind: "password", of: "User", name: "email", secret: "password", changed: "with currentPassword" },
        ...{ lasts: "1h", revoked: "at once" },
      },
    },
    roles: "none",
    own: { Thing: "by == caller.id", User: "id == caller.id" },
    allow: {
      addThing: "signed-in",
      ...each("signed-in if own", "changeThing", "putThing", "removeThing", "changeUser"),
    },
  },
});

/** Things in two versions, the older of which is deprecated. */
const versions = documentOf({
  resources: { Thing: { id: "id(thi)", count: "integer(0..9)", size: "small | large = small" } },
  versioning: {
    ...{ scheme: "dated", sent: "header X-Version", absent: "newest" },
    policy: { "after sunset": "410 version-gone", unknown: "400 invalid-request" },
    versions: {
      "2026-09-01": ["rename Thing.amount -> count", "add value Thing.size large, seen as small before"],
      "2026-03-01": "first",
    },
    deprecated: { "2026-03-01": { since: "2026-09-01", sunset: "2099-03-01", guide: "https://docs.example/2026-09" } },
  } as Block,
});

/** Things that everybody may handle, with a body of errors of the document's own. */
const plain = documentOf({
  resources: { Thing: { id: "id(thi)", name: "string(1..9), unique", "count?": "integer(0..9)" } },
  endpoints: { lists: "offset, limit 3 at most 5", endpoints: { ...crud } },
  errors: {
    body: { error: "{code}", detail: "{message}", field: "{field}" },
    messages: { "not-found": "There is no such thing" },
  },
});

/** Things with a picture. */
const pictures = documentOf({
  resources: { Thing: { id: "id(thi)", picture: "file(..1KB, image/png)" } },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      getPicture: "GET /things/{id}/picture",
      removeThing: "DELETE /things/{id}",
    },
  },
});

/** Records that two values name together, and remarks below them. */
const slots = documentOf({
  resources: {
    Hall: { id: "id(hal)" },
    Slot: { id: "id(slo)", hall: "Hall", row: "string(9..20) /^[a-z]+$/", day: "date", "name?": "string(1..9)" },
    Remark: { id: "id(rem)", slot: "Slot", text: "string(1..20)" },
    rules: { Slot: "unique hall + row + day" },
  },
  endpoints: {
    endpoints: {
      addHall: "POST /halls",
      addSlot: "POST /halls/{hall}/slots",
      getSlot: "GET /halls/{hall}/slots/{row}/{day}",
      changeSlot: "PATCH /halls/{hall}/slots/{row}/{day}",
      addRemark: "POST /halls/{hall}/slots/{row}/{day}/remarks",
      getRemark: "GET /halls/{hall}/slots/{row}/{day}/remarks/{id}",
    },
  },
});

/** Things of which each caller has other tools. */
const agents = documentOf({
  endpoints: {
    mcp: "/mcp",
    endpoints: { addThing: "POST /things", getThing: "GET /things/{id}", removeThing: "DELETE /things/{id}" },
  },
  authentication: { allow: { addThing: "member", getThing: "signed-in", removeThing: "admin" } },
});

export const documents: Readonly<Record<string, string>> = {
  ...{ things, tokens, people, versions, plain, pictures, slots, agents },
  "parcel-lockers": readFileSync(new URL("../../../../examples/parcel-lockers.md", import.meta.url), "utf8"),
};
