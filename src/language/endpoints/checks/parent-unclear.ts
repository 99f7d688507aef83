/** A path below another record, where it is not clear how the two belong together. */
import type { Check } from "../../analysis/finding.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/parent-unclear",
  severity: "error",
  why: "A path below a record selects the records that refer to it.",
  *run(documentIndex) {
    yield* unclearEndpoints(documentIndex, "parent", () => {
      return "give the resource one field that refers to the parent, or name the parameter like that field";
    });
  },
};
