/** Differences of part 7: codes, statuses, `Retry-After` hints and error bodies. */
import { errors } from "../language/errors/grammar.ts";
import type { DeclaredError, Errors } from "../language/errors/model.ts";
import { standardErrors } from "../language/errors/model.ts";
import type { Change } from "../language/versioning/model.ts";
import { lookup } from "../language/resources/fields.ts";
import { type Difference, difference, restated } from "./difference.ts";
import { partDifferences, type Site } from "./walk.ts";

/** `replaced`: for each old code, the code that an operation now returns in its place. */
export function errorDifferences(
  old: Errors,
  now: Errors,
  replaced: ReadonlyMap<string, string>,
): Iterable<Difference> {
  const names = renamedErrors(old, now, replaced);
  const newNames = new Set(names.values());
  return partDifferences("errors", errors, old, now, {
    "status/*": statusDifference,
    standard: () => importDifferences(old, now),
    "errors/*": (before: DeclaredError | undefined, after: DeclaredError | undefined, { at, name, subject }) => {
      if (before === undefined)
        return newNames.has(name)
          ? []
          : [difference("additive", "error-added", subject, at, `The error \`${name}\` is new`)];
      return after === undefined ? [removedError(name, before, names.get(name), now)] : undefined;
    },
    "errors/*/status": statusDifference,
  });
}

function statusDifference(old: number | undefined, now: number | undefined, site: Site): Iterable<Difference> {
  const entry = statusEntry(site.name, old);
  return restated({ ...site, kind: "error-status-changed" }, old, now, "breaking", { entry });
}

/** The version entry that keeps the old status for older callers. */
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

function removedError(name: string, error: DeclaredError, other: string | undefined, now: Errors): Difference {
  const at = `errors/errors/${name}`;
  const subject = `error ${name}`;
  if (other === undefined || (lookup(now.errors, other) === undefined && lookup(standardErrors, other) === undefined))
    // No other error replaces it, so a client's handler for it is merely unused.
    return difference("neutral", "error-removed", subject, at, `The error \`${name}\` is gone`);
  const entry = { kind: "error", code: other, status: error.status, was: name } as const;
  const message = `The error \`${name}\` is called \`${other}\``;
  const details = { entry, also: `error ${other}`, oldAt: at };
  return difference("breaking", "error-renamed", subject, `errors/errors/${other}`, message, details);
}

function* importDifferences(old: Errors, now: Errors): Iterable<Difference> {
  const codes = ({ standard }: Errors): readonly string[] =>
    standard === undefined || standard === "all" ? Object.keys(standardErrors) : standard;
  const [before, after] = [codes(old), codes(now)];
  const all = [...new Set([...before, ...after])].filter((code) => before.includes(code) !== after.includes(code));
  for (const code of all) {
    const isNew = after.includes(code);
    const message = `The standard error \`${code}\` is ${isNew ? "imported" : "not imported any more"}`;
    const kind = isNew ? "standard-error-added" : "standard-error-removed";
    yield difference(isNew ? "additive" : "breaking", kind, `error ${code}`, "errors/standard", message);
  }
  if (all.length === 0 && old.standard !== now.standard && (old.standard === undefined || now.standard === undefined))
    yield difference(
      "neutral",
      "standard-said",
      "standard",
      "errors/standard",
      "Which standard errors there are is written differently",
    );
}
