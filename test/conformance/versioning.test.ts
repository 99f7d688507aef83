/** Cases of part 9: a service whose versions are otherwise than its document describes is found, and one that follows it is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { type Block, crud, documentOf, type Parts, things } from "../enforced/document.ts";
import { sampled } from "../nightly.ts";
import { testServed } from "./served.ts";

const now = "2026-09-01";
const before = "2026-03-01";
const entries = `versioning/versions/${now}/`;

const fields: Block = { count: "integer(0..900)", "note?": "string(1..40)", size: "small | large = small, filter" };

const lived: Parts = {
  resources: { Thing: { id: "id(thi)", "count?": "integer" } },
  errors: {},
  states: {
    Thing: {
      states: ["open", "lost", "shut"],
      start: "open",
      moves: { "open -> lost": "by lose", "lost -> open": "by find", "open -> shut": "by close" },
    },
  },
  endpoints: {
    endpoints: {
      ...crud,
      lose: "POST /things/{id}/lose",
      find: "POST /things/{id}/find",
      close: "POST /things/{id}/close",
    },
  },
};

/** A member of a handler-like operation: a transition with a body. */
const taking: Parts = {
  resources: { Thing: { id: "id(thi)", "count?": "integer" } },
  errors: { errors: { "wrong-code": "403 The code is wrong" } },
  states: {
    Thing: {
      states: ["open", "shut"],
      start: "open",
      moves: { "open -> shut": { by: "shut", if: "input.code != 'no'", else: "wrong-code" } },
    },
  },
  endpoints: {
    endpoints: {
      ...crud,
      shut: { at: "POST /things/{id}/shut", takes: { code: "string(1..9)" }, gives: { was: "count" } },
    },
  },
};

/** Embedded values. */
const placed: Parts = {
  resources: {
    Thing: { id: "id(thi)", to: "Address", "stops?": "Address[](0..3)" },
    types: { Address: { street: "string(1..40)", postcode: "string(3..10)" } },
  },
  errors: {},
};

/** Events of which webhooks tell. */
const told: Parts = {
  authentication: { allow: Object.fromEntries(Object.keys(crud).map((name) => [name, "signed-in"])) },
  events: {
    envelope: "plain",
    out: { "thing.added": "addThing", "thing.put": "putThing" },
    delivery: { webhook: { subscribe: "POST /webhooks", for: "signed-in" } },
  },
};

const tooOld: Block = {
  errors: {
    "too-big": "409 It is too big",
    "too-old": "404 The version is over",
    "no-version": "412 No such version",
  },
};

/** Things in two versions, the newer of which has these changes. */
function changed(changes: Json, versioning: Block = {}, parts: Parts = {}): string {
  return documentOf({
    resources: { ...things(fields), rules: { Thing: "count < 99 else too-big" } },
    errors: tooOld,
    versioning: {
      scheme: "dated",
      sent: "header X-Version",
      absent: "newest",
      versions: { [now]: changes, [before]: "first" },
      ...versioning,
    },
    ...parts,
  });
}

interface Row {
  readonly what: string;
  readonly stated: string;
  readonly served: string;
  /** The broken statement. */
  readonly broken: string;
}

/** An entry, and one that the service has in its place; or none. */
const entry = (what: string, stated: Json, served: Json = "none", parts: Parts = {}): Row => ({
  what,
  stated: changed([stated], {}, parts),
  served: changed(served === "none" ? "none" : [served], {}, parts),
  broken: `${entries}0`,
});

const rename = ["rename Thing.amount -> count"];
const versions = (what: string, broken: string, stated: Block, served: Block): Row => ({
  what,
  stated: changed(rename, stated),
  served: changed(rename, served),
  broken: `versioning/${broken}`,
});

const sunset = (lines: Block): Block => ({ deprecated: { [before]: lines } });
/** A day that comes before the credentials of a test expire. */
const day = (number: number): string => new Date(Date.now() + number * 86_400_000).toISOString().slice(0, 10);
const dates = { since: "2026-09-01", sunset: day(100), guide: "https://docs.example/old" };
const ofList = (lines: Block): Block => ({ deprecated: { listThings: lines, "Thing.count": { since: "2026-09-01" } } });
/** An operation that ends with another error than its document declares. */
const otherEnd = (what: string, stated: Block, served: Block, broken: string): Row => {
  const ending = (errors: Block): string =>
    changed(rename, ofList({ since: "2026-09-01", sunset: day(100) }), { errors: { ...tooOld, ...errors } });
  return { what, stated: ending(stated), served: ending(served), broken };
};
const numbered: Block = { scheme: "numbered", versions: { "2.1": rename, "1.1": "first" } };

