/** Permissions for signed-in callers in a document without credentials. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/no-credential",
  severity: "error",
  why: "No caller can ever use these permissions.",
  *run({ model, grants, places }) {
    const isDeclared = places.get("authentication/credentials") !== undefined;
    if (
      !isDeclared ||
      Object.keys(model.authentication.credentials).length > 0 ||
      model.gaps.includes("authentication/credentials")
    )
      return;
    const needing = grants.find(({ grant }) => grant.who.kind !== "anyone");
    if (needing === undefined) return;
    yield {
      at: "authentication/credentials",
      message: "Permissions require callers to be signed in, but there is no credential to sign in with",
      help: "add one such as `key: { kind: api-key, sent: Authorization Bearer }`",
    };
  },
};
