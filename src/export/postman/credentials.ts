/** Describes credentials for Postman: their variables, and the authorization of each request. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";

/** `auth`: Postman's authorization; `header`: the header field of a credential that Postman has no authorization for. */
export interface CredentialRequest {
  readonly auth?: JsonObject;
  readonly header?: JsonObject;
}

interface Scheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
}

function schemesOf(document: JsonObject): Readonly<Record<string, Scheme>> {
  const { securitySchemes = {} } = document["components"] as {
    readonly securitySchemes?: Readonly<Record<string, Scheme>>;
  };
  return securitySchemes;
}

/** Returns the variables of all credentials: a token or key each, for Basic a user and a password. */
export function credentialVariables(document: JsonObject): readonly string[] {
  return Object.entries(schemesOf(document)).flatMap(([name, scheme]) =>
    isBasic(scheme) ? [`${name}_user`, `${name}_password`] : [name],
  );
}

function isBasic({ type, scheme }: Scheme): boolean {
  return type === "http" && scheme === "basic";
}

/** Returns the authorization of an operation: none if it needs none, else the first of its credentials. */
export function authOf(document: JsonObject, path: string, method: string): CredentialRequest {
  const item = (document["paths"] as Readonly<Record<string, JsonObject>>)[path];
  const operation = item?.[method];
  const security = (isObject(operation) ? (operation["security"] ?? []) : []) as readonly JsonObject[];
  const [name] = security.some((one) => Object.keys(one).length === 0) ? [] : Object.keys(security[0] ?? {});
  const scheme = name === undefined ? undefined : schemesOf(document)[name];
  if (name === undefined || scheme === undefined) return { auth: { type: "noauth" } };
  if (isBasic(scheme))
    return { auth: auth("basic", { username: `{{${name}_user}}`, password: `{{${name}_password}}` }) };
  if (scheme.type === "http") return { auth: auth("bearer", { token: `{{${name}}}` }) };
  if (scheme.type === "oauth2") return { auth: auth("oauth2", { accessToken: `{{${name}}}`, addTokenTo: "header" }) };
  if (scheme.in === "cookie")
    return { auth: { type: "noauth" }, header: { key: "Cookie", value: `${scheme.name ?? ""}={{${name}}}` } };
  return { auth: auth("apikey", { key: scheme.name ?? "", value: `{{${name}}}`, in: scheme.in ?? "header" }) };
}

function auth(type: string, members: Readonly<Record<string, string>>): JsonObject {
  const list: readonly Json[] = Object.entries(members).map(([key, value]) => ({ key, value, type: "string" }));
  return { type, [type]: list };
}
