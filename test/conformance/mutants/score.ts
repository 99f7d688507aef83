/** Shows mutants to a tester, one after the other, each for a bounded time, and counts which of them it reports. */
import { statementFinder, statementsOf } from "../../../src/conformance/statement.ts";
import { readDocument } from "../../../src/document/read.ts";
import { check } from "../../../src/language/check.ts";
import type { PartName } from "../../../src/language/model.ts";
import { readModel } from "../../../src/language/read.ts";
import { planOf, type Running } from "../../serve/running.ts";
import { type Candidate, candidates as changesIn, documentMutants, nameOf } from "./documents.ts";
import { engineMutants, textOf } from "./engine.ts";
import { proofMutants } from "./proofs.ts";
import { type ServedDocument, secretsOf, serveTimed, withKeysOf } from "./served.ts";
import type { Tester } from "./tester.ts";

export interface Mutant {
  readonly id: string;
  /** The document that it is a mutant of, or the name of one. */
  readonly group: string;
  readonly part: PartName;
  /** The path of the altered statement; absent if the mutant is no alteration of a statement. */
  readonly path?: string;
  readonly observable: boolean;
  /** Why nobody outside can notice. */
  readonly reason?: string;
  /** The true document. */
  readonly truth: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Serves the mutant on the memory store. */
  readonly serve: () => Promise<Running>;
}

export type Outcome =
  | {
      readonly kind: "caught";
      readonly broken: readonly string[] /** Whether the altered statement is among them. */;
      readonly located: boolean;
    }
  | { readonly kind: "missed" }
  /** The mutant did not start, the tester threw, or the time was over. */
  | { readonly kind: "failed"; readonly why: string };

export interface Scored {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
  readonly milliseconds: number;
}

/** Which mutants to take: those of some parts, whose id contains a text, and at most so many, evenly spread. */
export interface Slice {
  /** Absent: all parts. */
  readonly parts?: readonly string[];
  readonly only?: string;
  readonly limit?: number;
}

export function ofDocument(document: ServedDocument, slice: Slice = {}): readonly Mutant[] {
  const { limit, only, parts } = slice;
  const { environment, functions, name, text } = document;
  const isOf = ({ path }: Candidate): boolean => parts === undefined || parts.includes(path.split("/")[0] ?? "");
  // About half of the mutants have errors, or change nothing.
  const step =
    limit === undefined || only !== undefined ? 1 : Math.max(1, Math.floor(countOf(text, isOf) / (2 * limit)));
  let count = 0;
  const mutants = documentMutants(text, (one) => {
    if (!isOf(one) || (only !== undefined && !nameOf(one).includes(only))) return false;
    count += 1;
    return (count - 1) % step === 0;
  });
  const options = { store: "memory" as const, environment, ...(functions && { functions }) };
  return spread(mutants, limit).map(({ text: served, ...mutant }) => ({
    ...mutant,
    ...{ group: name, truth: text, environment },
    serve: () => serveTimed(served, options),
  }));
}

export function ofProofs(slice: Slice = {}): readonly Mutant[] {
  const mutants = proofMutants().map(({ environment, functions, part, text, truth, ...mutant }) => {
    const secrets = { ...secretsOf(truth), ...environment };
    const options = { store: "memory" as const, environment: secrets, ...(functions && { functions }) };
    return { ...mutant, part, group: part, truth, environment: secrets, serve: () => serveTimed(text, options) };
  });
  return sliced(mutants, slice);
}

export function ofEngine(slice: Slice = {}): readonly Mutant[] {
  const mutants = engineMutants.map((mutant): Mutant => {
    const truth = textOf(mutant);
    const { document, environment: more, functions, name, part, reason } = mutant;
    const environment = { ...secretsOf(truth), ...more };
    const options = mutant.apply({ store: "memory", environment, ...(functions && { functions }) });
    const expected = { observable: reason === undefined, ...(reason === undefined ? {} : { reason }) };
    return {
      id: name,
      part,
      group: document,
      ...expected,
      truth,
      environment,
      serve: () => serveTimed(truth, options),
    };
  });
  return sliced(mutants, slice);
}

/** `seconds`: how long the tester may take for each mutant. `isPartial`: only the cases of its part run. */
export async function score(
  mutants: readonly Mutant[],
  tester: Tester,
  {
    onScored = () => {},
    seconds = 120,
    isPartial = false,
  }: { readonly seconds?: number; readonly isPartial?: boolean; readonly onScored?: (scored: Scored) => void } = {},
): Promise<readonly Scored[]> {
  const all: Scored[] = [];
  for (const mutant of mutants) {
    const began = performance.now();
    const outcome = await outcomeOf(mutant, tester, seconds * 1000, isPartial);
    const scored = { mutant, outcome, milliseconds: performance.now() - began };
    all.push(scored);
    onScored(scored);
  }
  return all;
}

