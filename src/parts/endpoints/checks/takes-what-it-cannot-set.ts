/** A body with a field of the record that the operation does not set. */
import { fieldsOf, own } from "../../resources/fields.ts";
import type { Check } from "../../finding.ts";
import { inputOf } from "../input.ts";
import { sessionDeeds, tellingDeeds } from "../model.ts";

export const check: Check = {
  code: "endpoints/takes-what-it-cannot-set",
  severity: "warning",
  why: "Callers send a value with the name of a field, and the field keeps its own.",
  *run({ endpoints, model }) {
    for (const meaning of endpoints.values()) {
      if (
        meaning.kind !== "resource" ||
        (meaning.endpoint.takes === undefined && meaning.endpoint.takesView === undefined) ||
        tellingDeeds.has(meaning.deed) ||
        sessionDeeds.has(meaning.deed)
      )
        continue;
      const fields = fieldsOf(model, meaning.resource);
      for (const { name, sets, proves } of inputOf(model, meaning)) {
        const field = own(fields, name);
        if (sets || proves !== undefined || field === undefined) continue;
        const mark =
          field.computed === undefined
            ? (field.marks.find((one) => one.endsWith("-only")) ?? "made by the server")
            : "computed";
        yield {
          at: `endpoints/endpoints/${meaning.operation}/takes/${name}`,
          message: `\`${meaning.operation}\` takes \`${name}\`, which it cannot set: it is ${mark}`,
          help: "leave it out of `takes`, or change the mark in part 2",
        };
      }
    }
  },
};
