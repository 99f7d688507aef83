/**
 * Finds the role with which callers' reads run: it cannot log in, owns nothing, and may only read what callers read. The URL
 * names it; otherwise it is a role of the schema, created if this login may create roles.
 */
import { defined } from "../../../base/defined.ts";
import { quoteText } from "../../sql/json-text.ts";
import type { DatabaseUrl } from "../database-url.ts";
import type { Session } from "../connection.ts";
import { quoteName } from "../value.ts";

export type Reader =
  | { readonly kind: "there"; readonly role: string }
  /** No such role exists yet; `statements` create it. */
  | { readonly kind: "to be made"; readonly role: string; readonly statements: readonly string[] }
  | { readonly kind: "absent"; readonly role: string; readonly why: string; readonly remedy: string };

export async function findReader(session: Session, databaseUrl: DatabaseUrl): Promise<Reader> {
  const role = databaseUrl.reader ?? (await currentRole(session, databaseUrl));
  const [row] = await session.rows<[string, boolean, boolean, boolean | null, boolean, boolean]>(
    `SELECT me.rolname, me.rolsuper, me.rolcreaterole, other.rolsuper OR other.rolbypassrls,
       coalesce(pg_has_role(me.oid, other.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END), false),
       coalesce(pg_has_role(other.oid, me.oid, 'USAGE'), false)
     FROM pg_catalog.pg_roles AS me LEFT JOIN pg_catalog.pg_roles AS other ON other.rolname = $1
     WHERE me.rolname = current_user`,
    [role],
  );
  if (row === undefined) throw new Error("a login is none of the roles");
  const [login, isSuper, makesRoles, passesBy, mayBe, isOwner] = row;
  const [quoted, self] = [quoteName(role), quoteName(login)];
  const absent = (why: string, remedy: string): Reader => ({ kind: "absent", role, why, remedy });
  if (passesBy === null) {
    const make = `CREATE ROLE ${quoted} NOLOGIN`;
    const grant = `GRANT ${quoted} TO ${self}`;
    if (isSuper || makesRoles) return { kind: "to be made", role, statements: isSuper ? [make] : [make, grant] };
    return absent(`there is no role ${role}, and ${login} may not make one`, `${make}; ${grant}`);
  }
  if (passesBy || isOwner)
    return absent(
      `the role ${role} passes policies by`,
      "it is to be no superuser, have no BYPASSRLS, and be no member of the owner",
    );
  if (!mayBe) return absent(`${login} may not act as the role ${role}`, `GRANT ${quoted} TO ${self}`);
  return { kind: "there", role };
}

/**
 * Returns the name of the current role. Roles belong to the whole server, so the name contains database and schema;
 * `quoteName` shortens a long name with a digest.
 */
async function currentRole(session: Session, { schema }: DatabaseUrl): Promise<string> {
  const [row] = await session.rows<[string]>(`SELECT current_database() || '_' || ${quoteText(schema)}`);
  const [name] = defined(row, "the name of the database");
  return quoteName(`nonet_reads_${name}`).slice(1, -1).replaceAll('""', '"');
}
