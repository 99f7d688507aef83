/** Differences of part 7: codes, statuses, `Retry-After` hints and error bodies. */
import type { DeclaredError, Errors } from "../language/errors/model.ts";
import { standardErrors } from "../language/errors/model.ts";
import type { Change } from "../language/versioning/model.ts";
import { lookup } from "../language/resources/fields.ts";
import { type Difference, difference, pairs, restated, unhandledKeys } from "./difference.ts";

/** `replaced`: for each old code, the code that an operation now returns in its place. */
export function* errorDifferences(
  old: Errors,
  now: Errors,
  replaced: ReadonlyMap<string, string>,
): Iterable<Difference> {
  const body = { kind: "error-body-changed", subject: "body", at: "errors/body", what: "The body of errors" };
  yield* restated(body, old.body, now.body, "breaking");
  const statements = [
    { key: "bodies", kind: "error-body-changed", what: "The body of", effect: "breaking" },
    { key: "status", kind: "error-status-changed", what: "The status of", effect: "breaking" },
    { key: "codes", kind: "error-code-changed", what: "What the wire calls", effect: "breaking" },
    { key: "messages", kind: "error-sentence-changed", what: "The message of", effect: "neutral" },
  ] as const;
  for (const { key, kind, what, effect } of statements) {
    for (const { name, old: before, now: after } of pairs<unknown>(old[key], now[key])) {
      const statement = { kind, subject: `error ${name}`, at: `errors/${key}/${name}`, what: `${what} \`${name}\`` };
      const former = key === "status" ? { entry: statusEntry(name, before) } : {};
      yield* restated(statement, before, after, effect, former);
    }
  }
  yield* importDifferences(old, now);
  const names = renamedErrors(old, now, replaced);
  const newNames = new Set(names.values());
  for (const { name, old: before, now: after } of pairs(old.errors, now.errors)) {
    const subject = `error ${name}`;
    const at = `errors/errors/${name}`;
    if (before !== undefined && after !== undefined) yield* changes(name, before, after);
    else if (after !== undefined && !newNames.has(name))
      yield difference("additive", "error-added", subject, at, `The error \`${name}\` is new`);
    else if (before !== undefined) yield* removedError(name, before, names.get(name), now);
  }
  yield* unhandledKeys({ subject: "errors", at: "errors" }, old, now, [
    "body",
    "bodies",
    "status",
    "codes",
    "messages",
    "standard",
    "errors",
  ]);
}

/** The version entry that keeps the old status for older callers. */
function statusEntry(code: string, before: unknown): Change {
  const status = typeof before === "number" ? before : (lookup(standardErrors, code)?.status ?? 400);
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

function* removedError(
  name: string,
  error: DeclaredError,
  other: string | undefined,
  now: Errors,
): Iterable<Difference> {
  const at = `errors/errors/${name}`;
  const subject = `error ${name}`;
  if (other === undefined || (lookup(now.errors, other) === undefined && lookup(standardErrors, other) === undefined)) {
    // No other error replaces it, so a client's handler for it is merely unused.
    yield difference("neutral", "error-removed", subject, at, `The error \`${name}\` is gone`);
    return;
  }
  const entry = { kind: "error", code: other, status: error.status, was: name } as const;
  const message = `The error \`${name}\` is called \`${other}\``;
  const details = { entry, also: `error ${other}`, oldAt: at };
  yield difference("breaking", "error-renamed", subject, `errors/errors/${other}`, message, details);
}

function* changes(name: string, old: DeclaredError, now: DeclaredError): Iterable<Difference> {
  const at = `errors/errors/${name}`;
  const subject = `error ${name}`;
  const status = { kind: "error-status-changed", subject, at, what: `The status of \`${name}\`` };
  const entry = { kind: "error", code: name, status: old.status, was: name } as const;
  yield* restated(status, old.status, now.status, "breaking", { entry });
  const sentence = { kind: "error-sentence-changed", subject, at, what: `The sentence of \`${name}\`` };
  yield* restated(sentence, old.sentence, now.sentence, "neutral");
  const retry = { kind: "error-retry-changed", subject, at, what: `After what \`${name}\` may be retried` };
  yield* restated(retry, old.retryAfter, now.retryAfter, old.retryAfter === undefined ? "additive" : "neutral");
  yield* unhandledKeys({ subject, at }, old, now, ["status", "sentence", "retryAfter"]);
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
