/** Tests that any model without errors is planned, and that the plan lists unsupported statements with their lines. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { models } from "../../test/arbitraries/model.ts";
import { readDocument } from "../document/read.ts";
import { typeExpressions } from "../language/analysis/expressions.ts";
import { readModel } from "../language/read.ts";
import { buildPlan } from "./build.ts";
import type { GrantPlan } from "./authentication/types.ts";
import type { Operation } from "./endpoints/types.ts";
import type { Plan } from "./plan.ts";
import type { Table } from "./resources/types.ts";

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
  const own = flagship.operations.filter(({ resource }) => !resource.startsWith("Webhook"));
  const rows = own.map((one) => {
    const moves = one.moves.map((transition) => `${transition.from.join("|")}->${transition.to}`).join(" ");
    const effects = one.effects.map((effect) => {
      return `${effect.resource} by ${effect.field}: ${effect.moves.map((transition) => `${transition.from.join("|")}->${transition.to}`).join(" ")}`;
    });
    return [
      one.name,
      one.action,
      one.resource,
      one.key?.column ?? "",
      grants(one.allow),
      one.response.status,
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
    ["door.faulted", "receive", "Locker", "", "signed-in", 202, "none", "", "Locker by locker: free->faulty"],
  ]); // biome-ignore format: a table
});

test("webhook endpoints and deliveries are resources of those who may subscribe, each of its own", () => {
  const rows = flagship.operations
    .filter(({ resource }) => resource.startsWith("Webhook"))
    .map((one) => [`${one.method} ${one.template}`, one.action, grants(one.allow), one.response.status]);
  assert.deepEqual(rows, [
    ["POST /webhooks", "create", "operator", 201],
    ["GET /webhooks", "list", "operator if", 200],
    ["GET /webhooks/{id}", "read", "operator if", 200],
    ["PATCH /webhooks/{id}", "update", "operator if", 200],
    ["DELETE /webhooks/{id}", "delete", "operator if", 204],
    ["POST /webhooks/{id}/enable", "move", "operator if", 200],
    ["POST /webhooks/{id}/disable", "move", "operator if", 200],
    ["POST /webhooks/{id}/rotate-secret", "move", "operator if", 200],
    ["GET /webhooks/{id}/secret", "read", "operator if", 200],
    ["POST /webhooks/{id}/recover", "move", "operator if", 200],
    ["GET /webhooks/{webhook}/deliveries", "list", "operator if", 200],
    ["GET /webhooks/{webhook}/deliveries/{id}", "read", "operator if", 200],
    ["POST /webhooks/{webhook}/deliveries/{id}/resend", "move", "operator if", 200],
  ]); // biome-ignore format: a table
  const events = Object.keys(flagship.events.out);
  assert.deepEqual(events.slice(-2), ["webhook.disabled", "webhook.delivery-failed"]);
});

test("what becomes of deliveries is told to those whose endpoints they are, whatever the document says of its own events", () => {
  const plan = service({
    ...recipes,
    events: `
out: { recipe.added: addRecipe }
delivery:
  webhook: { subscribe: POST /hooks, for: [signed-in if author == caller.id, editor] }
`,
  });
  const receivers = Object.entries(plan.events.out).map(([event, { webhook }]) => [event, grants(webhook)]);
  assert.deepEqual(receivers, [
    ["recipe.added", "signed-in if | editor"],
    ["webhook.disabled", "signed-in if | editor if"],
    ["webhook.delivery-failed", "signed-in if | editor if"],
  ]);
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
  const nothing = { type: "object", properties: {}, additionalProperties: false };
  const empty = {
    schema: nothing,
    mediaTypes: ["application/json"],
    required: false,
    fields: [],
    others: [],
    fixed: [],
  };
  assert.deepEqual(body("dropOff"), empty);
  assert.deepEqual(body("collect")?.others, [{ name: "code", type: "text" }]);
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
    operation(flagship, "collect").response.members?.map(({ name, source }) => [
      name,
      "schema" in source ? source.schema : source,
    ]),
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
    ["createdAt"],
    ["courier", "createdAt"],
    ["courier", "state"],
  ]);
  assert.deepEqual(table(flagship, "Locker").uniques, [["site", "door"]]);
  assert.deepEqual(table(flagship, "Locker").indexes, [["state"], ["site"], ["size"], ["site", "size", "state"]]);
  assert.equal(table(flagship, "Site").lifecycle, undefined);
  const visibleTo = parcel.columns.filter((column) => column.visibleTo !== undefined);
  assert.deepEqual(
    visibleTo.map((column) => [column.name, grants(column.visibleTo ?? [])]),
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
  assert.deepEqual(
    flagship.rates.map(({ name, of, count, windowMilliseconds }) => [name, of, count, windowMilliseconds]),
    [
      ["all-per-user", "all", 600, 60_000],
      ["collect-per-Parcel", "all", 5, 900_000],
      ["anyone-per-ip", "anonymous", 30, 60_000],
    ],
  );
  const rates = (name: string) => operation(flagship, name).rates.map(({ limit, by }) => [limit, by.kind]);
  assert.deepEqual(rates("collect"), [[0, "user"], [1, "parameter"], [2, "ip"]]); // biome-ignore format: a table
  assert.deepEqual(rates("getParcel"), [[0, "user"], [2, "ip"]]); // biome-ignore format: a table
  assert.deepEqual(operation(flagship, "announceParcel").quotas, [{ limit: 0, by: { kind: "user" } }]);
  assert.deepEqual(flagship.quotas[1], {
    kind: "live",
    name: "Parcel-per-user",
    resource: "Parcel",
    column: "courier",
    states: ["announced", "stored"],
    count: 300,
  });
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
  assert.ok(!what.some((one) => one.includes("stored -> expired")), "time does move");
  assert.ok(
    !flagship.unenforced.some(({ path }) => path.includes("held -> occupied")),
    "events of the service itself do move",
  );
});

/** Builds a small service from its YAML blocks, part by part. */
function service(blocks: Readonly<Record<string, string>>): Plan {
  return planOf(serviceText(blocks));
}

