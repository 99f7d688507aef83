/** A statement about a credential that nobody could hold it to. */
import type { Check } from "../../analysis/finding.ts";
import { parseDuration, lengthOf } from "../../../base/duration.ts";
import type { Credential } from "../model.ts";
import { makesTokens, tokenMilliseconds } from "../oauth.ts";

export const check: Check = {
  code: "authentication/statement-ignored",
  severity: "error",
  why: "Every statement is enforced, and this one cannot be.",
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
  // What another server made is a token like any other's.
  const kind = declaredKind === "oauth2" && !makesTokens(credential) ? "jwt" : declaredKind;
  const isRevocable = revoked !== undefined && revoked !== "none";
  const ignored: readonly (IgnoredMember | false)[] = [
    kind === "jwt" &&
      isRevocable && [
        "revoked",
        "is made elsewhere, so it is good until its `exp`",
        "leave `revoked` out, and let tokens last shortly",
      ],
    kind === "jwt" &&
      lasts === "until revoked" && [
        "lasts",
        "is made elsewhere, so nobody here can revoke it",
        "write how long a token is good at most: `lasts: 1h`",
      ],
    kind === "hmac-sha256" &&
      isRevocable && [
        "revoked",
        "is one secret, which is good as long as the service has it",
        "leave `revoked` out; another secret takes effect with the next start",
      ],
    kind === "hmac-sha256" &&
      lasts !== undefined &&
      lasts !== "until revoked" && [
        "lasts",
        "signs each request anew, and a signature is good for five minutes, once",
        "leave `lasts` out",
      ],
    kind === "api-key" &&
      scopes !== undefined && [
        "scopes",
        "has the roles that its key was given, and no scopes",
        "write `roles`, and what each may do in `allow`",
      ],
  ];
  return [...ignored, ...ignoredOfOAuth(credential)].filter((reason) => reason !== false);
}

/** What an `oauth2` says of tokens that are made elsewhere where they are made here, and the other way round. */
function ignoredOfOAuth(credential: Credential): readonly (IgnoredMember | false)[] {
  const { kind, at, login, prefix, audience, user, roles, sent, lasts } = credential;
  if (kind !== "oauth2") return [];
  if (!makesTokens(credential)) {
    const elsewhere = "takes tokens that are made elsewhere";
    const help = "leave it out, or leave out `issuer`, `jwks` and `secret` to have tokens made here";
    return [
      credential.jwks === undefined &&
        credential.foreign === undefined &&
        credential.secret === undefined && [
          "issuer",
          "names an issuer, and not what its tokens are proved by",
          "write where its keys are: `jwks: https://issuer.example/keys`",
        ],
      at !== undefined && ["at", elsewhere, help],
      login !== undefined && ["login", elsewhere, help],
      prefix !== undefined && ["prefix", elsewhere, help],
    ];
  }
  const here = "makes its tokens itself, and they have no claims";
  const duration = lasts === undefined ? undefined : parseDuration(lasts);
  return [
    audience !== undefined && ["audience", here, "leave it out, or name the `issuer`"],
    user !== undefined && ["user", here, "leave it out: the caller is the client's user"],
    roles !== undefined && "claim" in roles && ["roles", here, "leave it out: roles are the client's own"],
    sent !== undefined &&
      !(sent.header.toLowerCase() === "authorization" && sent.scheme?.toLowerCase() === "bearer") && [
        "sent",
        "is OAuth, whose tokens are sent as `Authorization: Bearer` (RFC 6750)",
        "leave `sent` out",
      ],
    lasts !== undefined &&
      (duration === undefined || lengthOf(duration) > tokenMilliseconds) && [
        "lasts",
        "gives tokens to machines, which can ask for another: they last an hour at most",
        "write `lasts: 1h` or less",
      ],
  ];
}