async function outcomeOf(mutant: Mutant, tester: Tester, milliseconds: number, isPartial: boolean): Promise<Outcome> {
  const { environment, path, serve, truth } = mutant;
  const part = isPartial ? { part: mutant.part } : {};
  const timer = { handle: undefined as NodeJS.Timeout | undefined };
  try {
    await using served = await serve();
    const late = new Promise<never>((_, reject) => {
      timer.handle = setTimeout(() => reject(new Error(`the tester took more than ${milliseconds} ms`)), milliseconds);
    });
    const { broken } = await Promise.race([
      // The rest is for the requests that are under way when the budget is used up, and for the report.
      tester(truth, withKeysOf(served, planOf(truth)), {
        environment,
        ...part,
        budgetMilliseconds: milliseconds / 2,
      }),
      late,
    ]);
    if (broken.length === 0) return { kind: "missed" };
    return { kind: "caught", broken, located: path !== undefined && broken.includes(statementIn(truth, path)) };
  } catch (thrown) {
    return { kind: "failed", why: thrown instanceof Error ? thrown.message : String(thrown) };
  } finally {
    clearTimeout(timer.handle);
  }
}

/** The path of the statement to which a path of the document belongs. */
function statementIn(truth: string, path: string): string {
  const { model, places } = check("document.md", truth);
  return statementFinder(statementsOf(model, places))(path)?.path ?? path;
}

/** The score of each group and of all, and then each mutant that was missed, or reported although nobody can notice it. */
export function summaryOf(scored: readonly Scored[]): string {
  const groups = [...Map.groupBy(scored, ({ mutant }) => mutant.group)].map(
    ([group, some]) => `${group}: ${figureOf(some)}`,
  );
  const observable = scored.filter(({ mutant }) => mutant.observable);
  const listed = (title: string, some: readonly Scored[]): readonly string[] =>
    some.length === 0 ? [] : ["", title, ...some.map((one) => `  ${lineOf(one)}`)];
  return [
    ...groups,
    `all: ${figureOf(scored)}`,
    ...listed(
      "missed:",
      observable.filter(({ outcome }) => outcome.kind === "missed"),
    ),
    ...listed(
      "failed:",
      scored.filter(({ outcome }) => outcome.kind === "failed"),
    ),
    ...listed(
      "reported, although nobody can notice:",
      scored.filter(({ mutant, outcome }) => !mutant.observable && outcome.kind === "caught"),
    ),
  ].join("\n");
}

function figureOf(scored: readonly Scored[]): string {
  const observable = scored.filter(({ mutant }) => mutant.observable);
  const caught = observable.filter(({ outcome }) => outcome.kind === "caught");
  const located = caught.filter(({ outcome }) => outcome.kind === "caught" && outcome.located);
  const share = observable.length === 0 ? "" : ` (${((100 * caught.length) / observable.length).toFixed(1)} %)`;
  return `${caught.length} / ${observable.length}${share} caught, ${located.length} at their statement; ${scored.length - observable.length} more that nobody can notice`;
}

export function lineOf({ mutant: { group, id, reason }, outcome }: Scored): string {
  const more =
    outcome.kind === "caught"
      ? `broken: ${outcome.broken.slice(0, 3).join(", ")}`
      : outcome.kind === "failed"
        ? outcome.why
        : "";
  return [`${group}: ${id}`, more, reason === undefined ? "" : `(${reason})`].filter((text) => text !== "").join(" | ");
}

/** The number of such candidates of a document. */
function countOf(text: string, isOf: (candidate: Candidate) => boolean): number {
  return [...changesIn(readModel(readDocument("document.md", text).document).model)].filter(isOf).length;
}

function sliced(mutants: readonly Mutant[], { limit, only, parts }: Slice): readonly Mutant[] {
  const chosen = mutants.filter(
    ({ id, part }) => (only === undefined || id.includes(only)) && (parts === undefined || parts.includes(part)),
  );
  return spread(chosen, limit);
}

/** At most so many of the items, evenly spread. */
function spread<Item>(items: readonly Item[], limit: number | undefined): readonly Item[] {
  if (limit === undefined || items.length <= limit) return items;
  return Array.from({ length: limit }, (_, at) => items[Math.floor((at * items.length) / limit)] as Item);
}
