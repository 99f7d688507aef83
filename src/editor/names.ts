/** Finds the names of a document with their locations: where each is declared, and every use, also in expressions. */
import { onceFor } from "../base/once.ts";
import type { Span } from "../base/span.ts";
import { spanIn } from "../document/source.ts";
import { type DocumentIndex, locationOf } from "../language/analysis/document-index.ts";
import { mapReferences } from "../language/analysis/references.ts";
import type { Reference, ReferenceKind } from "../language/grammar/references.ts";
import { type Model, type PartName, partNames } from "../language/model.ts";
import { type Analysis, expressionsIn, isInside } from "./analysis.ts";

/** A name that a document declares. `of`: the owner of a field, a state or a member. */
export interface Name {
  readonly kind: ReferenceKind;
  readonly name: string;
  readonly of: string | undefined;
}

/** A name where the document has it. */
export interface Occurrence extends Name {
  readonly span: Span;
  readonly declares: boolean;
  /** The path of the statement, as in `SourceLocations`. */
  readonly at: string;
}

/** Every name that has a location, in the order of the document. */
export const namesIn: (analysis: Analysis) => readonly Occurrence[] = onceFor((analysis) => {
  const all = referencesOf(analysis.index);
  const kindOf = kinds(all);
  const locate = locator(analysis);
  const found = all.flatMap((one): Occurrence[] => {
    const span = locate(one);
    const { at, declares, name, of } = one;
    return span === undefined ? [] : [{ kind: kindOf(one), name, of, span, declares, at }];
  });
  return distinct(found).toSorted((a, b) => a.span.start.offset - b.span.start.offset);
});

/** Removes repeated occurrences: of a line that several operations share, each operation has one. */
function distinct(found: readonly Occurrence[]): readonly Occurrence[] {
  const byKey = new Map<string, Occurrence>();
  for (const one of found) {
    const key = `${one.span.start.offset} ${keyOf(one)}`;
    if (one.declares || !byKey.has(key)) byKey.set(key, one);
  }
  return [...byKey.values()];
}

/** Returns the references of some parts of a model, or of all; with `typed`, also those in expressions. */
export function referencesOf(
  { model, typed }: { readonly model: Model; readonly typed?: DocumentIndex["typed"] },
  parts: readonly PartName[] = partNames,
): readonly Reference[] {
  const found: Reference[] = [];
  mapReferences(
    model,
    (one) => {
      found.push(one);
      return one.name;
    },
    typed,
    { values: true, parts },
  );
  return found;
}

/** Returns a function that chooses, for a reference that can be of several kinds, the kind of its declaration. */
export function kinds(all: readonly Reference[]): (one: Reference) => ReferenceKind {
  const declared = new Set(
    all.flatMap((one) =>
      one.declares ? [keyOf({ kind: one.kinds[0] as ReferenceKind, name: one.name, of: one.of })] : [],
    ),
  );
  return ({ kinds: possible, name, of }) =>
    possible.find((kind) => declared.has(keyOf({ kind, name, of }))) ?? (possible[0] as ReferenceKind);
}

const owned: ReadonlySet<ReferenceKind> = new Set(["field", "state", "member"]);

export function keyOf({ kind, name, of }: Name): string {
  return owned.has(kind) ? `${kind} ${of}.${name}` : `${kind} ${name}`;
}

/** Returns the name at an offset; undefined if there is none. */
export function nameAt(analysis: Analysis, offset: number): Occurrence | undefined {
  return namesIn(analysis).find(({ span }) => isInside(span, offset));
}

/** Returns every occurrence of a name, in the order of the document. */
export function occurrencesOf(analysis: Analysis, name: Name): readonly Occurrence[] {
  return byName(analysis).get(keyOf(name)) ?? [];
}

const byName = onceFor((analysis: Analysis) => Map.groupBy(namesIn(analysis), keyOf));

/** Returns the references that declare a name. */
export const declarationsIn: (analysis: Analysis) => readonly Reference[] = onceFor(({ index: { model } }) =>
  referencesOf({ model }).filter(({ declares }) => declares),
);

/** Returns the declarations of a name; of an operation, its endpoint before its sentence. */
export function declarationsOf(analysis: Analysis, name: Name): readonly Occurrence[] {
  return occurrencesOf(analysis, name)
    .filter(({ declares }) => declares)
    .toSorted((a, b) => Number(a.at.startsWith("purpose/")) - Number(b.at.startsWith("purpose/")));
}

/**
 * Returns a function that locates references in their order. Many statements have an exact location; in any other the name is
 * the next of the same words in the nearest statement around it.
 */
function locator(analysis: Analysis): (reference: Reference) => Span | undefined {
  const { index, lines, text } = analysis;
  const expressions = new Map(expressionsIn(analysis).map((one) => [one.path, one]));
  const used = new Map<string, number>();
  return ({ at, form, name, start }) => {
    const expression = start === undefined ? undefined : expressions.get(at);
    if (expression?.isExact && start !== undefined) {
      const from = expression.span.start.offset + start;
      return spanIn(lines, from, from + name.length);
    }
    const around = locationOf(index.places, nearest(analysis, at, form));
    const words = wordsIn(text, around, name);
    const key = `${around.start.offset} ${around.end.offset} ${name}`;
    const count = used.get(key) ?? 0;
    used.set(key, count + 1);
    const from = words[count] ?? words.at(-1);
    return from === undefined ? undefined : spanIn(lines, from, from + name.length);
  };
}

function nearest({ index: { places } }: Analysis, at: string, form: Reference["form"]): string {
  let path = at;
  while (!places.has(path) && path.includes("/")) path = path.slice(0, path.lastIndexOf("/"));
  const key = `${path}#key`;
  return form === "key" && places.has(key) ? key : `${path}#value`;
}

/** Returns the offsets of a name in a span. */
function wordsIn(text: string, { start, end }: Span, name: string): readonly number[] {
  const pattern = new RegExp(`(?<!\\w|\\w-)${RegExp.escape(name)}(?![\\w-])`, "g");
  return [...text.slice(start.offset, end.offset).matchAll(pattern)].map((match) => start.offset + match.index);
}
