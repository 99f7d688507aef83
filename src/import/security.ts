/** Security schemes as credentials, and what an operation asks for as who may run it. */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import type { Credential, Grant } from "../parts/authentication/model.ts";
import { below, type Notes, textOf } from "./report.ts";
import type { ImportedOperation } from "./operations.ts";
import type { Schemas } from "./schemas.ts";

export interface ImportedSecurity {
  readonly credentials: Readonly<Record<string, Credential>>;
  readonly allow: Readonly<Record<string, readonly Grant[]>>;
  /** Paths as in a model's `gaps`. */
  readonly gaps: readonly string[];
}

/** Undefined where the source says nothing at all of who may do what. */
export function securityOf(
  root: JsonObject,
  operations: readonly ImportedOperation[],
  schemas: Schemas,
  notes: Notes,
): ImportedSecurity | undefined {
  const { components } = root;
  const [at, schemes] = isObject(components)
    ? (["/components/securitySchemes", components["securitySchemes"]] as const)
    : (["/securityDefinitions", root["securityDefinitions"]] as const);
  const said = isObject(schemes) ? Object.entries(schemes) : [];
  const asked = operations.some(({ security = [] }) => security.length > 0);
  if (said.length === 0 && !asked) return undefined;
  const gaps: string[] = ["authentication/roles", "authentication/own", "authentication/show", "authentication/unseen"];
  const credentials: Record<string, Credential> = {};
  const names = new Set<string>();
  for (const [written, scheme] of said) {
    const found = schemas.resolve(scheme, below(at, written));
    const credential = found && credentialOf(found.value, found.pointer, notes);
    if (credential === undefined) continue;
    const name = credentialName(written, names);
    if (name !== written)
      notes.renamed(below(at, written), "a credential by a name that a document cannot have", `${written} is ${name}`);
    const { open, ...rest } = credential;
    credentials[name] = rest;
    for (const member of [...open, "lasts", "revoked"]) gaps.push(`authentication/credentials/${name}/${member}`);
  }
  if (Object.keys(credentials).length === 0) gaps.push("authentication/credentials");
  const allow = operations
    .filter(({ endpoint }) => endpoint !== undefined)
    .map((operation): [string, readonly Grant[]] => [operation.name, grantsOf(operation, notes)]);
  return { credentials, allow: Object.fromEntries(allow), gaps };
}

function credentialName(written: string, names: Set<string>): string {
  const plain = written.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z]+/, "") || "credential";
  let name = plain;
  for (let count = 2; names.has(name); count++) name = `${plain}${count}`;
  names.add(name);
  return name;
}

function grantsOf({ security = [], pointer }: ImportedOperation, notes: Notes): readonly Grant[] {
  const alternatives = security.filter(isObject);
  for (const one of alternatives) {
    if (Object.keys(one).length > 1)
      notes.lost(below(pointer, "security"), "that an operation asks for several credentials at once");
    if (Object.values(one).some((scopes) => Array.isArray(scopes) && scopes.length > 0))
      notes.lost(below(pointer, "security"), "the scopes that an operation asks for", scopesOf(one));
  }
  const open = alternatives.length === 0 || alternatives.some((one) => Object.keys(one).length === 0);
  return [{ who: { kind: open ? "anyone" : "signed-in" } }];
}

function scopesOf(requirement: JsonObject): string {
  return Object.values(requirement)
    .flatMap((scopes) => (Array.isArray(scopes) ? (scopes as readonly Json[]).map(textOf) : []))
    .join(" ");
}

interface Opened extends Credential {
  /** Members that the source leaves open. */
  readonly open: readonly string[];
}

function credentialOf(scheme: JsonObject, pointer: string, notes: Notes): Opened | undefined {
  const { type, name } = scheme;
  switch (type) {
    case "apiKey":
      if (scheme["in"] === "header" && typeof name === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(name))
        return { kind: "api-key", sent: { header: name }, open: ["obtained"] };
      notes.lost(pointer, "where a key is sent that is in no header", `${textOf(scheme["in"])} ${textOf(name)}`);
      return { kind: "api-key", open: ["obtained", "sent"] };
    case "basic":
      return { kind: "basic", open: ["obtained"] };
    case "http":
      return httpCredential(scheme, pointer, notes);
    case "oauth2":
      return {
        kind: "oauth2",
        ...obtained(scheme),
        open: obtained(scheme).obtained === undefined ? ["obtained", "issuer"] : ["issuer"],
      };
    case "openIdConnect":
      return openIdCredential(scheme);
    default:
      notes.lost(pointer, "a security scheme that the language does not have", textOf(type));
      return undefined;
  }
}

function httpCredential(scheme: JsonObject, pointer: string, notes: Notes): Opened {
  const written = textOf(scheme["scheme"]);
  const lower = written.toLowerCase();
  if (lower === "basic") return { kind: "basic", open: ["obtained"] };
  if (lower === "bearer" && /jwt/i.test(textOf(scheme["bearerFormat"])))
    return { kind: "jwt", open: ["obtained", "issuer"] };
  notes.guessed(pointer, "that a token whose format is not said is a key of the service's own", written);
  const sent =
    /^[A-Za-z][\w-]*$/.test(written) && lower !== "bearer"
      ? { sent: { header: "Authorization", scheme: written } }
      : {};
  return { kind: "api-key", ...sent, open: ["obtained"] };
}

function openIdCredential(scheme: JsonObject): Opened {
  const url = textOf(scheme["openIdConnectUrl"]);
  const issuer = /^(https:\/\/.+)\/\.well-known\/openid-configuration$/.exec(url)?.[1];
  return issuer === undefined
    ? { kind: "jwt", open: ["obtained", "issuer"] }
    : { kind: "jwt", issuer, open: ["obtained"] };
}

/** Where the flows of OAuth begin and end, in words. */
function obtained(scheme: JsonObject): { readonly obtained?: string } {
  const flows = isObject(scheme["flows"])
    ? Object.entries(scheme["flows"])
    : [[textOf(scheme["flow"]), scheme] as const];
  const sentences = flows.flatMap(([flow, value]): readonly string[] => {
    if (!isObject(value)) return [];
    const addresses = ["authorizationUrl", "tokenUrl", "refreshUrl"].flatMap((key) =>
      typeof value[key] === "string" && value[key].trim() !== "" ? [`${key} ${value[key].trim()}`] : [],
    );
    return addresses.length === 0 ? [] : [`${flow}: ${addresses.join(" and ")}`];
  });
  return sentences.length === 0 ? {} : { obtained: sentences.join("; ").replaceAll(/\s+/g, " ") };
}
