/** Reports a `schema:` that is not valid JSON Schema, or that has a keyword which validators would ignore. */
import type { Json } from "../../../base/json.ts";
import { contractTypes } from "../../endpoints/contract-types.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { bareType, fieldSites } from "../fields.ts";
import type { FieldType } from "../model.ts";
import { schemaErrors } from "../schema.ts";

export const check: Check = {
  code: "resources/bad-schema",
  severity: "error",
  why: "The service validates requests by this schema, and it cannot start with an invalid one.",
  *run({ model }) {
    const named = model.resources.schemas ?? {};
    for (const { at, type } of typeSites(model)) {
      if (type.kind === "schema") yield* findings(`${at}/schema`, type.schema, named);
    }
    for (const [name, schema] of Object.entries(named)) yield* findings(`resources/schemas/${name}`, schema, named);
  },
};

function* findings(at: string, schema: Json, named: Readonly<Record<string, Json>>): Iterable<Finding> {
  for (const { at: keys, message, ...more } of schemaErrors(schema, named)) {
    const what = keys.length === 0 ? "This schema" : `\`${keys.join("/")}\``;
    yield { at: [at, ...keys].join("/"), message: `${what} ${message}`, ...more };
  }
}

function typeSites(model: Model): readonly { readonly at: string; readonly type: FieldType }[] {
  const received = Object.entries(model.events.in ?? {}).flatMap(([event, { carries }]) =>
    Object.entries(carries).map(([name, type]) => ({ at: `events/in/${event}/carries/${name}`, type: bareType(type) })),
  );
  const typesInContracts = Object.entries(model.endpoints.endpoints).flatMap(([operation, { wire, knownContract }]) =>
    contractTypes(wire ?? knownContract, `endpoints/endpoints/${operation}/wire`).map(({ at, type }) => ({
      at,
      type: bareType(type),
    })),
  );
  const sent = Object.entries(model.events.wire ?? {}).flatMap(([name, request]) =>
    contractTypes(request, `events/wire/${name}`).map(({ at, type }) => ({ at, type: bareType(type) })),
  );
  return [
    ...fieldSites(model).map(({ at, field }) => ({ at, type: bareType(field.type) })),
    ...received,
    ...typesInContracts,
    ...sent,
  ];
}