const headings = {
  purpose: "What the service does",
  resources: "Resources and their fields",
  states: "States and transitions",
  endpoints: "Endpoints",
  authentication: "Authentication",
  events: "Events",
  errors: "Errors",
  limits: "Limits",
  versioning: "Versioning",
} as const;

function serviceText(blocks: Readonly<Record<string, string>>): string {
  const parts = Object.entries(headings).map(([part, heading]) => {
    return `## ${heading}\n\`\`\`yaml\n${blocks[part]?.trim() ?? "none"}\n\`\`\`\n`;
  });
  return `# Small Service\n\n${parts.join("\n")}`;
}

const recipes = {
  resources: `
Cook: { id: id(cook), handle: "string(1..40), unique" }
Recipe:
  id: id(rec)
  slug: string := slugify(title), unique
  title: string(1..80), sort
  author: user = caller, read-only
  cook: Cook, create-only
  popular: boolean := Remark.exists(r, r.recipe == id)
Remark:
  id: id(rem)
  recipe: Recipe, create-only
  body: text(1..500)
  flagged: boolean = false
`,
  endpoints: `
endpoints:
  addRecipe: POST /recipes
  listRecipes: GET /recipes
  getRecipe: GET /recipes/{slug}
  popularRecipes: { at: GET /recipes/popular, where: author == 'me' }
  replaceRecipe: PUT /recipes/{slug}
  cooksRecipes: GET /cooks/{handle}/recipes
  addRemark: POST /recipes/{slug}/remarks
  listRemarks: GET /recipes/{slug}/remarks
  getRemark: GET /recipes/{recipe}/remarks/{remark_id}
  changeRemark: PATCH /remarks/{id}
  dropRemark: DELETE /remarks/{id}
  deepRemarks: GET /cooks/{handle}/recipes/{slug}/remarks
`,
  authentication: `
own: { Recipe: author == caller.id }
allow:
  addRecipe, addRemark: signed-in
  listRecipes, listRemarks, cooksRecipes, deepRemarks: anyone
  getRecipe: anyone
  popularRecipes, getRemark: anyone
  replaceRecipe: signed-in if own
  changeRemark, dropRemark: editor
`,
};

