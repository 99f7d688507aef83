/** Random writes of every kind for a generated document, and their requests. */
import type { Json } from "../../src/base/json.ts";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import type { FunctionContext, ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import type { RecordsOf } from "../../src/runtime/functions/records.ts";
import type { Sent } from "../serve/client.ts";
import type { Chance } from "../simulation/random.ts";
import { deviceSecret, type Doc, type Field, kinds, type Resource } from "./document.ts";
import type { Rec, Records } from "./expressions.ts";
import { type Model, type Step, unknownId, type Values, type Write } from "./model.ts";

const hour = 3_600_000;
/** So that a document's lists stay one page, and its rules have something to bound. */
const most = 9;

export interface Drawing {
  readonly chance: Chance;
  readonly model: Model;
  readonly records: Records;
  readonly now: number;
  /** Tells ids of a run apart. */
  readonly fresh: () => number;
}

/** Undefined where what was drawn has nothing to be done to. */
export function drawWrite(drawing: Drawing): Write | undefined {
  const { chance, model, records } = drawing;
  const { hasBatch, inbound, link, resources } = model.doc;
  const resource = chance.pick(resources);
  const any = anyOf(drawing, resource);
  const rec = any?.id ?? "";
  const { name } = resource;
  switch (
    chance.weighted({ step: 60, put: resource.id === "client" ? 12 : 0, clear: resource.cleared ? 4 : 0, link: link ? 8 : 0, event: inbound ? 9 : 0, batch: hasBatch ? 16 : 0 }) // biome-ignore format: short
  ) {
    case "step":
      return drawStep(drawing, resource);
    case "put": {
      const isNew = any === undefined || (chance.percent(25) && sizeOf(records, name) < most);
      const values = drawValues(drawing, resource, true);
      return values && { does: "put", resource: name, id: isNew ? freshId(drawing, resource) : rec, values };
    }
    case "clear":
      return { does: "clear", resource: name };
    case "link": {
      const target = anyOf(drawing, model.resource(link?.of ?? ""));
      return target && { does: chance.percent(70) ? "link" : "unlink", id: target.id };
    }
    case "event": {
      const target = anyOf(drawing, model.resource(inbound ?? ""));
      return target && { does: "event", id: target.id };
    }
    case "batch": {
      const steps = Array.from({ length: chance.between(2, 4) }, () => drawStep(drawing, chance.pick(resources)));
      const drawn = steps.filter((step) => step !== undefined);
      const named = drawn.map((step) => (step.does === "create" && step.id === undefined ? { ...step, id: `${unknownId}${drawing.fresh()}` } : step)); // biome-ignore format: short
      const caught = named.map((step) => (chance.percent(20) ? { ...step, isCaught: true as const } : step));
      return caught.length === 0 ? undefined : { does: "batch", steps: caught };
    }
  }
}

function drawStep(drawing: Drawing, resource: Resource): Step | undefined {
  const { chance, records } = drawing;
  const { lifecycle, name } = resource;
  const count = sizeOf(records, name);
  const rec = anyOf(drawing, resource);
  const moves = lifecycle?.transitions.flatMap(({ from, trigger }) =>
    trigger.kind === "operation" ? [{ by: trigger.name, from }] : [],
  );
  const does = chance.weighted({
    create: count >= most ? 0 : count < 2 ? 30 : 12,
    update: rec === undefined ? 0 : 14,
    delete: rec === undefined ? 0 : count > 5 ? 12 : 5,
    move: rec === undefined || moves === undefined ? 0 : 14,
  });
  const id = rec?.id ?? "";
  switch (does) {
    case "create": {
      const values = drawValues(drawing, resource, true);
      return values && { does, resource: name, ...(resource.id === "client" ? { id: freshId(drawing, resource) } : {}), values }; // biome-ignore format: short
    }
    case "update":
      return { does, resource: name, id, values: drawValues(drawing, resource, false) ?? {} };
    case "delete":
      return { does, resource: name, id };
    case "move": {
      const able = (moves ?? []).filter(({ from }) => from.includes(rec?.values["state"] as string));
      return { does, resource: name, id, by: chance.pick(able.length > 0 && chance.percent(85) ? able : (moves ?? [])).by }; // biome-ignore format: short
    }
  }
}

function sizeOf(records: Records, name: string): number {
  return records.get(name)?.size ?? 0;
}

function anyOf({ chance, records }: Drawing, { name }: Resource): Rec | undefined {
  const all = [...(records.get(name)?.values() ?? [])];
  return all.length === 0 ? undefined : chance.pick(all);
}

function freshId({ fresh }: Drawing, { name }: Resource): string {
  return `${name.toLowerCase().slice(0, 1)}${fresh()}`;
}

/** All that has to be there of a whole record, or some members to change; undefined where there is nothing to refer to. */
function drawValues(drawing: Drawing, { fields }: Resource, isComplete: boolean): Values | undefined {
  const { chance } = drawing;
  const values: Record<string, Json> = {};
  for (const field of fields) {
    if (field.kind === "double" || field.kind === "made") continue;
    if (!isComplete && chance.percent(60)) continue;
    const isLeftOut = field.default === undefined ? field.isOptional && chance.percent(45) : chance.percent(40);
    if (isLeftOut) {
      if (!isComplete && field.isOptional) values[field.name] = null;
      continue;
    }
    const value = drawValue(drawing, field);
    if (value === undefined && !field.isOptional) return isComplete ? undefined : values;
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

function drawValue(drawing: Drawing, field: Field): Json | undefined {
  const { chance, model, now } = drawing;
  switch (field.kind) {
    case "number":
      return chance.between(-1, 6);
    case "flag":
      return chance.percent(50);
    case "choice":
      return chance.pick(kinds);
    case "texts":
      return Array.from({ length: chance.between(0, 3) }, (_, index) => `x${index}`);
    case "moment":
      return new Date(now + chance.between(-1, 5) * hour).toISOString();
    case "reference":
      return anyOf(drawing, model.resource(field.to ?? ""))?.id;
    default:
      return undefined;
  }
}

/** The request that asks for the write. */
export function requestOf(doc: Doc, write: Write, authorization: string | undefined, now: number): Sent {
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
  const pathOf = (resource: string, id?: string): string => `/${resource.toLowerCase()}s${id === undefined ? "" : `/${id}`}`; // biome-ignore format: short
  switch (write.does) {
    case "create":
      return { method: "POST", path: pathOf(write.resource), headers, body: { ...(write.id && { id: write.id }), ...write.values } }; // biome-ignore format: short
    case "update":
      return { method: "PATCH", path: pathOf(write.resource, write.id), headers: { ...headers, "Content-Type": "application/merge-patch+json" }, body: write.values }; // biome-ignore format: short
    case "put":
      return { method: "PUT", path: pathOf(write.resource, write.id), headers, body: write.values };
    case "delete":
      return { method: "DELETE", path: pathOf(write.resource, write.id), headers };
    case "move":
      return { method: "POST", path: `${pathOf(write.resource, write.id)}/${write.by.toLowerCase()}`, headers };
    case "clear":
      return { method: "DELETE", path: pathOf(write.resource), headers };
    case "link":
    case "unlink":
      return { method: write.does === "link" ? "POST" : "DELETE", path: `${pathOf(doc.link?.of ?? "", write.id)}/mark`, headers }; // biome-ignore format: short
    case "event": {
      const body = JSON.stringify({ about: write.id });
      const seconds = Math.floor(now / 1000);
      const field = signatureField(deviceSecret, seconds, {
        method: "POST",
        target: "/pings",
        body: Buffer.from(body),
      });
      return { method: "POST", path: "/pings", headers: { "Device-Signature": field, "Content-Type": "application/json" }, body }; // biome-ignore format: short
    }
    case "batch":
      return { method: "POST", path: "/batches", headers, body: { plan: JSON.stringify(write.steps) } };
  }
}

/** What the owner of the service has programmed. */
export function functionsOf(doc: Doc): ServiceFunctions {
  const { after, hasBatch } = doc;
  return {
    ...(hasBatch ? { batch: (context) => batch(context, doc) } : {}),
    ...(after === undefined ? {} : { after: { [`change${after.of}`]: (context) => addOne(context, after) } }),
  };
}

/** Does several writes. A refusal by a rule is nothing that it could go on after. */
async function batch({ fail, input, records }: FunctionContext, { references }: Doc): Promise<void> {
  for (const step of JSON.parse(input["plan"] as string) as (Step & { isCaught?: true })[]) {
    const of = systemOf(records, step.resource);
    // What refers to nothing would be a mistake of the function's own.
    const referred = "values" in step ? Object.entries(references[step.resource] ?? {}).map(([field, to]) => [to, step.values[field] ?? null] as const) : []; // biome-ignore format: short
    let isThere = true;
    for (const [to, id] of referred)
      if (id !== null && (await systemOf(records, to).get(id as string)) === undefined) isThere = false;
    if (!isThere) {
      if (step.isCaught !== true) fail("not-found");
      continue;
    }
    try {
      if (step.does === "create")
        await of.create({ ...(step.id?.startsWith(unknownId) ? {} : { id: step.id }), ...step.values });
      if (step.does === "update") await of.update(step.id, step.values);
      if (step.does === "delete") await of.delete(step.id);
      if (step.does === "move") await of.move[step.by]?.(step.id);
    } catch (thrown) {
      const { code } = thrown as { readonly code?: string };
      if (step.isCaught !== true || code === undefined || code.startsWith("rule-")) throw thrown;
    }
  }
}

async function addOne({ record, records }: FunctionContext, { field, to }: NonNullable<Doc["after"]>): Promise<void> {
  const id = record?.[field];
  if (typeof id !== "string") return;
  const other = await systemOf(records, to).get(id);
  await systemOf(records, to).update(id, { n: Number(other?.["n"]) + 1 });
}

function systemOf({ system }: FunctionContext["records"], resource: string): RecordsOf {
  return system[resource] as RecordsOf;
}
