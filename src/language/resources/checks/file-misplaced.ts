/** A file where no record keeps its bytes. */
import type { Check } from "../../analysis/finding.ts";
import { type FieldSite, fieldSites, innermost } from "../fields.ts";

export const check: Check = {
  code: "resources/file-misplaced",
  severity: "error",
  why: "The bytes of a file are kept with the record that has it, sent in a form and given at a path of their own.",
  *run({ model }) {
    for (const { at, enclosing, name, field } of fieldSites(model)) {
      const { of, enclosing: inside } = innermost(field.type);
      if (of.kind !== "file") continue;
      const problem = inside.length > 0 ? "a list or a map holds no files" : problems[enclosing];
      const makes =
        field.computed !== undefined || field.default !== undefined ? "nothing but a caller makes a file" : undefined;
      const message = problem ?? makes;
      if (message === undefined) continue;
      yield {
        at,
        message: `\`${name}\` cannot be a file here: ${message}`,
        help: "give each file a field of its own, or a resource of its own that refers to the record",
      };
    }
  },
};

const problems: Readonly<Record<FieldSite["enclosing"], string | undefined>> = {
  resource: undefined,
  takes: undefined,
  type: "it would be a part of a value, which is kept as a whole",
  view: "a view gives what a field is, and this is the type of one",
};
