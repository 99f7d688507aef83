/** A login, a renewal or a logout that belongs to no one credential, or does not take what it needs. */
import { loginsOf, refreshMembers } from "../../authentication/login.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { inputOf } from "../input.ts";
import { sessionActions } from "../model.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/whose-session",
  severity: "error",
  why: "A session is one record's, who is found by a name and proves it by a secret.",
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
        const message = `\`${operation}\` is no login, and what lets nobody in has no error`;
        yield { at: `${at}/else`, message, help: "leave `else` out, or write `does: login`" };
      }
      const [login] = sessionActions.has(action) ? loginsOf(documentIndex.model, resource) : [];
      if (login === undefined) continue;
      if (action === "renew" && !login.renewed) {
        const message = `\`${login.credential}\` has no tokens that \`${operation}\` could take`;
        yield { at: `${at}/does`, message, help: `say in part 5 for how long they are good: \`renewed: 90d\`` };
      }
      const inputNames = inputOf(documentIndex.model, resolved).map(({ name }) => name);
      const needed = action === "login" ? [login.name, login.secret] : [];
      const missing = needed.filter((name) => !inputNames.includes(name));
      const noToken = action === "renew" && !refreshMembers.some((name) => inputNames.includes(name));
      for (const name of noToken ? ["refreshToken"] : missing) {
        const message = `\`${operation}\` does not take \`${name}\`, without which nobody can be known`;
        yield { at: `${at}/takes`, message, help: `add \`${name}: string(1..200)\`` };
      }
    }
  },
};
