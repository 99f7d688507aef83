/** Differences of part 1 and of the document's descriptions, which only people read. */
import type { Model } from "../language/model.ts";
import { partNames } from "../language/model.ts";
import { purpose } from "../language/purpose/grammar.ts";
import { lookup } from "../language/resources/fields.ts";
import { type Difference, difference, restated } from "./difference.ts";
import { partDifferences } from "./walk.ts";

export function* purposeDifferences(old: Model, now: Model): Iterable<Difference> {
  const title = { subject: "title", at: "purpose" };
  yield* restated("neutral", "title-changed", title, "The title", [old.title, now.title]);
  yield* partDifferences("purpose", purpose, old.purpose, now.purpose, {
    "operations/*": (before, after, site) => {
      // The endpoint's own difference already reports a new or removed operation.
      const [was, is] = [old, now].map((model) => lookup(model.endpoints.endpoints, site.name) !== undefined);
      if (was !== is && (before === undefined) === !was && (after === undefined) === !is) return [];
      const what = `The description of \`${site.name}\``;
      return restated("neutral", "operation-described", site, what, [before, after]);
    },
  });
}

/** Yields differences in which parts are complete or open: readers of the document notice them, clients do not. */
export function* statusDifferences(old: Model, now: Model): Iterable<Difference> {
  for (const part of partNames) {
    const what = `The status of the part ${part}`;
    yield* restated("neutral", "part-status-changed", { subject: part, at: part }, what, [
      old.status[part],
      now.status[part],
    ]);
  }
  const opened = now.gaps.filter((gap) => !old.gaps.includes(gap));
  const closed = old.gaps.filter((gap) => !now.gaps.includes(gap));
  const siteOf = (gap: string) => ({ subject: gap.split("/", 1)[0] ?? gap, at: gap });
  for (const gap of opened) yield difference("neutral", "gap-opened", siteOf(gap), `\`${gap}\` is open`);
  for (const gap of closed) yield difference("neutral", "gap-closed", siteOf(gap), `\`${gap}\` is no longer open`);
}