test("nested paths bind parents, and a path may name any unique field", () => {
  const plan = service(recipes);
  const rows = plan.operations.map((one) => {
    const parents = one.parents.map(
      (parent) => `${parent.resource}.${parent.column}=${parent.parameter} by ${parent.field}`,
    );
    return [
      one.name,
      one.action,
      one.resource,
      one.key === undefined ? "" : `${one.key.column}=${one.key.parameter}`,
      ...parents,
    ];
  });
  assert.deepEqual(rows, [
    ["addRecipe", "create", "Recipe", ""],
    ["listRecipes", "list", "Recipe", ""],
    ["getRecipe", "read", "Recipe", "slug=slug"],
    ["popularRecipes", "list", "Recipe", ""],
    ["replaceRecipe", "replace", "Recipe", "slug=slug"],
    ["cooksRecipes", "list", "Recipe", "", "Cook.handle=handle by cook"],
    ["addRemark", "create", "Remark", "", "Recipe.slug=slug by recipe"],
    ["listRemarks", "list", "Remark", "", "Recipe.slug=slug by recipe"],
    ["getRemark", "read", "Remark", "id=remark_id", "Recipe.id=recipe by recipe"],
    ["changeRemark", "update", "Remark", "id=id"],
    ["dropRemark", "delete", "Remark", "id=id"],
    ["deepRemarks", "list", "Remark", "", "Cook.handle=handle by cook", "Recipe.slug=slug by recipe"],
  ]); // biome-ignore format: a table
  assert.deepEqual(
    operation(plan, "addRemark").body?.fields.map(({ name }) => name),
    ["body", "flagged"],
    "the path gives the recipe",
  );
  assert.deepEqual(
    operation(plan, "replaceRecipe").body?.fields.map(({ name }) => name),
    ["title"],
  );
  assert.equal(operation(plan, "replaceRecipe").creates, false);
  assert.deepEqual(operation(plan, "dropRemark").response, { status: 204, kind: "none" });
  assert.deepEqual(plan.unenforced, []);
});

test("computed fields are columns only where lists and look-ups use them", () => {
  const recipe = table(service(recipes), "Recipe");
  assert.equal(recipe.columns.find(({ name }) => name === "slug")?.computed?.kind, "call");
  assert.deepEqual(
    recipe.virtual.map(({ name, type }) => [name, type]),
    [["popular", "boolean"]],
  );
  assert.deepEqual(recipe.indexes, [["title"], ["cook"], ["author"]], "what is unique has an index already");
});

test("only a creation takes an array of records: elsewhere a list of views is a member of the body", () => {
  const plan = service({
    resources: `
Dish: { id: id(dsh), name: "string(1..9), unique" }
views:
  DishOut: { of: Dish, fields: [name] }
`,
    endpoints: `
endpoints:
  addDishes: { at: POST /dishes, takes: { dishes: "DishOut[](1..5)" } }
  changeDish: { at: "PATCH /dishes/{id}", takes: { dishes: "DishOut[](1..5)" } }
  printMenu: { at: POST /menu, does: handler, takes: { dishes: "DishOut[](1..5)" } }
`,
  });
  const members = (name: string) => {
    const { body } = operation(plan, name);
    assert.ok(body, name);
    return Object.keys(body.schema["properties"] ?? {});
  };
  assert.deepEqual(members("addDishes"), ["name"]);
  assert.deepEqual(members("changeDish"), ["dishes"]);
  assert.deepEqual(members("printMenu"), ["dishes"]);
});

test("where the document is silent the engine's defaults are in the plan", () => {
  const plan = service(recipes);
  assert.deepEqual(plan.limits, { requestBytes: 1_048_576, requestMilliseconds: 30_000 });
  assert.equal(plan.unseen, 404);
  assert.equal(plan.base, "{base_url}");
  assert.equal(plan.service, "small-service");
  assert.deepEqual(plan.roles, ["editor"]);
  const { list } = operation(plan, "listRecipes");
  assert.deepEqual([list?.kind, list?.size, list?.max], ["cursor", 20, 100]);
  assert.deepEqual(operation(plan, "changeRemark").repeats, {
    header: "Idempotency-Key",
    required: false,
    retentionMilliseconds: 86_400_000,
  });
  assert.equal(operation(plan, "changeRemark").edits, "optional");
  assert.equal(plan.errors["not-found"]?.source, "protocol", "needed, though the document does not import it");
});

