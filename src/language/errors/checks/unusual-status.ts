/** An error with a status that means something else, or nothing, to most software. */
import type { Check } from "../../analysis/finding.ts";

const usual: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 425, 426, 428,
  429, 431, 451, 500, 501, 502, 503, 504,
]); // biome-ignore format: a table

export const check: Check = {
  code: "errors/unusual-status",
  severity: "hint",
  why: "Clients and proxies know the registered status codes and treat others as 400 or 500.",
  *run({ model }) {
    for (const [code, { status }] of Object.entries(model.errors.errors)) {
      if (usual.has(status)) continue;
      yield {
        at: `errors/errors/${code}`,
        message: `${status} is not a registered status of an error`,
        help: "take `409` or `422`",
      };
    }
  },
};
