/** `of`, `choose` or a link with a resource that does not exist. */
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "endpoints/unknown-resource",
  severity: "error",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources")) return;
    const { resources } = documentIndex.model.resources;
    for (const [operation, { of, choose = {}, link, unlink }] of Object.entries(
      documentIndex.model.endpoints.endpoints,
    )) {
      const at = `endpoints/endpoints/${operation}`;
      const named = [
        ...(of === undefined ? [] : [{ name: of, at: `${at}/of#value` }]),
        ...(link === undefined ? [] : [{ name: link.in, at: `${at}/link/in#value` }]),
        ...(unlink === undefined ? [] : [{ name: unlink.in, at: `${at}/unlink/in#value` }]),
        ...Object.entries(choose).map(([field, { from }]) => ({ name: from, at: `${at}/choose/${field}/from#value` })),
      ];
      for (const { name, at: path } of named) {
        if (Object.hasOwn(resources, name) || isWritten(documentIndex, `resources/${name}`)) continue;
        yield {
          at: path,
          message: `There is no resource \`${name}\``,
          unknown: { name, known: Object.keys(resources) },
        };
      }
    }
  },
};
