/** The mutants of the engine, part by part. */
import { type PartName, partNames } from "../../../src/language/model.ts";
import { authenticationMutants } from "./engine/authentication.ts";
import { endpointMutants } from "./engine/endpoints.ts";
import { errorMutants } from "./engine/errors.ts";
import { eventMutants } from "./engine/events.ts";
import { limitMutants } from "./engine/limits.ts";
import type { EngineMutant } from "./engine/mutant.ts";
import { resourceMutants } from "./engine/resources.ts";
import { stateMutants } from "./engine/states.ts";
import { versionMutants } from "./engine/versions.ts";

export type { EngineMutant };
export { textOf } from "./engine/play.ts";

/** Mistakes by the language and by Nonet, but not by what the document writes: other servers need not do it. */
const unwritten: ReadonlySet<string> = new Set([
  "unknown members are accepted",
  "an unknown parameter is ignored",
  "a created record is answered with 200",
  "a response reports the first violation alone",
  "a response does not report where a violation is",
  "a limited request is not told when to try again",
  "a login tells whether the address is known",
  "records come with the media type of a text",
]);

/** By name, the part whose cases are about a mistake, if it is another one than that of its table. */
const elsewhere: Readonly<Record<string, PartName>> = {
  "a deleted record can still be read": "endpoints",
  "a deletion does nothing": "endpoints",
  "a record can be read through the parent of another one": "endpoints",
  "a list shows the records of other parents": "endpoints",
  "the history misses the last transition": "endpoints",
  "a record is kept for longer": "limits",
  "a change removes the members that it does not name": "endpoints",
  "the owner is the one that the body names": "resources",
  "JSON that cannot be read is an internal error": "errors",
  "a body is accepted as any media type": "errors",
  "a filter is ignored": "resources",
  "a filter compares the other way": "resources",
  "a filter finds nothing": "resources",
  "a list is sorted the other way": "resources",
  "the sort is ignored": "resources",
  "a search finds only the same text": "resources",
};

const parts: Readonly<Partial<Record<PartName, readonly EngineMutant[]>>> = {
  resources: resourceMutants,
  states: stateMutants,
  endpoints: endpointMutants,
  authentication: authenticationMutants,
  events: eventMutants,
  errors: errorMutants,
  limits: limitMutants,
  versioning: versionMutants,
};

/** A mutant and the part that its mistake is about. */
export type EnginePartMutant = EngineMutant & { readonly part: PartName };

export const engineMutants: readonly EnginePartMutant[] = partNames.flatMap((part) =>
  (parts[part] ?? []).map((mutant) => ({
    ...mutant,
    part: elsewhere[mutant.name] ?? part,
    ...(unwritten.has(mutant.name) && { reason: "the document does not write it: a default of the language" }),
  })),
);
