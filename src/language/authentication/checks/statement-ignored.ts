/** Reports a statement about a credential that has no effect. */
import type { Check } from "../../analysis/finding.ts";
import { parseDuration, lengthOf } from "../../../base/duration.ts";
import { type Credential, headerOf, schemeOf } from "../model.ts";
import { makesTokens, tokenMilliseconds } from "../oauth.ts";

export const check: Check = {
  code: "authentication/statement-ignored",
  severity: "error",
  why: "The service enforces every statement, and it cannot enforce this one.",
  *run({ model }) {
    for (const [name, credential] of Object.entries(model.authentication.credentials)) {
      for (const [member, reason, help] of ignoredMembers(credential)) {
        yield { at: `authentication/credentials/${name}/${member}`, message: `\`${name}\` ${reason}`, help };
      }
    }
  },
};

type IgnoredMember = readonly [member: keyof Credential, reason: string, help: string];

function ignoredMembers(credential: Credential): readonly IgnoredMember[] {
  const { kind: declaredKind, lasts, revoked, scopes } = credential;
  // Tokens that another server issued for OAuth are validated like `jwt`.
  const kind = declaredKind === "oauth2" && !makesTokens(credential) ? "jwt" : declaredKind;
  const isRevocable = revoked !== undefined && revoked !== "none";
  const ignored: readonly (IgnoredMember | false)[] = [
    kind === "jwt" &&
      isRevocable && [
        "revoked",
        "comes from another issuer, so it is valid until its `exp`",
        "leave `revoked` out, and give tokens a short lifetime",
      ],
    kind === "jwt" &&
      lasts === "until revoked" && [
        "lasts",
        "comes from another issuer, so this service cannot revoke it",
        "write the longest lifetime of a token: `lasts: 1h`",
      ],
    kind === "hmac-sha256" &&
      isRevocable && [
        "revoked",
        "is one secret, which is valid as long as the service has it",
        "leave `revoked` out; a new secret takes effect at the next start",
      ],
    kind === "hmac-sha256" &&
      lasts !== undefined &&
      lasts !== "until revoked" && [
        "lasts",
        "signs each request, and a signature is valid for five minutes and one use",
        "leave `lasts` out",
      ],
    kind === "api-key" &&
      scopes !== undefined && [
        "scopes",
        "has the roles of its key, and no scopes",
        "write `roles`, and their permissions in `allow`",
      ],
  ];
  return [...ignored, ...ignoredOfOAuth(credential)].filter((reason) => reason !== false);
}

/**
 * Returns the statements that are ignored in an `oauth2`: those about foreign tokens if the service issues the tokens, and the
 * reverse.
 */
function ignoredOfOAuth(credential: Credential): readonly (IgnoredMember | false)[] {
  const { kind, at, login, prefix, audience, user, roles, sent, lasts } = credential;
  if (kind !== "oauth2") return [];
  if (!makesTokens(credential)) {
    const elsewhere = "accepts tokens of another issuer";
    const help = "leave it out, or leave out `issuer`, `jwks` and `secret` so that this service issues the tokens";
    return [
      credential.jwks === undefined &&
        credential.foreign === undefined &&
        credential.secret === undefined && [
          "issuer",
          "names an issuer, but no keys to verify its tokens",
          "write the address of its keys: `jwks: https://issuer.example/keys`",
        ],
      at !== undefined && ["at", elsewhere, help],
      login !== undefined && ["login", elsewhere, help],
      prefix !== undefined && ["prefix", elsewhere, help],
    ];
  }
  const here = "issues its own tokens, which have no claims";
  const duration = lasts === undefined ? undefined : parseDuration(lasts);
  return [
    audience !== undefined && ["audience", here, "leave it out, or name the `issuer`"],
    user !== undefined && ["user", here, "leave it out: the caller is the client's user"],
    roles !== undefined && "claim" in roles && ["roles", here, "leave it out: roles are the client's own"],
    sent !== undefined &&
      !sent.every(
        (one) => headerOf(one)?.toLowerCase() === "authorization" && schemeOf(one)?.toLowerCase() === "bearer",
      ) && ["sent", "is OAuth, whose tokens are sent as `Authorization: Bearer` (RFC 6750)", "leave `sent` out"],
    lasts !== undefined &&
      (duration === undefined || lengthOf(duration) > tokenMilliseconds) && [
        "lasts",
        "issues tokens to machines, which can request a new one: a token lasts at most an hour",
        "write `lasts: 1h` or less",
      ],
  ];
}
