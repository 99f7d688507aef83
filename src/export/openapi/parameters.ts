/** Describes the parameters of operations: path, query and header fields. */
import { withArticle } from "../../base/case.ts";
import type { JsonObject } from "../../base/json.ts";
import { deprecationKeywords } from "../../language/versioning/deprecated.ts";
import type { ErrorsPart } from "../../plan/errors/types.ts";
import type { Column, ResourcesPart, Table } from "../../plan/resources/types.ts";
import type {
  FilterOperator,
  FilterParameter,
  FilterPlan,
  QueryPlan,
  ListPlan,
  Operation,
  PathParameterPlan,
} from "../../plan/endpoints/types.ts";
import { partsOf } from "../../plan/endpoints/path-keys.ts";
import { parametersOfFilter } from "../../plan/endpoints/filter-parameters.ts";
import { expressionText } from "../expression-text.ts";
import { grantsText } from "./description.ts";
import { isRevalidated } from "./responses.ts";

/**
 * Describes the parameters of an operation. `names`: the names of the path parameters, since operations with one path may name
 * them differently.
 */
export function parametersOf(
  plan: ResourcesPart & ErrorsPart,
  operation: Operation,
  names: readonly string[],
): readonly JsonObject[] {
  return [
    ...pathParameters(plan, operation, names),
    ...queryParameters(plan, operation),
    ...headerParameters(plan, operation),
  ];
}

// ── Path ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function pathParameters(plan: ResourcesPart, operation: Operation, names: readonly string[]): readonly JsonObject[] {
  return parametersIn(operation).map((parameter, index) => {
    const { resource, column } = namedBy(operation, parameter);
    const known = columnOf(plan, resource, column);
    return {
      name: names[index] ?? parameter,
      in: "path",
      required: true,
      description: `The ${column ?? parameter} of ${withArticle(resource)}.`,
      schema: known === undefined ? { type: "string" } : known.schema,
    };
  });
}

/** Returns the resource and the column that a path parameter is compared with. */
function namedBy(
  { key, parents, resource, pathFields = [] }: Operation,
  parameter: string,
): { resource: string; column?: string } {
  const keys = [...parents, ...(key === undefined ? [] : [{ ...key, resource }])];
  const named = [
    ...keys.flatMap((one) => partsOf(one).map((part) => ({ ...part, resource: one.resource }))),
    ...pathFields.map((part) => ({ ...part, resource })),
  ];
  return named.find((one) => one.parameter === parameter) ?? { resource };
}

export function parametersIn({ path }: Operation): readonly string[] {
  return path.flatMap((segment) => (segment.kind === "parameter" ? [segment.name] : []));
}

function columnOf(plan: ResourcesPart, resource: string, name: string | undefined): Column | undefined {
  return tableOf(plan, resource)?.columns.find((column) => column.name === name);
}

function tableOf(plan: ResourcesPart, resource: string): Table | undefined {
  return plan.tables.find((table) => table.resource === resource);
}

// ── Query ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function queryParameters(plan: ResourcesPart, operation: Operation): readonly JsonObject[] {
  return [
    ...operation.query.map(queryParameter).map(deprecatedBySchema),
    ...listParameters(plan, operation),
    ...expandParameters(operation),
    ...fieldsParameters(operation),
  ];
}

function fieldsParameters({ fields }: Operation): readonly JsonObject[] {
  if (fields === undefined) return [];
  return [
    pathParameter(
      fields,
      "The members to include in each record; all others are left out. A path with dots names an inner member.",
      100,
    ),
  ];
}

function expandParameters({ expand }: Operation): readonly JsonObject[] {
  if (expand === undefined) return [];
  const { depth, prefix } = expand;
  const start = prefix.length === 0 ? "" : ` Each path begins with \`${prefix.join(".")}\`.`;
  const description = `References to expand: the response contains the records instead of their ids. Each is a path with dots, of at most ${depth} names.${start}`;
  return [pathParameter(expand, description, 20)];
}

/** Describes a parameter with paths, at most `maximum` of them. */
function pathParameter({ name, hasBrackets }: PathParameterPlan, description: string, maximum: number): JsonObject {
  return {
    name: hasBrackets ? `${name}[]` : name,
    in: "query",
    description,
    style: "form",
    explode: hasBrackets,
    schema: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, maxItems: maximum },
  };
}

function queryParameter({ name, required, schema, items, parts }: QueryPlan): JsonObject {
  const isObject = parts === "brackets" && items === undefined;
  const style = isObject ? { style: "deepObject", explode: true } : { style: "form", explode: parts !== "commas" };
  return {
    name: parts === "brackets" && !isObject ? `${name}[]` : name,
    in: "query",
    required,
    ...(parts === undefined ? {} : style),
    schema,
  };
}

