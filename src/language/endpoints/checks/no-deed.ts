/** A method and path that do not say what their operation does. */
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
