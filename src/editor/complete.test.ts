/** Completion by place: each row replaces a line of an example, with a mark at the cursor, and names what is offered. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { marked, withLine } from "../../test/editor/client.ts";
import { analyse } from "./analysis.ts";
import { complete } from "./complete.ts";
import { installedPages } from "../../test/editor/pages.ts";

const example = (name: string): string => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");
const lockers = example("parcel-lockers.md");
const pages = installedPages();

interface Row {
  /** The beginning of the line that is replaced. */
  readonly line: string;
  readonly by: string;
  readonly offers: string;
  readonly not?: string;
}

const rows: readonly Row[] = [
  // Keys
  { line: "domain:", by: "▮", offers: "domain", not: "service nonet users" },
  { line: "  weightKg:", by: "  weightKg: { type: decimal, ▮ }", offers: "default marks note example", not: "type" },
  { line: "  weightKg:", by: "  weightKg: { type: decimal, ▮", offers: "default marks note", not: "type" },
  { line: "    schema: {", by: "    ▮", offers: "type schema default computed marks note example" },
  { line: "      if: extensions", by: "      ▮", offers: "if after at when also", not: "by else set" },
  {
    line: "    at: POST /parcels/{id}/collect",
    by: "    ▮",
    offers: "at of does status choose",
    not: "takes gives",
  },
  { line: "unseen: 404", by: "un▮", offers: "unseen set", not: "allow credentials roles" },
  { line: "  key: {", by: "  key: { kind: api-key, ▮ }", offers: "sent prefix lasts" },
  // Words
  { line: "  weightKg:", by: "  weightKg: ▮", offers: "string decimal datetime Site Locker Address", not: "read-only" },
  { line: "  weightKg:", by: "  weightKg: decimal, ▮", offers: "read-only create-only filter unique", not: "string" },
  { line: "  createdAt:", by: "  createdAt: datetime = ▮", offers: "now caller uuid" },
  { line: "  courier: user", by: "  courier: gold | silver = ▮", offers: "gold silver caller" },
  { line: "lists: cursor", by: "lists: ▮", offers: "cursor offset page" },
  { line: "  key: {", by: "  key: { kind: ▮ }", offers: "api-key hmac-sha256 oauth2" },
  // Names
  { line: "  start: announced", by: "  start: ▮", offers: "announced stored expired", not: "free" },
  { line: "  final: [collected", by: "  final: [collected, ▮]", offers: "returned cancelled", not: "held" },
  { line: "    expired -> returned:", by: "    expired -> returned: by ▮", offers: "takeBack collect dropOff" },
  { line: "    free -> faulty:", by: "    free -> faulty: when ▮", offers: "door.faulted parcel.stored" },
  { line: "    stored -> expired:", by: "    stored -> expired: at ▮", offers: "collectBy createdAt", not: "door" },
  {
    line: "    stored -> collected:",
    by: "    stored -> collected: { by: collect, else: ▮ }",
    offers: "wrong-code no-free-locker not-found",
  },
  { line: "  announceParcel: courier", by: "  announceParcel: ▮", offers: "courier operator signed-in anyone" },
  { line: "  announceParcel: courier", by: "  ▮", offers: "announceParcel", not: "addSite collect courier" },
  { line: "roles: [", by: "own: { ▮: true }", offers: "Parcel Locker Site" },
  { line: "  Locker: unique", by: "  Locker: unique site + ▮", offers: "door size", not: "weightKg" },
  // Words beside the cursor are not offered again: before and after it, in each form, in quotes and without.
  { line: "  weightKg:", by: "  weightKg: decimal, read-only, ▮", offers: "unique filter", not: "read-only" },
  { line: "  weightKg:", by: "  weightKg: decimal, ▮, read-only", offers: "unique filter", not: "read-only" },
  { line: "  weightKg:", by: "  weightKg: { type: decimal, marks: [sort, ▮] }", offers: "filter", not: "sort" },
  { line: "  weightKg:", by: "  weightKg: { type: decimal, marks: [▮, sort]", offers: "filter", not: "sort" },
  {
    line: "  weightKg:",
    by: "  weightKg:\n    type: decimal\n    marks:\n      - sort\n      - ▮",
    offers: "filter",
    not: "sort",
  },
  { line: "  weightKg:", by: '  weightKg: { "type": decimal, ▮ }', offers: "default marks", not: "type" },
  { line: "  weightKg:", by: '  weightKg: { type: decimal, "▮ }', offers: "default marks", not: "type" },
  { line: "  weightKg:", by: '  weightKg: { type: decimal, "▮" }', offers: "default marks", not: "type" },
  { line: "  weightKg:", by: "  weightKg: { '▮': x, 'type': decimal }", offers: "default marks", not: "type" },
  { line: "  final: [collected", by: '  final: ["collected", "▮"]', offers: "returned", not: "collected" },
  { line: "  final: [collected", by: '  final: [collected, "▮', offers: "returned", not: "collected" },
  { line: "  final: [collected", by: "  final: [▮, collected]", offers: "returned", not: "collected" },
  { line: "  announceParcel: courier", by: "  announceParcel: courier | ▮", offers: "operator", not: "courier" },
  { line: "  announceParcel: courier", by: "  announceParcel: ▮ | courier", offers: "operator", not: "courier" },
  { line: "  Locker: unique", by: "  Locker: unique site + ▮", offers: "door size", not: "site" },
  { line: "own: {", by: "own: { Parcel: courier == caller.id, ▮ }", offers: "Locker Site", not: "Parcel" },
  {
    line: "show: {",
    by: "show: { Parcel.pickupCode: operator, Parcel.▮: operator }",
    offers: "labels",
    not: "pickupCode",
  },
  { line: "lists: cursor", by: "lists: cursor, 50 per page, ▮", offers: "limit", not: "per cursor" },
  {
    line: "    stored -> collected:",
    by: "    stored -> collected: { by: collect, ▮, if: x }",
    offers: "else",
    not: "by if",
  },
  { line: "      if: extensions", by: "      if: state in ['stored', '▮']", offers: "announced", not: "stored" },
  // The same word in another place is no repetition.
  { line: "  announceParcel: courier", by: "  announceParcel: courier if own | ▮", offers: "courier operator" },
  { line: "    free -> faulty:", by: "    free -> ▮: by repairLocker", offers: "free faulty" },
  // Expressions
  {
    line: "      if: extensions",
    by: "      if: ▮",
    offers: "extensions state old input caller now size Locker",
    not: "door",
  },
  {
    line: "      if: extensions",
    by: "      if: locker.▮",
    offers: "door site state size",
    not: "weightKg extensions",
  },
  { line: "      if: extensions", by: "      if: locker.site.▮ == 'x'", offers: "name address", not: "door" },
  { line: "      if: extensions", by: "      if: labels.▮", offers: "exists size join sort", not: "startsWith sum" },
  { line: "      if: extensions", by: "      if: trackingNumber.▮", offers: "startsWith trim size", not: "exists sum" },
  { line: "      if: extensions", by: "      if: Locker.▮", offers: "exists filter size", not: "join startsWith" },
  { line: "      if: extensions", by: "      if: Locker.exists(l, l.▮", offers: "door site size", not: "weightKg" },
  {
    line: "      if: extensions",
    by: "      if: Locker.filter(l, l.site == site).exists(m, m.site.▮)",
    offers: "name address",
  },
  { line: "      if: extensions", by: "      if: labels.all(l, l.▮)", offers: "startsWith size" },
  { line: "      if: extensions", by: "      if: caller.▮", offers: "id roles claims" },
  { line: "      if: extensions", by: "      if: old.▮", offers: "extensions collectBy state" },
  { line: "      if: extensions", by: "      if: state == '▮'", offers: "announced stored", not: "free" },
  { line: "    gives: { door", by: "    gives: { door: locker.▮ }", offers: "door size" },
  { line: "    gives: { door", by: "    gives: { door: input.▮ }", offers: "code" },
  { line: "own: {", by: "own: { Parcel: courier == caller.▮ }", offers: "id roles" },
  { line: "  Parcel: labels", by: "  Parcel: ▮ else label-too-heavy", offers: "labels weightKg old", not: "door" },
  // Checks know these names, the grammar does not.
  { line: "show: {", by: "show: { Parcel.▮: operator }", offers: "pickupCode recipientEmail" },
];

