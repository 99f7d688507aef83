import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readDocument } from "../document/read.ts";
import { typeExpressions } from "../parts/expressions.ts";
import { readModel } from "../parts/read.ts";
import { buildPlan } from "./build.ts";
import type { GrantPlan, Operation, Plan, Table } from "./plan.ts";

function planOf(text: string): Plan {
  const reading = readDocument("service.md", text);
  const { model, places, diagnostics } = readModel(reading.document);
  assert.deepEqual([...reading.diagnostics, ...diagnostics], []);
  const expressions = typeExpressions(model);
  assert.deepEqual(expressions.problems, []);
  return buildPlan(model, places, expressions);
}

const flagshipText: string = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");
const flagship = planOf(flagshipText);

function operation(plan: Plan, name: string): Operation {
  const found = plan.operations.find((one) => one.name === name);
  assert.ok(found, `${name} is in the plan`);
  return found;
}

function table(plan: Plan, resource: string): Table {
  const found = plan.tables.find((one) => one.resource === resource);
  assert.ok(found, `${resource} is in the plan`);
  return found;
}

function grants(list: readonly GrantPlan[]): string {
  const words = list.map(({ who, if: condition }) => {
    return `${who.kind === "role" ? who.role : who.kind}${condition === undefined ? "" : " if"}`;
  });
  return words.join(" | ");
}

test("a plan is plain data", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(flagship)), flagship);
});

test("the same document gives the same plan", () => {
  assert.equal(JSON.stringify(planOf(flagshipText)), JSON.stringify(flagship));
});

test("what each operation of the flagship resolves to", () => {
  const rows = flagship.operations.map((one) => {
    const moves = one.moves.map((move) => `${move.from.join("|")}->${move.to}`).join(" ");
    const effects = one.effects.map((effect) => {
      return `${effect.resource} by ${effect.field}: ${effect.moves.map((move) => `${move.from.join("|")}->${move.to}`).join(" ")}`;
    });
    return [
      one.name,
      one.deed,
      one.resource,
      one.key?.column ?? "",
      grants(one.allow),
      one.answer.status,
      one.edits,
      moves,
      effects.join("; "),
    ];
  });
  assert.deepEqual(rows, [
    ["addSite", "create", "Site", "", "operator", 201, "none", "", ""],
    ["listSites", "list", "Site", "", "signed-in", 200, "none", "", ""],
    ["addLocker", "create", "Locker", "", "operator", 201, "none", "", ""],
    ["listLockers", "list", "Locker", "", "signed-in", 200, "none", "", ""],
    ["repairLocker", "move", "Locker", "id", "operator", 200, "optional", "faulty->free", ""],
    ["announceParcel", "create", "Parcel", "", "courier", 201, "none", "", "Locker by locker: free->held"],
    ["getParcel", "read", "Parcel", "id", "operator | courier if", 200, "none", "", ""],
    ["listParcels", "list", "Parcel", "", "operator | courier if", 200, "none", "", ""],
    ["changeParcel", "update", "Parcel", "id", "courier if", 200, "required", "", ""],
    ["dropOff", "move", "Parcel", "id", "courier if", 200, "optional", "announced->stored", "Locker by locker: held->occupied"],
    ["extendParcel", "move", "Parcel", "id", "courier if", 200, "optional", "stored->stored", ""],
    ["collect", "move", "Parcel", "id", "anyone", 200, "optional", "stored->collected", "Locker by locker: occupied->free"],
    ["cancelParcel", "move", "Parcel", "id", "courier if", 200, "optional", "announced->cancelled", "Locker by locker: held->free"],
    ["takeBack", "move", "Parcel", "id", "operator | courier if", 200, "optional", "expired->returned", "Locker by locker: occupied->free"],
  ]); // biome-ignore format: a table
});

test("what each operation of the flagship takes, needs and can refuse", () => {
  const body = (name: string) => operation(flagship, name).body;
  const create = body("announceParcel");
  assert.deepEqual(
    create?.fields.map(({ name }) => name),
    ["site", "size", "trackingNumber", "recipientEmail", "weightKg", "labels", "customs"],
  );
  assert.deepEqual(create?.schema["required"], ["site", "size", "trackingNumber", "recipientEmail", "weightKg"]);
  assert.equal(create?.schema["additionalProperties"], false);
  assert.deepEqual(create?.fixed, []);
  const change = body("changeParcel");
  assert.deepEqual(Object.keys((change?.schema["properties"] ?? {}) as object), [
    "recipientEmail",
    "labels",
    "customs",
  ]);
  assert.equal(change?.schema["required"], undefined);
  assert.deepEqual(change?.mediaTypes, ["application/merge-patch+json", "application/json"]);
  assert.ok(change?.fixed.includes("state") && change.fixed.includes("weightKg") && !change.fixed.includes("labels"));
  assert.deepEqual(body("dropOff"), {
    ...body("collect"),
    required: false,
    schema: { type: "object", properties: {}, additionalProperties: false },
  });
  assert.deepEqual(body("collect")?.schema["required"], ["code"]);
  assert.deepEqual(body("collect")?.fields, [], "the members that a move takes set no field by themselves");
  assert.equal(body("getParcel"), undefined);
  const errors = flagship.operations.filter((one) => one.errors.length > 0).map((one) => [one.name, ...one.errors]);
  assert.deepEqual(errors, [
    ["announceParcel", "no-free-locker", "label-too-heavy"],
    ["changeParcel", "label-too-heavy"],
    ["extendParcel", "no-more-extensions"],
    ["collect", "wrong-code"],
  ]);
  assert.deepEqual(operation(flagship, "extendParcel").needs, ["id", "state", "courier", "extensions", "collectBy"]);
  assert.deepEqual(
    operation(flagship, "collect").answer.members?.map(({ name, schema }) => [name, schema]),
    [["door", { type: "integer", minimum: 1, maximum: 500 }]],
  );
});

