/** Part 5, authentication and permissions. */

export interface Authentication {
  readonly credentials: Readonly<Record<string, Credential>>;
  readonly roles?: readonly string[];
  /** The ownership expression by resource. */
  readonly own: Readonly<Record<string, string>>;
  /** Who may run each operation. A line with several operations is written here once for each. */
  readonly allow: Readonly<Record<string, readonly Grant[]>>;
  /** Who sees a field, by `Resource.field`. */
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
  /** How a caller comes by it, a sentence. */
  readonly obtained?: string;
  /** A sentence; password, oauth2 with `login`: a duration, for which a token to renew it with is good. */
  readonly renewed?: string;
  /** What a key starts with, `pl_`. */
  readonly prefix?: string;
  /** A duration as written, or one of `lifetimes`. */
  readonly lasts?: string;
  /** A duration as written, or one of `revocations`; `none`: never. */
  readonly revoked?: string;
  /** The environment variable of `secret: env NAME`. For password and basic `secret` names a field: see `field`. */
  readonly secret?: string;
  /** jwt: the expected `iss`, `aud`, and the address of the key set. */
  readonly issuer?: string;
  /** oauth2: `issuer: not shown`: somebody else makes the tokens, and who is not known. */
  readonly foreign?: true;
  readonly audience?: string;
  readonly jwks?: string;
  /** `claim NAME`: what names the caller. Absent: `sub`. */
  readonly user?: string;
  /**
   * Where roles come from: a claim (jwt), a field of the record (password, basic with `of`), or the same list for each
   * caller. Absent: the key's own (api-key, basic), claim `roles` (jwt), none (password).
   */
  readonly roles?: { readonly claim: string } | { readonly field: string } | readonly string[];
  /** password, basic: the resource that can log in, the field that names one of it, the field that holds its secret. */
  readonly of?: string;
  readonly name?: string;
  readonly field?: string;
  /** password: the member of a body by which a caller who changes the own secret proves the present one. */
  readonly changed?: string;
  readonly scopes?: readonly string[];
  /** oauth2, jwt: the roles that each scope gives, where they are not called as it is. In place of `scopes`. */
  readonly scopeRoles?: Readonly<Record<string, readonly string[]>>;
  /** oauth2: the path of `POST`, at which clients get tokens. Absent: `/oauth/token`. */
  readonly at?: string;
  /** oauth2: the password credential by which users log in who let a client act for them. Absent: clients act for themselves. */
  readonly login?: string;
}

/** `Authorization Bearer`, `header X-Api-Key`, `Authorization Token`. `scheme` only for Authorization. */
export interface SentIn {
  readonly header: string;
  readonly scheme?: string;
}

/** One alternative of a permission: who, and under which condition. */
export interface Grant {
  readonly who:
    | { readonly kind: "role"; readonly role: string }
    /** `any-scope`: also those whose token is bound by scopes (`bindsByScopes`), whatever scopes it has. */
    | { readonly kind: "signed-in"; readonly anyScope?: true }
    | { readonly kind: "anyone" };
  /** The text of an expression; the bare word `own` in it means the resource's ownership expression. */
  readonly if?: string;
}
