/** Part 5, authentication and permissions. */

export interface Authentication {
  readonly credentials: Readonly<Record<string, Credential>>;
  readonly roles?: readonly string[];
  /** The ownership expression by resource. */
  readonly own: Readonly<Record<string, string>>;
  /** The grants of each operation. A line with several operations appears once for each. */
  readonly allow: Readonly<Record<string, readonly Grant[]>>;
  /** The grants to see a field, by `Resource.field`. */
  readonly show: Readonly<Record<string, readonly Grant[]>>;
  readonly unseen?: 403 | 404;
}

export const credentialKinds = ["api-key", "password", "jwt", "oauth2", "basic", "hmac-sha256"] as const;
export type CredentialKind = (typeof credentialKinds)[number];

export const lifetimes = ["until revoked"] as const;
export const revocations = ["at once", "none"] as const;

export interface Credential {
  readonly kind: CredentialKind;
  /** Where it is sent. Absent: `Authorization Bearer` (api-key, jwt, oauth2, password) or `Authorization Basic` (basic). */
  readonly sent?: SentIn;
  /** How a caller obtains it, a sentence. */
  readonly obtained?: string;
  /** A sentence; password, oauth2 with `login`: a duration, for which a token to renew it with is good. */
  readonly renewed?: string;
  /** The prefix of a key: `pl_`. */
  readonly prefix?: string;
  /** A duration as written, or one of `lifetimes`. */
  readonly lasts?: string;
  /** A duration as written, or one of `revocations`; `none`: never. */
  readonly revoked?: string;
  /** The environment variable of `secret: env NAME`. For password and basic `secret` names a field: see `field`. */
  readonly secret?: string;
  /** jwt: the expected `iss`, `aud`, and the address of the key set. */
  readonly issuer?: string;
  /** oauth2: set if `issuer: not shown`: another server issues the tokens, but the document does not name it. */
  readonly foreign?: true;
  readonly audience?: string;
  readonly jwks?: string;
  /** `claim NAME`: what names the caller. Absent: `sub`. */
  readonly user?: string;
  /**
   * Where roles are read from: a claim (jwt), a field of the record (password, basic with `of`), or the same list for each
   * caller. Default: stored with the key (api-key, basic), claim `roles` (jwt), none (password).
   */
  readonly roles?: { readonly claim: string } | { readonly field: string } | readonly string[];
  /** password, basic: the resource that can log in, the field that names one of it, the field that holds its secret. */
  readonly of?: string;
  readonly name?: string;
  readonly field?: string;
  /** password: the body member with the present secret, by which a caller proves it when changing it. */
  readonly changed?: string;
  readonly scopes?: readonly string[];
  /** oauth2, jwt: the roles of each scope, if their names differ from the scope's. Replaces `scopes`. */
  readonly scopeRoles?: Readonly<Record<string, readonly string[]>>;
  /** oauth2: the path of `POST`, at which clients get tokens. Absent: `/oauth/token`. */
  readonly at?: string;
  /** oauth2: the password credential with which users log in to authorize a client. Absent: clients act only for themselves. */
  readonly login?: string;
}

/** `Authorization Bearer`, `header X-Api-Key`, `Authorization Token`. `scheme` only for Authorization. */
export interface SentIn {
  readonly header: string;
  readonly scheme?: string;
}

/** One alternative of a permission: the callers and the condition. */
export interface Grant {
  readonly who:
    | { readonly kind: "role"; readonly role: string }
    /** `any-scope`: also those whose token is bound by scopes (`bindsByScopes`), whatever scopes it has. */
    | { readonly kind: "signed-in"; readonly anyScope?: true }
    | { readonly kind: "anyone" };
  /** The text of an expression; the bare word `own` in it means the resource's ownership expression. */
  readonly if?: string;
}
