/** Reports statements of part 1 that are missing or that other parts contradict. */
import { kebabCase, plural } from "../../../base/case.ts";
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

/** Reports an operation that part 1 names and for which part 4 has no method and path. */
const operationWithoutEndpoint: Check = {
  code: "purpose/operation-without-endpoint",
  severity: "error",
  why: "Callers reach an operation by its endpoint; without one they cannot call it.",
  *run(documentIndex) {
    if (!declares(documentIndex, "endpoints") || documentIndex.gaps.has("endpoints/endpoints")) return;
    for (const operation of Object.keys(documentIndex.model.purpose.operations)) {
      if (documentIndex.endpoints.has(operation) || isWritten(documentIndex, `endpoints/endpoints/${operation}`))
        continue;
      yield {
        at: `purpose/operations/${operation}#key`,
        message: `\`${operation}\` has no endpoint`,
        help: `write \`${operation}: METHOD /path\` in part 4, or \`${operation}: not shown\` while it is undecided`,
      };
    }
  },
};

/** Reports an operation that part 1 names without a sentence. */
const operationWithoutDescription: Check = {
  code: "purpose/operation-without-sentence",
  severity: "hint",
  why: "Callers read the description first: on the service's page, in OpenAPI, in generated clients.",
  *run({ model }) {
    for (const [operation, description] of Object.entries(model.purpose.operations)) {
      if (description !== "") continue;
      yield {
        at: `purpose/operations/${operation}`,
        message: `\`${operation}\` has no description`,
        help: `write \`${operation}: what a caller gets from it\``,
      };
    }
  },
};

/** Reports a kind of user without a permission. */
const userCanDoNothing: Check = {
  code: "purpose/user-can-do-nothing",
  severity: "hint",
  why: "Part 1 promises these users that the service is for them.",
  *run(documentIndex) {
    if (!declares(documentIndex, "authentication")) return;
    // Operations that everybody may run may be meant for users without an account.
    if (documentIndex.grants.some(({ grant }) => grant.who.kind !== "role")) return;
    const roles = new Set(documentIndex.model.authentication.roles ?? []);
    const granted = documentIndex.grants.flatMap(({ grant }) => (grant.who.kind === "role" ? [grant.who.role] : []));
    for (const role of granted) roles.add(role);
    for (const user of Object.keys(documentIndex.model.purpose.users)) {
      if (roles.has(user)) continue;
      yield {
        at: `purpose/users/${user}#key`,
        message: `No permission names \`${user}\``,
        help: `name \`${user}\` in \`roles\` and \`allow\` of part 5, or leave it out here`,
      };
    }
  },
};

/** Reports a resource whose name part 1 lists as outside the service. */
const outsideButInside: Check = {
  code: "purpose/outside-but-inside",
  severity: "warning",
  why: "One of the two is out of date, and a reader cannot tell which.",
  *run({ model }) {
    const resources = new Map<string, string>();
    for (const name of Object.keys(model.resources.resources)) {
      for (const form of [name, plural(name)]) resources.set(kebabCase(form), name);
    }
    for (const outside of model.purpose.outside ?? []) {
      const resource = resources.get(kebabCase(outside));
      if (resource === undefined) continue;
      yield {
        at: "purpose/outside",
        message: `\`${outside}\` is listed as outside the service, but ${resource} is a resource`,
        help: "take it out of `outside`, or remove the resource",
      };
    }
  },
};

export const checks: readonly Check[] = [
  operationWithoutEndpoint,
  operationWithoutDescription,
  userCanDoNothing,
  outsideButInside,
];
