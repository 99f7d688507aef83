/** A file where no record keeps its bytes. */
import type { Check } from "../../finding.ts";
import { type FieldSite, fieldSites, innermost } from "../fields.ts";

export const check: Check = {
  code: "resources/file-misplaced",
  severity: "error",
  why: "The bytes of a file are kept with the record that has it, sent in a form and given at a path of their own.",
  *run({ model }) {
    for (const { at, within, name, field } of fieldSites(model)) {
      const { of, within: inside } = innermost(field.type);
      if (of.kind !== "file") continue;
      const fault = inside.length > 0 ? "a list or a map holds no files" : faults[within];
      const makes =
        field.computed !== undefined || field.default !== undefined ? "nothing but a caller makes a file" : undefined;
      const message = fault ?? makes;
      if (message === undefined) continue;
      yield {
        at,
        message: `\`${name}\` cannot be a file here: ${message}`,
        help: "give each file a field of its own, or a resource of its own that refers to the record",
      };
    }
  },
};

const faults: Readonly<Record<FieldSite["within"], string | undefined>> = {
  resource: undefined,
  takes: undefined,
  type: "it would be a part of a value, which is kept as a whole",
  view: "a view gives what a field is, and this is the type of one",
};