for (const { by, line, not = "", offers } of rows) {
  test(`completes ${by.trim()}`, () => {
    const { offset, text } = marked(withLine(lockers, line, by));
    const labels = complete(analyse("parcel-lockers.md", lockers), text, offset, pages).items.map(({ label }) => label);
    const missing = offers.split(" ").filter((label) => !labels.includes(label));
    const wrong = not.split(" ").filter((label) => labels.includes(label));
    assert.deepEqual({ missing, wrong }, { missing: [], wrong: [] }, labels.join(" "));
  });
}

test("a key in quotes ends its quote", () => {
  for (const [written, expected] of [
    ['{ type: decimal, "▮ }', '{ type: decimal, "marks":  }'],
    ['{ type: decimal, "▮" }', '{ type: decimal, "marks":  }'],
    ['{ type: decimal, "ma▮": x }', '{ type: decimal, "marks": x }'],
    ["{ type: decimal, ▮ }", "{ type: decimal, marks:  }"],
  ] as const) {
    const { offset, text } = marked(withLine(lockers, "  weightKg:", `  weightKg: ${written}`));
    const { end, items, start } = complete(analyse("parcel-lockers.md", lockers), text, offset, pages);
    const item = items.find(({ label }) => label === "marks");
    const changed = text.slice(0, start) + (item?.insert ?? item?.label) + text.slice(end);
    assert.ok(changed.includes(`weightKg: ${expected}\n`), written);
  }
});
