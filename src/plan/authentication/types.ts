/** The types of credentials, logins, sessions, grants and cross-origin access. */
import type { JsonObject } from "../../base/json.ts";
import type { SignatureScheme } from "../../base/signature-schemes.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { GrantOf } from "../../language/authentication/decide.ts";
import type { CredentialKind, SentIn } from "../../language/authentication/model.ts";

export type { SentIn };

/** The members of the plan for part 5. */
export interface AuthenticationPart {
  readonly credentials: readonly CredentialPlan[];
  /** The roles in document order; a caller's roles are bits by this index. */
  readonly roles: readonly string[];
  /** The status for an existing record that the caller may not see. */
  readonly unseen: 403 | 404;
}

export interface CorsPlan {
  /** The origins in the form that browsers send, with `*` for the first label of a host or for a port. */
  readonly origins: "any" | readonly string[];
  readonly credentials: boolean;
  /** How long a browser may cache the response to a preflight. */
  readonly maxAgeSeconds: number;
}

// ── Permissions ────────────────────────────────────────────────────────────────────────────────────────────────────

/** One alternative of a permission; a caller needs to pass any one in a list. */
export interface GrantPlan {
  readonly who: GrantOf<TypedExpression>["who"];
  /** The condition over the current record and `caller`, in which `own` is already expanded. */
  readonly if?: TypedExpression;
}

export interface CredentialPlan {
  readonly name: string;
  readonly kind: CredentialKind;
  /** Whether the credential's tokens are restricted by scopes. */
  readonly scoped?: true;
  /** For tokens of another issuer: the roles of each scope, in addition to `roles`. */
  readonly scopeRoles?: Readonly<Record<string, readonly string[]>>;
  /** Members of the security scheme in the exported OpenAPI description. */
  readonly openapi?: JsonObject;
  /** Where clients send it, at least one place. */
  readonly sent: readonly SentIn[];
  readonly prefix: string;
  /** The lifetime in milliseconds; absent: until revoked. For tokens of another issuer: the maximum age. */
  readonly lastsMilliseconds?: number;
  /** How long a key stays valid after its revocation; null: it cannot be revoked. */
  readonly revokedAfterMilliseconds: number | null;
  /** The scopes that the token must have, all of them (RFC 6750, 3.1). */
  readonly scopes: readonly string[];
  /** The environment variable that holds the secret. */
  readonly secret?: string;
  /** hmac-sha256: the variables with former secrets, which are valid too. */
  readonly formerSecrets?: readonly string[];
  /** hmac-sha256: how requests are signed; absent: as `requestScheme` declares. */
  readonly scheme?: SignatureScheme;
  /** hmac-sha256: how far the time of a signature may be from the present; absent: five minutes. */
  readonly toleranceSeconds?: number;
  readonly issuer?: string;
  readonly audience?: string;
  readonly jwks?: string;
  /** The claim with the caller's id. */
  readonly userClaim: string;
  readonly roles:
    | { readonly kind: "own" }
    | { readonly kind: "claim"; readonly claim: string }
    /** Roles from a column of the caller's record, read at each request: a text, or a list of texts. */
    | { readonly kind: "column"; readonly column: string }
    | { readonly kind: "fixed"; readonly roles: readonly string[] };
  /** oauth2: set if Nonet issues the tokens. */
  readonly oauth?: OAuthPlan;
  /** password, basic: set if callers are records of the service. */
  readonly login?: LoginPlan;
}

/** The service's authorization server. Its paths are below the base URL. */
export interface OAuthPlan {
  readonly token: string;
  readonly revoke: string;
  readonly introspect: string;
  /** How users let a client act for them; absent: clients act only for themselves. */
  readonly users?: OAuthUsersPlan;
  /** The roles of each scope; absent: no scopes, and a token has all roles of its client. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>;
}

export interface OAuthUsersPlan {
  /** The endpoint to which clients redirect users, and the consent page. */
  readonly authorize: string;
  readonly consent: string;
  /** The password credential with which the users log in. */
  readonly credential: string;
  /** The lifetime of a refresh token in milliseconds; absent: none are issued. */
  readonly renewedMilliseconds?: number;
}

export interface LoginPlan {
  readonly resource: string;
  /** The unique column with the login name; the next member is the column with the secret. */
  readonly name: string;
  readonly secret: string;
  /** The lifetime of a refresh token in milliseconds; absent: none are issued. */
  readonly renewedMilliseconds?: number;
}

/** What an operation does with the sessions of a credential. */
export interface SessionPlan {
  readonly credential: string;
  /** The body member with the login name; only for `login`. */
  readonly name?: string;
  /** The body member with the proof: the secret for `login`, the token for `renew`. */
  readonly proof?: string;
  /** The error code for a wrong proof. */
  readonly else: string;
}

/** The current secret, which a caller must send to change it. */
export interface PresentSecretPlan {
  readonly credential: string;
  /** The body member with the current secret; the next member is the column of the secret. */
  readonly member: string;
  readonly secret: string;
  /** The error code for a wrong secret, the same as for a wrong login. */
  readonly else: string;
}