const rows: readonly Row[] = [
  entry("a field that is not renamed", "rename Thing.amount -> count"),
  entry("a field with another old name", "rename Thing.amount -> count", "rename Thing.number -> count"),
  entry("a field of a type that is not renamed", "rename Address.zip -> postcode", "none", placed),
  entry("a new field that older callers see", "add Thing.note"),
  entry("another value of a new field", "add Thing.count, taken as 5 before", "add Thing.count, taken as 6 before"),
  entry("a new field that older callers must send", "add Thing.count, taken as 5 before"),
  entry("another value of a new member of a type", "add Address.postcode, taken as street before", "add Address.postcode, taken as '0000' before", placed),
  entry("a removed field that older callers miss", { remove: "Thing.door", type: "integer, read-only", seen: "7" }),
  entry("another value of a removed field", { remove: "Thing.door", type: "integer, read-only", seen: "count + 1" }, { remove: "Thing.door", type: "integer, read-only", seen: "count" }),
  entry("a removed field that older callers cannot send", { remove: "Thing.door", type: "integer", seen: "7" }, { remove: "Thing.door", type: "integer, read-only", seen: "7" }),
  entry("a required field that older callers have to send", "require Thing.count, taken as 1 before"),
  entry("another value of a required field", "require Thing.count, taken as 1 before", "require Thing.count, taken as 2 before"),
  entry("a relaxed field that older callers miss", "relax Thing.note, seen as '-' before"),
  entry("another value of a relaxed field", "relax Thing.note, seen as '-' before", "relax Thing.note, seen as '+' before"),
  entry("a relaxed type that older callers may use", "relax Thing.count, was integer(0..5)"),
  entry("another former type", "relax Thing.count, was integer(0..5)", "relax Thing.count, was integer(0..8)"),
  entry("a type that older callers do not know", "retype Thing.count, was integer(0..9), seen as count / 10 before, taken as count * 10 before"),
  entry("another value for older callers", "retype Thing.count, was integer(0..90), seen as count / 10 before, taken as count * 10 before", "retype Thing.count, was integer(0..90), seen as count / 20 before, taken as count * 10 before"),
  entry("another value from older callers", "retype Thing.count, was integer(0..9), seen as count / 10 before, taken as count * 10 before", "retype Thing.count, was integer(0..9), seen as count / 10 before, taken as count * 9 before"),
  entry("a value that older callers do not know", "add value Thing.size large, seen as small before"),
  entry("another value for a new one", "add value Thing.size large, seen as small before", "add value Thing.size large, seen as tiny before", { resources: things({ ...fields, size: "small | tiny | large = small, filter" }), errors: {} }),
  entry("a state that older callers do not know", "state Thing.lost, seen as open before", "none", lived),
  entry("another name of a state", "state Thing.lost, seen as open before", "state Thing.lost, seen as shut before", lived),
  entry("an operation that had no other path", "path addThing, was PUT /stuff"),
  entry("another path", "path addThing, was PUT /stuff", "path addThing, was PUT /stuffs"),
  entry("another method", "path changeThing, was PUT /things/{id}/change", "path changeThing, was POST /things/{id}/change"),
  entry("an error of the newer version", "error too-big, was 400 huge"),
  entry("another old status", "error too-big, was 400 huge", "error too-big, was 422 huge"),
  entry("another old code", "error too-big, was 400 huge", "error too-big, was 400 enormous"),
  entry("an error of a guard", "error wrong-code, was 400 bad-code", "none", taking),
  entry("a new operation that older callers can call", "add removeThing"),
  entry("a member of a body that is not renamed", "rename shut.secret -> code", "none", taking),
  entry("a member of a response that is not renamed", "rename shut.old -> was", "none", taking),
  entry("an event that older receivers do not know", { event: "thing.added", was: "thing.made" }, "none", told),
  entry("another name of an event", { event: "thing.added", was: "thing.made" }, { event: "thing.added", was: "thing.born" }, told),
  entry("a new event that older receivers get", "event thing.added", "none", told),
  versions("another header", "sent", { absent: "refuse" }, { sent: "header Y-Version", absent: "refuse" }),
  versions("a parameter for a header", "versions", {}, { sent: "query version" }),
  versions("a header for a path", "sent", { sent: "path /v{n}", ...numbered }, numbered),
  versions("a header for the media type", "versions", { sent: "media-type" }, {}),
  versions("the newest version for the oldest", "absent", { absent: "oldest" }, { absent: "newest" }),
  versions("the oldest version for the newest", "absent", { absent: "newest" }, { absent: "oldest" }),
  versions("the oldest version for the pinned one", "absent", { absent: "pinned" }, { absent: "oldest" }),
  versions("a version that is not refused", "absent", { absent: "refuse" }, { absent: "newest" }),
  versions("another error of an unknown version", "policy/unknown", { policy: { unknown: "412 no-version" } }, {}),
  versions("another status of an unknown version", "policy/unknown", { policy: { unknown: "412 no-version" } }, { policy: { unknown: "400 invalid-request" } }),
  versions("no announcement of the end", `deprecated/${before}`, sunset(dates), {}),
  versions("another date since when", `deprecated/${before}`, sunset(dates), sunset({ ...dates, since: "2026-09-02" })),
  versions("another date of the end", `deprecated/${before}`, sunset(dates), sunset({ ...dates, sunset: day(101) })),
  versions("another guide", `deprecated/${before}`, sunset(dates), sunset({ ...dates, guide: "https://docs.example/older" })),
  versions("another version that is deprecated", `deprecated/${before}`, sunset(dates), { deprecated: { [before]: dates, [now]: dates } }),
  versions("a version that does not end", `deprecated/${before}`, sunset({ sunset: day(100) }), {}),
  versions("no announcement of the end of an operation", "deprecated/listThings", ofList(dates), {}),
  versions("another operation that is deprecated", "deprecated/listThings", ofList(dates), { deprecated: { listThings: dates, getThing: dates } }),
  versions("an operation that does not end", "deprecated/listThings", ofList({ sunset: day(100) }), ofList({ sunset: day(200) })),
  otherEnd("another status of an operation that has ended", {}, { status: { "operation-gone": "404" } }, "errors/"),
  otherEnd("the usual status in place of the declared one", { status: { "operation-gone": "404" } }, {}, "errors/status"),
  otherEnd("another status where part 7 lists no such error", { standard: ["not-found", "invalid-request"] }, { standard: ["not-found", "invalid-request"], status: { "operation-gone": "404" } }, "versioning/deprecated/listThings"),
  versions("another error after the end of a version, which is not declared", `deprecated/${before}`, sunset({ sunset: day(100) }), { ...sunset({ sunset: day(100) }), policy: { "after sunset": "404 too-old" } }),
  versions("another error after the end", "policy/after sunset", { ...sunset(dates), policy: { "after sunset": "404 too-old" } }, { ...sunset(dates), policy: { "after sunset": "410 version-gone" } }),
]; // biome-ignore format: a table

for (const { broken, served, stated, what } of sampled(rows, 3)) {
  void test(`found: ${what}`, async () => {
    const { cases } = await testServed(stated, { served, only: ["versioning"] });
    const paths = cases.flatMap((one) => (one.kind === "broken" ? one.aspects.map(({ path }) => path) : []));
    const summary = cases.map((one) => [
      one.id,
      one.kind,
      one.kind === "broken" ? [one.aspects, one.expected, one.got] : one.kind === "not tried" ? one.reason : "",
    ]);
    assert.ok(
      paths.some((path) => path.startsWith(broken)),
      JSON.stringify(summary, null, 1),
    );
  });
}

void test("a service that follows its document has no broken statement", async () => {
  for (const stated of new Set(sampled(rows, 3).map((row) => row.stated))) {
    const { cases } = await testServed(stated, { only: ["versioning", "purpose"] });
    const broken = cases.flatMap((one) => (one.kind === "broken" ? [[one.id, one.expected, one.got]] : []));
    assert.deepEqual(broken, []);
  }
});
