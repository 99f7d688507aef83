/** Converts the catalogue of a database to the nine parts of a document. */
import { capital, kebabCase, plural, uniqueName, withArticle, wordsOf } from "../../base/case.ts";
import type { Endpoint } from "../../language/endpoints/model.ts";
import type { Model } from "../../language/model.ts";
import { isChangeable, lookup } from "../../language/resources/fields.ts";
import type { ExistingTable, Field, Resource, Rule } from "../../language/resources/model.ts";
import { everyPart, type Parts, purposeOf } from "../model.ts";
import { plain, quoted } from "../prose.ts";
import { below, type ImportNotices } from "../report.ts";
import type { Catalogue, CatalogueTable } from "./catalogue.ts";
import type { Context, NamedTable } from "./draft.ts";
import { canBeKey, convertTable } from "./fields.ts";
import { fieldNames, resourceNames } from "./names.ts";
import { typeOfColumn } from "./types.ts";

/** The role that the document gives every operation to: a database does not say who may call what. */
const role = "operator";

export function modelOf(catalogue: Catalogue, notices: ImportNotices): Parts {
  const tables = namedTables(catalogue, notices);
  const context: Context = { dialect: catalogue.system, tables, notices, errors: new Map() };
  const resources: Record<string, Resource> = {};
  const rules: Record<string, readonly Rule[]> = {};
  for (const named of tables.values()) {
    const converted = convertTable(named, context);
    resources[named.resource] = { fields: converted.fields };
    if (converted.rules.length > 0) rules[named.resource] = converted.rules;
    reportOthers(named.table, notices);
  }
  const possible = withoutCircles(resources, tables, notices);
  const described = endpointsOf(possible, tables);
  const operations = described.map(({ name }) => name);
  const { gaps, purpose } = purposeOf({ title: catalogue.name }, described);
  const isEmpty = operations.length === 0;
  if (!isEmpty) notices.guessed("", `one role, ${role}, for all operations: a database does not say who may call them`);
  const model: Model = {
    title: titleOf(catalogue.name),
    status: {
      ...everyPart("not shown"),
      purpose: "shown",
      ...(isEmpty ? {} : { resources: "shown", endpoints: "shown", authentication: "shown" }),
      ...(context.errors.size === 0 ? {} : { errors: "shown" }),
    },
    purpose: { ...purpose, ...(isEmpty ? { operations: {} } : {}) },
    resources: {
      resources: possible,
      types: {},
      rules,
      ...(isEmpty ? {} : { tables: existingTables(tables, possible) }),
    },
    states: {},
    endpoints: { endpoints: Object.fromEntries(described.map(({ endpoint, name }) => [name, endpoint])) },
    authentication: {
      credentials: isEmpty ? {} : { key: { kind: "api-key", roles: [role] } },
      roles: [role],
      own: {},
      allow: Object.fromEntries(operations.map((name) => [name, [{ who: { kind: "role", role } }]])),
      show: {},
    },
    events: {},
    errors: {
      errors: Object.fromEntries([...context.errors].map(([code, sentence]) => [code, { status: 422, sentence }])),
    },
    limits: {},
    versioning: {},
    gaps: [
      ...gaps,
      ...(isEmpty
        ? ["purpose/operations"]
        : [
            ...["endpoints/lists", "endpoints/edits", "endpoints/repeats"],
            ...["obtained", "lasts", "revoked"].map((member) => `authentication/credentials/key/${member}`),
            ...["authentication/own", "authentication/show", "authentication/unseen"],
          ]),
      ...(context.errors.size === 0 ? [] : ["errors/body"]),
    ],
  };
  return { model, prose: { resources: { after: proseOf(catalogue, tables) } } };
}

function titleOf(name: string): string {
  const words = name.replaceAll(/[\s\p{Cc}_-]+/gu, " ").trim();
  return words === "" ? "Database" : capital(words);
}

// ── Tables ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the tables that become resources, by name; reports the others. */
function namedTables({ system, tables }: Catalogue, notices: ImportNotices): ReadonlyMap<string, NamedTable> {
  const usable = tables.filter((table) => {
    const why = obstacleOf(table);
    if (why !== undefined) notices.lost(below("", table.name), why);
    return why === undefined;
  });
  const names = resourceNames(usable);
  return new Map(
    usable.map((table): [string, NamedTable] => {
      const resource = names.get(table.name) ?? table.name;
      const key = table.key.length > 0 ? table.key : (fallbackKey(table) ?? []);
      const pointer = below("", table.name, ...key.slice(0, 1));
      if (table.key.length === 0) notices.guessed(pointer, "a unique column as the key of a table without one");
      const [only = "", ...more] = key;
      const column = table.columns.find(({ name }) => name === only);
      const isReference = table.references.some(({ columns }) => columns.length === 1 && columns[0] === only);
      const isIdentity =
        more.length === 0 && column !== undefined && !isReference && column.generated === undefined &&
        canBeKey(typeOfColumn(column, system).type); // biome-ignore format: one condition
      if (!isIdentity)
        notices.guessed(pointer, "an id beside a key that is not one column with a value of its own", key.join(", "));
      else if (only !== "id") notices.renamed(pointer, "a key that is the field id", `${only} is id`);
      const fields = fieldNames(
        table.columns.map(({ name }) => name),
        isIdentity ? only : undefined,
      );
      return [table.name, { table, resource, fields, ...(isIdentity ? { identity: only, key: [] } : { key }) }];
    }),
  );
}

