/**
 * Removes findings that only follow from open questions. An unknown or unused name is no error of the document if `not shown`
 * is written where the name could be declared or used: it would report the same gap again.
 */
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Model, PartName } from "../model.ts";
import { partNames } from "../model.ts";

/**
 * The lists of names that can be `not shown` as a whole, each with the codes of the findings about names that the list might
 * contain.
 */
const openLists: readonly (readonly [code: RegExp, gap: RegExp])[] = [
  [/^errors\/not-declared$/, /^errors\/errors$/],
  [/^events\/unknown-credential$/, /^authentication\/credentials$/],
  [/^authentication\/unknown-role$/, /^authentication\/roles(\/|$)/],
  [/^states\/unknown-event$/, /^events\/(out|in)$/],
  [/^(states\/unknown-state|limits\/unknown-moment)$/, /^states\/[^/]+(\/(states|final)(\/\d+)?)?$/],
  [/^endpoints\/action-without-move$/, /^states\/[^/]+(\/moves(\/|$)|$)/],
  [/^states\/event-finds-none$/, /^(resources\/[A-Z]|events\/(out|in)\/)/],
  [/^(endpoints|resources|events|states|authentication|limits|versioning)\/(no-|unknown-)/, /^resources\/[A-Z][^/]*$/],
  [/^(resources|events)\/unknown-type$/, /^resources\/types$/],
  [/^versioning\/unknown-version$/, /^versioning\/versions$/],
  [/^expression\/unknown-(name|field)$/, /^(resources\/[A-Z][^/]*|states\/[^/]+(\/states)?)$/],
  [/^expression\/never-equal$/, /^states\/[^/]+(\/states)?$/],
  [/^expression\/unknown-field$/, /^endpoints\/endpoints\/[^/]+(\/(takes|at))?$/],
  [/^expression\/not-in-sql$/, /^resources\/[A-Z]/],
];

/** The codes of the errors that missing statements can cause. */
const follows =
  /\/(unknown-|not-declared|no-resource|no-ownership|event-finds-none|action-without-move|required-never-set|choose-misplaced|not-in-sql|never-equal)/;

export interface WithoutOpen {
  readonly diagnostics: readonly Diagnostic[];
  /** The parts with a gap that removed a finding. The service is incomplete until their gaps are answered. */
  readonly open: ReadonlySet<PartName>;
}

/** Removes the errors that follow from declared gaps. */
export function withoutOpen({ gaps }: Model, found: readonly Diagnostic[]): WithoutOpen {
  const open = new Set<PartName>();
  if (gaps.length === 0) return { diagnostics: found, open };
  // A resource with an open `id` is missing from the model, so references to the resource may be valid.
  if (gaps.some((gap) => /^resources\/[A-Z][^/]*\/id$/.test(gap))) open.add("resources");
  const first = openLists.map(([code, pattern]) => ({ code, gap: gaps.find((path) => pattern.test(path)) }));
  const byName = new Map(gaps.map((gap) => [nameOf(gap), gap]));
  const diagnostics = found.filter((one) => {
    if (one.severity !== "error" || !follows.test(one.code)) return true;
    const gap =
      first.find(({ code, gap: path }) => path !== undefined && code.test(one.code))?.gap ??
      mentioned(one.message)
        .map((name) => byName.get(name))
        .find((path) => path !== undefined);
    const part = partNames.find((name) => gap?.startsWith(`${name}/`));
    if (part === undefined) return true;
    open.add(part);
    return false;
  });
  return { diagnostics, open };
}

/** Returns the name that a gap leaves open: the last key of the path, without the `?` of an optional field. */
function nameOf(gap: string): string {
  return gap.slice(gap.lastIndexOf("/") + 1).replace(/\?$/, "");
}

/** Returns the names that a message quotes; from `Parcel.weightKg` and `error no-capacity` also the last word. */
function mentioned(message: string): readonly string[] {
  return [...message.matchAll(/`([^`]+)`/g)].flatMap(([, name = ""]) => [name, /[^ .]+$/.exec(name)?.[0] ?? name]);
}
