/**
 * Computes the statements that change a schema's policies, views and privileges to those of a document, based on the
 * catalogue: so restored data and rebuilt tables get what they lack. Policies that processes with other documents need stay
 * while these serve.
 */
import { createHash } from "node:crypto";
import { defined } from "../../../base/defined.ts";
import type { Session } from "../connection.ts";
import { quoteText } from "../../sql/json-text.ts";
import { quoteName } from "../value.ts";
import { finderPrefix, type Policies, viewPrefix } from "./policies.ts";

interface Present {
  readonly name: string;
  readonly kind: "table" | "view" | "function";
  readonly enabled: boolean;
  readonly policies: readonly { readonly name: string; readonly roles: readonly string[] }[];
  /** The columns that the role may read; for a function its own name, if the role may execute it. */
  readonly columns: readonly string[];
}

interface Catalogue {
  readonly uses: boolean;
  readonly relations: readonly Present[];
}

/** The result of the catalogue query, whose names are not quoted. */
interface Stored extends Catalogue {
  readonly functions: readonly { readonly name: string; readonly runs: boolean }[];
}

const functions = ["number(double precision)", "json(jsonb)", "digest(text)", "fold(text)", "found(json, text[])"];

/**
 * Returns the statements that apply the policies; empty if they are applied. In steps that change at most one table each:
 * holding one table lock while waiting for another could deadlock. `served`: the names of the policies that processes need.
 */
export async function policyChangesOf(
  session: Session,
  role: string,
  policies: Policies,
  served: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const retained = served.filter((name) => name !== policies.name);
  const { relations, uses } = await catalogueOf(session, role);
  const present = new Map(relations.map((one) => [one.name, one]));
  const reader = quoteName(role);
  const wanted = new Set(policies.tables.map(({ table }) => table));
  const made = new Set([...policies.views, ...policies.finders].map(({ name }) => name));
  const additions = [
    ...(uses ? [] : usingSql(reader)),
    ...policies.views.flatMap(({ name, sql }) => {
      const there = present.get(name);
      return [
        ...(there === undefined ? [`CREATE VIEW ${name} ${sql}`] : []),
        ...(there === undefined || there.columns.length === 0 ? [`GRANT SELECT ON ${name} TO ${reader}`] : []),
      ];
    }),
    ...policies.finders.flatMap(({ name, sql }) => {
      const there = present.get(name);
      return [
        ...(there === undefined
          ? [`CREATE FUNCTION ${name}${sql}`, `REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC`]
          : []),
        ...(there === undefined || there.columns.length === 0
          ? [`GRANT EXECUTE ON FUNCTION ${name} TO ${reader}`]
          : []),
      ];
    }),
  ];
  return [
    additions,
    ...policies.tables.map((policy) => tableSql(policy, present.get(policy.table), role, policies.name, retained)),
    ...relations
      .filter(({ kind, name }) => kind === "table" && !wanted.has(name))
      .map((one) => leavingSql(one, role, retained)),
    retained.length > 0 ? [] : relations.filter(({ name }) => !made.has(name)).flatMap(droppingSql),
  ].filter((step) => step.length > 0);
}

/** Removes all policies and privileges before tables are rebuilt. */
export async function lower(session: Session, role: string): Promise<void> {
  const { relations } = await catalogueOf(session, role);
  const statements = [
    ...relations.flatMap((one) => (one.kind === "table" ? leavingSql(one, role, []) : [])),
    ...relations.flatMap(droppingSql),
  ];
  if (statements.length > 0) await session.rows(statements.join("; "));
}

type Wanted = Policies["tables"][number];

function tableSql(
  { columns, limited, table, using }: Wanted,
  present: Present | undefined,
  role: string,
  name: string,
  retained: readonly string[],
): readonly string[] {
  const reader = quoteName(role);
  const prefixedName = policyName(name);
  const { stale, staying } = sorted(present, [name, ...retained]);
  const others = staying.filter((one) => one.name !== prefixedName && !isOthers(one.name));
  const enabled = present?.enabled === true;
  const enables = limited || (enabled && others.length > 0);
  const roles = [...new Set([role, ...others.flatMap((one) => one.roles)])].toSorted();
  const passing = othersName(roles);
  const missing = stale.length > 0 ? columns : columns.filter((column) => !present?.columns.includes(column));
  const isThere = (one: string): boolean => present?.policies.some((policy) => policy.name === one) === true;
  return [
    ...stale.map((one) => dropSql(one, table)),
    ...(stale.length > 0 ? [`REVOKE SELECT ON ${table} FROM ${reader}`] : []),
    ...(missing.length > 0 ? [`GRANT SELECT (${missing.join(", ")}) ON ${table} TO ${reader}`] : []),
    ...(isThere(prefixedName)
      ? []
      : [`CREATE POLICY ${quoteName(prefixedName)} ON ${table} FOR SELECT TO ${reader} USING (${using})`]),
    ...staying.filter((one) => isOthers(one.name) && one.name !== passing).map((one) => dropSql(one.name, table)),
    ...(isThere(passing) ? [] : [passingSql(passing, table, roles)]),
    ...(enables === enabled ? [] : [`ALTER TABLE ${table} ${enables ? "ENABLE" : "DISABLE"} ROW LEVEL SECURITY`]),
  ];
}

