/** A limit that is counted per something that is not at hand when it is counted. */
import type { ResourceEndpoint } from "../../endpoints/meaning.ts";
import { creates } from "../../endpoints/input.ts";
import { type Facts, says } from "../../facts.ts";
import type { Check, Finding } from "../../finding.ts";
import { own } from "../../resources/fields.ts";
import { ownerFields, rateCountedBy, windowCountedBy } from "../counted.ts";

export const check: Check = {
  code: "limits/unknown-per",
  severity: "error",
  why: "There would be no record to count for.",
  *run(facts) {
    if (!says(facts, "resources")) return;
    const { resources } = facts.model.resources;
    for (const kind of ["rate", "quota"] as const) {
      for (const [target, limits] of Object.entries(facts.model.limits[kind] ?? {})) {
        for (const [index, limit] of limits.entries()) {
          const { per } = limit;
          const at = `limits/${kind}/${target}/${index}`;
          if (per !== "user" && per !== "ip" && !facts.places.has(`resources/${per}`)) {
            yield {
              at,
              message: `There is no resource \`${per}\` to count for`,
              unknown: { name: per, known: [...Object.keys(resources), "user", "ip"] },
            };
          } else if ("kind" in limit && limit.kind === "live") yield* ofRecords(facts, at, target, per);
          else yield* ofRequests(facts, at, kind, target, per);
        }
      }
    }
  },
};

/** A rate is asked before the body is read; what a quota counts is known when it is done. */
function* ofRequests(facts: Facts, at: string, kind: "rate" | "quota", target: string, per: string): Iterable<Finding> {
  if (per === "user" || per === "ip" || !says(facts, "endpoints")) return;
  const isCounted = (meaning: ResourceEndpoint): boolean =>
    (kind === "rate" ? rateCountedBy(meaning, per) : windowCountedBy(facts.model, meaning, per)) !== undefined;
  const help =
    kind === "rate"
      ? `count \`per user\` or \`per ip\`, or give it a path such as \`/${per.toLowerCase()}s/{id}/…\``
      : `count \`per user\`, or name one ${per} in the path or the body`;
  if (target === "all" || target === "anyone") {
    const about = [...facts.endpoints.values()].filter((meaning) => meaning.kind === "resource");
    if (!about.some(isCounted)) yield { at, message: `No operation has a ${per} in its path to count for`, help };
    return;
  }
  const targets = [facts.endpoints.get(target), ...(kind === "quota" ? makersOf(facts, target) : [])];
  for (const meaning of targets) {
    if (meaning?.kind !== "resource" || isCounted(meaning)) continue;
    const place = kind === "rate" ? "in its path" : "in its path, and not exactly one in its body,";
    yield { at, message: `\`${meaning.operation}\` has no ${per} ${place} to count for`, help };
  }
}

/** The operations that make records of a resource. */
function makersOf(facts: Facts, resource: string): readonly ResourceEndpoint[] {
  const about = facts.endpointsOf.get(resource) ?? [];
  return about.filter((meaning) => meaning.deed === "create" || creates(facts.model, meaning));
}

function* ofRecords({ model, gaps }: Facts, at: string, resource: string, per: string): Iterable<Finding> {
  if (per === "ip" || own(model.resources.resources, resource) === undefined) return;
  const fields = ownerFields(model, resource, per);
  // What a field is that the document has left open is asked elsewhere.
  const open = [...gaps].some((path) => path.startsWith(`resources/${resource}/`));
  if (fields.length === 1 || (fields.length === 0 && open)) return;
  const wanted = per === "user" ? "`owner: user = caller, read-only`" : `\`${per.toLowerCase()}: ${per}\``;
  yield {
    at,
    message:
      fields.length === 0
        ? `No field says to which ${per} a ${resource} belongs`
        : `More than one field may say to which ${per} a ${resource} belongs: ${fields.map((name) => `\`${name}\``).join(", ")}`,
    help: fields.length === 0 ? `add ${wanted} to ${resource}` : "leave one of them, or count for something else",
  };
}
