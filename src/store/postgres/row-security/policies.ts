/**
 * What a role that may only read sees of a document's tables, as PostgreSQL's row-level security has it: for each table that
 * callers read the union of what any of its reading operations lets anybody see, and views of what is read of other records.
 *
 * The caller is said in settings, which last as long as one statement. A policy holds only where they name it, so that
 * processes with another document beside this one widen nothing and narrow nothing; where they are missing nothing is seen.
 * Every value of a setting stands in a subquery of its own, so that it is worked out once for a statement, and so that the
 * planner, who would take a setting that is not there yet for null, does not think that hardly any row passes.
 */
import { createHash } from "node:crypto";
import type { Row, Value, Variables } from "../../../expression/evaluate.ts";
import { openPlaceholder, type Parameter, parameterGetter } from "../../../expression/sql.ts";
import { parts, type TypedExpression } from "../../../expression/typed.ts";
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
  /** Of all of them, and of the role: what the settings of a statement name. */
  readonly name: string;
  readonly tables: readonly TablePolicy[];
  readonly views: readonly Made[];
  readonly finders: readonly Made[];
  /** What statements read of other records than the one that they are about. */
  readonly reached: Named;
  /**
   * The function that finds a record by a value whose index is of its digest: no function of that kind is run on rows that a
   * policy may hide, so no such index is used where there is one.
   */
  finds(resource: string, column: string): string | undefined;
  /** What the settings are to be for a statement about a resource, in the order of `settingNames`. */
  settings(resource: string): (variables: Variables) => readonly string[];
}

export interface TablePolicy {
  /** Quoted. */
  readonly table: string;
  /** Quoted, too. */
  readonly columns: readonly string[];
  readonly using: string;
  /** Not where everybody sees every record: the policy is for the time beside a document that says otherwise. */
  readonly limited: boolean;
}

/** Is run with its owner's rights. A name says what it is made of, so that what is another has another one. */
export interface Made {
  /** Quoted, and as it is in the catalogue. */
  readonly name: string;
  /** What comes after the name when it is made. */
  readonly sql: string;
}

export const viewPrefix = "nonet reaches ";
export const finderPrefix = "nonet finds ";

/** `nonet.policy`, `nonet.roles`, `nonet.v0`, … */
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

/** Of every record, for whoever says who reads. */
function viewOf(table: Table, columns: ReadonlySet<string>): Made {
  const all = ["_seq", ...table.columns.flatMap(({ name }) => (columns.has(name) ? [name] : []))].map(quoteName);
  const sql = `AS SELECT ${all.join(", ")} FROM ${quoteName(table.name)} WHERE ${settingSql("nonet.policy")} <> ''`;
  return { name: quoteName(`${viewPrefix}${digestOf(sql)} ${table.name}`), sql };
}

/** One for each column that is unique by its digest. It tells that there is such a record, which a view of all values would, too. */
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

/** What a policy asks of the settings beside its name. */
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
  // A name that no query inside of it can take for one of its own.
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

/** `IS NOT NULL` of what only some operations say: without it a condition may be true of what they were not asked. */
function inputs(condition: TypedExpression): readonly Parameter[] {
  const found: Parameter[] = [];
  const look = (part: TypedExpression): void => {
    const { kind, nullable, type } = part;
    if (kind === "variable" && !nullable && !["caller", "now", "base"].includes(part.path[0] ?? ""))
      found.push({ kind: "variable", path: part.path, type });
    for (const one of parts(part)) look(one);
  };
  look(condition);
  return found;
}

/** Absent is an empty text, and all else has a sign before it. */
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

/** Before the roles of who sent a token that scopes bind; no role has it in its name. */
const scopedPrefix = "!";

/** With a space around each, which no role has in its name; empty for who is not signed in. */
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
