/**
 * Shortens a finished description without a loss: what repeats becomes a component. A reader that resolves references gets the
 * same operations.
 */
import { getOrMake } from "../../base/once.ts";
import { uniqueName } from "../../base/case.ts";
import { isObject, isWrittenAlike, type Json, type JsonObject, mapMembers } from "../../base/json.ts";
import { everyResponseKey } from "./headers.ts";

/** `problem`: the schema of any problem; `problems`: the schemas of single problems, which repeat its members. */
export interface ProblemNames {
  readonly problem: string;
  readonly problems: ReadonlySet<string>;
}

export function compact(description: JsonObject, names: ProblemNames): JsonObject {
  const components = object(description["components"]);
  const schemas = derivedProblems(object(components["schemas"]), names);
  const shared = withSharedParts({ ...description, components: { ...components, schemas } });
  const inEveryResponse = new Set(description[everyResponseKey] as readonly string[]);
  const others = new Set(Object.keys(schemas).filter((name) => !names.problems.has(name)));
  // An unused response has references, too.
  const used = withoutUnused(shared, { responses: new Set() });
  return withoutUnused(used, { headers: inEveryResponse, schemas: others });
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the object with another value of a member, at the member's place. */
function withMember(of: JsonObject, name: string, value: Json): JsonObject {
  return mapMembers(of, (member, key) => (key === name ? value : member));
}

/** Leaves out the components of these kinds that nothing refers to. `kept`: the names that stay nevertheless, by kind. */
function withoutUnused(description: JsonObject, kept: Readonly<Record<string, ReadonlySet<string>>>): JsonObject {
  const references = JSON.stringify(description).matchAll(/"#\/components\/([^"]+)"/g);
  const used = new Set(references.map(([, name]) => name));
  const components = mapMembers(object(description["components"]), (all, kind) => {
    const stays = kept[kind];
    if (stays === undefined) return all;
    return Object.fromEntries(
      Object.entries(object(all)).filter(([name]) => stays.has(name) || used.has(`${kind}/${name}`)),
    );
  });
  return { ...description, components };
}

// ── Problems ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Describes each problem by its difference from the schema of any problem. */
function derivedProblems(schemas: JsonObject, { problem, problems }: ProblemNames): JsonObject {
  const base = object(schemas[problem]);
  // The schema of a custom body has no room for further members.
  if (base["additionalProperties"] !== true) return schemas;
  const { properties: members, required: always } = base as {
    readonly properties: JsonObject;
    readonly required: Json;
  };
  const derive = (schema: JsonObject): JsonObject => {
    const { type: _, description, properties, required, ...rest } = schema;
    const { title } = object(properties) as Readonly<Record<string, JsonObject>>;
    const differing = Object.entries(object(properties)).filter(([name, one]) => {
      return !(always as readonly string[]).includes(name) || !isWrittenAlike(one, members[name]);
    });
    if (!isWrittenAlike(required, always)) return schema;
    return {
      ...rest,
      ...(description === undefined || title?.["const"] === description ? {} : { description }),
      allOf: [{ $ref: `#/components/schemas/${problem}` }],
      properties: Object.fromEntries(differing.map(([name, one]) => [name, without(one, object(members[name]))])),
    };
  };
  return mapMembers(schemas, (schema, name) => (problems.has(name) ? derive(object(schema)) : schema));
}

/** Returns a schema without the keywords that another one has alike. */
function without(schema: Json, other: JsonObject): JsonObject {
  const left = Object.entries(object(schema)).filter(([keyword, value]) => !isWrittenAlike(value, other[keyword]));
  return Object.fromEntries(left);
}

// ── Parts that repeat ──────────────────────────────────────────────────────────────────────────────────────────────

/** The parts that become components, innermost first, so that an outer part contains the references of its inner ones. */
function withSharedParts(description: JsonObject): JsonObject {
  const parts: readonly ((description: JsonObject) => JsonObject)[] = [
    (one) => share(one, "headers", eachHeader, headerName),
    (one) => share(one, "parameters", eachParameter, ({ name }) => plainName(name as string)),
    (one) => share(one, "responses", eachResponse, responseName),
  ];
  return parts.reduce((one, shareIn) => shareIn(one), description);
}

