/** Reads a document into the model of the nine parts, with the location of each statement. Never throws and does not stop at the first error. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Document } from "../document/document.ts";
import { grammars } from "./grammars.ts";
import type { Model, PartName, PartStatus, SourceLocations } from "./model.ts";
import { partNames } from "./model.ts";
import { createReader } from "./grammar/reader.ts";
import { readSections, type Sections } from "./grammar/sections.ts";

export interface ModelReading {
  readonly model: Model;
  readonly places: SourceLocations;
  readonly diagnostics: readonly Diagnostic[];
  /** The headings, prose and blocks of each part. */
  readonly sections: Sections;
}

/** Reads the parts of `document`. Diagnostics are in the order of the parts, without those of the document itself. */
export function readModel(document: Document): ModelReading {
  const reader = createReader();
  const sections = readSections(reader, document);
  const { parts, title } = sections;
  const status = {} as Record<PartName, PartStatus>;
  for (const part of partNames) {
    status[part] = parts[part].status;
    if (parts[part].heading !== undefined) reader.places.set(part, parts[part].span);
  }
  const model: Model = {
    ...(title === undefined ? {} : { title: title.text }),
    status,
    purpose: grammars.purpose.readPart(reader, parts.purpose.body),
    resources: grammars.resources.readPart(reader, parts.resources.body),
    states: grammars.states.readPart(reader, parts.states.body),
    endpoints: grammars.endpoints.readPart(reader, parts.endpoints.body),
    authentication: grammars.authentication.readPart(reader, parts.authentication.body),
    events: grammars.events.readPart(reader, parts.events.body),
    errors: grammars.errors.readPart(reader, parts.errors.body),
    limits: grammars.limits.readPart(reader, parts.limits.body),
    versioning: grammars.versioning.readPart(reader, parts.versioning.body),
    gaps: inOrder(reader.gaps, reader.places),
  };
  return { model, places: reader.places, diagnostics: reader.diagnostics, sections };
}

/** Returns the gaps in the order of the document. */
function inOrder(gaps: readonly string[], places: SourceLocations): readonly string[] {
  return gaps.toSorted((one, other) => (places.get(one)?.start.offset ?? 0) - (places.get(other)?.start.offset ?? 0));
}
