/** What a key that is made on the command line is made of: a credential and roles of the document. */
import { didYouMean } from "../base/suggest.ts";
import type { AuthenticationPart, CredentialPlan } from "../plan/authentication/types.ts";
import { keyCredentials } from "../runtime/auth/mint.ts";
import { UsageError } from "../server/errors.ts";
import { listed } from "../base/layout.ts";

/** The credential of this name, or the only one there is. */
export function keyCredential(plan: AuthenticationPart, name: string | undefined): CredentialPlan {
  const candidates = keyCredentials(plan);
  const names = candidates.map((each) => each.name);
  if (candidates.length === 0) throw new UsageError("the document has no credential of kind api-key or basic");
  if (name === undefined && candidates.length > 1)
    throw new UsageError(`say which credential: --credential ${names.join(" or --credential ")}`);
  const found = name === undefined ? candidates[0] : candidates.find((each) => each.name === name);
  if (found === undefined) throw new UsageError(unknown("credential with keys called", name ?? "", names));
  return found;
}

export function assertRoles({ roles }: AuthenticationPart, roleNames: readonly string[]): void {
  const stranger = roleNames.find((role) => !roles.includes(role));
  if (stranger !== undefined) throw new UsageError(unknown("role", stranger, roles));
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = didYouMean(name, known);
  const all = known.length === 0 ? "it has none" : `it has ${listed(known)}`;
  return `the document has no ${what} ${name}; ${near === undefined ? all : `did you mean ${near}?`}`;
}