type Edit = (part: JsonObject, name: string) => JsonObject;
type EachPart = (description: JsonObject, edit: Edit) => JsonObject;

/** Makes a component of each part that occurs twice or more and is longer than a reference to it. */
function share(
  description: JsonObject,
  kind: "headers" | "parameters" | "responses",
  each: EachPart,
  nameOf: (part: JsonObject, name: string) => string,
): JsonObject {
  const counts = new Map<string, number>();
  each(description, (part) => {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return part;
  });
  const known = object(object(description["components"])[kind]);
  const names = new Set(Object.keys(known));
  const byText = new Map(Object.entries(known).map(([name, part]) => [JSON.stringify(part), name]));
  const added: Record<string, JsonObject> = {};
  const edited = each(description, (part, place) => {
    const text = JSON.stringify(part);
    const isRepeated = (counts.get(text) ?? 0) > 1 || byText.has(text);
    if (part["$ref"] !== undefined || text.length < shortest || !isRepeated) return part;
    const name = getOrMake(byText, text, () => uniqueName(names, nameOf(part, place)));
    if (!Object.hasOwn(known, name)) added[name] = part;
    return { $ref: `#/components/${kind}/${name}` };
  });
  if (Object.keys(added).length === 0) return edited;
  const components = object(edited["components"]);
  return { ...edited, components: { ...components, [kind]: { ...object(components[kind]), ...added } } };
}

/** The length of the texts that are not worth a component: a reference is about as long. */
const shortest = 60;

function eachHeader(description: JsonObject, edit: Edit): JsonObject {
  const inResponse = (response: Json): Json =>
    isObject(response) && isObject(response["headers"])
      ? withMember(
          response,
          "headers",
          mapMembers(response["headers"], (header, name) => edit(object(header), name)),
        )
      : response;
  const components = object(description["components"]);
  return {
    ...description,
    paths: editResponses(object(description["paths"]), inResponse),
    components: { ...components, responses: mapMembers(object(components["responses"]), inResponse) },
  };
}

function eachParameter(description: JsonObject, edit: Edit): JsonObject {
  return withMember(
    description,
    "paths",
    editOperations(object(description["paths"]), (operation) => {
      const { parameters } = operation as { readonly parameters?: readonly JsonObject[] };
      if (parameters === undefined) return operation;
      return withMember(
        operation,
        "parameters",
        parameters.map((one) => edit(one, "")),
      );
    }),
  );
}

function eachResponse(description: JsonObject, edit: Edit): JsonObject {
  return withMember(
    description,
    "paths",
    editResponses(object(description["paths"]), (response, status) => edit(object(response), status)),
  );
}

function editOperations(paths: JsonObject, edit: (operation: JsonObject) => JsonObject): JsonObject {
  return mapMembers(paths, (item) =>
    mapMembers(object(item), (operation) =>
      isObject(operation) && operation["responses"] !== undefined ? edit(operation) : operation,
    ),
  );
}

function editResponses(paths: JsonObject, edit: (response: Json, status: string) => Json): JsonObject {
  return editOperations(paths, (operation) =>
    withMember(operation, "responses", mapMembers(object(operation["responses"]), edit)),
  );
}

// ── Names of components ────────────────────────────────────────────────────────────────────────────────────────────

function headerName(header: JsonObject, name: string): string {
  return header["required"] === false ? `${plainName(name)}-optional` : plainName(name);
}

/** Returns the name of a response: that of its body, or of its status. */
function responseName({ content }: JsonObject, status: string): string {
  const [body] = Object.values(object(content)).map((media) => object(object(media)["schema"])["$ref"]);
  if (typeof body === "string") return `${body.slice(body.lastIndexOf("/") + 1)}${status}`;
  return statusNames[status] ?? `Response${status}`;
}

const statusNames: Readonly<Record<string, string>> = { "204": "NoContent", "304": "NotModified" };

/** Returns a name of characters that names of components may have. */
function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replace(/-$/, "");
}
