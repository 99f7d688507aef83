/** `of`, `choose` or a link with a resource that does not exist. */
import { isWritten, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "endpoints/unknown-resource",
  severity: "error",
  *run(facts) {
    if (!says(facts, "resources")) return;
    const { resources } = facts.model.resources;
    for (const [operation, { of, choose = {}, link, unlink }] of Object.entries(facts.model.endpoints.endpoints)) {
      const at = `endpoints/endpoints/${operation}`;
      const named = [
        ...(of === undefined ? [] : [{ name: of, at: `${at}/of#value` }]),
        ...(link === undefined ? [] : [{ name: link.in, at: `${at}/link/in#value` }]),
        ...(unlink === undefined ? [] : [{ name: unlink.in, at: `${at}/unlink/in#value` }]),
        ...Object.entries(choose).map(([field, { from }]) => ({ name: from, at: `${at}/choose/${field}/from#value` })),
      ];
      for (const { name, at: place } of named) {
        if (Object.hasOwn(resources, name) || isWritten(facts, `resources/${name}`)) continue;
        yield {
          at: place,
          message: `There is no resource \`${name}\``,
          unknown: { name, known: Object.keys(resources) },
        };
      }
    }
  },
};
