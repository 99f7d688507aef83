/** A limit per resource whose record is unknown when the limit is counted. */
import type { ResourceEndpoint } from "../../endpoints/resolve.ts";
import { creates } from "../../endpoints/input.ts";
import { type DocumentIndex, declares } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { lookup } from "../../resources/fields.ts";
import { ownerFields, rateCountedBy, windowCountedBy } from "../counted.ts";

export const check: Check = {
  code: "limits/unknown-per",
  severity: "error",
  why: "The service could not tell which record a request counts for.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources")) return;
    const { resources } = documentIndex.model.resources;
    for (const kind of ["rate", "quota"] as const) {
      for (const [target, limits] of Object.entries(documentIndex.model.limits[kind] ?? {})) {
        for (const [index, limit] of limits.entries()) {
          const { per } = limit;
          const at = `limits/${kind}/${target}/${index}`;
          if (per !== "user" && per !== "ip" && !documentIndex.places.has(`resources/${per}`)) {
            yield {
              at,
              message: `There is no resource \`${per}\` to count for`,
              unknown: { name: per, known: [...Object.keys(resources), "user", "ip"] },
            };
          } else if ("kind" in limit && limit.kind === "live") yield* ofRecords(documentIndex, at, target, per);
          else yield* ofRequests(documentIndex, at, kind, target, per);
        }
      }
    }
  },
};

/** Rates are counted before the body is read, quotas after the change. */
function* ofRequests(
  documentIndex: DocumentIndex,
  at: string,
  kind: "rate" | "quota",
  target: string,
  per: string,
): Iterable<Finding> {
  if (per === "user" || per === "ip" || !declares(documentIndex, "endpoints")) return;
  const isCounted = (resolved: ResourceEndpoint): boolean =>
    (kind === "rate" ? rateCountedBy(resolved, per) : windowCountedBy(documentIndex.model, resolved, per)) !==
    undefined;
  const help =
    kind === "rate"
      ? `count \`per user\` or \`per ip\`, or give it a path such as \`/${per.toLowerCase()}s/{id}/…\``
      : `count \`per user\`, or name one ${per} in the path or the body`;
  if (target === "all" || target === "anyone") {
    const about = [...documentIndex.endpoints.values()].filter((resolved) => resolved.kind === "resource");
    if (!about.some(isCounted)) yield { at, message: `No operation has a ${per} in its path to count for`, help };
    return;
  }
  const targets = [documentIndex.endpoints.get(target), ...(kind === "quota" ? makersOf(documentIndex, target) : [])];
  for (const resolved of targets) {
    if (resolved?.kind !== "resource" || isCounted(resolved)) continue;
    const where = kind === "rate" ? "in its path" : "in its path, and not exactly one in its body,";
    yield { at, message: `\`${resolved.operation}\` has no ${per} ${where} to count for`, help };
  }
}

/** The operations that make records of a resource. */
function makersOf(documentIndex: DocumentIndex, resource: string): readonly ResourceEndpoint[] {
  const about = documentIndex.endpointsOf.get(resource) ?? [];
  return about.filter((resolved) => resolved.action === "create" || creates(documentIndex.model, resolved));
}

function* ofRecords({ model, gaps }: DocumentIndex, at: string, resource: string, per: string): Iterable<Finding> {
  if (per === "ip" || lookup(model.resources.resources, resource) === undefined) return;
  const fields = ownerFields(model, resource, per);
  // Undecided fields are reported elsewhere.
  const open = [...gaps].some((path) => path.startsWith(`resources/${resource}/`));
  if (fields.length === 1 || (fields.length === 0 && open)) return;
  const wanted = per === "user" ? "`owner: user = caller, read-only`" : `\`${per.toLowerCase()}: ${per}\``;
  yield {
    at,
    message:
      fields.length === 0
        ? `No field says to which ${per} a ${resource} belongs`
        : `More than one field may say to which ${per} a ${resource} belongs: ${fields.map((name) => `\`${name}\``).join(", ")}`,
    help: fields.length === 0 ? `add ${wanted} to ${resource}` : "keep one of them, or count for something else",
  };
}
