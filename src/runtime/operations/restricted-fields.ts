/**
 * Fields that only some callers may set (`set` of part 5). For all other callers a field is like one that only the service sets:
 * a body may contain its stored value, and any other value is an error, or is ignored like an unknown member (R2.4).
 */
import type { Row, Transaction } from "../../store/port/store.ts";
import type { Call, Values } from "../context/context.ts";
import { invalid, type Violation } from "../errors/api-error.ts";
import { sameValue } from "../records/defaults-and-rules.ts";
import { isUnknown } from "../validation/messages.ts";
import { holds } from "../records/find-and-authorise.ts";

/** Returns the fields that the caller may not set in this record: a new one, or one as it is before its change. */
export async function unsettable(call: Call, tx: Transaction, record: Row): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, decision] of call.kind.restricted ?? [])
    if (!(await holds(call, tx, decision, record))) found.push(name);
  return found;
}

/**
 * Returns the values without those of these fields. Throws if the caller has sent such a value, unless it is the stored one or
 * the operation ignores what it does not take. `isSent`: whether the request contains the field.
 */
export function withoutUnsettable(
  call: Call,
  names: readonly string[],
  values: Values,
  row: Row | undefined,
  isSent: (name: string) => boolean,
): Values {
  const violations: Violation[] = [];
  for (const name of names) {
    if (!Object.hasOwn(values, name) || !isSent(name)) continue;
    const isRead = row !== undefined && call.kind.record.readable.has(name);
    if (call.compiled.operation.ignoresUnknown === true) continue;
    if (isRead && sameValue(row[name] ?? null, values[name] ?? null)) continue;
    const isKnown = call.kind.record.known.has(name);
    violations.push({
      pointer: `#/${name}`,
      code: isKnown ? "read-only" : "unknown-field",
      detail: isKnown ? `${name} cannot be set by this caller` : isUnknown(name),
    });
  }
  if (violations.length > 0) throw invalid(violations);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}