test("ids: made, counted, or given by the client", () => {
  const plan = service({
    resources: `
Kitchen: { id: "string(3..20)", opened: "date, create-only", name: string(1..40), note?: string }
Order: { id: id(counter), kitchen: "Kitchen, filter, delete with" }
Token: { id: uuid = uuid, order?: "Order, clear" }
`,
    endpoints: `
endpoints:
  putKitchen: PUT /kitchens/{id}
  addKitchen: POST /kitchens
  getOrder: GET /orders/{id}
  addToken: POST /tokens
`,
  });
  assert.deepEqual(
    plan.tables.map(({ resource, id }) => [resource, id]),
    [
      ["Kitchen", { made: "client" }],
      ["Order", { made: "counter" }],
      ["Token", { made: "server" }],
    ],
  );
  const put = operation(plan, "putKitchen");
  assert.equal(put.creates, true);
  assert.deepEqual(put.response, { status: 200, created: 201, kind: "record" });
  assert.deepEqual(
    put.body?.fields.map(({ name }) => name),
    ["opened", "name", "note"],
  );
  assert.deepEqual(put.body?.schema["required"], ["opened", "name"]);
  assert.deepEqual(put.body?.fixed, ["id", "opened"]);
  assert.deepEqual(
    operation(plan, "addKitchen").body?.fields.map(({ name }) => name),
    ["id", "opened", "name", "note"],
  );
  const references = (resource: string, name: string) => {
    const column = table(plan, resource).columns.find((one) => one.name === name);
    return [column?.type, column?.references];
  };
  assert.deepEqual(references("Order", "kitchen"), ["text", { resource: "Kitchen", onDelete: "delete" }]);
  assert.deepEqual(references("Token", "order"), ["integer", { resource: "Order", onDelete: "clear" }]);
  assert.deepEqual(table(plan, "Token").columns[0]?.default, { kind: "uuid" });
});

const relay = {
  resources: `
Batch: { id: id(bat), machine: Machine, weight?: decimal }
Machine: { id: id(mac), line: Line, load?: decimal }
Line: { id: id(lin), backup?: Line }
`,
  states: `
Batch:
  states: { waiting: w, running: r, done: d, scrapped: s }
  start: waiting
  final: [done, scrapped]
  moves:
    waiting -> running: by startBatch
    running -> done: by finishBatch
    any -> scrapped: by scrapBatch
Machine:
  states: { idle: i, busy: b, dirty: d }
  start: idle
  moves:
    idle -> busy: { when: batch.running, if: input.weight != null, set: { load: input.weight } }
    busy -> dirty: when batch.done | batch.scrapped
    idle | dirty -> dirty: by soilMachine
Line:
  states: { free: f, taken: t, waiting: w }
  start: free
  moves:
    free -> taken: when machine.busy at line
    taken -> free: when machine.dirty
    free -> waiting: when line.taken at backup
`,
  endpoints: `
endpoints:
  startBatch: POST /batches/{id}/start
  finishBatch: POST /batches/{id}/finish
  scrapBatch: DELETE /batches/{id}
  soilMachine: POST /machines/{id}/soil
`,
  events: `
out:
  batch.running: startBatch
  batch.done: Batch -> done
  batch.scrapped: { when: Batch -> scrapped, carries: [id, machine] }
  machine.busy: Machine -> busy
  machine.dirty: Machine -> dirty
  line.taken: Line -> taken
`,
};

test("resources move each other, through as many as there are", () => {
  const plan = service(relay);
  type Effects = Operation["effects"];
  const chain = (effects: Effects): unknown[] => {
    return effects.map((one) => [
      `${one.event}${one.state === undefined ? "" : ` (${one.state})`}: ${one.resource} by ${one.field}`,
      one.moves.map((transition) => `${transition.from.join("|")}->${transition.to}`).join(" "),
      ...chain(one.effects),
    ]);
  };
  assert.deepEqual(chain(operation(plan, "startBatch").effects), [
    [
      "batch.running: Machine by machine",
      "idle->busy",
      ["machine.busy (busy): Line by line", "free->taken", ["line.taken (taken): Line by backup", "free->waiting"]],
    ],
  ]);
  assert.deepEqual(chain(operation(plan, "finishBatch").effects), [
    ["batch.done (done): Machine by machine", "busy->dirty", ["machine.dirty (dirty): Line by line", "taken->free"]],
  ]);
  const [effect] = operation(plan, "startBatch").effects;
  assert.deepEqual(effect?.payload, ["id", "machine", "weight", "state"]);
  assert.deepEqual(operation(plan, "scrapBatch").effects[0]?.payload, ["id", "machine"]);
});

test("any is every state but final ones and the target; a move with its target among its starts only enters from the others", () => {
  const plan = service(relay);
  const moves = (name: string) =>
    operation(plan, name).moves.map(({ from, to, changesState }) => ({ from, to, changesState }));
  assert.deepEqual(moves("scrapBatch"), [{ from: ["waiting", "running"], to: "scrapped", changesState: true }]);
  assert.deepEqual(moves("soilMachine"), [
    { from: ["idle"], to: "dirty", changesState: true },
    { from: ["dirty"], to: "dirty", changesState: false },
  ]);
  assert.equal(
    operation(plan, "scrapBatch").action,
    "move",
    "an operation that makes a move moves, whatever its method",
  );
});

