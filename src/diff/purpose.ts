/** Differences of part 1 and of the document's descriptions, which only people read. */
import type { Model } from "../language/model.ts";
import { partNames } from "../language/model.ts";
import { lookup } from "../language/resources/fields.ts";
import { type Difference, difference, pairs, restated, unhandledKeys } from "./difference.ts";

export function* purposeDifferences(old: Model, now: Model): Iterable<Difference> {
  const statement = (member: string, what: string) => ({
    kind: `${member}-changed`,
    subject: member,
    at: `purpose/${member}`,
    what,
  });
  yield* restated({ ...statement("title", "The title"), at: "purpose" }, old.title, now.title, "neutral");
  for (const member of ["nonet", "service", "domain", "purpose", "outside"] as const)
    yield* restated(statement(member, `\`${member}\``), old.purpose[member], now.purpose[member], "neutral");
  for (const { name, old: before, now: after } of pairs(old.purpose.users, now.purpose.users))
    yield* restated(
      { kind: "user-changed", subject: name, at: `purpose/users/${name}`, what: `What \`${name}\` does` },
      before,
      after,
      "neutral",
    );
  for (const { name, old: before, now: after } of pairs(old.purpose.operations, now.purpose.operations)) {
    // The endpoint's own difference already reports an operation that is new or removed.
    const [was, is] = [old, now].map((model) => lookup(model.endpoints.endpoints, name) !== undefined);
    if (was !== is && (before === undefined) === !was && (after === undefined) === !is) continue;
    const changed = {
      kind: "operation-described",
      subject: name,
      at: `purpose/operations/${name}`,
      what: `The sentence about \`${name}\``,
    };
    yield* restated(changed, before, after, "neutral");
  }
  yield* unhandledKeys({ subject: "purpose", at: "purpose" }, old.purpose, now.purpose, [
    "nonet",
    "service",
    "domain",
    "purpose",
    "outside",
    "users",
    "operations",
  ]);
}

/** Differences in which parts are complete or open: readers of the document notice them, clients do not. */
export function* statusDifferences(old: Model, now: Model): Iterable<Difference> {
  for (const part of partNames) {
    const statement = {
      kind: "part-status-changed",
      subject: part,
      at: part,
      what: `What the document says of its ${part}`,
    };
    yield* restated(statement, old.status[part], now.status[part], "neutral");
  }
  const opened = now.gaps.filter((gap) => !old.gaps.includes(gap));
  const closed = old.gaps.filter((gap) => !now.gaps.includes(gap));
  const partOf = (gap: string): string => gap.split("/", 1)[0] ?? gap;
  for (const gap of opened) yield difference("neutral", "gap-opened", partOf(gap), gap, `\`${gap}\` is open`);
  for (const gap of closed) yield difference("neutral", "gap-closed", partOf(gap), gap, `\`${gap}\` is open no longer`);
}
