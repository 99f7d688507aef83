/**
 * The types of a document for the functions that are written beside it (`nonet types`): one file that depends on nothing.
 * `src/runtime/functions/typed.ts` makes of them what a function is given and has to give.
 */
import { pascalCase } from "../../base/case.ts";
import { fileKeyword } from "../../base/formats.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { fileSchema } from "../../language/resources/json-schema.ts";
import type { BodyPlan, Operation, ContractResponsePlan, HttpContract } from "../../plan/endpoints/types.ts";
import type { Column, FilePlan, Table } from "../../plan/resources/types.ts";
import type { OutEventPlan } from "../../plan/events/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { isJson, servedPlan } from "../../plan/endpoints/contract.ts";
import { componentNames, type ComponentNames } from "../openapi/names.ts";
import { componentSchemas, jsonOf } from "../openapi/schemas.ts";
import { comment, declaration, memberName, type TypeOptions, typeText, union } from "./types.ts";

export function functionTypes(plan: Plan): string {
  const names = componentNames(plan);
  const schemas = {
    ...componentSchemas(plan, names),
    ...Object.fromEntries(Object.entries(plan.schemas).map(([address, one]) => [names.schema(address), one])),
  } as Readonly<Record<string, JsonObject>>;
  const service = `${pascalCase(plan.service)}`;
  const usedNames = new Set(Object.keys(schemas));
  const free = (name: string): string => (usedNames.has(name) ? `${name}Service` : name);
  const options: TypeOptions = {
    named: (reference) =>
      Object.hasOwn(plan.schemas, reference) ? names.schema(reference) : namedBy(reference, schemas),
  };
  const wanted = new Set<string>();
  const used: TypeOptions = {
    named: (reference) => {
      const name = options.named(reference);
      if (name !== undefined) wanted.add(name);
      return name;
    },
  };
  const body = serviceText(plan, names, schemas, used, free(service));
  const declared = new Map<string, string>();
  // What is declared may name more.
  for (let before = -1; declared.size !== before; ) {
    before = declared.size;
    for (const name of wanted) {
      const schema = schemas[name];
      if (!declared.has(name) && schema !== undefined) declared.set(name, declaration(name, schema, used));
    }
  }
  return [
    `// The types of ${JSON.stringify(plan.title)} for functions beside it, written by \`nonet types\`: not to be changed by hand.\n`,
    ...[...declared].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text),
    body,
  ].join("\n");
}

function namedBy(reference: string, schemas: Readonly<Record<string, JsonObject>>): string | undefined {
  const name = reference.split("/").at(-1) ?? "";
  return Object.hasOwn(schemas, name) ? name : undefined;
}

type Members = readonly (readonly [name: string, text: string, rendered?: string])[];

function object(members: Members, indent: string): string {
  if (members.length === 0) return "{}";
  const lines = members.map(
    ([name, text, rendered]) =>
      `${comment(rendered, `${indent}  `)}${indent}  readonly ${memberName(name)}:${text.startsWith("\n") ? "" : " "}${text};\n`,
  );
  return `{\n${lines.join("")}${indent}}`;
}

function serviceText(
  plan: Plan,
  names: ComponentNames,
  schemas: Readonly<Record<string, JsonObject>>,
  options: TypeOptions,
  service: string,
): string {
  const refType = (name: string): string => typeText({ $ref: `#/components/schemas/${name}` }, options);
  const about: About = { plan, names, schemas, options, refType };
  const errors = Object.entries(plan.errors).filter(([, { source }]) => source !== "protocol");
  const members: Members = [
    [
      "resources",
      object(
        plan.tables.map((table) => [table.resource, resourceText(about, table)]),
        "  ",
      ),
    ],
    [
      "operations",
      object(
        servedPlan(plan)
          .operations.filter(({ action }) => action !== "receive")
          .map((operation) => [operation.name, operationText(about, operation), operation.sentence]),
        "  ",
      ),
    ],
    [
      "events",
      object(
        Object.entries(plan.events.out).map(([name, event]) => [name, eventText(about, event)]),
        "  ",
      ),
    ],
    ["errors", oneOf(errors.map(([code]) => code))],
    ["roles", oneOf(plan.roles)],
  ];
  return `${comment(plan.purpose, "")}export interface ${service} ${object(members, "")}\n`;
}

interface About {
  readonly plan: Plan;
  readonly names: ComponentNames;
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly options: TypeOptions;
  /** The type of a component. */
  readonly refType: (name: string) => string;
}

