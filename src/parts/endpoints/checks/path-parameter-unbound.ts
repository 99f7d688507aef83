/** A path whose parameter names no record. */
import type { Check } from "../../finding.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/path-parameter-unbound",
  severity: "error",
  why: "A parameter finds one record, so it has to stand for a field that only one record has.",
  *run(facts) {
    yield* unclearEndpoints(facts, "key", () => {
      return "name the id (`{id}`) or a field that is `unique`, right behind the collection";
    });
  },
};
