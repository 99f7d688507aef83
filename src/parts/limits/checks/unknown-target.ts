/** A limit on something that does not exist. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "limits/unknown-target",
  severity: "error",
  why: "It would limit nothing.",
  *run(facts) {
    if (!says(facts, "purpose", "resources", "endpoints")) return;
    const { rate = {}, quota = {}, size = {}, time = {}, keep = {} } = facts.model.limits;
    const resources = Object.keys(facts.model.resources.resources);
    const kinds = [
      { name: "rate", targets: rate, known: ["all", "anyone", ...facts.operations] },
      { name: "quota", targets: quota, known: ["webhook", ...facts.operations, ...resources] },
      { name: "size", targets: size, known: ["request", ...facts.operations] },
      { name: "time", targets: time, known: ["request", ...facts.operations] },
      { name: "keep", targets: keep, known: resources },
    ];
    for (const { name, targets, known } of kinds) {
      const names = new Set(known);
      for (const target of Object.keys(targets)) {
        if (
          names.has(target) ||
          facts.places.has(`resources/${target}`) ||
          facts.places.has(`endpoints/endpoints/${target}`)
        )
          continue;
        // Other parts have several names on one line, where each stands for itself; two of one limit could share it.
        const several = target.split(",").map((one) => one.trim());
        const help = several.length > 1 && several.every((one) => names.has(one));
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