/** Returns why a table is no resource. */
function obstacleOf(table: CatalogueTable): string | undefined {
  switch (table.kind) {
    case "table":
    case "partitioned table":
      if (table.columns.length === 0) return "a table without columns";
      return table.key.length === 0 && fallbackKey(table) === undefined ? "a table without a key" : undefined;
    case "partition":
      return "a partition, whose rows are those of its table";
    default:
      return `a ${table.kind}, which is no table of records`;
  }
}

/** Returns a set of required columns that are together unique. */
function fallbackKey({ columns, uniques }: CatalogueTable): readonly string[] | undefined {
  const required = new Set(
    columns.filter((one) => one.required && one.generated === undefined).map(({ name }) => name),
  );
  const found = uniques.find(
    (set) => set.where === undefined && set.columns.every((name) => name !== undefined && required.has(name)),
  );
  return found?.columns as readonly string[] | undefined;
}

function reportOthers({ kind, name, others, triggers }: CatalogueTable, notices: ImportNotices): void {
  for (const trigger of triggers) notices.lost(below("", name), "a trigger", trigger);
  for (const { what, name: other } of others) notices.lost(below("", name), what, other);
  if (kind === "partitioned table") notices.lost(below("", name), "that a table has partitions");
}

/**
 * Makes one reference of each circle of required references optional, since otherwise nobody could create the first record. The
 * database allows it by deferred constraints.
 */
function withoutCircles(
  resources: Readonly<Record<string, Resource>>,
  tables: ReadonlyMap<string, NamedTable>,
  notices: ImportNotices,
): Readonly<Record<string, Resource>> {
  const found: Record<string, Resource> = { ...resources };
  const done = new Set<string>();
  const visit = (resource: string, above: readonly string[]): void => {
    if (done.has(resource)) return;
    for (const [name, field] of Object.entries(found[resource]?.fields ?? {})) {
      if (field.type.kind !== "named" || field.optional) continue;
      const target = field.type.name;
      if (target !== resource && !above.includes(target)) {
        visit(target, [...above, resource]);
        continue;
      }
      const { table } = [...tables.values()].find((one) => one.resource === resource) ?? {};
      notices.lost(below("", table?.name ?? resource, name), "that a reference in a circle of references is required");
      const fields = { ...found[resource]?.fields, [name]: { ...field, optional: true } as Field };
      found[resource] = { fields };
    }
    done.add(resource);
  };
  for (const resource of Object.keys(resources)) visit(resource, []);
  return found;
}

/** Returns the tables of the resources, with the columns of fields that have another name. */
function existingTables(
  tables: ReadonlyMap<string, NamedTable>,
  resources: Readonly<Record<string, Resource>>,
): Readonly<Record<string, ExistingTable>> {
  const entries = [...tables.values()].map(({ fields, resource, table: { name } }): [string, ExistingTable] => {
    const renamed = [...fields].filter(([column, field]) => {
      return column !== field && lookup(resources[resource]?.fields ?? {}, field) !== undefined;
    });
    if (renamed.length === 0) return [resource, { name }];
    return [resource, { name, columns: Object.fromEntries(renamed.map(([column, field]) => [field, column])) }];
  });
  return Object.fromEntries(entries);
}

// ── Endpoints ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Operation {
  readonly name: string;
  readonly purpose: string;
  readonly endpoint: Endpoint;
}

function endpointsOf(
  resources: Readonly<Record<string, Resource>>,
  tables: ReadonlyMap<string, NamedTable>,
): readonly Operation[] {
  const used = new Set<string>();
  return [...tables.values()].flatMap((named): readonly Operation[] => {
    const { resource } = named;
    const fields = resources[resource]?.fields ?? {};
    const collection = `/${kebabCase(plural(resource))}`;
    const record = `${collection}/${keyPath(named, fields)}`;
    const one = withArticle(wordsOf(resource).join(" "));
    const many = wordsOf(plural(resource)).join(" ");
    const operation = (name: string, purpose: string, method: Endpoint["method"], path: string): Operation => ({
      name: uniqueName(used, name),
      purpose,
      endpoint: { method, path, of: resource },
    });
    const isFixed = !Object.entries(fields).some(([name, field]) => isChangeable(name, field));
    return [
      operation(`create${resource}`, `Create ${one}`, "POST", collection),
      operation(`get${resource}`, `Read ${one}`, "GET", record),
      operation(`list${plural(resource)}`, `List ${many}`, "GET", collection),
      ...(isFixed ? [] : [operation(`change${resource}`, `Change ${one}`, "PATCH", record)]),
      operation(`delete${resource}`, `Delete ${one}`, "DELETE", record),
    ];
  });
}

/** The columns of a key of several columns name a record as `{order}/{line}`; other records have their id. */
function keyPath({ fields: names, key }: NamedTable, fields: Resource["fields"]): string {
  const parts = key.map((column) => names.get(column) ?? "");
  const isPossible = parts.length > 0 && parts.length <= 4 && parts.every((name) => {
    const type = fields[name]?.type;
    return type !== undefined && (type.kind === "named" || canBeKey(type));
  }); // biome-ignore format: one condition
  return isPossible ? parts.map((name) => `{${name}}`).join("/") : "{id}";
}

// ── Prose ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function proseOf({ tables: all }: Catalogue, tables: ReadonlyMap<string, NamedTable>): readonly string[] {
  const commented = [...tables.values()].flatMap(({ resource, table }) =>
    table.comment === undefined ? [] : [`#### ${resource}`, quoted(table.comment)],
  );
  const others = all.filter(({ name }) => !tables.has(name));
  if (others.length === 0) return commented;
  return [...commented, `Not imported: ${others.map(({ kind, name }) => `${plain(name)} (${kind})`).join(", ")}.`];
}