function listParameters(plan: ResourcesPart, { resource, list }: Operation): readonly JsonObject[] {
  if (list === undefined) return [];
  const conditions = list.conditions.map(({ name, schema, items, repeated, condition, visibleTo }) => ({
    name,
    in: "query",
    description: [
      ...(condition.kind === "constant"
        ? []
        : [
            `Records with \`${expressionText(condition).replaceAll(`filter.${name}`, "value")}\`, where \`value\` is this parameter.`,
          ]),
      ...visibleTo.map((grants) => `Only for ${grantsText(grants)}.`),
    ].join(" "),
    ...(items === undefined ? {} : { style: "form", explode: repeated === true }),
    schema,
  }));
  const filters = list.filters.flatMap((filter) => {
    const column = columnOf(plan, resource, filter.field);
    return parametersOfFilter(filter).map((parameter) => filterParameter(filter, parameter, column));
  });
  const { clamped, max, size } = list;
  const limit = {
    name: list.names.limit,
    in: "query",
    description: `The largest number of records to return.${clamped === true ? ` More than ${max} means ${max}.` : ""}`,
    schema: { type: "integer", ...(clamped === true ? {} : { minimum: 1, maximum: max }), default: size },
  };
  return [
    ...(list.kind === "none" ? [] : [limit]),
    ...positionParameters[list.kind].map((one) => ({ name: list.names[list.kind as "cursor"], ...one })),
    ...neighbourParameters(list, columnOf(plan, resource, "id")),
    ...endParameters(list),
    ...sortParameters(list),
    ...directionParameters(list),
    ...searchParameters(list, tableOf(plan, resource)),
    ...filters,
    ...conditions.map(deprecatedBySchema),
  ];
}

/** Returns a parameter that is deprecated if its schema is: OpenAPI says it of the parameter. */
function deprecatedBySchema(parameter: JsonObject): JsonObject {
  const { deprecated, description, ...schema } = parameter["schema"] as JsonObject;
  if (deprecated !== true) return parameter;
  const keywords: ReadonlySet<string> = new Set(Object.values(deprecationKeywords));
  const entries = Object.entries(schema);
  const before = parameter["description"];
  return {
    ...parameter,
    description: typeof before === "string" && before !== "" ? `${before}\n\n${description as string}` : description,
    deprecated,
    ...Object.fromEntries(entries.filter(([key]) => keywords.has(key))),
    schema: Object.fromEntries(entries.filter(([key]) => !keywords.has(key))),
  } as JsonObject;
}

const positionParameters: Readonly<Record<ListPlan["kind"], readonly JsonObject[]>> = {
  cursor: [
    {
      in: "query",
      description: "`next` of the previous page.",
      schema: { type: "string", pattern: "^[A-Za-z0-9_-]{64,2000}$" },
    },
  ],
  offset: [
    {
      in: "query",
      description: "The number of records to skip.",
      schema: { type: "integer", minimum: 0, default: 0 },
    },
  ],
  page: [
    {
      in: "query",
      description: "The number of the page, from 1.",
      schema: { type: "integer", minimum: 1, default: 1 },
    },
  ],
  none: [],
};

function neighbourParameters({ kind, names }: ListPlan, id: Column | undefined): readonly JsonObject[] {
  if (kind !== "cursor") return [];
  const schema = id?.schema ?? { type: "string", minLength: 1 };
  const parameter = (name: string | undefined, description: string): readonly JsonObject[] =>
    name === undefined ? [] : [{ name, in: "query", description, schema }];
  return [
    ...parameter(names.after, `The id of the record behind which the page starts, in place of \`${names.cursor}\`.`),
    ...parameter(names.before, `The id of the record before which the page ends, in place of \`${names.cursor}\`.`),
  ];
}

function endParameters({ kind, names }: ListPlan): readonly JsonObject[] {
  if (kind !== "offset" || names.end === undefined) return [];
  const description = `The index after the last record to return, in place of \`${names.limit}\`.`;
  return [{ name: names.end, in: "query", description, schema: { type: "integer", minimum: 1 } }];
}

function directionParameters({ names, order, sorts }: ListPlan): readonly JsonObject[] {
  if (names.direction === undefined || (sorts.length === 0 && order === undefined)) return [];
  return [
    {
      name: names.direction,
      in: "query",
      description: "The direction of the order, one for all fields or one for each, with commas; in any letter case.",
      schema: { type: "string", pattern: "^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])(,([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc]))*$" },
    },
  ];
}

