/** Cases of part 7: a service whose errors are otherwise than its document describes is found, and one that follows it is not. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { type Block, documentOf } from "../enforced/document.ts";
import { sampled } from "../nightly.ts";
import type { Change } from "./mutants/engine/mutant.ts";
import { responses, texts, withField } from "./mutants/engine/wrappers.ts";
import { testServed } from "./served.ts";

/** Things that cannot be large, with parts, and a lock that a pin opens. */
function things(errors: Block): string {
  return documentOf({
    resources: {
      Thing: { id: "id(thi)", name: "string(1..20), unique", size: "integer(0..99)" },
      Part: { id: "id(prt)", thing: "Thing" },
      rules: { Thing: "size < 9 else too-big" },
    },
    states: {
      Thing: {
        states: ["open", "shut"],
        start: "shut",
        moves: {
          "shut -> open": { by: "unlock", if: "input.pin == '1234'", else: "wrong-pin" },
          "open -> shut": "by lock",
        },
      },
    },
    endpoints: {
      endpoints: {
        addThing: "POST /things",
        getThing: "GET /things/{id}",
        removeThing: "DELETE /things/{id}",
        unlock: { at: "POST /things/{id}/unlock", takes: { pin: "string(4)" } },
        lock: "POST /things/{id}/lock",
        addPart: "POST /parts",
      },
    },
    errors: {
      ...errors,
      errors: { "too-big": "409 It is too big", "wrong-pin": "403 The pin is wrong", ...(errors["errors"] as Block) },
    },
  });
}

interface Row {
  readonly what: string;
  readonly true: string;
  readonly served: string;
  /** A mistake of the service besides what its document says otherwise. */
  readonly mistake?: Change;
  /** The broken statement. */
  readonly broken: string;
}

/** A member of part 7, and what the service has in its place. */
const other = (what: string, broken: string, stated: Block, served: Block = {}): Row => ({
  what,
  true: things(stated),
  served: things(served),
  broken: `errors/${broken}`,
});
/** A declared error, and another one. */
const declared = (what: string, code: string, stated: string, served: string): Row =>
  other(what, `errors/${code}`, { errors: { [code]: stated } }, { errors: { [code]: served } });
/** A service with the same document and a mistake. */
const mistaken = (what: string, mistake: Change, broken = "errors/standard", stated: Block = {}): Row => ({
  ...{ what, true: things(stated), served: things(stated), mistake, broken },
});

const shape: Json = { error: { code: "{code}", text: "{message}" }, kind: "error" };
const failing = (statuses: readonly number[]): Change =>
  responses((response, _, service) => (statuses.includes(response.status) ? service.reject("internal") : response));
const body = (from: string, to: string): Change =>
  texts((text, { status }) => (status >= 400 ? text.replace(from, to) : text));

/** Errors whose body lists single ones behind this text. */
const listing = (text: string): Block => ({
  ...{ messages: { "invalid-request": "Check it" }, bodies: { "without field": { text: "{message}" } } },
  ...{ body: { text, all: [{ code: "{fault}" }] }, codes: { required: "missing" } },
});

/** Errors whose body lists single ones in this member, if there are any. */
const listed = (member: string): Block => ({
  bodies: { "without field": { text: "{message}" } },
  body: { text: "{message}", [member]: [{ code: "{fault}" }] },
});

