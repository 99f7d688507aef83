/** Exports a plan as OpenAPI 3.1: every operation with all its parameters, bodies and responses (R1.1). */
import { isObject, type Json, type JsonObject, mapMembers } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { schemaAddress, schemaName } from "../../language/resources/schema.ts";
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
  const description = compact(writtenOut(plan, baseUrl), { problem: names.anyProblem, problems });
  return mapMembers(description, (value, key) =>
    key === "servers" ? serversOf(value, plan.openapi?.["servers"]) : value,
  );
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
  const { info, servers: _, tags, ...members } = plan.openapi ?? {};
  const description = withVersions(plan, {
    openapi: "3.1.1",
    info: infoOf(plan, isObject(info) ? info : {}, everyResponseText(always)),
    servers: [{ url: server }],
    tags: tagsOf(plan, Array.isArray(tags) ? (tags as readonly Json[]) : []),
    ...members,
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
  const plain =
    plan.contractOperations.length === 0 &&
    Object.keys(plan.schemas).length === 0 &&
    plan.events.described.length === 0;
  return plain ? description : (referring(description, names) as JsonObject);
}

/** `additions`: what every response has. */
function infoOf(plan: Plan, { description, ...info }: JsonObject, additions: string): JsonObject {
  const texts = [...(typeof description === "string" ? [description] : []), ...(additions === "" ? [] : [additions])];
  return {
    title: plan.title,
    version: plan.version ?? "1",
    ...(plan.purpose === "" ? {} : { summary: plan.purpose }),
    ...info,
    description: texts.join("\n\n"),
  };
}

/** The declared servers replace the one of the plan, unless the first of them has no host: then it has the plan's address. */
function serversOf(planned: Json, declared: Json | undefined): Json {
  if (!Array.isArray(declared) || declared.length === 0) return planned;
  const [server] = planned as readonly JsonObject[];
  const [first = null, ...others] = declared as readonly Json[];
  const { url, variables: _, ...members } = isObject(first) ? first : {};
  const hasHost = typeof url === "string" && url.includes("://");
  return hasHost ? declared : [{ ...members, ...server }, ...others];
}

function namedSchemas({ schemas }: Plan, names: ComponentNames): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([address, schema]) => [names.schema(address), schema]));
}

/**
 * Nonet's keywords that the server does not validate, with their names in OpenAPI, where they are annotations too, and what
 * their values have to be: a member of an object may have such a name.
 */
const extensionKeywords: Readonly<Record<string, readonly [name: string, isValue: (value: Json) => boolean]>> = {
  "x-format": ["format", isText],
  "x-pattern": ["pattern", isText],
  "x-discriminator": ["discriminator", (value) => isObject(value) && isText(value["propertyName"])],
  "x-external-docs": ["externalDocs", (value) => isObject(value) && isText(value["url"])],
  "x-xml": ["xml", (value) => isObject(value) && Object.keys(value).every((key) => xmlMembers.has(key))],
};

const xmlMembers: ReadonlySet<string> = new Set(["name", "namespace", "prefix", "attribute", "wrapped"]);

function isText(value: Json | undefined): boolean {
  return typeof value === "string";
}

/** Rewrites references to named schemas to their paths in the description; a value without any stays the same object. */
function referring(value: Json, names: ComponentNames): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => referring(item, names));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value).map(([key, member]: [string, Json]): [string, Json] => {
    const isNamed = key === "$ref" && typeof member === "string" && member.startsWith(schemaAddress(""));
    if (isNamed) return [key, componentPath(member, names)];
    const [name, isValue] = lookup(extensionKeywords, key) ?? [];
    if (name === undefined || isValue?.(member) !== true || Object.hasOwn(value, name))
      return [key, referring(member, names)];
    return [name, name === "discriminator" ? withMapping(member as JsonObject, names) : member];
  });
  const isChanged = entries.some(([key, member]) => (value as JsonObject)[key] !== member);
  return isChanged ? Object.fromEntries(entries) : value;
}

function componentPath(address: string, names: ComponentNames): string {
  return `#/components/schemas/${names.schema(address)}`;
}

/** Rewrites the references in the mapping of a discriminator. */
function withMapping(discriminator: JsonObject, names: ComponentNames): JsonObject {
  const { mapping } = discriminator;
  if (!isObject(mapping)) return discriminator;
  const rewritten = mapMembers(mapping, (target) => {
    const name = typeof target === "string" ? schemaName(target) : undefined;
    return name === undefined ? target : componentPath(schemaAddress(name), names);
  });
  return { ...discriminator, mapping: rewritten };
}

/** Returns the tags: the resources with operations, in the document's order. */
function tagsOf({ tables, operations, events }: Plan, declared: readonly Json[]): readonly Json[] {
  const served = tables.filter(({ resource }) => operations.some((operation) => operation.resource === resource));
  const names = new Set(declared.map((tag) => (isObject(tag) ? tag["name"] : undefined)));
  const own = [
    ...served.map(({ resource, lifecycle }) => ({
      name: resource,
      description: lifecycle === undefined ? `${resource} records.` : `${resource} records, with states.`,
    })),
    ...(events.stream === undefined
      ? []
      : [{ name: events.stream.follow.resource, description: "Events of records." }]),
    { name: serviceTag, description: "The service itself." },
  ];
  return [...declared, ...own.filter(({ name }) => !names.has(name))];
}
