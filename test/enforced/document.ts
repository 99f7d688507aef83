/**
 * The documents of proofs as plain values, one for each part that a proof is about. The other parts are the smallest valid
 * service: records that anyone may create, read, list, change, replace and delete.
 */
import type { Json } from "../../src/base/json.ts";
import { jsonTree, printTree, type Tree } from "../../src/document/print.ts";
import type { PartName } from "../../src/language/model.ts";
import { partNames } from "../../src/language/model.ts";
import { partHeadings } from "../../src/language/grammar/sections.ts";

export type Block = Readonly<Record<string, Json>>;
export type Parts = Readonly<Partial<Record<PartName, Block | "none">>>;

/** The document's text. */
export function documentOf(parts: Parts): string {
  const resources = parts.resources ?? { Thing: { id: "id(thi)", name: "string(1..40)" } };
  const endpoints = { endpoints: crud, ...blockOf(parts.endpoints) };
  const operations = Object.keys(endpoints.endpoints as Block);
  const whole = {
    purpose: {
      nonet: "1",
      service: "things",
      domain: "examples",
      purpose: "Keep things",
      users: { member: "has things", admin: "runs the service" },
      outside: ["everything else"],
      operations: Object.fromEntries(operations.map((name) => [name, `Do ${name}`])),
      ...blockOf(parts.purpose),
    },
    resources,
    states: { ...Object.fromEntries(namesOf(resources).map((name) => [name, "none"])), ...blockOf(parts.states) },
    endpoints: {
      base: "{base_url}",
      lists: "cursor, 50 per page, at most 200",
      edits: "none",
      repeats: "none",
      ...endpoints,
    },
    authentication: {
      credentials: { key: { kind: "api-key", lasts: "365d", revoked: "at once" } },
      roles: ["member", "admin"],
      unseen: "404",
      ...blockOf(parts.authentication),
      allow: { ...Object.fromEntries(operations.map((name) => [name, "anyone"])), ...allowOf(parts) },
    },
    events: parts.events ?? "none",
    errors: { body: "problem+json", standard: "all", ...blockOf(parts.errors) },
    limits: parts.limits ?? "none",
    versioning: parts.versioning ?? "none",
  };
  const sections = partNames.map((part) => {
    return `## ${partHeadings[part][0]}\n\`\`\`yaml\n${printTree(treeOf(whole[part]))}\`\`\`\n`;
  });
  return `# Things\n\n${sections.join("\n")}`;
}

function treeOf(value: Json): Tree {
  if (Array.isArray(value)) return value.map((item: Json) => treeOf(item));
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value as Block);
  return new Map(
    entries.map(([key, member]) => [key, /^(?:schema|example)$/.test(key) ? jsonTree(member) : treeOf(member)]),
  );
}

/** Things with these fields besides their id. */
export function things(fields: Block): Block {
  return { Thing: { id: "id(thi)", ...fields } };
}

/** With these types of values. */
export function thingsWith(types: Block, fields: Block): Block {
  return { ...things(fields), types };
}

export const crud: Block = {
  addThing: "POST /things",
  getThing: "GET /things/{id}",
  listThings: "GET /things",
  changeThing: "PATCH /things/{id}",
  putThing: "PUT /things/{id}",
  removeThing: "DELETE /things/{id}",
};

/** The same of another resource, whose plural is its name and an s. */
export function crudOf(resource: string): Block {
  const path = `/${resource.toLowerCase()}s`;
  return {
    [`add${resource}`]: `POST ${path}`,
    [`get${resource}`]: `GET ${path}/{id}`,
    [`list${resource}s`]: `GET ${path}`,
    [`change${resource}`]: `PATCH ${path}/{id}`,
    [`remove${resource}`]: `DELETE ${path}/{id}`,
  };
}

function namesOf(resources: Block | "none"): readonly string[] {
  return resources === "none" ? [] : Object.keys(resources).filter((name) => /^[A-Z]/.test(name));
}

function blockOf(part: Block | "none" | undefined): Block {
  return part === undefined || part === "none" ? {} : part;
}

function allowOf({ authentication }: Parts): Block {
  const { allow } = blockOf(authentication);
  return typeof allow === "object" && allow !== null && !Array.isArray(allow) ? (allow as Block) : {};
}