const rows: readonly Row[] = [
  other("a body of another kind", "body", { body: "problem+json" }, { body: shape }),
  other("the usual body", "body", { body: shape }, { body: "problem+json" }),
  other("the usual body in place of a text", "body", { body: "{reason}" }),
  other("another text", "body", { body: "{reason}" }, { body: "{title}" }),
  other("another code in a text", "body", { body: "error {code}" }, { body: "error {title}" }),
  other("a body with another member", "body", { body: shape }, { body: { ...(shape as Block), kind: "problem" } }),
  other("a body with another value", "body", { body: shape }, { body: { ...(shape as Block), error: { code: "{title}", text: "{message}" } } }),
  other("another body of one error", "bodies/not-found", { bodies: { "not-found": { nothing: "{message}" } } }),
  other("another body of errors about no field", "bodies/without field", { bodies: { "without field": { nothing: "{message}" } } }),
  other("another body of errors about a field", "body", listed("all"), listed("each")),
  other("another body in one operation", "bodies/too-big in addThing", { bodies: { "too-big in addThing": { big: "yes" } } }),
  other("another status of a missing record", "status/not-found", { status: { "not-found": "410" } }),
  other("another status of a conflict", "status/already-exists", { status: { "already-exists": "422" } }),
  other("another status of invalid requests", "status/invalid-request", { status: { "invalid-request": "400" } }),
  other("another status of a referenced record", "status/still-referenced", { status: { "still-referenced": "423" } }),
  other("no other name", "codes/not-found", { codes: { "not-found": "NothingHere" } }),
  other("another name", "codes/state-conflict", { codes: { "state-conflict": "NotNow" } }, { codes: { "state-conflict": "Later" } }),
  other("another name of a violation", "codes/too-long", { codes: { "too-long": "TooLong" } }, { codes: { "too-long": "Long" } }),
  other("no name of a violation", "codes/required", { codes: { required: "missing" }, body: { code: "{fault}" } }, { body: { code: "{fault}" } }),
  other("another message of an error", "messages/not-found", { messages: { "not-found": "There is no such thing" } }),
  other("another message of a declared error", "messages/too-big", { messages: { "too-big": "Much too big" } }),
  other("another message of a violation", "messages/too-long", { messages: { "too-long": "This is too long" } }),
  other("another message around single errors", "messages/invalid-request", listing("{message}"), listing("{code}")),
  declared("another status of a rule", "too-big", "409 It is too big", "422 It is too big"),
  declared("another sentence", "too-big", "409 It is too big", "409 It does not fit"),
  declared("another status of a guard", "wrong-pin", "403 The pin is wrong", "409 The pin is wrong"),
  declared("no time to try again", "too-big", "409 It is too big, retry after 2m", "409 It is too big"),
  declared("another time to try again", "too-big", "409 It is too big, retry after 2m", "409 It is too big, retry after 3m"),
  mistaken("another code of a declared error", body('"too-big"', '"huge"')),
  mistaken("an error that the document does not declare", body('"code":"not-found"', '"code":"nothing-here"')),
  mistaken("an error without its media type", responses((one) => (one.status === 404 ? withField(one, "content-type", "application/json") : one)), "errors/body"),
  mistaken("another status in the body", body('"status":404', '"status":400'), "errors/body"),
  mistaken("a violation at another place", body('"pointer":"#/name"', '"pointer":"#/size"'), "errors/body", { messages: { "too-long": "This is too long" } }),
  mistaken("a violation at another path", body('"path":"name"', '"path":"size"'), "errors/body", { body: { code: "{code}", all: [{ path: "{path}" }] }, messages: { "too-long": "This is too long" } }),
  mistaken("a stack trace", body('"detail":"', '"detail":"at handle (/srv/app/server.js:10:5) '), "errors/body"),
  mistaken("a failure for a body that is no object", responses((one, _, service) => (one.status === 422 && String(one.body).includes('"pointer":"#"') ? service.reject("internal") : one)), "endpoints/endpoints/addThing"),
  mistaken("a failure for a body that is no JSON", failing([400]), "endpoints/endpoints/addThing"),
  mistaken("a failure for a record that does not exist", failing([404]), "endpoints/endpoints/getThing"),
  mistaken("422 for a body that is no JSON", responses((one, request, service) => (one.status === 400 ? service.reject("invalid-request", { httpRequest: request, status: 422 }) : one))),
  mistaken("another error for another media type", responses((one, request, service) => (one.status === 415 ? service.reject("not-acceptable", { httpRequest: request }) : one))),
  mistaken("success for a record that does not exist", responses((one) => (one.status === 404 ? { ...one, status: 200 } : one))),
]; // biome-ignore format: a table

/** Returns the broken statements, and the mistakes of the test itself. */
async function findings(text: string, row?: Row): Promise<readonly string[]> {
  const { cases } = await testServed(text, {
    only: ["errors"],
    ...(row === undefined ? {} : { served: row.served, options: row.mistake ?? {} }),
  });
  return cases.flatMap((one) => {
    if (one.kind === "broken") return one.aspects.map(({ path }) => path);
    return one.kind === "not tried" && one.reason.startsWith("a mistake") ? [one.reason] : [];
  });
}

for (const row of sampled(rows, 3)) {
  void test(`found: ${row.what}`, async () => {
    const paths = await findings(row.true, row);
    assert(paths.includes(row.broken), paths.join(", "));
  });
}

const bookings = readFileSync(new URL("../../examples/hotel-bookings.md", import.meta.url), "utf8");

for (const [what, broken, from, to] of [
  ["another status of callers without a credential", "status/unauthenticated", "unauthenticated: 403", "unauthenticated: 401"],
  ["another body of failed logins", "bodies/bad-credentials", '{ reason: "{title}" }', '{ cause: "{title}" }'],
] as const) // biome-ignore format: a table
  void test(`found without the cases of other parts: ${what}`, async () => {
    const served = bookings.replace(from, to);
    const paths = await findings(bookings, { ...{ what, true: bookings, served }, broken: `errors/${broken}` });
    assert(paths.includes(`errors/${broken}`), paths.join(", "));
  });

void test("a service that follows its document has no broken statement", async () => {
  for (const text of new Set(sampled(rows, 3).map((row) => row.true))) assert.deepEqual(await findings(text), []);
});
