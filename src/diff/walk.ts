/**
 * Walks over two models of one part, along its grammar: yields a difference for each changed statement, with the effect that
 * the grammar declares (`changes`). Comparers handle the statements whose effect needs more than both values.
 */
import type { ChangeReport, Comparable } from "../language/grammar/changes.ts";
import type { FormMember } from "../language/grammar/form.ts";
import { type Grammar, nothingBelow, type PartGrammar } from "../language/grammar/grammar.ts";
import type { PartName } from "../language/model.ts";
import { type Difference, difference, measured, pairs, type Site, restated, unhandledKeys } from "./difference.ts";

/** A statement in both models. */
export interface Statement extends Site {
  /** The kind of the statement's differences, without `-changed`. */
  readonly kind: string;
  /** What the statement is, as the start of a sentence. */
  readonly what: string;
  readonly old: unknown;
  readonly now: unknown;
  /** For a statement that sets several members: returns its text. Its values are those of the construct around it. */
  readonly written?: ((value: unknown) => unknown) | undefined;
  readonly grammar: Comparable & { readonly readWords?: unknown };
  readonly report: ChangeReport;
  /** The path within the part, with `*` for the author's names: `errors/*`. */
  readonly pattern: string;
  /** The author's name of the nearest entry around the statement. */
  readonly name: string;
}

/** Compares the values of a statement; undefined where the walk compares them. */
type Comparer = (old: never, now: never, site: Statement) => Iterable<Difference> | undefined;

/** The comparers by the path of their statement, as in `Statement.pattern`. */
export type Comparers = Readonly<Record<string, Comparer>>;

type Values = Readonly<Record<string, unknown>>;

export function partDifferences<Part>(
  part: PartName,
  grammar: PartGrammar<Part>,
  old: Part,
  now: Part,
  comparers: Comparers = {},
): Iterable<Difference> {
  const names = { at: part, pattern: "", name: part, subject: part, kind: part, what: "" };
  return walk({ ...names, grammar, report: {}, old, now }, comparers);
}

/** Compares the values of one statement that `partDifferences` does not compare. */
export function statementDifferences<Value>(
  { at, subject }: Site,
  key: string,
  grammar: Grammar<Value>,
  values: readonly [old: Value | undefined, now: Value | undefined],
): Iterable<Difference> {
  const [old, now] = values;
  const site = { at, subject, kind: key, name: subject, pattern: key, what: `\`${key}\` of \`${subject}\`` };
  return walk({ ...site, grammar, report: {}, old, now }, {});
}

function* walk(site: Statement, comparers: Comparers): Iterable<Difference> {
  const { item, members } = site.grammar;
  const compared = comparers[site.pattern]?.(site.old as never, site.now as never, site);
  if (compared !== undefined) yield* compared;
  // Equal values may mean something else now, which a comparer of a statement below finds.
  else if (site.old === undefined && site.now === undefined) return;
  else if (item !== undefined) yield* entryDifferences(site, item, comparers);
  else if (members !== undefined) yield* constructDifferences(site, members, comparers);
  else yield* valueDifferences(site);
}

function* entryDifferences(site: Statement, item: Comparable, comparers: Comparers): Iterable<Difference> {
  const { subject = "{}", what = "" } = site.report;
  for (const { name, old, now } of pairs(site.old as Values | undefined, site.now as Values | undefined)) {
    const at = { at: `${site.at}/${name}`, pattern: `${site.pattern}/*`, name };
    const named = { subject: subject.replace("{}", name), what: worded(what, name, name) };
    yield* walk({ ...site, ...at, ...named, grammar: item, old, now }, comparers);
  }
}

function* constructDifferences(
  site: Statement,
  members: readonly FormMember[],
  comparers: Comparers,
): Iterable<Difference> {
  const { at, grammar, kind, name, subject } = site;
  const { added, category, removed } = grammar.presence ?? {};
  const only = site.old === undefined ? added : site.now === undefined ? removed : undefined;
  if (only !== undefined) {
    const [effect, text] = only;
    const message = worded(text, name, "").replaceAll(/\{(\w+)\}/g, (_, key: string) =>
      String((site.now as Values)[key]),
    );
    yield difference(effect, `${kind}-${only === added ? "added" : "removed"}`, site, message, { category });
    return;
  }
  const [old, now] = [site.old ?? {}, site.now ?? {}] as [Values, Values];
  // A member that another statement sets as well is compared there, with what else the statement sets.
  const inSpreads = new Set(members.flatMap(({ isSpread, member }) => (isSpread ? (member.gives ?? []) : [])));
  for (const { isSpread, key, member, name: memberName, report } of members) {
    if (!isSpread && inSpreads.has(memberName)) continue;
    const isNamed = site.pattern === "" || member.members !== undefined;
    const inner = {
      // The members of a construct that may be one line have no separate locations.
      at: grammar.readWords === undefined ? `${at}/${key}` : at,
      pattern: site.pattern === "" ? key : `${site.pattern}/${key}`,
      name,
      kind: report.kind ?? (isNamed ? key : kind),
      subject: report.subject ?? (isNamed ? key : subject),
      what: worded(report.what ?? `{member} of \`${subject}\``, name, key),
    };
    const values = isSpread ? { old, now } : { old: old[memberName], now: now[memberName] };
    const written = isSpread ? (all: unknown) => member.print(all, nothingBelow) : undefined;
    yield* walk({ ...inner, ...values, grammar: member, report, written }, comparers);
  }
  yield* unhandledKeys(
    site,
    old,
    now,
    members.flatMap(({ member, name: memberName }) => member.gives ?? memberName),
  );
}

function* valueDifferences(site: Statement): Iterable<Difference> {
  const { kind, what, written = (value: unknown) => value } = site;
  const { category, effect, omitted } = site.report;
  const { measure } = site.grammar;
  const values = [written(site.old), written(site.now)] as const;
  if (measure !== undefined && effect === undefined) {
    const amounts = values as readonly [number, number];
    yield* measured(`${kind}-changed`, site, what, amounts, measure, { omitted, category: category ?? "limit" });
  } else {
    const declared = typeof effect === "function" ? effect(...values) : effect;
    yield* restated(declared ?? "breaking", `${kind}-changed`, site, what, values, { category });
  }
}

/** Fills a text: `{}` is the name of the entry, `{member}` the key of the statement. */
function worded(text: string, name: string, member: string): string {
  return text.replaceAll("{}", `\`${name}\``).replaceAll("{member}", `\`${member}\``);
}
