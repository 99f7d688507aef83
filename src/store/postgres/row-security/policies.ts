/**
 * Generates the row-level security policies of a document: for each table that callers read, the union of what its reading
 * operations show to anyone, and views for reads of other records.
 *
 * Settings of one statement identify the caller. A policy applies only if they name it, so processes with other documents neither
 * widen nor narrow access; without settings no row is visible. Each setting is read in a subquery, so that PostgreSQL evaluates
 * it once per statement, and does not estimate a missing setting as null, which would match hardly any row.
 */
import { createHash } from "node:crypto";
import type { Row, Value, Variables } from "../../../expression/evaluate.ts";
import { openPlaceholder, type Parameter, parameterGetter } from "../../../expression/sql.ts";
import { nodesOf, type TypedExpression } from "../../../expression/typed.ts";
import type { GrantPlan } from "../../../plan/authentication/types.ts";
import type { Table } from "../../../plan/resources/types.ts";
import type { RowSecurity } from "../../../plan/authentication/row-security.ts";
import type { Named } from "../../sql/condition.ts";
import type { Binding } from "../../sql/fragment.ts";
import { quoteText } from "../../sql/json-text.ts";
import { expressions } from "../condition.ts";
import { uniquesOf } from "../../sql/columns.ts";
import { digestOf as digestSql, isUniqueByDigest } from "../schema.ts";
import { textColumns } from "../cached-json.ts";
import { quoteName, withoutNul } from "../value.ts";

export interface Policies {
  /** A hash of all policies and the role. The settings of a statement contain it. */
  readonly name: string;
  readonly tables: readonly TablePolicy[];
  readonly views: readonly Made[];
  readonly finders: readonly Made[];
  /** The tables or views for reads of records other than the statement's own. */
  readonly reached: Named;
  /**
   * Returns the function that finds a record by a value indexed by digest: PostgreSQL does not run such a digest function on
   * rows that a policy may hide, so it could not use the index.
   */
  finds(resource: string, column: string): string | undefined;
  /** Returns the settings for a statement about a resource, in the order of `settingNames`. */
  settings(resource: string): (variables: Variables) => readonly string[];
}

/** The applied policies, and the role to which they apply. */
export interface AppliedPolicies {
  readonly role: string;
  readonly policies: Policies;
}

export type RowSecurityState =
  | ({ readonly kind: "standing" } & AppliedPolicies)
  /** Row-level security is not requested. */
  | { readonly kind: "off" }
  /** Row-level security is requested, but not possible. */
  | { readonly kind: "absent"; readonly why: string; readonly remedy: string };

export interface TablePolicy {
  /** The name of the table, quoted for SQL. */
  readonly table: string;
  /** The names of the columns, quoted for SQL. */
  readonly columns: readonly string[];
  readonly using: string;
  /** Whether a record may be hidden. If not, the policy matters only next to another document's policy. */
  readonly limited: boolean;
}

/** A view or function that runs with its owner's privileges. Its name contains a hash of its definition. */
export interface Made {
  /** The quoted name, as the PostgreSQL catalogue stores it. */
  readonly name: string;
  /** The SQL after the name in the CREATE statement. */
  readonly sql: string;
}

export const viewPrefix = "nonet reaches ";
export const finderPrefix = "nonet finds ";

/** Returns the names of the settings: `nonet.policy`, `nonet.roles`, `nonet.v0`, … */
export function settingNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => ["policy", "roles"][index] ?? `v${index - 2}`).map(
    (name) => `nonet.${name}`,
  );
}