/** One below the other where they are long: then a declared error more is a line more in what is compared. */
function oneOf(texts: readonly string[]): string {
  if (texts.length === 0) return "never";
  const literals = texts.map((text) => JSON.stringify(text));
  const line = literals.join(" | ");
  return line.length <= 96 ? line : literals.map((literal) => `\n    | ${literal}`).join("");
}

function resourceText({ plan, names, options, refType }: About, table: Table): string {
  const operations = plan.operations.filter(({ resource }) => resource === table.resource);
  const of = (action: Operation["action"]): readonly Operation[] => operations.filter((one) => one.action === action);
  const system = plan.system.find(({ resource }) => resource === table.resource);
  const type = (schema: Json | undefined): string => typeText(schema, options, "      ");
  const id = table.columns.find(({ name }) => name === "id");
  const input = (operation: Operation | undefined): string => (operation === undefined ? "never" : inputOf(operation));
  const inputOf = (operation: Operation): string => {
    // What cannot do without a file is only done by a form.
    const json = jsonOf(operation) === undefined ? "never" : refType(names.input(operation.name));
    const text = operation.body === undefined ? "{}" : json;
    const [parent] = operation.parents.slice(-1);
    return operation.action === "create" && parent !== undefined
      ? `${text} & { readonly ${memberName(parent.field)}: string }`
      : text;
  };
  const update = of("update")[0] ?? of("replace")[0];
  return object(
    [
      ["id", type(id?.schema)],
      ["record", refType(names.resource(table.resource))],
      ["full", type(fullSchema(table))],
      ["create", input(of("create")[0])],
      ["update", update === undefined ? "never" : `Partial<${input(update)}>`],
      ["delete", String(of("delete").length > 0)],
      ["made", type(system?.create.body?.schema)],
      ["changed", `Partial<${type(system?.update.body?.schema)}>`],
      [
        "moves",
        object(
          of("move").map((one) => [one.name, inputOf(one)]),
          "      ",
        ),
      ],
      [
        "creates",
        object(
          of("create").map((one) => [one.name, inputOf(one)]),
          "      ",
        ),
      ],
      [
        "fields",
        object(
          table.columns.filter(isCompared).map((one) => [one.name, comparedText(one, type)]),
          "      ",
        ),
      ],
    ],
    "    ",
  );
}

/** Everything that is not kept as a hash; what `show` hides from some is there too. */
function fullSchema({ columns, virtual }: Table): JsonObject {
  const members = [...columns.filter(({ marks }) => !marks.includes("secret")), ...virtual];
  const always = members.filter((one) => one.absent === "null" || ("nullable" in one && !one.nullable));
  return {
    type: "object",
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    required: always.map(({ name }) => name),
    additionalProperties: false,
  };
}

function isCompared({ type, marks }: Column): boolean {
  return type !== "json" && !marks.includes("secret");
}

function comparedText({ schema, type }: Column, text: (schema: Json | undefined) => string): string {
  const written = text(schema).replace(/ \| null$/, "");
  return type === "timestamp" ? `${written} | Date` : written;
}

function operationText(about: About, operation: Operation): string {
  if (operation.wire !== undefined) return contractText(about, operation, operation.wire);
  const { names, refType, options, plan } = about;
  const { name, action, key, resource, path, response, list } = operation;
  const params = path.flatMap((one) => (one.kind === "parameter" ? [one.name] : []));
  const recordType = plan.tables.some((one) => one.resource === resource)
    ? refType(names.resource(resource))
    : "undefined";
  const responseText =
    response.kind === "none"
      ? "undefined"
      : list !== undefined
        ? refType(names.list(name))
        : response.kind === "record"
          ? recordType
          : refType(names.response(name));
  return object(
    [
      ["does", JSON.stringify(action)],
      ["input", inputText(about, operation)],
      ["record", key === undefined || action === "create" ? "undefined" : recordType],
      ["answer", responseText],
      ["gives", action === "handler" ? resultText(operation, options) : "never"],
      ["params", oneOf(params)],
    ],
    "    ",
  );
}

