/** A method and path that do not say what their operation does. */
import type { Check } from "../../finding.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/no-deed",
  severity: "error",
  *run(facts) {
    yield* unclearEndpoints(facts, "deed", () => {
      return "add `does:` with `create`, `read`, `list`, `update`, `replace`, `delete`, `move`, `login` or `handler`";
    });
  },
};
