/** Differences of part 7: codes, statuses, `Retry-After` hints and error bodies. */
import { errors } from "../language/errors/grammar.ts";
import type { DeclaredError, Errors } from "../language/errors/model.ts";
import { standardErrors } from "../language/errors/model.ts";
import type { Change } from "../language/versioning/model.ts";
import { lookup } from "../language/resources/fields.ts";
import { type Difference, difference, restated } from "./difference.ts";
import { partDifferences, type Statement } from "./walk.ts";

/** Compares errors. `replaced`: for each old code, the code that an operation now returns instead. */
export function errorDifferences(
  old: Errors,
  now: Errors,
  replaced: ReadonlyMap<string, string>,
): Iterable<Difference> {
  const names = renamedErrors(old, now, replaced);
  const newNames = new Set(names.values());
  return partDifferences("errors", errors, old, now, {
    "status/*": statusDifference,
    standard: (_, __, site) => importDifferences(old, now, site),
    "errors/*": (before: DeclaredError | undefined, after: DeclaredError | undefined, site) => {
      const { name } = site;
      if (before === undefined)
        return newNames.has(name) ? [] : [difference("additive", "error-added", site, `The error \`${name}\` is new`)];
      return after === undefined ? [removedError(site, before, names.get(name), now)] : undefined;
    },
    "errors/*/status": statusDifference,
  });
}

function statusDifference(old: number | undefined, now: number | undefined, site: Statement): Iterable<Difference> {
  const entry = statusEntry(site.name, old);
  return restated("breaking", "error-status-changed", site, site.what, [old, now], { entry });
}

/** Returns the version entry that keeps the old status for older callers. */
function statusEntry(code: string, before: number | undefined): Change {
  const status = before ?? lookup(standardErrors, code)?.status ?? 400;
  return { kind: "error", code, status, was: code };
}

/** Finds renamed errors: a removed code maps to the code that replaces it, or to a new error with the same sentence. */
function renamedErrors(old: Errors, now: Errors, replaced: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const added = Object.entries(now.errors).filter(([code]) => !Object.hasOwn(old.errors, code));
  return new Map(
    Object.entries(old.errors).flatMap(([code, { sentence }]) => {
      if (Object.hasOwn(now.errors, code)) return [];
      const other = replaced.get(code) ?? added.find(([, error]) => error.sentence === sentence)?.[0];
      return other === undefined ? [] : [[code, other] as const];
    }),
  );
}

function removedError(site: Statement, error: DeclaredError, other: string | undefined, now: Errors): Difference {
  const { at, name, subject } = site;
  if (other === undefined || (lookup(now.errors, other) === undefined && lookup(standardErrors, other) === undefined))
    // No other error replaces this one, so a client's code for it is merely unused.
    return difference("neutral", "error-removed", site, `The error \`${name}\` is removed`);
  const entry = { kind: "error", code: other, status: error.status, was: name } as const;
  const details = { entry, also: `error ${other}`, oldAt: at };
  const newSite = { subject, at: `errors/errors/${other}` };
  return difference("breaking", "error-renamed", newSite, `The error \`${name}\` is called \`${other}\``, details);
}

function* importDifferences(old: Errors, now: Errors, site: Statement): Iterable<Difference> {
  const { at } = site;
  const codes = ({ standard }: Errors): readonly string[] =>
    standard === undefined || standard === "all" ? Object.keys(standardErrors) : standard;
  const [before, after] = [codes(old), codes(now)];
  const all = [...new Set([...before, ...after])].filter((code) => before.includes(code) !== after.includes(code));
  for (const code of all) {
    const isNew = after.includes(code);
    const message = `The standard error \`${code}\` is ${isNew ? "imported" : "no longer imported"}`;
    const [effect, kind] = isNew ? (["additive", "added"] as const) : (["breaking", "removed"] as const);
    yield difference(effect, `standard-error-${kind}`, { subject: `error ${code}`, at }, message);
  }
  const isOneOmitted = (old.standard === undefined) !== (now.standard === undefined);
  if (all.length === 0 && isOneOmitted)
    yield difference("neutral", "standard-said", site, "The list of standard errors is written differently");
}
