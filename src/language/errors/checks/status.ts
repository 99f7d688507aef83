/** Reports errors whose status surprises clients. */
import type { Check } from "../../analysis/finding.ts";
import { lookup } from "../../resources/fields.ts";
import { standardErrors } from "../model.ts";

const usual: ReadonlySet<number> = new Set([
  200, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 425, 426, 428,
  429, 431, 451, 500, 501, 502, 503, 504,
]); // biome-ignore format: a table

/** Reports an error with a status that has another meaning, or none, for most clients. */
const unusualStatus: Check = {
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

/** Reports an error of the catalogue that the document declares with another status. */
const standardChanged: Check = {
  code: "errors/standard-changed",
  severity: "warning",
  why: "One code would have two meanings: the standard one and this one.",
  *run({ model }) {
    for (const [code, { status }] of Object.entries(model.errors.errors)) {
      const usual = lookup(standardErrors, code);
      if (usual === undefined || usual.status === status) continue;
      yield {
        at: `errors/errors/${code}`,
        message: `\`${code}\` is ${usual.status} in the catalogue, and ${status} here`,
        help: "give your error another name",
      };
    }
  },
};

/** Reports an error that asks the client to retry later, without `retry after`. */
const noRetryHint: Check = {
  code: "errors/no-retry-hint",
  severity: "warning",
  why: "Without `Retry-After` all callers retry immediately and at the same time.",
  *run({ model }) {
    for (const [code, { status, retryAfter }] of Object.entries(model.errors.errors)) {
      if ((status !== 429 && status !== 503) || retryAfter !== undefined) continue;
      yield {
        at: `errors/errors/${code}`,
        message: `\`${code}\` tells callers to retry but not when`,
        help: "add `, retry after 1m` after the description",
      };
    }
  },
};

export const checks: readonly Check[] = [unusualStatus, standardChanged, noRetryHint];
