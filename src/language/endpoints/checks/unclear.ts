/** Reports endpoints whose resource, action, record or parent cannot be derived. */
import { type DocumentIndex, declares } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { loginsOf, refreshMembers } from "../../authentication/login.ts";
import { inputOf } from "../input.ts";
import { sessionActions } from "../model.ts";
import type { UnclearEndpoint } from "../resolve.ts";

/** Reports a path from which the operation's resource cannot be derived. */
const unclearResource: Check = {
  code: "endpoints/no-resource",
  severity: "error",
  why: "The resource determines what an operation takes, does and returns.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources")) return;
    yield* unclearEndpoints(documentIndex, "resource", ({ endpoint, operation }) => {
      return `write \`${operation}: { at: ${endpoint.method} ${endpoint.path}, of: Resource }\`, or \`does: handler\``;
    });
  },
};

/** Reports a method and path from which the operation's action cannot be derived. */
const unclearAction: Check = {
  code: "endpoints/no-deed",
  severity: "error",
  *run(documentIndex) {
    yield* unclearEndpoints(documentIndex, "deed", () => {
      return "add `does:` with `create`, `read`, `list`, `update`, `replace`, `delete`, `move`, `login` or `handler`";
    });
  },
};

/** Reports a path whose parameter names no record. */
const unclearKey: Check = {
  code: "endpoints/path-parameter-unbound",
  severity: "error",
  why: "A parameter finds one record, so it has to name a unique field.",
  *run(documentIndex) {
    yield* unclearEndpoints(documentIndex, "key", helpOf);
  },
};

function helpOf({ endpoint, message }: UnclearEndpoint): string {
  const { link, path, unlink } = endpoint;
  if (/ names no record: /.test(message))
    return "take the value in the body (`takes`) or in a `query` parameter, or add a separate resource that refers to this one";
  if ((link ?? unlink) !== undefined && !path.includes("{"))
    return `\`${link === undefined ? "unlink" : "link"}\` acts on one record, so its path has to name one, as in \`${path}/{id}/seats\``;
  return "name the id (`{id}`) or a `unique` field directly after the collection";
}

/** Reports a path below another record if the relation of the two records is unclear. */
const parentUnclear: Check = {
  code: "endpoints/parent-unclear",
  severity: "error",
  why: "A path below a record selects the records that refer to it.",
  *run(documentIndex) {
    yield* unclearEndpoints(documentIndex, "parent", () => {
      return "give the resource one field that refers to the parent, or name the parameter like that field";
    });
  },
};

/** Reports a login, renewal or logout without exactly one matching credential, or without its required input. */
const whoseSession: Check = {
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

/** Finds the endpoints whose given aspect is unclear. A separate check reports an unknown resource in `of`. */
function* unclearEndpoints(
  { endpoints, model }: DocumentIndex,
  what: UnclearEndpoint["what"],
  help: (unclear: UnclearEndpoint) => string,
): Iterable<Finding> {
  for (const resolved of endpoints.values()) {
    if (resolved.kind !== "unclear" || resolved.what !== what) continue;
    const { of } = resolved.endpoint;
    if (of !== undefined && !Object.hasOwn(model.resources.resources, of)) continue;
    yield { at: `endpoints/endpoints/${resolved.operation}/at`, message: resolved.message, help: help(resolved) };
  }
}

export const checks: readonly Check[] = [unclearResource, unclearAction, unclearKey, parentUnclear, whoseSession];
