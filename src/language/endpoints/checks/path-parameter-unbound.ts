/** A path whose parameter names no record. */
import type { Check } from "../../analysis/finding.ts";
import type { UnclearEndpoint } from "../resolve.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/path-parameter-unbound",
  severity: "error",
  why: "A parameter finds one record, so it has to name a unique field.",
  *run(documentIndex) {
    yield* unclearEndpoints(documentIndex, "key", helpOf);
  },
};

function helpOf({ endpoint, message }: UnclearEndpoint): string {
  const { link, path, unlink } = endpoint;
  if (/ names no record: /.test(message))
    return "take the value in the body (`takes`) or in a `query` parameter, or add a separate resource that refers to this one";
  if ((link ?? unlink) !== undefined && !path.includes("{"))
    return `\`${link === undefined ? "unlink" : "link"}\` acts on one record, so its path has to name one, as in \`${path}/{id}/seats\``;
  return "name the id (`{id}`) or a `unique` field directly after the collection";
}
