/**
 * Documents that differ from a document in one statement and still have no errors. A server that serves one of them is wrong by
 * the true document, so a test by the true document has to report a broken statement.
 */
import { check, type CheckResult, unservable } from "../../../src/language/check.ts";
import type { Model, PartName, SourceLocations } from "../../../src/language/model.ts";
import { printModel } from "../../../src/language/print.ts";
import { transitionName } from "../../../src/language/states/model.ts";
import { buildPlan } from "../../../src/plan/build.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { type At, changed, changesOf } from "./changes.ts";
import { nameChanges } from "./names.ts";
import { whyUnobservable } from "./observable.ts";

/** A change of the model that may have errors, or change nothing. */
export interface Candidate {
  readonly path: string;
  readonly what: string;
  readonly model: () => Model;
}

/** A document that a server serves in place of the true one. */
export interface DocumentMutant {
  readonly id: string;
  /** The path of the altered statement in the true document, as in `SourceLocations`. */
  readonly path: string;
  readonly part: PartName;
  /** What the altered document has otherwise: `81 for 80`. */
  readonly what: string;
  readonly text: string;
  /** Whether somebody outside can notice. */
  readonly observable: boolean;
  /** Why nobody outside can notice. */
  readonly reason?: string;
}

/**
 * The mutants of a document, part by part. `isChosen`: which candidates to make, since each has to be checked and planned.
 *
 * @throws if the document has errors
 */
export function documentMutants(
  text: string,
  isChosen: (candidate: Candidate, index: number) => boolean = () => true,
): readonly DocumentMutant[] {
  const result = check("document.md", text);
  if (result.summary.errors > 0) throw new Error("a document with errors has no mutants");
  const before = planOf(result);
  const planText = JSON.stringify(before);
  const known = new Set([printModel(result.model)]);
  const ids = new Map<string, number>();
  const mutants: DocumentMutant[] = [];
  for (const [index, candidate] of [...candidates(result.model)].entries()) {
    if (!isChosen(candidate, index)) continue;
    const other = printModel(candidate.model());
    if (known.has(other)) continue;
    known.add(other);
    const after = soundPlan(other);
    if (after === undefined || JSON.stringify(after) === planText) continue;
    const { what } = candidate;
    const path = locatedPath(result.places, candidate.path);
    const reason = whyUnobservable({ model: result.model, path: candidate.path, what, before, after });
    const count = (ids.get(nameOf(candidate)) ?? 0) + 1;
    ids.set(nameOf(candidate), count);
    mutants.push({
      id: `${nameOf(candidate)}${count === 1 ? "" : ` (${count})`}`,
      path,
      part: path.split("/")[0] as PartName,
      what,
      text: other,
      observable: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
    });
  }
  return mutants;
}

/** The id of the candidate's mutant, unless another one has it, too. */
export function nameOf({ path, what }: Candidate): string {
  return `${path}: ${what}`;
}

function soundPlan(text: string): Plan | undefined {
  const result = check("mutant.md", text);
  return result.summary.errors > 0 || unservable(result).length > 0 ? undefined : planOf(result);
}

function planOf({ expressions, model, places }: CheckResult): Plan {
  return buildPlan(model, places, expressions);
}

/** The nearest path that the document has a location for. */
function locatedPath(places: SourceLocations, path: string): string {
  let at = path;
  while (!places.has(at) && at.includes("/")) at = at.slice(0, at.lastIndexOf("/"));
  return at;
}

export function* candidates(model: Model): Iterable<Candidate> {
  for (const change of changesOf(model))
    yield { path: documentPath(model, change.at), what: change.what, model: () => changed(model, change) };
  yield* nameChanges(model);
}

/** The path in `SourceLocations` of a value of the model. */
export function documentPath(model: Model, at: At): string {
  const [part, ...keys] = at.map(String);
  const path = ((): readonly string[] => {
    switch (part) {
      case "resources": {
        const [group, name = "", member, ...rest] = keys;
        if (group === "resources") return [name, ...(member === "fields" ? rest : [])];
        if (group === "views" && member === "members") return [group, name, ...rest];
        return keys;
      }
      case "states": {
        const [resource = "", member, index, list, ...rest] = keys;
        if (member !== "moves" || index === undefined) return keys;
        const lifecycle = model.states[resource];
        const transition = lifecycle === "none" ? undefined : lifecycle?.moves[Number(index)];
        if (transition === undefined) return keys;
        return [
          resource,
          member,
          transitionName(transition),
          ...(list === "triggers" ? rest.slice(transition.triggers.length > 1 ? 0 : 1) : []),
        ];
      }
      case "versioning": {
        const [group, index, member, ...rest] = keys;
        if (group !== "versions" || index === undefined) return keys;
        return [
          group,
          model.versioning.versions?.[Number(index)]?.name ?? index,
          ...(member === "changes" ? rest : []),
        ];
      }
      default:
        return keys;
    }
  })();
  return [part, ...path].join("/");
}
