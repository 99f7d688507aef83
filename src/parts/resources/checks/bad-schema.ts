/** A `schema:` that is no JSON Schema, or says something that nothing would be held to. */
import type { Model } from "../../model.ts";
import type { Check } from "../../finding.ts";
import { fieldSites } from "../fields.ts";
import type { FieldType } from "../model.ts";
import { schemaFaults } from "../schema-faults.ts";

export const check: Check = {
  code: "resources/bad-schema",
  severity: "error",
  why: "Callers are held to a schema word for word, and a service whose schema means nothing could not start.",
  *run({ model }) {
    for (const { type, at } of typesOf(model)) {
      for (const schema of schemasIn(type)) {
        for (const fault of schemaFaults(schema)) yield { at, ...fault };
      }
    }
  },
};

function typesOf(model: Model): readonly { readonly type: FieldType; readonly at: string }[] {
  return [
    ...fieldSites(model).map(({ field, at }) => ({ type: field.type, at: `${at}/type` })),
    ...Object.entries(model.events.in ?? {}).flatMap(([event, { carries }]) =>
      Object.entries(carries).map(([member, type]) => ({ type, at: `events/in/${event}/carries/${member}#value` })),
    ),
  ];
}

function schemasIn(type: FieldType): readonly Extract<FieldType, { kind: "schema" }>["schema"][] {
  switch (type.kind) {
    case "schema":
      return [type.schema];
    case "list":
    case "map":
    case "nullable":
      return schemasIn(type.of);
    default:
      return [];
  }
}