test("the tables of the flagship", () => {
  const parcel = table(flagship, "Parcel");
  assert.equal(parcel.name, "parcels");
  assert.deepEqual(parcel.id, { made: "server", prefix: "par" });
  assert.deepEqual(
    parcel.columns.map(({ name, type, nullable }) => `${name} ${type}${nullable ? "?" : ""}`),
    [
      "id text", "state text", "courier text", "site text", "size text", "locker text", "trackingNumber text",
      "recipientEmail text", "weightKg number", "labels json?", "pickupCode text", "extensions integer",
      "collectBy timestamp?", "createdAt timestamp", "customs json?",
    ], // biome-ignore format: a table
  );
  const state = parcel.columns.find(({ name }) => name === "state");
  assert.deepEqual(state?.values, ["announced", "stored", "expired", "collected", "returned", "cancelled"]);
  assert.deepEqual(state?.marks, ["read-only", "filter"]);
  assert.deepEqual(parcel.uniques, [["trackingNumber"]]);
  assert.deepEqual(parcel.indexes, [
    ["state"],
    ["courier"],
    ["site"],
    ["locker"],
    ["createdAt"],
    ["courier", "createdAt"],
  ]);
  assert.deepEqual(table(flagship, "Locker").uniques, [["site", "door"]]);
  assert.deepEqual(table(flagship, "Locker").indexes, [["state"], ["site"], ["size"], ["site", "size", "state"]]);
  assert.equal(table(flagship, "Site").lifecycle, undefined);
  const shown = parcel.columns.filter((column) => column.shown !== undefined);
  assert.deepEqual(
    shown.map((column) => [column.name, grants(column.shown ?? [])]),
    [["pickupCode", "operator"]],
  );
});

test("lists, credentials, errors and limits of the flagship", () => {
  const { list } = operation(flagship, "listParcels");
  assert.deepEqual([list?.kind, list?.size, list?.max, list?.sorts], ["cursor", 50, 200, ["createdAt"]]);
  assert.deepEqual(list?.filters.map(({ field, operators }) => `${field} ${operators.join(" ")}`), [
    "state eq in", "courier eq in", "site eq in", "trackingNumber eq in", "createdAt eq in gt gte lt lte",
  ]); // biome-ignore format: a table
  assert.deepEqual(flagship.roles, ["courier", "operator"]);
  assert.deepEqual(
    flagship.credentials.map(({ name, prefix, lastsMilliseconds }) => [name, prefix, lastsMilliseconds]),
    [
      ["key", "pl_", 31_536_000_000],
      ["device", "", undefined],
    ],
  );
  assert.deepEqual(flagship.limits, { requestBytes: 262_144, requestMilliseconds: 10_000 });
  assert.deepEqual(flagship.errors["no-free-locker"], {
    status: 409,
    statuses: [409],
    title: "No locker of this size is free at this site",
    retryAfterSeconds: 600,
    source: "document",
  });
  assert.deepEqual(flagship.errors["invalid-request"]?.statuses, [422, 400]);
  assert.equal(flagship.errors["idempotency-key-reused"]?.source, "protocol");
});

test("what the flagship says and is not enforced yet is listed by line, in the order of the document", () => {
  const lines = flagshipText.split("\n");
  for (const { line, path } of flagship.unenforced) {
    const last = path.split("/").findLast((step) => !/^\d+$/.test(step)) ?? "";
    assert.ok(lines[line - 1]?.includes(last) || /versions|moves/.test(path), `${path} stands in line ${line}`);
  }
  const numbers = flagship.unenforced.map(({ line }) => line);
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
  const what = flagship.unenforced.map((one) => one.what);
  assert.ok(what.includes("no Parcel makes `stored -> expired` when the time in `collectBy` comes"));
  assert.ok(
    !flagship.unenforced.some(({ path }) => path.includes("held -> occupied")),
    "events of the service itself do move",
  );
});
