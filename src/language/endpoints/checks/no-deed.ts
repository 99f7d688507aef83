/** A method and path from which the operation's action cannot be derived. */
import type { Check } from "../../analysis/finding.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/no-deed",
  severity: "error",
  *run(documentIndex) {
    yield* unclearEndpoints(documentIndex, "deed", () => {
      return "add `does:` with `create`, `read`, `list`, `update`, `replace`, `delete`, `move`, `login` or `handler`";
    });
  },
};
