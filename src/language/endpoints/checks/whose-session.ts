/** A login, renewal or logout without a single matching credential, or with missing input. */
import { loginsOf, refreshMembers } from "../../authentication/login.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { inputOf } from "../input.ts";
import { sessionActions } from "../model.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/whose-session",
  severity: "error",
  why: "A session belongs to one record, which a login finds by a name and verifies by a secret.",
  *run(documentIndex) {
    if (!declares(documentIndex, "authentication")) return;
    yield* unclearEndpoints(documentIndex, "login", () => {
      return "write `session: { kind: password, of: User, name: email, secret: password }` in part 5, and `of: User` here";
    });
    for (const resolved of documentIndex.endpoints.values()) {
      if (resolved.kind !== "resource") continue;
      const { action, operation, resource, endpoint } = resolved;
      const at = `endpoints/endpoints/${operation}`;
      if (endpoint.else !== undefined && endpoint.if === undefined && action !== "login" && action !== "renew") {
        const message = `\`${operation}\` is not a login, so it has no login error`;
        yield { at: `${at}/else`, message, help: "leave `else` out, or write `does: login`" };
      }
      const [login] = sessionActions.has(action) ? loginsOf(documentIndex.model, resource) : [];
      if (login === undefined) continue;
      if (action === "renew" && !login.renewed) {
        const message = `\`${login.credential}\` has no renewal tokens that \`${operation}\` could accept`;
        yield { at: `${at}/does`, message, help: `write in part 5 how long they are valid: \`renewed: 90d\`` };
      }
      const inputNames = inputOf(documentIndex.model, resolved).map(({ name }) => name);
      const needed = action === "login" ? [login.name, login.secret] : [];
      const missing = needed.filter((name) => !inputNames.includes(name));
      const noToken = action === "renew" && !refreshMembers.some((name) => inputNames.includes(name));
      for (const name of noToken ? ["refreshToken"] : missing) {
        const message = `\`${operation}\` does not take \`${name}\`, which a login needs`;
        yield { at: `${at}/takes`, message, help: `add \`${name}: string(1..200)\`` };
      }
    }
  },
};