/** Returns the statements that clean up a table that no caller reads any more. */
function leavingSql(present: Present, role: string, retained: readonly string[]): readonly string[] {
  const { stale, staying } = sorted(present, retained);
  const needed = staying.some(({ name }) => !isOthers(name));
  const obsolete = needed ? stale : [...stale, ...staying.map(({ name }) => name)];
  if (obsolete.length === 0) return [];
  return [
    ...obsolete.map((one) => dropSql(one, present.name)),
    ...(needed ? [] : [`REVOKE SELECT ON ${present.name} FROM ${quoteName(role)}`]),
    ...(needed || !present.enabled ? [] : [`ALTER TABLE ${present.name} DISABLE ROW LEVEL SECURITY`]),
  ];
}

/** Sorts Nonet's policies into unneeded and remaining ones. Other policies are not touched. */
function sorted(present: Present | undefined, needed: readonly string[]) {
  const ours = present?.policies.filter(({ name }) => name.startsWith(prefix)) ?? [];
  const names = needed.map(policyName);
  const isNeeded = ({ name }: { readonly name: string }): boolean => isOthers(name) || names.includes(name);
  return { stale: ours.filter((one) => !isNeeded(one)).map(({ name }) => name), staying: ours.filter(isNeeded) };
}

const prefix = "nonet ";
const passingPrefix = "nonet lets others pass ";

function policyName(name: string): string {
  return `${prefix}${name}`;
}

function othersName(roles: readonly string[]): string {
  return `${passingPrefix}${createHash("sha256").update(JSON.stringify(roles)).digest("base64url").slice(0, 12)}`;
}

function isOthers(name: string): boolean {
  return name.startsWith(passingPrefix);
}

/** Returns a policy for all other roles, whose privileges on the table stay as before. */
function passingSql(name: string, table: string, roles: readonly string[]): string {
  return `CREATE POLICY ${quoteName(name)} ON ${table} USING (current_user <> ALL (ARRAY[${roles.map(quoteText).join(", ")}]::name[]))`;
}

/** Returns the statements that drop views and functions; tables stay. */
function droppingSql({ kind, name }: Present): readonly string[] {
  return kind === "table" ? [] : [`DROP ${kind === "view" ? "VIEW" : "FUNCTION"} ${name}`];
}

function dropSql(policy: string, table: string): string {
  return `DROP POLICY ${quoteName(policy)} ON ${table}`;
}

function usingSql(reader: string): readonly string[] {
  return [
    `DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO %s', current_schema(), ${quoteText(reader)}); END $$`,
    `GRANT EXECUTE ON FUNCTION ${functions.map((one) => `nonet_${one}`).join(", ")} TO ${reader}`,
  ];
}

async function catalogueOf(session: Session, role: string): Promise<Catalogue> {
  // The query allows for a role that does not exist yet.
  const [row] = await session.rows<[string]>(
    `WITH role AS (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = $1)
     SELECT json_build_object(
       'uses', coalesce((SELECT has_schema_privilege(oid, current_schema(), 'USAGE') FROM role), false),
       'relations', coalesce((
         SELECT json_agg(json_build_object(
           'name', class.relname, 'kind', CASE class.relkind WHEN 'v' THEN 'view' ELSE 'table' END, 'enabled', class.relrowsecurity,
           'policies', coalesce((
             SELECT json_agg(json_build_object('name', polname, 'roles', ARRAY(
               SELECT rolname FROM pg_catalog.pg_roles WHERE oid = ANY(polroles)
             ))) FROM pg_catalog.pg_policy WHERE polrelid = class.oid
           ), '[]'),
           'columns', coalesce((
             SELECT json_agg(attname) FROM pg_catalog.pg_attribute, role
             WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped
               AND has_column_privilege(role.oid, class.oid, attnum, 'SELECT')
           ), '[]')
         ))
         FROM pg_catalog.pg_class AS class
         WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
           AND (relkind IN ('r', 'p') OR relkind = 'v' AND relname LIKE ${quoteText(`${viewPrefix}%`)})
       ), '[]'),
       'functions', coalesce((
         SELECT json_agg(json_build_object('name', proname, 'runs', coalesce(has_function_privilege(role.oid, proc.oid, 'EXECUTE'), false)))
         FROM pg_catalog.pg_proc AS proc LEFT JOIN role ON TRUE
         WHERE pronamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
           AND proname LIKE ${quoteText(`${finderPrefix}%`)}
       ), '[]')
     )::text`,
    [role],
  );
  const [text] = defined(row, "what is stored of roles and policies");
  const { functions: finders, relations, uses } = JSON.parse(text) as Stored;
  const made = finders.map(({ name, runs }): Present => {
    return { name, kind: "function", enabled: false, policies: [], columns: runs ? [name] : [] };
  });
  const all = [...relations, ...made].map(({ columns, name, ...rest }) => ({
    ...rest,
    name: quoteStored(name),
    columns: columns.map(quoteStored),
  }));
  return { uses, relations: all };
}

/** Quotes a name from the catalogue, in which names are already truncated. */
function quoteStored(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