/** All that the wire says: each place of a request in a member of its own, and one of the answers. */
function contractText({ plan, names, options, refType }: About, operation: Operation, wire: HttpContract): string {
  const { body, key, path, resource } = operation;
  const params = path.flatMap((one) => (one.kind === "parameter" ? [one.name] : []));
  const table = plan.tables.find((one) => one.resource === resource);
  const responses = wire.answers.map((response) => contractResponseText(response, options)).join("\n        | ");
  const success = wire.answers.filter(({ status, media }) => status.startsWith("2") && media.some(isJson));
  return object(
    [
      ["does", '"handler"'],
      ["input", typeText(body?.schema, options, "      ")],
      ["record", key === undefined || table === undefined ? "undefined" : refType(names.resource(resource))],
      [
        "answer",
        union(success.length === 0 ? ["undefined"] : success.map((one) => typeText(one.schema, options, "      "))),
      ],
      ["gives", wire.answers.length === 0 ? "never" : responses],
      ["params", oneOf(params)],
    ],
    "    ",
  );
}

function contractResponseText({ status, media, schema, headers }: ContractResponsePlan, options: TypeOptions): string {
  const number = /^[0-9]+$/.test(status) ? status : "number";
  const others = media.filter((one) => !isJson(one));
  const bodies = [
    ...(others.length < media.length ? [typeText(schema, options, "          ")] : []),
    ...(others.length > 0 ? ["string | Uint8Array"] : []),
  ];
  const fields = [
    ...headers.map(({ name, required, schema: of }): readonly [string, string] => [
      name + (required ? "" : "?"),
      typeText(of, options),
    ]),
    ...(media.length === 0 ? [] : [["Content-Type?", oneOf(media)] as const]),
  ];
  const rendered = fields.map(([name, type]) => {
    const optional = name.endsWith("?");
    return `readonly ${memberName(optional ? name.slice(0, -1) : name)}${optional ? "?" : ""}: ${type}`;
  });
  const needed = headers.some(({ required }) => required);
  return [
    `{ readonly status: ${number}`,
    media.length === 0 ? "readonly body?: undefined" : `readonly body: ${bodies.join(" | ")}`,
    `readonly headers${needed ? "" : "?"}: { ${rendered.join("; ")} } }`,
  ].join("; ");
}

/** As the function has it: what has a default is there. */
function inputText({ names, schemas, options, refType }: About, { name, body, action }: Operation): string {
  if (body === undefined) return "{}";
  if (body.files !== undefined) return typeText(withFileLimits(body, body.files), options, "      ");
  const schema = schemas[names.input(name)];
  if (schema === undefined) return refType(names.input(name));
  const filled = [...body.fields, ...body.others].filter((field) => field.default !== undefined).map((one) => one.name);
  if (filled.length === 0 || action !== "handler") return refType(names.input(name));
  const required = [...((schema["required"] as readonly string[] | undefined) ?? []), ...filled];
  return typeText({ ...schema, required }, options, "      ");
}

/** The body of a form when its files are in the store: what the record will say of each. */
function withFileLimits({ schema }: BodyPlan, files: Readonly<Record<string, FilePlan>>): JsonObject {
  const properties = schema["properties"] as Readonly<Record<string, JsonObject>>;
  const fileProperties = Object.entries(files).map(([name, { maxBytes, media }]): [string, JsonObject] => {
    const file = fileSchema({ max: maxBytes, media });
    // In a merge patch null takes it away.
    return [name, properties[name]?.[fileKeyword] === undefined ? { anyOf: [file, { type: "null" }] } : file];
  });
  return { ...schema, properties: { ...properties, ...Object.fromEntries(fileProperties) } };
}

/** A record is named by its id, or by itself. */
function resultText({ response, key }: Operation, options: TypeOptions): string {
  const { kind, shape } = response;
  if (kind === "none" || (kind === "record" && key !== undefined)) return "unknown";
  if (shape === undefined) return "string | number | { readonly id: string | number }";
  const one = { anyOf: [{ type: ["string", "number"] }, namedRecord] };
  const records = Object.fromEntries(
    shape.records.map(({ member, many }) => [member, many ? { type: "array", items: one } : one]),
  );
  const properties = { ...(shape.schema["properties"] as JsonObject), ...records };
  const required = (shape.schema["required"] as readonly string[] | undefined) ?? [];
  const orNone = Object.entries(properties).map(([name, schema]) => {
    return [name, required.includes(name) ? schema : { anyOf: [schema, { type: "null" }] }] as const;
  });
  return typeText({ ...shape.schema, properties: Object.fromEntries(orNone) }, options, "      ");
}

const namedRecord: JsonObject = {
  type: "object",
  properties: { id: { type: ["string", "number"] } },
  required: ["id"],
};

function eventText({ plan, options }: About, { resource }: OutEventPlan): string {
  const table = plan.tables.find((one) => one.resource === resource);
  return table === undefined ? "unknown" : typeText(fullSchema(table), options, "    ");
}