export function policiesOf(security: RowSecurity, tables: readonly Table[], role: string): Policies {
  const views = new Map(
    tables.flatMap((table) => {
      const columns = security.reached.get(table.resource);
      return columns === undefined ? [] : [[table.resource, viewOf(table, columns)] as const];
    }),
  );
  const reached: Named = new Map(
    tables.map((table) => [table.resource, { table, name: views.get(table.resource)?.name ?? quoteName(table.name) }]),
  );
  const made = tables.flatMap((table) => {
    const grants = security.readers.get(table.resource);
    return grants === undefined ? [] : [{ table, ...conditionOf(grants, table, reached) }];
  });
  const policyTables = made.map(({ table, limited, condition }) => ({
    table: quoteName(table.name),
    columns: [
      "_seq",
      "_rev",
      ...(security.columns.get(table.resource) ?? []),
      ...textColumns(table).map(([column]) => column),
    ].map(quoteName),
    limited,
    condition,
  }));
  const viewPolicies = [...views.values()];
  const finders = new Map(made.flatMap(({ limited, table }) => (limited ? findersOf(table) : [])));
  const name = digestOf([role, policyTables, viewPolicies, [...finders]]);
  const using = (condition: string): string =>
    `CASE WHEN (SELECT ${settingSql("nonet.policy")} = ${quoteText(name)}) THEN ${condition} ELSE FALSE END`;
  const required = new Map(made.map(({ policyInputs, table }) => [table.resource, policyInputs]));
  return {
    name,
    tables: policyTables.map(({ condition, ...table }) => ({ ...table, using: using(condition) })),
    views: viewPolicies,
    finders: [...finders.values()],
    reached,
    finds: (resource, column) => finders.get(`${resource} ${column}`)?.name,
    settings: (resource) => {
      const policyInputs = required.get(resource) ?? [];
      const settings = policyInputs.map(settingOf);
      return (variables) => [name, ...settings.map((setting) => setting(variables))];
    },
  };
}

/** Returns a view of all records, visible only with a policy setting. */
function viewOf(table: Table, columns: ReadonlySet<string>): Made {
  const all = ["_seq", ...table.columns.flatMap(({ name }) => (columns.has(name) ? [name] : []))].map(quoteName);
  const sql = `AS SELECT ${all.join(", ")} FROM ${quoteName(table.name)} WHERE ${settingSql("nonet.policy")} <> ''`;
  return { name: quoteName(`${viewPrefix}${digestOf(sql)} ${table.name}`), sql };
}

/**
 * Returns a function for each column that is unique by digest. It reveals that a record exists, as a view of all values would.
 */
function findersOf(table: Table): readonly (readonly [string, Made])[] {
  return uniquesOf(table).flatMap(([column = "", ...others]) => {
    if (others.length > 0 || !isUniqueByDigest(table, column)) return [];
    const value = quoteName(column);
    const fits = `${digestSql(value)} = ${digestSql("$1")} AND ${value} = $1 AND ${settingSql("nonet.policy")} <> ''`;
    const sql = `(text) RETURNS bigint STABLE SECURITY DEFINER RETURN (SELECT _seq FROM ${quoteName(table.name)} WHERE ${fits})`;
    return [
      [
        `${table.resource} ${column}`,
        { name: quoteName(`${finderPrefix}${digestOf(sql)} ${table.name}`), sql },
      ] as const,
    ];
  });
}

/** A value that a policy reads from the settings, besides its name. */
type PolicyInput = { readonly kind: "roles" } | { readonly kind: "value"; readonly parameter: Parameter };

interface Condition {
  readonly condition: string;
  readonly limited: boolean;
  readonly policyInputs: readonly PolicyInput[];
}

function conditionOf(grants: readonly GrantPlan[], table: Table, reached: Named): Condition {
  if (grants.some(({ if: condition, who }) => who.kind === "anyone" && condition === undefined))
    return { condition: "TRUE", limited: false, policyInputs: [] };
  const parameters: Parameter[] = [];
  const parameterPosition = (parameter: Parameter): number => {
    const parameterText = parameterKey(parameter);
    const known = parameters.findIndex((one) => parameterKey(one) === parameterText);
    return known >= 0 ? known : parameters.push(parameter) - 1;
  };
  const alternatives = grants.map(({ if: condition, who }) => {
    const conditions = [
      ...whoSql(who),
      ...(condition === undefined ? [] : conditionSql(condition, table, reached, parameterPosition)),
    ];
    return conditions.length === 0 ? "TRUE" : `(${conditions.join(" AND ")})`;
  });
  const policyInputs: readonly PolicyInput[] = [
    { kind: "roles" },
    ...parameters.map((parameter) => ({ kind: "value", parameter }) as const),
  ];
  // If no grant allows reading the table, nobody may read it.
  const condition = alternatives.length === 0 ? "FALSE" : `(${alternatives.join(" OR ")})`;
  return { condition, limited: true, policyInputs };
}

