/** A `schema:` that is no JSON Schema, or says something that nothing would be held to. */
import type { Check, Finding } from "../../finding.ts";
import type { Model } from "../../model.ts";
import { bareType, fieldSites } from "../fields.ts";
import type { FieldType } from "../model.ts";
import { schemaFaults } from "../schema.ts";

export const check: Check = {
  code: "resources/bad-schema",
  severity: "error",
  why: "Callers are held to a schema word for word, and a service whose schema means nothing could not start.",
  *run({ model }) {
    for (const { at, type } of typeSites(model)) {
      if (type.kind !== "schema") continue;
      for (const { at: keys, message, ...more } of schemaFaults(type.schema)) {
        const what = keys.length === 0 ? "This schema" : `\`${keys.join("/")}\``;
        const finding: Finding = { at: [at, "schema", ...keys].join("/"), message: `${what} ${message}`, ...more };
        yield finding;
      }
    }
  },
};

function typeSites(model: Model): readonly { readonly at: string; readonly type: FieldType }[] {
  const received = Object.entries(model.events.in ?? {}).flatMap(([event, { carries }]) =>
    Object.entries(carries).map(([name, type]) => ({ at: `events/in/${event}/carries/${name}`, type: bareType(type) })),
  );
  return [...fieldSites(model).map(({ at, field }) => ({ at, type: bareType(field.type) })), ...received];
}