test("records of a resource that nothing reads exist for those who may do something to them", () => {
  assert.deepEqual(operation(service(relay), "startBatch").visible, []);
  const plan = service({ ...relay, authentication: "allow:\n  startBatch, finishBatch: runner\n  scrapBatch: boss" });
  assert.equal(grants(operation(plan, "finishBatch").visible), "runner | boss");
});

test("what is read but cannot be served is said", () => {
  const plan = service({
    resources: `
Note: { id: id(not), price: money(0..10), owner: user, tags: "string[], filter", parent: Tree }
types:
  Tree: { name: string, child?: Tree }
`,
    endpoints: `
endpoints:
  quote: { at: POST /quotes, does: handler }
  lost: GET /nowhere
  strange: GET /notes/{colour}
  count: PUT /notes
`,
    authentication: `
credentials:
  session: { kind: oauth2, issuer: "https://issuer.example" }
  key: { kind: api-key, revoked: 5m }
`,
  });
  assert.deepEqual(
    plan.operations.map(({ name, action, response }) => `${name}: ${action}, ${response.status}`),
    ["quote: handler, 204"],
  );
  assert.deepEqual(
    plan.credentials.map(({ name }) => name),
    ["session", "key"],
  );
  assert.deepEqual(
    plan.unenforced.map(({ path, what }) => `${path}: ${what}`),
    [
      "endpoints/endpoints/lost: `lost` is not served: `/nowhere` does not determine the resource of `lost`",
      "endpoints/endpoints/strange: `strange` is not served: `{colour}` is not a unique field of Note",
      "endpoints/endpoints/count: `count` is not served: `PUT /notes` does not determine what `count` does",
    ],
  );
});

test("a model whose expressions have problems is not planned", () => {
  const { model, places } = readModel(
    readDocument("service.md", serviceText({ ...relay, authentication: "own: { Batch: weight }" })).document,
  );
  assert.throws(() => buildPlan(model, places, typeExpressions(model)), /authentication\/own\/Batch/);
});

test("any model at all is planned or refused, and its expressions are typed or have problems", () => {
  fc.assert(
    fc.property(models, (model) => {
      const expressions = typeExpressions(model);
      try {
        buildPlan(model, new Map(), expressions);
      } catch (error) {
        assert.match(String(error), /^Error: cannot plan: /);
      }
    }),
    { numRuns: 200 },
  );
});

test("a reference is indexed where deleting, or a list below a parent, looks for it", () => {
  const end = "\n```\n\n## Versioning";
  const rows: readonly (readonly [why: string, edited: readonly (readonly [string, string])[], indexed: boolean])[] = [
    ["no locker is ever deleted", [], false],
    ["an operation deletes lockers", dropping("dropLocker", "/lockers/{id}"), true],
    ["lockers go after a while", [[`final }${end}`, `final, Locker: 90d after faulty }${end}`]], true],
    [
      "lockers are erased after a while",
      [[`final }${end}`, `final, Locker: "90d after faulty, erase" }${end}`]],
      false,
    ],
    [
      "lockers go with their site",
      [
        ["site: Site, create-only, filter\n  door", "site: Site, create-only, filter, delete with\n  door"],
        ...dropping("dropSite", "/sites/{id}"),
      ],
      true,
    ],
    [
      "parcels are listed below their locker",
      [["listParcels: GET /parcels", "listParcels: GET /lockers/{id}/parcels"]],
      true,
    ],
  ];
  for (const [why, edited, indexed] of rows) {
    const text = edited.reduce((left, [old, now]) => {
      assert.ok(left.includes(old), old);
      return left.replace(old, now);
    }, flagshipText);
    const { indexes } = table(planOf(text), "Parcel");
    assert.equal(
      indexes.some(([first]) => first === "locker"),
      indexed,
      why,
    );
  }
});

/** Edits of the flagship that add a delete operation. */
function dropping(name: string, path: string): readonly (readonly [string, string])[] {
  return [
    ["  addSite: Open", `  ${name}: Drop it\n  addSite: Open`],
    ["  addSite: POST", `  ${name}: DELETE ${path}\n  addSite: POST`],
    ["  addSite, addLocker", `  ${name}, addSite, addLocker`],
  ];
}
