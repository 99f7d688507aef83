/** Part 5, printed: the shortest form that reads back as the same. */
import type { Tree } from "../../document/print.ts";
import { type Below, nothingBelow } from "../resources/field-print.ts";
import { printGrants, sameGrant } from "./grants.ts";
import type { Authentication, Credential, Grant, SentIn } from "./model.ts";

export function printAuthentication(authentication: Authentication, below: Below = nothingBelow): Tree {
  const { credentials, roles, own, allow, show, unseen } = authentication;
  return {
    ...unlessEmpty(
      "credentials",
      mapped(credentials, (credential, name) => printCredential(credential, below("credentials", name))),
    ),
    ...(roles === undefined ? {} : { roles: listOrNone(roles) }),
    ...unlessEmpty("own", own),
    ...unlessEmpty("allow", printPermissions(allow)),
    ...unlessEmpty("show", printPermissions(show)),
    ...(unseen === undefined ? {} : { unseen: String(unseen) }),
  };
}

type TreeMap = Readonly<Record<string, Tree>>;

function unlessEmpty(key: string, tree: TreeMap): TreeMap {
  return Object.keys(tree).length === 0 ? {} : { [key]: tree };
}

function mapped<Value>(values: Readonly<Record<string, Value>>, print: (value: Value, name: string) => Tree): TreeMap {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, print(value, name)]));
}

/** Neighbours that say the same share a line. */
function printPermissions(permissions: Readonly<Record<string, readonly Grant[]>>): TreeMap {
  const lines: { names: string[]; grants: readonly Grant[] }[] = [];
  for (const [name, grants] of Object.entries(permissions)) {
    const last = lines.at(-1);
    if (last !== undefined && sameGrants(last.grants, grants)) last.names.push(name);
    else lines.push({ names: [name], grants });
  }
  return Object.fromEntries(lines.map(({ names, grants }) => [names.join(", "), printGrants(grants)]));
}

function sameGrants(some: readonly Grant[], others: readonly Grant[]): boolean {
  return (
    some.length === others.length &&
    some.every((grant, index) => others[index] !== undefined && sameGrant(grant, others[index]))
  );
}

/** The kind alone where it says no more; with `map` always as a map. */
function printCredential(credential: Credential, map: boolean): Tree {
  const { sent, secret, field, foreign: _, changed, user, roles, scopes, scopeRoles, at, ...plain } = credential;
  const members: Partial<Record<(typeof order)[number], Tree | undefined>> = {
    ...plain,
    sent: sent && printSent(sent),
    secret: secret === undefined ? field : `env ${secret}`,
    changed: changed && `with ${changed}`,
    user: user === undefined ? undefined : `claim ${user}`,
    roles: roles && printRoleSource(roles),
    scopes: scopeRoles === undefined ? scopes && listOrNone(scopes) : mapped(scopeRoles, listOrNone),
    at: at && `POST ${at}`,
  };
  const said = order.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]] as const]));
  return said.length === 1 && !map ? credential.kind : Object.fromEntries(said);
}

/** The order of a credential's members: what it is, where it goes, whom it names, how it lives. */
const order = [
  "kind", "at", "login", "of", "name", "sent", "prefix", "secret", "changed", "issuer", "audience", "jwks", "user", "roles", "scopes",
  "obtained", "lasts", "renewed", "revoked",
] as const; // biome-ignore format: a table

function listOrNone(names: readonly string[]): Tree {
  return names.length === 0 ? "none" : names;
}

function printSent({ header, scheme }: SentIn): Tree {
  return scheme === undefined ? `header ${header}` : `${header} ${scheme}`;
}

function printRoleSource(roles: Exclude<Credential["roles"], undefined>): Tree {
  if ("claim" in roles) return `claim ${roles.claim}`;
  if ("field" in roles) return `field ${roles.field}`;
  return listOrNone(roles);
}
