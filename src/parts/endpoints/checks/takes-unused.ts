/** A member of a body that sets no field and that no expression reads. */
import { parts, type TypedExpression } from "../../../expression/typed.ts";
import type { Facts } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { fieldsOf, own } from "../../resources/fields.ts";
import { inputOf } from "../input.ts";
import type { ResourceEndpoint } from "../meaning.ts";
import { sessionDeeds, tellingDeeds } from "../model.ts";

export const check: Check = {
  code: "endpoints/takes-unused",
  severity: "hint",
  why: "Callers send a value, and nothing becomes of it.",
  *run(facts) {
    for (const meaning of facts.endpoints.values()) {
      if (meaning.kind !== "resource" || meaning.endpoint.takes === undefined || sessionDeeds.has(meaning.deed))
        continue;
      const fields = fieldsOf(facts.model, meaning.resource);
      const read = inputRead(facts, meaning);
      const isSettable = (name: string) => !tellingDeeds.has(meaning.deed) && own(fields, name) !== undefined;
      for (const { name, sets, proves } of inputOf(facts.model, meaning)) {
        // One with the name of a field that it cannot set has a finding of its own.
        if (sets || proves !== undefined || read === "all" || read.has(name) || isSettable(name)) continue;
        yield {
          at: `endpoints/endpoints/${meaning.operation}/takes/${name}`,
          message: `\`${name}\` sets no field of ${meaning.resource}, and nothing reads \`input.${name}\``,
          help: `set it in part 3 (\`set: { field: input.${name} }\`), read it in a condition, or leave it out; a function that uses it is a reason for \`# ok takes-unused: …\``,
        };
      }
    }
  },
};

/** The members of the input that some expression of the operation reads; `all` where one of them has no meaning. */
function inputRead(facts: Facts, { operation, resource }: ResourceEndpoint): ReadonlySet<string> | "all" {
  const transitions = (facts.movesBy.get(operation) ?? []).map(({ at }) => `${at}/`);
  const places = [
    `endpoints/endpoints/${operation}/`,
    `authentication/allow/${operation}/`,
    `resources/rules/${resource}/`,
    ...transitions,
  ];
  const isOf = (path: string): boolean => places.some((place) => path.startsWith(place));
  if ([...facts.problems].some(({ path }) => isOf(path))) return "all";
  const names = [...facts.typed].flatMap(([path, typed]) => (isOf(path) ? membersRead(typed) : []));
  return new Set(names);
}

function membersRead(typed: TypedExpression): readonly string[] {
  const name = typed.kind === "variable" && typed.path[0] === "input" ? typed.path[1] : undefined;
  return [...(name === undefined ? [] : [name]), ...parts(typed).flatMap(membersRead)];
}