function whoSql(who: GrantPlan["who"]): readonly string[] {
  const roles = settingSql("nonet.roles");
  if (who.kind === "role") return [`(SELECT strpos(${roles}, ${quoteText(` ${who.role} `)}) > 0)`];
  const unscoped = who.unscoped === true ? [`(SELECT strpos(${roles}, ${quoteText(scopedPrefix)}) = 0)`] : [];
  return who.kind === "anyone" ? unscoped : [`(SELECT ${roles} <> '')`, ...unscoped];
}

function conditionSql(
  condition: TypedExpression,
  table: Table,
  reached: Named,
  parameterPosition: (parameter: Parameter) => number,
): readonly string[] {
  const required = inputs(condition).map(
    (parameter) => `${valueSql(parameterPosition(parameter), "text")} IS NOT NULL`,
  );
  // The alias is a table name that no nested query uses.
  const { bindings, sql } = expressions.anyTrue([condition], reached, quoteName(table.name));
  let index = 0;
  const written = sql.replaceAll(new RegExp(`${openPlaceholder}::([a-z]+(?: precision)?)`, "g"), (_, type: string) =>
    argumentSql(bindings[index++], type, parameterPosition),
  );
  return [...required, written];
}

function argumentSql(
  binding: Binding | undefined,
  type: string,
  parameterPosition: (parameter: Parameter) => number,
): string {
  if (binding === undefined || binding.kind === "argument") throw new Error("a policy has no arguments");
  if (binding.kind === "constant" && binding.value !== null) return `${quoteText(String(binding.value))}::${type}`;
  return valueSql(parameterPosition(binding), type);
}

/**
 * Returns the inputs of a condition. The policy adds `IS NOT NULL` for inputs that only some operations have: without them a
 * condition could be true by accident.
 */
function inputs(condition: TypedExpression): readonly Parameter[] {
  return nodesOf(condition).flatMap((node): Parameter[] => {
    if (node.kind !== "variable" || node.nullable || ["caller", "now", "base"].includes(node.path[0] ?? "")) return [];
    return [{ kind: "variable", path: node.path, type: node.type }];
  });
}

/** Returns SQL of a setting's value. An empty text means absent; values have one character before them. */
function valueSql(position: number, type: string): string {
  return `(SELECT substr(nullif(${settingSql(`nonet.v${position}`)}, ''), 2)::${type})`;
}

function settingSql(name: string): string {
  return `current_setting(${quoteText(name)}, true)`;
}

function settingOf(required: PolicyInput): (variables: Variables) => string {
  if (required.kind === "roles") return ({ caller }) => rolesText(caller as Value | undefined);
  const value = parameterGetter(required.parameter, "postgres");
  return (variables) => {
    const found = value(variables);
    return found === null ? "" : `=${withoutNul(String(found))}`;
  };
}

/** The prefix of the roles if scopes restrict the caller's token; no role name contains it. */
const scopedPrefix = "!";

/** Returns the roles, each between spaces, which role names cannot contain; empty for an anonymous caller. */
function rolesText(caller: Value | undefined): string {
  const { id = null, roles = [], scoped = false } = (caller ?? {}) as Row;
  if (id === null || !Array.isArray(roles)) return "";
  const named = roles.filter((role) => typeof role === "string" && /^[\w-]+$/.test(role));
  return `${scoped === true ? scopedPrefix : ""} ${named.map((role) => `${String(role)} `).join("")}`;
}

function parameterKey(parameter: Parameter): string {
  return JSON.stringify(parameter, (key, value: unknown) => (key === "at" ? undefined : value));
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 12);
}
