/** Differences of part 1 and of the document's descriptions, which only people read. */
import type { Model } from "../language/model.ts";
import { partNames } from "../language/model.ts";
import { purpose } from "../language/purpose/grammar.ts";
import { lookup } from "../language/resources/fields.ts";
import { type Difference, difference, restated } from "./difference.ts";
import { partDifferences } from "./walk.ts";

export function* purposeDifferences(old: Model, now: Model): Iterable<Difference> {
  const title = { kind: "title-changed", subject: "title", at: "purpose", what: "The title" };
  yield* restated(title, old.title, now.title, "neutral");
  yield* partDifferences("purpose", purpose, old.purpose, now.purpose, {
    "operations/*": (before, after, { at, name }) => {
      // The endpoint's own difference already reports an operation that is new or removed.
      const [was, is] = [old, now].map((model) => lookup(model.endpoints.endpoints, name) !== undefined);
      if (was !== is && (before === undefined) === !was && (after === undefined) === !is) return [];
      const changed = { kind: "operation-described", subject: name, at, what: `The sentence about \`${name}\`` };
      return restated(changed, before, after, "neutral");
    },
  });
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
