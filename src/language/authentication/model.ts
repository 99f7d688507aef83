/** The model of part 5, authentication and permissions. */
import type { JsonObject } from "../../base/json.ts";
import type { SignatureScheme, SignatureSchemeName } from "../../base/signature-schemes.ts";

export interface Authentication {
  readonly credentials: Readonly<Record<string, Credential>>;
  readonly roles?: readonly string[];
  /** The ownership expressions by name of the resource. */
  readonly own: Readonly<Record<string, string>>;
  /** The grants of each operation. A line with several operations becomes an entry for each of them. */
  readonly allow: Readonly<Record<string, readonly Grant[]>>;
  /** The grants to see a field, by `Resource.field`. */
  readonly show: Readonly<Record<string, readonly Grant[]>>;
  /** The grants to set a field by the body of a request, by `Resource.field`. */
  readonly set?: Readonly<Record<string, readonly Grant[]>>;
  readonly unseen?: 403 | 404;
}

export const credentialKinds = ["api-key", "password", "jwt", "oauth2", "basic", "hmac-sha256"] as const;
export type CredentialKind = (typeof credentialKinds)[number];

export const lifetimes = ["until revoked"] as const;
export const revocations = ["at once", "none"] as const;

export interface Credential {
  readonly kind: CredentialKind;
  /**
   * The places in which clients may send the credential. Absent: `Authorization Bearer` (api-key, jwt, oauth2, password) or
   * `Authorization Basic` (basic).
   */
  readonly sent?: readonly SentIn[];
  /** How a caller obtains the credential: a sentence. */
  readonly obtained?: string;
  /**
   * How a caller renews the credential: a sentence. For password, and for oauth2 with `login`, also the lifetime of refresh
   * tokens.
   */
  readonly renewed?: string;
  /** The text at the start of each key: `pl_`. */
  readonly prefix?: string;
  /** The credential's lifetime: a duration as written, or one of `lifetimes`. */
  readonly lasts?: string;
  /** How long a revocation takes: a duration as written, or one of `revocations`; `none`: never. */
  readonly revoked?: string;
  /**
   * The environment variable with the secret, from `secret: env NAME`. For password and basic, `secret` is the name of a
   * field: see `field`.
   */
  readonly secret?: string;
  /** hmac-sha256: the variables with former secrets, which are valid too, while senders change to the new one. */
  readonly formerSecrets?: readonly string[];
  /** hmac-sha256: how requests are signed. Absent: time, method, target and body, one per line. */
  readonly scheme?: SignatureSchemeName | SignatureScheme;
  /** hmac-sha256: how far the time of a signature may be from the present. Absent: `5m`. */
  readonly tolerance?: string;
  /** jwt: the expected `iss` (`audience`: the expected `aud`; `jwks`: the URL of the key set). */
  readonly issuer?: string;
  /** oauth2: set by `issuer: not shown`: another server issues the tokens, but the document does not name the server. */
  readonly foreign?: true;
  readonly audience?: string;
  readonly jwks?: string;
  /** From `claim NAME`: the claim with the caller's id. Absent: `sub`. */
  readonly user?: string;
  /**
   * The source of a caller's roles: a claim (jwt), a field of the caller's record (password, basic with `of`), or the same
   * list for each caller. Default: stored with the key (api-key, basic), claim `roles` (jwt), none (password).
   */
  readonly roles?: { readonly claim: string } | { readonly field: string } | readonly string[];
  /**
   * password, basic: the resource whose records can log in; `name` and `field` are its fields with the login name and the
   * secret.
   */
  readonly of?: string;
  readonly name?: string;
  readonly field?: string;
  /** password: the body member with the current secret, which a caller sends to change the secret. */
  readonly changed?: string;
  readonly scopes?: readonly string[];
  /** oauth2, jwt: the roles of each scope, if their names differ from the scope's. Replaces `scopes`. */
  readonly scopeRoles?: Readonly<Record<string, readonly string[]>>;
  /** oauth2: the path of the token endpoint (`POST`). Absent: `/oauth/token`. */
  readonly at?: string;
  /**
   * oauth2: the password credential with which users log in to authorize a client. Absent: clients act only for themselves.
   */
  readonly login?: string;
  /** Members of the security scheme in the exported OpenAPI description. */
  readonly openapi?: JsonObject;
}

/**
 * A place in a request: a header, of which only Authorization has a scheme (`Authorization Bearer`, `header X-Api-Key`), a
 * cookie, which a login may set, or a query parameter.
 */
export type SentIn =
  | { readonly header: string; readonly scheme?: string }
  | { readonly cookie: string; readonly set?: "by login" }
  | { readonly query: string };

/** Returns the header of a place; undefined for a cookie and a query parameter. */
export function headerOf(sentIn: SentIn): string | undefined {
  return "header" in sentIn ? sentIn.header : undefined;
}

export function schemeOf(sentIn: SentIn): string | undefined {
  return "header" in sentIn ? sentIn.scheme : undefined;
}

/** One alternative of a permission: the callers and the condition. */
export interface Grant {
  readonly who:
    | { readonly kind: "role"; readonly role: string }
    /** `any-scope`: includes callers whose token is restricted by scopes (`bindsByScopes`), whatever scopes it has. */
    | { readonly kind: "signed-in"; readonly anyScope?: true }
    | { readonly kind: "anyone" };
  /** The text of an expression; the bare word `own` in it means the resource's ownership expression. */
  readonly if?: string;
}
