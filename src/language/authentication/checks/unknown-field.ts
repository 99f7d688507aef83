/** `own`, `show` or a credential with a resource or field that does not exist. */
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf } from "../../resources/fields.ts";

export const check: Check = {
  code: "authentication/unknown-field",
  severity: "error",
  why: "It would protect nothing.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources")) return;
    const { own, show, credentials } = documentIndex.model.authentication;
    const named: { resource: string; field?: string; at: string }[] = [
      ...Object.keys(own).map((resource) => ({ resource, at: `authentication/own/${resource}#key` })),
      ...Object.keys(show).map((key) => {
        const [resource = "", field = ""] = key.split(".");
        return { resource, field, at: `authentication/show/${key}#key` };
      }),
      ...Object.entries(credentials).flatMap(([name, { of, name: who, field, roles }]) => {
        const at = `authentication/credentials/${name}`;
        if (of === undefined) return [];
        return [
          { resource: of, at: `${at}/of` },
          ...(who === undefined ? [] : [{ resource: of, field: who, at: `${at}/name` }]),
          ...(field === undefined ? [] : [{ resource: of, field, at: `${at}/secret` }]),
          ...(roles === undefined || !("field" in roles)
            ? []
            : [{ resource: of, field: roles.field, at: `${at}/roles` }]),
        ];
      }),
    ];
    const { resources } = documentIndex.model.resources;
    for (const { resource, field, at } of named) {
      if (!Object.hasOwn(resources, resource)) {
        if (isWritten(documentIndex, `resources/${resource}`)) continue;
        yield {
          at,
          message: `There is no resource \`${resource}\``,
          unknown: { name: resource, known: Object.keys(resources) },
        };
        continue;
      }
      const fields = fieldsOf(documentIndex.model, resource);
      if (
        field === undefined ||
        Object.hasOwn(fields, field) ||
        isWritten(documentIndex, `resources/${resource}/${field}`)
      )
        continue;
      if (field === "state" && documentIndex.lifeOf.has(resource)) continue;
      yield {
        at,
        message: `${resource} has no field \`${field}\``,
        unknown: { name: field, known: Object.keys(fields) },
      };
    }
  },
};
