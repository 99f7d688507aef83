/** A member of a body that sets no field and that no expression reads. */
import { parts, type TypedExpression } from "../../../expression/typed.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf, lookup } from "../../resources/fields.ts";
import { inputOf } from "../input.ts";
import type { ResourceEndpoint } from "../resolve.ts";
import { sessionActions, inputOnlyActions } from "../model.ts";

export const check: Check = {
  code: "endpoints/takes-unused",
  severity: "hint",
  why: "Callers send a value that the service ignores.",
  *run(documentIndex) {
    for (const resolved of documentIndex.endpoints.values()) {
      if (resolved.kind !== "resource" || resolved.endpoint.takes === undefined || sessionActions.has(resolved.action))
        continue;
      const fields = fieldsOf(documentIndex.model, resolved.resource);
      const read = inputRead(documentIndex, resolved);
      const isSettable = (name: string) => !inputOnlyActions.has(resolved.action) && lookup(fields, name) !== undefined;
      for (const { name, sets, proves } of inputOf(documentIndex.model, resolved)) {
        // Another check reports the name of a field that the operation cannot set.
        if (sets || proves !== undefined || read === "all" || read.has(name) || isSettable(name)) continue;
        yield {
          at: `endpoints/endpoints/${resolved.operation}/takes/${name}`,
          message: `\`${name}\` sets no field of ${resolved.resource}, and nothing reads \`input.${name}\``,
          help: `set it in part 3 (\`set: { field: input.${name} }\`), read it in a condition, or remove it; if a function uses it, write \`# ok takes-unused: …\``,
        };
      }
    }
  },
};

/** The members of the input that some expression of the operation reads; `all` where one of them has no meaning. */
function inputRead(
  documentIndex: DocumentIndex,
  { operation, resource }: ResourceEndpoint,
): ReadonlySet<string> | "all" {
  const transitions = (documentIndex.transitionsBy.get(operation) ?? []).map(({ at }) => `${at}/`);
  const paths = [
    `endpoints/endpoints/${operation}/`,
    `authentication/allow/${operation}/`,
    `resources/rules/${resource}/`,
    ...transitions,
  ];
  const isOf = (path: string): boolean => paths.some((prefix) => path.startsWith(prefix));
  if ([...documentIndex.problems].some(({ path }) => isOf(path))) return "all";
  const names = [...documentIndex.typed].flatMap(([path, typed]) => (isOf(path) ? membersRead(typed) : []));
  return new Set(names);
}

function membersRead(typed: TypedExpression): readonly string[] {
  const name = typed.kind === "variable" && typed.path[0] === "input" ? typed.path[1] : undefined;
  return [...(name === undefined ? [] : [name]), ...parts(typed).flatMap(membersRead)];
}
