/** A body with a field of the record that the operation does not set. */
import { fieldsOf, lookup } from "../../resources/fields.ts";
import type { Check } from "../../analysis/finding.ts";
import { inputOf } from "../input.ts";
import { sessionActions, inputOnlyActions } from "../model.ts";

export const check: Check = {
  code: "endpoints/takes-what-it-cannot-set",
  severity: "warning",
  why: "Callers send a value with the name of a field, and the field keeps its own.",
  *run({ endpoints, model }) {
    for (const resolved of endpoints.values()) {
      if (
        resolved.kind !== "resource" ||
        (resolved.endpoint.takes === undefined && resolved.endpoint.takesView === undefined) ||
        inputOnlyActions.has(resolved.action) ||
        sessionActions.has(resolved.action)
      )
        continue;
      const fields = fieldsOf(model, resolved.resource);
      for (const { name, sets, proves } of inputOf(model, resolved)) {
        const field = lookup(fields, name);
        if (sets || proves !== undefined || field === undefined) continue;
        const modifier =
          field.computed === undefined
            ? (field.marks.find((one) => one.endsWith("-only")) ?? "made by the server")
            : "computed";
        yield {
          at: `endpoints/endpoints/${resolved.operation}/takes/${name}`,
          message: `\`${resolved.operation}\` takes \`${name}\`, which it cannot set: it is ${modifier}`,
          help: "leave it out of `takes`, or change the mark in part 2",
        };
      }
    }
  },
};
