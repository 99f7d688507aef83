/** Generates any document: nine parts, each shown, none, not shown or silent, with content that fits its status. */
import fc from "fast-check";
import { type Model, type PartName, partNames, type PartStatus } from "../../src/language/model.ts";
import { authentications } from "./authentication.ts";
import { endpointParts } from "./endpoints.ts";
import { errors } from "./errors.ts";
import { events } from "./events.ts";
import { limits } from "./limits.ts";
import { purposes } from "./purpose.ts";
import { resources } from "./resources.ts";
import { states } from "./states.ts";
import { versionings } from "./versioning.ts";
import { sentences } from "./words.ts";

/** What the readers give for a part that says nothing. */
export const emptyParts: Omit<Model, "title" | "status" | "gaps"> = {
  purpose: { users: {}, operations: {} },
  resources: { resources: {}, types: {}, rules: {} },
  states: {},
  endpoints: { endpoints: {} },
  authentication: { credentials: {}, own: {}, allow: {}, show: {} },
  events: {},
  errors: { errors: {} },
  limits: {},
  versioning: {},
};

const statuses = fc.oneof(
  { weight: 5, arbitrary: fc.constant<PartStatus>("shown") },
  { weight: 1, arbitrary: fc.constantFrom<PartStatus>("none", "not shown", "silent") },
);

const parts = fc.record({
  purpose: purposes,
  resources,
  states,
  endpoints: endpointParts,
  authentication: authentications,
  events,
  errors,
  limits,
  versioning: versionings,
});

const partStatuses = fc
  .array(statuses, { minLength: partNames.length, maxLength: partNames.length })
  .map(
    (list) => Object.fromEntries(partNames.map((part, index) => [part, list[index]])) as Record<PartName, PartStatus>,
  );

/** Gaps of single questions are not generated: where they may stand depends on the document. */
export const models: fc.Arbitrary<Model> = fc
  .tuple(parts, partStatuses, fc.option(sentences, { nil: undefined }))
  .map(([shown, status, title]) => {
    const said = partNames.map((part) => [part, status[part] === "shown" ? shown[part] : emptyParts[part]] as const);
    return {
      ...(title === undefined ? {} : { title }),
      status,
      ...(Object.fromEntries(said) as typeof emptyParts),
      gaps: [],
    };
  });
