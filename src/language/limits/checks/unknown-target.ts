/** Reports a limit for a target that does not exist. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "limits/unknown-target",
  severity: "error",
  why: "The line would limit nothing.",
  *run(documentIndex) {
    if (!declares(documentIndex, "purpose", "resources", "endpoints")) return;
    const { operations } = documentIndex;
    const { rate = {}, quota = {}, size = {}, time = {}, keep = {} } = documentIndex.model.limits;
    const resources = Object.keys(documentIndex.model.resources.resources);
    const kinds = [
      { name: "rate", targets: rate, known: () => ["all", "anyone", ...operations] },
      { name: "quota", targets: quota, known: () => ["webhook", ...operations, ...resources] },
      { name: "size", targets: size, known: () => ["request", ...operations] },
      { name: "time", targets: time, known: () => ["request", ...operations] },
      { name: "keep", targets: keep, known: () => resources },
    ];
    for (const { name, targets, known: names } of kinds) {
      if (Object.keys(targets).length === 0) continue;
      const known = names();
      const isKnown = new Set(known);
      for (const target of Object.keys(targets)) {
        if (
          isKnown.has(target) ||
          documentIndex.places.has(`resources/${target}`) ||
          documentIndex.places.has(`endpoints/endpoints/${target}`)
        )
          continue;
        // In other parts, several names on one line mean a line for each of them. Here it is unclear, since the names might
        // share one limit.
        const several = target.split(",").map((one) => one.trim());
        const help = several.length > 1 && several.every((one) => isKnown.has(one));
        yield {
          at: `limits/${name}/${target}#key`,
          message: `There is no ${name === "keep" ? "resource" : name === "quota" ? "operation or resource" : "operation"} \`${target}\``,
          ...(help
            ? { help: `write one line for each: ${several.map((one) => `\`${one}: …\``).join(", ")}` }
            : { unknown: { name: target, known } }),
        };
      }
    }
  },
};
