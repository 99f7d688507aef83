/** Finds records that can log in, by name or id, with their secret and current roles. */
import type { Value } from "../../expression/evaluate.ts";
import { defined } from "../../base/defined.ts";
import type { AuthenticationPart, CredentialPlan, LoginPlan } from "../../plan/authentication/types.ts";
import type { ResourcesPart, Table } from "../../plan/resources/types.ts";
import type { Store, ViewMember } from "../../store/port/store.ts";
import type { LoginGuard, LoginRecord, LoginRecords, Proved } from "../context/login.ts";
import { nameText } from "./login-throttle.ts";
import { isPassword } from "./password.ts";

function createLoginRecords(
  { login, roles }: CredentialPlan,
  tables: readonly Table[],
  store: Pick<Store, "read">,
): LoginRecords {
  const { resource, name, secret } = login as LoginPlan;
  const table = defined(
    tables.find((one) => one.resource === resource),
    `the table of ${resource}`,
  );
  const typeOf = (column: string) => table.columns.find((one) => one.name === column)?.type ?? "text";
  const member = (as: string, column: string): ViewMember => {
    return { name: as, source: { kind: "column", column }, type: typeOf(column), absent: "null" };
  };
  const members = [
    member("id", "id"),
    member("name", name),
    member("secret", secret),
    ...(roles.kind === "column" ? [member("roles", roles.column)] : []),
  ];
  const finder = (key: string) => store.read({ resource, system: true, key, view: { resource, members } });
  const find = { name: finder(name), id: finder("id") };
  const counted = typeOf("id") === "integer";
  const read = async (by: "name" | "id", key: Value): Promise<LoginRecord | undefined> => {
    const found = await find[by](key, {});
    if (found === undefined) return undefined;
    const record = JSON.parse(found.text) as { id: Value; name: Value; secret: string | null; roles?: Value };
    const held = roles.kind === "fixed" ? roles.roles : rolesIn(record.roles ?? null);
    return { id: record.id, name: record.name, secret: record.secret, roles: held };
  };
  return {
    byName: (key) => read("name", key),
    byId: (id) => read("id", counted ? Number(id) : id),
  };
}

function rolesIn(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((role) => typeof role === "string") : [];
}

export function loginRecordsOf(logins: ReadonlyMap<string, LoginRecords>, credential: string): LoginRecords {
  return defined(logins.get(credential), `the records of ${credential}`);
}

/**
 * Returns the record that logs in with a name and a secret, within the limits of failed logins. An unknown name takes as long
 * as a wrong secret; undefined for both (R5.7).
 */
export async function provedRecord(
  { guard, logins }: { readonly guard: LoginGuard; readonly logins: ReadonlyMap<string, LoginRecords> },
  credential: string,
  { name, secret, address }: { readonly name: Value; readonly secret: string; readonly address: string },
  now: number,
): Promise<Proved | undefined> {
  let found: LoginRecord | undefined;
  const isRight = await guard.verified({ credential, name: nameText(name), address }, now, async () => {
    found = await loginRecordsOf(logins, credential).byName(name);
    return isPassword(secret, found?.secret ?? null);
  });
  return isRight && found?.secret ? { id: found.id, storedHash: found.secret } : undefined;
}

/** Returns the records that can log in, by name of the credential. */
export function allLoginRecords(
  { credentials, tables }: Pick<AuthenticationPart & ResourcesPart, "credentials" | "tables">,
  store: Pick<Store, "read">,
): ReadonlyMap<string, LoginRecords> {
  const withLogin = credentials.filter(({ login }) => login !== undefined);
  return new Map(withLogin.map((credential) => [credential.name, createLoginRecords(credential, tables, store)]));
}
