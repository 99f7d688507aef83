/** A login, a renewal or a logout that belongs to no one credential, or does not take what it needs. */
import { loginsOf, refreshMembers } from "../../authentication/login.ts";
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { inputOf } from "../input.ts";
import { sessionDeeds } from "../model.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/whose-session",
  severity: "error",
  why: "A session is one record's, who is found by a name and proves it by a secret.",
  *run(facts) {
    if (!says(facts, "authentication")) return;
    yield* unclearEndpoints(facts, "login", () => {
      return "write `session: { kind: password, of: User, name: email, secret: password }` in part 5, and `of: User` here";
    });
    for (const meaning of facts.endpoints.values()) {
      if (meaning.kind !== "resource") continue;
      const { deed, operation, resource, endpoint } = meaning;
      const at = `endpoints/endpoints/${operation}`;
      if (endpoint.else !== undefined && endpoint.if === undefined && deed !== "login" && deed !== "renew") {
        const message = `\`${operation}\` is no login, and what lets nobody in has no error`;
        yield { at: `${at}/else`, message, help: "leave `else` out, or write `does: login`" };
      }
      const [login] = sessionDeeds.has(deed) ? loginsOf(facts.model, resource) : [];
      if (login === undefined) continue;
      if (deed === "renew" && !login.renewed) {
        const message = `\`${login.credential}\` has no tokens that \`${operation}\` could take`;
        yield { at: `${at}/does`, message, help: `say in part 5 for how long they are good: \`renewed: 90d\`` };
      }
      const taken = inputOf(facts.model, meaning).map(({ name }) => name);
      const needed = deed === "login" ? [login.name, login.secret] : [];
      const missing = needed.filter((name) => !taken.includes(name));
      const noToken = deed === "renew" && !refreshMembers.some((name) => taken.includes(name));
      for (const name of noToken ? ["refreshToken"] : missing) {
        const message = `\`${operation}\` does not take \`${name}\`, without which nobody can be known`;
        yield { at: `${at}/takes`, message, help: `add \`${name}: string(1..200)\`` };
      }
    }
  },
};
