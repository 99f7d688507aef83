/** A statement about a credential that nobody could hold it to. */
import type { Check } from "../../finding.ts";
import type { Credential } from "../model.ts";

export const check: Check = {
  code: "authentication/statement-ignored",
  severity: "error",
  why: "Every statement is enforced, and this one cannot be.",
  *run({ model }) {
    for (const [name, credential] of Object.entries(model.authentication.credentials)) {
      for (const [member, fault, help] of faultsOf(credential)) {
        yield { at: `authentication/credentials/${name}/${member}`, message: `\`${name}\` ${fault}`, help };
      }
    }
  },
};

type Fault = readonly [member: keyof Credential, fault: string, help: string];

function faultsOf({ kind, lasts, revoked, scopes }: Credential): readonly Fault[] {
  const takenBack = revoked !== undefined && revoked !== "none";
  const faults: readonly (Fault | false)[] = [
    kind === "jwt" &&
      takenBack && [
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
      takenBack && [
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
  return faults.filter((fault) => fault !== false);
}
