/** Checks who may run an operation: reports nobody, anyone, or more callers than may read the same record. */
import { readsVariable } from "../../../expression/typed.ts";
import { withArticle } from "../../../base/case.ts";
import { listed } from "../../../base/layout.ts";
import { type DocumentIndex, isWritten, declares, allowedTo } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { readingActions, sessionActions } from "../../endpoints/model.ts";
import type { ResourceEndpoint } from "../../endpoints/resolve.ts";
import { includes, nameOf } from "../grants.ts";

/** Reports an operation that no line allows. */
const operationWithoutAllow: Check = {
  code: "authentication/operation-without-allow",
  severity: "error",
  why: "The service denies everything that no line allows (R5.1), so no caller could ever run it.",
  *run(documentIndex) {
    if (!declares(documentIndex, "authentication", "endpoints") || documentIndex.gaps.has("authentication/allow"))
      return;
    for (const operation of documentIndex.endpoints.keys()) {
      const path = `authentication/allow/${operation}`;
      if (isWritten(documentIndex, path) || documentIndex.gaps.has(path)) continue;
      yield {
        at: `endpoints/endpoints/${operation}#key`,
        message: `No line of part 5 allows \`${operation}\``,
        help: `write \`${operation}: role\`, \`signed-in\`, \`anyone\` or \`none\` below \`allow\``,
      };
    }
  },
};

/** Reports an operation that changes records and that anonymous callers may run. */
const anyoneMayWrite: Check = {
  code: "authentication/anyone-may-write",
  severity: "warning",
  why: "Anyone who finds the address can change data that others rely on, and the service cannot tell who did it.",
  *run(documentIndex) {
    for (const resolved of documentIndex.endpoints.values()) {
      if (resolved.kind !== "resource" || readingActions.has(resolved.action)) continue;
      // A login changes no record, so anyone may run it.
      if (sessionActions.has(resolved.action)) continue;
      const grants = allowedTo(documentIndex, resolved.operation);
      const index = grants.findIndex(({ who, if: condition }) => who.kind === "anyone" && condition === undefined);
      if (index < 0 || isGuarded(documentIndex, resolved)) continue;
      yield {
        at: `authentication/allow/${resolved.operation}/${index}`,
        message: `Anyone may ${resolved.action} ${withArticle(resolved.resource)} with \`${resolved.operation}\``,
        help: "name a role, add a condition with `if`, or suppress this finding with a reason",
      };
    }
  },
};

/** Whether a guard compares a field with a code that the caller sends, which restricts who can succeed. */
function isGuarded({ transitionsBy }: DocumentIndex, { action, operation }: ResourceEndpoint): boolean {
  return (
    action === "move" &&
    (transitionsBy.get(operation) ?? []).every(({ guard }) => guard !== undefined && readsVariable(guard, "input"))
  );
}

/** Reports an operation that anonymous callers may run and that no rate limits. */
const anyoneWithoutRate: Check = {
  code: "authentication/anyone-without-rate",
  severity: "warning",
  why: "One script can use up the capacity that all callers share.",
  *run(documentIndex) {
    const { rate } = documentIndex.model.limits;
    // The questionnaire asks for missing rates; this check is about `rate` lines that omit anonymous callers.
    if (!declares(documentIndex, "limits") || rate === undefined || Object.hasOwn(rate, "anyone")) return;
    if ((rate["all"] ?? []).some(({ per }) => per === "ip")) return;
    for (const operation of documentIndex.endpoints.keys()) {
      const index = allowedTo(documentIndex, operation).findIndex(({ who }) => who.kind === "anyone");
      if (index < 0 || Object.hasOwn(rate, operation)) continue;
      const resolved = documentIndex.endpoints.get(operation);
      // Every login limits failed attempts without a declared rate (R5.7).
      if (resolved?.kind === "resource" && resolved.action === "login") continue;
      yield {
        at: `authentication/allow/${operation}/${index}`,
        message: `Anyone may run \`${operation}\` without a rate limit`,
        help: "write `anyone: 30/min per ip` below `rate` of part 8",
      };
    }
  },
};

/** Reports callers who may list records that they may not read. */
const listWiderThanRead: Check = {
  code: "authentication/list-wider-than-read",
  severity: "warning",
  why: "A list returns the same fields, so denying the read of one record protects nothing.",
  *run(documentIndex) {
    for (const [resource, endpoints] of documentIndex.endpointsOf) {
      const reads = endpoints.filter(({ action }) => action === "read");
      if (reads.length === 0) continue;
      const readers = new Set(reads.flatMap(({ operation }) => allowedTo(documentIndex, operation)).map(nameOf));
      if (readers.has("anyone")) continue;
      for (const { action, operation, endpoint } of endpoints) {
        if (action !== "list" || endpoint.gives !== undefined) continue;
        for (const [index, grant] of allowedTo(documentIndex, operation).entries()) {
          const who = nameOf(grant);
          if (readers.has(who) || (readers.has("signed-in") && who !== "anyone")) continue;
          yield {
            at: `authentication/allow/${operation}/${index}`,
            message: `\`${who}\` may list ${resource} records but not read one`,
            help: `allow \`${who}\` to run \`${reads[0]?.operation}\` as well`,
          };
        }
      }
    }
  },
};

/** Reports callers who may change each record, but read only some. */
const changeWiderThanRead: Check = {
  code: "authentication/change-wider-than-read",
  severity: "warning",
  why: "Whoever guesses an address learns from the response, also from an error, that there is a record that they may not see.",
  *run(documentIndex) {
    for (const [resource, endpoints] of documentIndex.endpointsOf) {
      const [read, ...others] = endpoints.filter(({ action }) => action === "read");
      if (read === undefined || others.length > 0) continue;
      const reads = allowedTo(documentIndex, read.operation);
      const changes = endpoints.filter(({ action }) => changingActions.has(action));
      const grants = changes.flatMap(({ operation }) =>
        allowedTo(documentIndex, operation).map(({ who, if: condition }, index) => ({
          who,
          condition,
          operation,
          index,
        })),
      );
      const unconditional = grants.filter(({ condition }) => condition === undefined);
      for (const [name, same] of Map.groupBy(unconditional, nameOf)) {
        const [{ who, operation, index }] = same as [(typeof same)[0]];
        const conditions = reads.filter((grant) => includes(grant.who, who)).map((grant) => grant.if);
        if (conditions.length === 0 || conditions.includes(undefined)) continue;
        const condition = conditions.length === 1 ? conditions[0] : conditions.map((text) => `(${text})`).join(" || ");
        yield {
          at: `authentication/allow/${operation}/${index}`,
          message: `\`${name}\` may run ${listed(same.map((one) => `\`${one.operation}\``))} on each ${resource} record, but read only some`,
          help: `write \`${name} if ${condition}\``,
        };
      }
    }
  },
};

/** Actions that change a record that is there. */
const changingActions: ReadonlySet<string> = new Set(["update", "replace", "move", "delete", "link", "unlink"]);

export const checks: readonly Check[] = [
  ...[operationWithoutAllow, anyoneMayWrite, anyoneWithoutRate],
  ...[listWiderThanRead, changeWiderThanRead],
];
