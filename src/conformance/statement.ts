/**
 * The statements of a document: the sentences about which a conformance test reports a result. A statement is what a reader sees
 * as one sentence: a line of a map, an item of a list of rules, a member of an operation that is written as a map. A line of
 * `allow` that names several operations is one statement.
 */
import type { Span } from "../base/span.ts";
import type { Model, PartName, SourceLocations } from "../language/model.ts";

export interface Statement {
  /** The path of the statement, as in `SourceLocations`: `resources/Parcel/size`. */
  readonly path: string;
  readonly part: PartName;
  readonly span: Span;
  /**
   * Other paths of the same statement: an optional field without its `?`, the other operations of a line of `allow`, the
   * operation to which a statement `at` belongs.
   */
  readonly aliases: readonly string[];
}

/**
 * By part, the paths of statements; `*` is any name, `#` an item of a list. A path below one of them is a detail, a path above
 * one is a heading of statements. `?` is a member of something that also has a short form: `at` of an operation, `kind` of a
 * credential, `when` of an event. The short form is one statement, and the map form one for each member, because each member
 * can hold or be broken apart from the others. The first pattern that fits a path applies.
 */
const patterns: Readonly<Record<PartName, readonly string[]>> = {
  purpose: ["nonet", "service", "domain", "purpose", "users/*", "outside", "operations/*"],
  resources: ["types/*/*", "schemas/*", "views/*/*", "rules/*/#", "*/*"],
  states: ["*/start", "*/final", "*/states/*", "*/moves/*"],
  endpoints: [
    "base",
    "lists",
    "edits",
    "repeats",
    "requests/?",
    "expand",
    "fields",
    "wrap",
    "cors",
    "mcp",
    "endpoints/*/?",
  ],
  authentication: ["credentials/*/?", "roles", "own/*", "allow/*", "show/*", "set/*", "unseen"],
  events: ["envelope", "out/*/?", "in/*/?", "delivery/*/*"],
  errors: ["body", "bodies/*", "status/*", "codes/*", "messages/*", "standard", "errors/*"],
  limits: ["rate/*/#", "quota/*/#", "size/*", "time/*", "keep/*"],
  versioning: ["scheme", "sent", "absent", "policy/*", "versions/*/#", "deprecated/*"],
};

/** The members that stand for all others: a path of the operation itself is an alias of its `at`. */
const mainMembers: readonly string[] = ["at", "kind", "when"];

/** Returns the statements of a document, in its order. What is `not shown` is no statement. */
export function statementsOf(model: Pick<Model, "status" | "gaps">, places: SourceLocations): readonly Statement[] {
  const candidates = candidatesOf(model, places);
  const statements: (Statement & { readonly aliases: string[] })[] = [];
  // Spans do not overlap, except those of one sentence: the names of a line of `allow`, and the words of a statement.
  for (const { path, part, span } of candidates.toSorted(inDocumentOrder)) {
    const last = statements.at(-1);
    if (last === undefined || !isInside(span, last.span))
      statements.push({ path, part, span, aliases: isMain(path, places) ? [parentOf(path)] : [] });
    else if (![last.path, ...last.aliases].some((one) => path.startsWith(`${one}/`))) last.aliases.push(path);
  }
  return statements;
}

/**
 * Returns a function that returns the statement to which a path belongs; undefined for a heading, and for a path of something
 * that the document does not write.
 */
export function statementFinder(statements: readonly Statement[]): (path: string) => Statement | undefined {
  const byPath = new Map(statements.flatMap((one) => [one.path, ...one.aliases].map((path) => [path, one] as const)));
  return (path) => {
    for (let at = path; at !== ""; at = parentOf(at)) {
      const statement = byPath.get(at);
      if (statement !== undefined) return statement;
    }
    return undefined;
  };
}

/** A path that may be a statement, if its words are not inside another statement. */
interface Candidate extends Omit<Statement, "aliases"> {
  /** A detail is a statement only if it is outside all others: the second line of `allow` for an operation. */
  readonly isDetail: boolean;
}

function candidatesOf({ status, gaps }: Pick<Model, "status" | "gaps">, places: SourceLocations): readonly Candidate[] {
  // A state is declared even if its description is `not shown`.
  const open = new Set(gaps.filter((gap) => !/^states\/[^/]+\/states\//.test(gap)).map((gap) => startOf(places, gap)));
  const headings = new Set<string>();
  // The longest path first: a path is a heading if a statement is below it.
  const paths = [...places.keys()].map((path) => ({ path, segments: path.split("/") }));
  return paths
    .toSorted((one, other) => other.segments.length - one.segments.length)
    .flatMap(({ path, segments }): Candidate[] => {
      const span = places.get(path);
      const fit = fitOf(segments);
      if (span === undefined || fit === undefined || headings.has(path) || open.has(span.start.offset)) return [];
      const part = segments[0] as PartName;
      // A part is a statement if it is `none`.
      if (segments.length === 1 && status[part] !== "none") return [];
      const isDetail = fit === "detail" || (fit === "member" && isShortForm(path, places));
      if (!isDetail) for (let at = parentOf(path); at !== ""; at = parentOf(at)) headings.add(at);
      return [{ path, part, span, isDetail }];
    });
}

type Fit = "heading" | "statement" | "member" | "detail";

/** How a path compares with the patterns of its part. */
function fitOf([part = "", ...segments]: readonly string[]): Fit | undefined {
  for (const pattern of patterns[part as PartName] ?? []) {
    const words = pattern.split("/");
    if (segments.some((segment, index) => !matches(segment, words[index]))) continue;
    if (segments.length < words.length) return "heading";
    if (segments.length > words.length) return "detail";
    return /[?#]$/.test(pattern) ? "member" : "statement";
  }
  // `quota/Parcel/count` is a detail of the only quota of parcels, which is `quota/Parcel`.
  return segments.length > 1 ? "detail" : undefined;
}

function matches(segment: string, word: string | undefined): boolean {
  if (word === "#") return /^\d+$/.test(segment);
  return word === undefined || word === "*" || word === "?" || word === segment;
}

/** Whether the words at a path are all that its line says: the words of `addSite/at` in `addSite: POST /sites`. */
function isShortForm(path: string, places: SourceLocations): boolean {
  return !places.has(`${path}#key`) && startOf(places, path) === startOf(places, `${parentOf(path)}#value`);
}

function isMain(path: string, places: SourceLocations): boolean {
  const segments = path.split("/");
  return fitOf(segments) === "member" && mainMembers.includes(segments.at(-1) ?? "") && places.has(parentOf(path));
}

function startOf(places: SourceLocations, path: string): number | undefined {
  return places.get(path)?.start.offset;
}

/** Returns the path without its last segment; empty for a part. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function isInside(one: Span, other: Span): boolean {
  return one.start.offset >= other.start.offset && one.end.offset <= other.end.offset;
}

/** By the start; of two that start together, the longer one first, and a detail last. */
function inDocumentOrder(one: Candidate, other: Candidate): number {
  return (
    one.span.start.offset - other.span.start.offset ||
    other.span.end.offset - one.span.end.offset ||
    Number(one.isDetail) - Number(other.isDetail)
  );
}
