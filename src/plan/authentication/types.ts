/** Credentials, logins, sessions, grants and cross-origin access. */
import type { TypedExpression } from "../../expression/typed.ts";
import type { GrantOf } from "../../language/authentication/decide.ts";
import type { CredentialKind, SentIn } from "../../language/authentication/model.ts";

/** Part 5 of the plan. */
export interface AuthenticationPart {
  readonly credentials: readonly CredentialPlan[];
  /** In the document's order; a caller's roles are bits by this index. */
  readonly roles: readonly string[];
  /** The status for a record that exists and that the caller may not see. */
  readonly unseen: 403 | 404;
}

export interface CorsPlan {
  /** As browsers write them, with `*` for the first label of a host or for a port. */
  readonly origins: "any" | readonly string[];
  readonly credentials: boolean;
  /** How long a browser may keep the answer to a preflight. */
  readonly maxAgeSeconds: number;
}

// ── Permissions ────────────────────────────────────────────────────────────────────────────────────────────────────

/** One alternative of a permission; a caller passes when any of a list does. */
export interface GrantPlan {
  readonly who: GrantOf<TypedExpression>["who"];
  /** Over the record at hand and `caller`; `own` is already replaced. */
  readonly if?: TypedExpression;
}

export interface CredentialPlan {
  readonly name: string;
  readonly kind: CredentialKind;
  /** What its tokens may do is bound by their scopes. */
  readonly scoped?: true;
  /** Of a token of somebody else's: the roles that each of its scopes gives, beside `roles`. */
  readonly scopeRoles?: Readonly<Record<string, readonly string[]>>;
  readonly sent: SentIn;
  readonly prefix: string;
  /** Lifetime in milliseconds; absent: until revoked. Of a token of somebody else's: how long it may be good at most. */
  readonly lastsMilliseconds?: number;
  /** How long after its revocation a key is still good; null: for ever, it cannot be revoked. */
  readonly revokedAfterMilliseconds: number | null;
  /** What the token has to be good for, all of it (RFC 6750, 3.1). */
  readonly scopes: readonly string[];
  /** The environment variable that holds the secret. */
  readonly secret?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly jwks?: string;
  /** The claim that names the caller. */
  readonly userClaim: string;
  readonly roles:
    | { readonly kind: "own" }
    | { readonly kind: "claim"; readonly claim: string }
    /** What a column of the record says now: a text, or a list of them. */
    | { readonly kind: "column"; readonly column: string }
    | { readonly kind: "fixed"; readonly roles: readonly string[] };
  /** oauth2: whose tokens are made here. */
  readonly oauth?: OAuthPlan;
  /** password, basic: whose callers are records of the service's own. */
  readonly login?: LoginPlan;
}

/** An authorization server of the service's own. Paths are below the base address. */
export interface OAuthPlan {
  readonly token: string;
  readonly revoke: string;
  readonly introspect: string;
  /** Where users let clients act for them; absent: clients act for themselves. */
  readonly users?: OAuthUsersPlan;
  /** The roles that each scope gives; absent: there are no scopes, and a token has all roles of its client. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>;
}

export interface OAuthUsersPlan {
  /** Where clients send their users, and where those are asked. */
  readonly authorize: string;
  readonly consent: string;
  /** The password credential that they prove themselves by. */
  readonly credential: string;
  /** For how long a refresh token is good; absent: there are none. */
  readonly renewedMilliseconds?: number;
}

export interface LoginPlan {
  readonly resource: string;
  /** The unique column that names one of them, and the one that holds its secret. */
  readonly name: string;
  readonly secret: string;
  /** For how long a token to renew with is good; absent: there are none. */
  readonly renewedMilliseconds?: number;
}

/** What an operation has to do with the sessions of a credential. */
export interface SessionPlan {
  readonly credential: string;
  /** The member of the body that names who logs in; `login` only. */
  readonly name?: string;
  /** The member that proves it: the secret of a `login`, the token of a `renew`. */
  readonly proof?: string;
  /** The error for whom the proof does not prove. */
  readonly else: string;
}

/** What a caller proves who changes the secret that it logs in with. */
export interface PresentSecretPlan {
  readonly credential: string;
  /** The member of the body with the present secret, and the column of the secret. */
  readonly member: string;
  readonly secret: string;
  /** The error of a wrong one: that of a wrong login. */
  readonly else: string;
}