function sortParameters({ sorts, names, order }: ListPlan): readonly JsonObject[] {
  if (sorts.length === 0) return [];
  const hasDirections = names.direction !== undefined;
  const keys = hasDirections ? sorts : sorts.flatMap((name) => [name, `-${name}`]);
  const usual = order?.map(({ column, descending }) => `\`${column}\`${descending ? " descending" : ""}`).join(", ");
  return [
    {
      name: names.sort,
      in: "query",
      description: [
        `The order, most important field first${hasDirections ? "" : "; `-` before a field reverses it"}.`,
        ...(usual === undefined ? [] : [`Without it: ${usual}.`]),
      ].join(" "),
      style: "form",
      explode: false,
      schema: {
        type: "array",
        items: { type: "string", enum: keys },
        minItems: 1,
        maxItems: sorts.length,
        uniqueItems: true,
      },
    },
  ];
}

function searchParameters({ searches, names }: ListPlan, table: Table | undefined): readonly JsonObject[] {
  if (searches.length === 0) return [];
  const columnTexts = searches.map((name) => {
    const visibleTo = table?.columns.find((column) => column.name === name)?.visibleTo;
    return visibleTo === undefined ? `\`${name}\`` : `\`${name}\` (for ${grantsText(visibleTo)})`;
  });
  return [
    {
      name: names.search,
      in: "query",
      description: `Up to ten words, each of which occurs in ${columnTexts.join(" or ")}, in upper or lower case.`,
      schema: { type: "string", minLength: 1, maxLength: 200 },
    },
  ];
}

const comparisons: Readonly<Record<FilterOperator, string>> = {
  eq: "is",
  ne: "is not",
  in: "is one of",
  nin: "is none of",
  gt: "is after, or more than,",
  gte: "is at or after, or at least,",
  lt: "is before, or less than,",
  lte: "is at or before, or at most,",
  contains: "contains, in upper or lower case,",
  startsWith: "begins, in upper or lower case, with",
  null: "is absent, or is there,",
};

function filterParameter(
  { field, schema }: FilterPlan,
  { name, operator, repeated }: FilterParameter,
  column: Column | undefined,
): JsonObject {
  const only = column?.visibleTo === undefined ? "" : ` Only for ${grantsText(column.visibleTo)}.`;
  const common = {
    name,
    in: "query",
    description: `Records whose \`${field}\` ${comparisons[operator]} this value.${only}`,
    ...(column?.schema["deprecated"] === true ? { deprecated: true } : {}),
  };
  switch (operator) {
    case "null": {
      const description = `Records whose \`${field}\` is absent (\`true\`), or is there (\`false\`).${only}`;
      return { ...common, description, schema: { type: "boolean" } };
    }
    case "contains":
    case "startsWith":
      return { ...common, schema: { type: "string", minLength: 1, maxLength: 200 } };
    case "in":
    case "nin":
      break;
    default:
      return { ...common, schema };
  }
  return {
    ...common,
    style: "form",
    explode: repeated === true,
    schema: { type: "array", items: schema, minItems: 1, maxItems: 100 },
  };
}

// ── Header fields ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A list of entity tags (RFC 9110 section 13.1.1), or `*`. */
const entityTags = '^(\\*|(W/)?"[!#-~]*"([ \\t]*,[ \\t]*(W/)?"[!#-~]*")*)$';

function headerParameters(plan: ErrorsPart, operation: Operation): readonly JsonObject[] {
  const { action, key, the, edits, repeats, response } = operation;
  const stale = response.errors?.["stale"] ?? plan.errors["stale"]?.status;
  const tags = { type: "string", pattern: entityTags };
  const changesOne =
    (key !== undefined || the !== undefined) &&
    (action === "update" || action === "replace" || action === "delete" || action === "move");
  return [
    ...(changesOne && edits !== "none"
      ? [
          {
            name: "If-Match",
            in: "header",
            required: edits === "required",
            description: `The ETag of the record as it was read; if it has changed, ${stale}.`,
            schema: tags,
          },
        ]
      : []),
    ...(isRevalidated(operation)
      ? [
          {
            name: "If-None-Match",
            in: "header",
            description: "ETags that the client has; 304 if one is current.",
            schema: tags,
          },
        ]
      : []),
    ...(repeats === undefined
      ? []
      : [
          {
            name: repeats.header,
            in: "header",
            required: repeats.required,
            description: `A repeated request with the same key gets the stored response, for ${hours(repeats.retentionMilliseconds)}.`,
            schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
          },
        ]),
  ];
}

function hours(milliseconds: number): string {
  const count = milliseconds / 3_600_000;
  return count >= 1 ? `${Number(count.toFixed(1))} h` : `${Math.round(milliseconds / 1000)} s`;
}
