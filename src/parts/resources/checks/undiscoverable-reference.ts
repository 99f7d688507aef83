/** An operation that needs an id which its callers have no operation to find. */
import { withArticle } from "../../../base/case.ts";
import { includes } from "../../authentication/grants.ts";
import type { Grant } from "../../authentication/model.ts";
import { hiddenFromAll } from "../../authentication/visible.ts";
import { inputOf } from "../../endpoints/input.ts";
import { allowedTo, type Facts, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { fieldsOf, hasClientId, referenceOf } from "../fields.ts";

export const check: Check = {
  code: "resources/undiscoverable-reference",
  severity: "warning",
  why: "Whoever may call it has no way to come by the id that it asks for.",
  *run(facts) {
    if (!says(facts, "endpoints", "authentication") || facts.hasHandlers) return;
    const finders = findersOf(facts);
    for (const meaning of facts.endpoints.values()) {
      if (meaning.kind !== "resource") continue;
      for (const { name, field, required } of inputOf(facts.model, meaning)) {
        const target = required ? referenceOf(facts.model, field.type) : undefined;
        if (target === undefined || hasClientId(facts.model, target)) continue;
        const callers = allowedTo(facts, meaning.operation);
        // Whoever may see no such record needs more than its id.
        if (hiddenFromAll(facts.model, callers, target) !== undefined) continue;
        const lost = callers.find(({ who }) => !(finders.get(target) ?? []).some((finder) => includes(finder, who)));
        if (lost === undefined) continue;
        const who = lost.who.kind === "role" ? lost.who.role : lost.who.kind;
        const taken = `endpoints/endpoints/${meaning.operation}/takes/${name}`;
        yield {
          at: facts.places.has(taken) ? taken : `authentication/allow/${meaning.operation}#key`,
          message: `\`${meaning.operation}\` asks \`${who}\` for the \`${name}\`, and nothing lets \`${who}\` find ${withArticle(target)}`,
          help: `allow \`${who}\` an operation that lists or creates ${target}`,
        };
      }
    }
  },
};

/** By resource, who has an operation that gives ids of it: its own list, its creation, or records that refer to it. */
function findersOf(facts: Facts): ReadonlyMap<string, readonly Grant["who"][]> {
  const finders = new Map<string, Grant["who"][]>();
  const add = (resource: string, operation: string): void => {
    const found = finders.get(resource) ?? [];
    finders.set(resource, found);
    for (const { who } of allowedTo(facts, operation)) found.push(who);
  };
  for (const [resource, endpoints] of facts.endpointsOf) {
    const fields = Object.entries(fieldsOf(facts.model, resource));
    const targets = new Set(
      fields.flatMap(([name, field]) => {
        const hidden = Object.hasOwn(facts.model.authentication.show, `${resource}.${name}`);
        const target = hidden ? undefined : referenceOf(facts.model, field.type);
        return target === undefined || target === resource ? [] : [target];
      }),
    );
    for (const { deed, operation } of endpoints) {
      if (deed === "list" || deed === "create") add(resource, operation);
      if (deed === "list" || deed === "read") for (const target of targets) add(target, operation);
    }
  }
  return finders;
}
