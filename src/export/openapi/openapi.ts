/** Exports a plan as OpenAPI 3.1: every operation with all its parameters, bodies and responses (R1.1). */
import type { Json, JsonObject } from "../../base/json.ts";
import { schemaAddress } from "../../language/resources/schema.ts";
import type { Plan } from "../../plan/plan.ts";
import { compact } from "./compact.ts";
import { corsFields } from "./cors.ts";
import { eventSchemas, webhookItems } from "./events.ts";
import { fieldsOfEveryResponse, everyResponseKey, everyResponseText, responseHeaders } from "./headers.ts";
import { type ComponentNames, componentNames } from "./names.ts";
import { pathItems } from "./paths.ts";
import { componentSchemas } from "./schemas.ts";
import { securitySchemes, serviceTag } from "./security.ts";
import { versionFields, withVersions } from "./versions.ts";

/** Returns the description. `baseUrl`: the service's absolute URL. The same plan and URL always give the same description. */
export function openapi(plan: Plan, baseUrl: string): JsonObject {
  const names = componentNames(plan);
  const problems = new Set(Object.keys(plan.errors).map((code) => names.problem(code)));
  return compact(writtenOut(plan, baseUrl), { problem: names.anyProblem, problems });
}

/** Returns the description in which each operation contains its parameters and responses, for the other exports. */
export function writtenOut(plan: Plan, baseUrl: string): JsonObject {
  const root = baseUrl.replace(/\/+$/, "");
  const server = plan.base.replace("{base_url}", root).replace(/\/+$/, "");
  const names = componentNames(plan);
  const shared = new Map<string, JsonObject>();
  const paths = pathItems({ plan, names, shared }, { root, mounted: server !== root });
  const fields = { ...versionFields(plan), ...corsFields(plan) };
  const always = [...fieldsOfEveryResponse(plan), ...Object.keys(fields)];
  const description = withVersions(plan, {
    openapi: "3.1.1",
    info: {
      title: plan.title,
      version: plan.version ?? "1",
      ...(plan.purpose === "" ? {} : { summary: plan.purpose }),
      description: everyResponseText(always),
    },
    servers: [{ url: server }],
    tags: tagsOf(plan),
    paths,
    ...webhookItems(plan, names),
    components: {
      ...(plan.credentials.length === 0 ? {} : { securitySchemes: securitySchemes(plan, server) }),
      headers: { ...responseHeaders, ...fields },
      responses: Object.fromEntries(shared),
      schemas: { ...componentSchemas(plan, names), ...eventSchemas(plan, names), ...namedSchemas(plan, names) },
    },
    [everyResponseKey]: always,
  });
  const plain = plan.contractOperations.length === 0 && Object.keys(plan.schemas).length === 0;
  return plain ? description : (referring(description, names) as JsonObject);
}

function namedSchemas({ schemas }: Plan, names: ComponentNames): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([address, schema]) => [names.schema(address), schema]));
}

/** Nonet's keywords that the server does not validate, with their names in OpenAPI, where they are annotations too. */
const extensionKeywords: Readonly<Record<string, string>> = { "x-format": "format", "x-pattern": "pattern" };

/** Rewrites references to named schemas to their paths in the description. */
function referring(value: Json, names: ComponentNames): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => referring(item, names));
  const entries = Object.entries(value).map(([key, member]: [string, Json]): [string, Json] => {
    const isNamed = key === "$ref" && typeof member === "string" && member.startsWith(schemaAddress(""));
    if (isNamed) return [key, `#/components/schemas/${names.schema(member)}`];
    const name =
      Object.hasOwn(extensionKeywords, key) && typeof member === "string" ? extensionKeywords[key] : undefined;
    return [name !== undefined && !Object.hasOwn(value, name) ? name : key, referring(member, names)];
  });
  return Object.fromEntries(entries);
}

/** Returns the tags: the resources with operations, in the document's order. */
function tagsOf({ tables, operations, events }: Plan): readonly JsonObject[] {
  const served = tables.filter(({ resource }) => operations.some((operation) => operation.resource === resource));
  return [
    ...served.map(({ resource, lifecycle }) => ({
      name: resource,
      description: lifecycle === undefined ? `${resource} records.` : `${resource} records, with states.`,
    })),
    ...(events.stream === undefined
      ? []
      : [{ name: events.stream.follow.resource, description: "Events of records." }]),
    { name: serviceTag, description: "The service itself." },
  ];
}
