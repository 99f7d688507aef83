/**
 * Changes of the names in a model: each reference refers to something else, each declared thing is renamed everywhere, and each
 * is removed with the statements that refer to it. The grammar knows which texts are names (src/language/grammar/references.ts).
 */
import { mapReferences } from "../../../src/language/analysis/references.ts";
import type { Reference, ReferenceKind } from "../../../src/language/grammar/references.ts";
import type { Model } from "../../../src/language/model.ts";
import {
  withoutEvent,
  withoutMember,
  withoutOperation,
  withoutResource,
  withoutType,
} from "../../../src/language/versioning/remove.ts";
import { renamed, renamedMembers, typedIn, withName } from "../../../src/language/versioning/rename.ts";

export interface NameChange {
  /** The path of the name, as in `SourceLocations`. */
  readonly path: string;
  readonly what: string;
  /** Makes the changed model; undefined if this name cannot be changed so. */
  readonly model: () => Model;
}

/** How many other names replace a reference, one after the other. */
const otherNames = 2;

/** Codes of the catalogue that replace the code of an error of the document. */
const otherCodes = ["forbidden", "state-conflict"];

export function* nameChanges(model: Model): Iterable<NameChange> {
  const typed = typedIn(model);
  const found: Reference[] = [];
  mapReferences(model, (reference) => (found.push(reference), reference.name), typed);
  for (const [index, reference] of found.entries()) {
    const { at: path, declares, name } = reference;
    if (declares) yield* declared(model, reference);
    else
      for (const other of othersOf(reference, found))
        yield {
          path,
          what: `${other} for ${name}${reference.form === "expression" ? " in it" : ""}`,
          model: () => nthRenamed(model, typed, index, other),
        };
  }
}

function nthRenamed(model: Model, typed: ReturnType<typeof typedIn>, index: number, to: string): Model {
  let count = 0;
  return mapReferences(model, ({ name }) => (count++ === index ? to : name), typed);
}

/** The names of the same kind, beginning after the one that is replaced. */
function othersOf({ kinds, name, of }: Reference, found: readonly Reference[]): readonly string[] {
  const declared = found.filter(
    (one) => one.declares && one.of === of && one.kinds.some((kind) => kinds.includes(kind)),
  );
  const names = [...new Set([...declared.map((one) => one.name), ...(kinds.includes("error") ? otherCodes : [])])];
  const start = names.indexOf(name) + 1;
  return [...names.slice(start), ...names.slice(0, start)].filter((other) => other !== name).slice(0, otherNames);
}

function* declared(model: Model, { at: path, kinds, name, of }: Reference): Iterable<NameChange> {
  const [kind] = kinds;
  if (kind === undefined) return;
  const member = kind === "field" || kind === "member";
  yield { path, what: "without all of it", model: () => without(model, kind, name, of) };
  yield {
    path,
    what: `${name}x for ${name} everywhere`,
    model: () => {
      if (member) return of === undefined ? model : renamedMembers(model, [{ of, from: name, to: `${name}x` }]);
      if (kind === "resource") return renamed(model, name, `${name}x`);
      return withName(model, kind, name, `${name}x`, typedIn(model));
    },
  };
}

function without(model: Model, kind: ReferenceKind, name: string, of: string | undefined): Model {
  switch (kind) {
    case "resource":
      return withoutResource(model, name);
    case "type":
      return withoutType(model, name);
    case "operation":
      return withoutOperation(model, name);
    case "event":
      return withoutEvent(model, name);
    case "field":
    case "member":
      return of === undefined ? model : withoutMember(model, of, name);
    default:
      return mapReferences(
        model,
        (one) => (one.name === name && one.of === of && one.kinds.includes(kind) ? undefined : one.name),
        typedIn(model),
      );
  }
}
