/**
 * Exports all schemas of a service as one JSON Schema 2020-12 document: resources, the document's types, requests, responses,
 * events and errors. Each schema has an `$id` under the service's URL, by which other schemas refer to it, so that a program can
 * use a single one.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { Model } from "../language/model.ts";
import { jsonSchemaOf } from "../language/resources/json-schema.ts";
import type { Plan } from "../plan/plan.ts";
import { componentOf, type Described, describe, type DescribedOperation } from "./described.ts";

export function jsonSchema(plan: Plan, model: Pick<Model, "resources">, baseUrl: string): JsonObject {
  const described = describe(plan, baseUrl);
  const root = `${baseUrl.replace(/\/+$/, "")}/schemas`;
  const titles = titlesOf(described);
  const defs: Record<string, JsonObject> = {};
  for (const [name, schema] of Object.entries(described.schemas)) {
    defs[name] = identified(root, name, { ...(titles[name] === undefined ? {} : { title: titles[name] }), ...schema });
  }
  for (const name of Object.keys(model.resources.types)) {
    const free = Object.hasOwn(defs, name) ? `${name}Type` : name;
    defs[free] = identified(root, free, jsonSchemaOf(model as Model, { kind: "named", name }));
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: root,
    title: plan.version === undefined ? plan.title : `${plan.title}, version ${plan.version}`,
    ...(plan.purpose === "" ? {} : { description: plan.purpose }),
    $defs: defs,
  };
}

/** Returns a title for each component that names its operation; the name of a component alone does not explain its use. */
function titlesOf({ operations }: Described): Readonly<Record<string, string>> {
  const titles: Record<string, string> = {};
  const setTitle = (schema: JsonObject | undefined, words: string): void => {
    const reference = schema?.["$ref"];
    const name = typeof reference === "string" ? componentOf(reference) : undefined;
    if (name !== undefined) titles[name] ??= words;
  };
  const resources = new Set(operations.map(({ operation }) => operation.resource));
  for (const resource of resources) titles[resource] = `${resource}, as it is read`;
  for (const operation of operations) {
    setTitle(operation.body?.schema, inputTitle(operation));
    for (const { schema } of operation.successes) setTitle(schema, `What ${operation.name} gives`);
  }
  return titles;
}

function inputTitle({ name, operation: { action, resource } }: DescribedOperation): string {
  if (action === "create") return `${resource}, as ${name} creates it`;
  if (action === "update") return `${resource}, as ${name} changes it`;
  if (action === "replace") return `${resource}, as ${name} replaces it`;
  return `What ${name} takes`;
}

function identified(root: string, name: string, schema: JsonObject): JsonObject {
  return { $id: `${root}/${name}`, ...(referring(root, schema) as JsonObject) };
}

/** Replaces references by those below `root`, and removes keywords that only OpenAPI defines. */
export function referring(root: string, value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one: Json) => referring(root, one));
  const members = Object.entries(value as JsonObject).filter(([keyword, member]) => {
    return keyword !== "discriminator" || !Object.hasOwn(member as JsonObject, "propertyName");
  });
  return Object.fromEntries(
    members.map(([keyword, member]): [string, Json] => {
      const name = keyword === "$ref" && typeof member === "string" ? componentOf(member) : undefined;
      return [keyword, name === undefined ? referring(root, member as Json) : `${root}/${name}`];
    }),
  );
}
