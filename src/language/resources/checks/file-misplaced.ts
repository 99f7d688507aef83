/** Reports a file outside a record: only a record can store its bytes. */
import type { Check } from "../../analysis/finding.ts";
import { type FieldSite, fieldSites, innermost } from "../fields.ts";

export const check: Check = {
  code: "resources/file-misplaced",
  severity: "error",
  why: "A file is stored with its record, uploaded in a form and served at its own path.",
  *run({ model }) {
    for (const { at, enclosing, name, field } of fieldSites(model)) {
      const { of, enclosing: inside } = innermost(field.type);
      if (of.kind !== "file") continue;
      const problem = inside.length > 0 ? "a list or a map cannot hold files" : problems[enclosing];
      const makes =
        field.computed !== undefined || field.default !== undefined ? "only a caller can send a file" : undefined;
      const message = problem ?? makes;
      if (message === undefined) continue;
      yield {
        at,
        message: `\`${name}\` cannot be a file here: ${message}`,
        help: "give each file its own field, or use a separate resource that refers to the record",
      };
    }
  },
};

const problems: Readonly<Record<FieldSite["enclosing"], string | undefined>> = {
  resource: undefined,
  takes: undefined,
  type: "an embedded value is stored as one value and cannot contain a file",
  view: "a view returns fields of its resource and cannot declare a file",
};
