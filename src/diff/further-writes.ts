/** Differences of further writes (`also`) and of the records that a transition by `when` selects. */
import { selectionMembers } from "../language/states/further-writes.ts";
import type { FurtherWrite, Trigger } from "../language/states/model.ts";
import { canonical } from "./conditions.ts";
import { below, type Difference, difference, pairs, restated, type Site } from "./difference.ts";
import { type Both, errorCodeDifference } from "./resources.ts";

/** `what`: the statement that the writes belong to, in the middle of a sentence. */
export function* furtherWriteDifferences(
  both: Both,
  site: Site,
  what: string,
  old: readonly FurtherWrite[] = [],
  now: readonly FurtherWrite[] = [],
): Iterable<Difference> {
  for (const { now: after, old: before } of pairs(keyed(old), keyed(now))) {
    const [, write] = after ?? before ?? [];
    if (write === undefined) continue;
    const at = { ...site, at: `${site.at}/also/${(after ?? before)?.[0]}` };
    const verb = `${what} ${write.kind}s ${write.resource} records`;
    if (before === undefined) {
      // A write with its own error can reject requests that succeeded before.
      const effect = write.else === undefined ? "additive" : "breaking";
      yield difference(effect, "also-added", at, verb, { category: "right" });
    } else if (after === undefined) {
      const message = `${what} no longer ${write.kind}s ${write.resource} records`;
      yield difference("breaking", "also-removed", at, message, { category: "right" });
    } else yield* changedWrite(both, at, `of ${what}`, before[1], after[1]);
  }
}

/** Returns the writes with their index: those of the same kind and resource are counted. */
function keyed(
  writes: readonly FurtherWrite[],
): Readonly<Record<string, readonly [index: number, write: FurtherWrite]>> {
  const counts = new Map<string, number>();
  return Object.fromEntries(
    writes.map((write, index) => {
      const name = `${write.kind} ${write.resource}`;
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return [`${name} ${count}`, [index, write] as const];
    }),
  );
}

function* changedWrite(
  both: Both,
  site: Site,
  what: string,
  old: FurtherWrite,
  now: FurtherWrite,
): Iterable<Difference> {
  const lists = [old, now].map(({ each }) => each && `${each.name} in ${canonical(each.list)}`);
  yield* restated("breaking", "also-changed", below(site, "each"), `\`each\` ${what}`, [lists[0], lists[1]]);
  yield* restated("breaking", "also-changed", below(site, "if"), `The condition ${what}`, [
    canonical(old.if),
    canonical(now.if),
  ]);
  yield* selectionDifferences(site, what, old, now);
  for (const member of ["with", "set"] as const) {
    for (const { name, old: before, now: after } of pairs(old[member], now[member])) {
      const values = [canonical(before), canonical(after)] as const;
      yield* restated(
        "neutral",
        "set-changed",
        below(site, `${member}/${name}`),
        `The value of \`${name}\` ${what}`,
        values,
      );
    }
  }
  yield* errorCodeDifference(both, site.subject, site.at, old.else, now.else);
}

export function* selectionDifferences(
  site: Site,
  what: string,
  old: Pick<Trigger, "where" | "first" | "sort">,
  now: Pick<Trigger, "where" | "first" | "sort">,
): Iterable<Difference> {
  for (const member of selectionMembers) {
    const values = [old, now].map(({ [member]: value }) => (member === "where" ? canonical(value as string) : value));
    yield* restated("breaking", "selection-changed", below(site, member), `\`${member}\` ${what}`, [
      values[0],
      values[1],
    ]);
  }
}
