/** Differences of part 8: rates, quotas, sizes, times and retention. A smaller amount may break a client that worked before. */
import { type Limits, type Quota, type Rate, type Retention, windowMilliseconds } from "../language/limits/model.ts";
import { sizeOf, spanOf } from "./amounts.ts";
import {
  type Difference,
  difference,
  type Effect,
  measured,
  pairs,
  restated,
  same,
  unhandledKeys,
} from "./difference.ts";

export function* limitDifferences(old: Limits, now: Limits): Iterable<Difference> {
  for (const { name, old: before, now: after } of pairs(old.rate, now.rate))
    yield* countDifferences("rate", name, before ?? [], after ?? []);
  for (const { name, old: before, now: after } of pairs(old.quota, now.quota))
    yield* countDifferences("quota", name, before ?? [], after ?? []);
  const weights = { less: "breaking", more: "additive" } as const;
  for (const { name, old: before, now: after } of pairs(old.size, now.size)) {
    const size = { kind: "size-changed", subject: name, at: `limits/size/${name}`, what: `The largest \`${name}\`` };
    yield* measured(size, before, after, sizeOf, weights);
  }
  for (const { name, old: before, now: after } of pairs(old.time, now.time)) {
    const time = { kind: "time-changed", subject: name, at: `limits/time/${name}`, what: `The time for a \`${name}\`` };
    yield* measured(time, before, after, spanOf, weights);
  }
  for (const pair of pairs(old.keep, now.keep)) yield* retentionDifferences(pair.name, pair.old, pair.now);
  yield* unhandledKeys({ subject: "limits", at: "limits" }, old, now, ["rate", "quota", "size", "time", "keep"]);
}

type Limit = Rate | Quota;

/** Matches the limits of one target by their `per` and by whether they count live records. */
function* countDifferences(
  kind: "rate" | "quota",
  target: string,
  old: readonly Limit[],
  now: readonly Limit[],
): Iterable<Difference> {
  const rest = [...old];
  for (const [index, limit] of now.entries()) {
    const at = `limits/${kind}/${target}/${index}`;
    const like = rest.findIndex((other) => sideOf(other) === sideOf(limit));
    const [former] = like < 0 ? [] : rest.splice(like, 1);
    if (former === undefined) {
      const message = `\`${target}\` has the new ${kind} \`${limitText(limit)}\``;
      yield difference("breaking", `${kind}-added`, target, at, message, { category: "limit" });
    } else if (!same(former, limit)) {
      const statement = { kind: `${kind}-changed`, subject: target, at, what: `The ${kind} of \`${target}\`` };
      yield* restated(statement, limitText(former), limitText(limit), effectOf(former, limit), { category: "limit" });
    }
  }
  for (const limit of rest) {
    const message = `\`${target}\` has no ${kind} \`${limitText(limit)}\` any more`;
    yield difference("additive", `${kind}-removed`, target, `limits/${kind}/${target}`, message, { category: "limit" });
  }
}

function sideOf(limit: Limit): string {
  return `${limit.per} ${"kind" in limit && limit.kind === "live" ? "live" : "window"}`;
}

function limitText(limit: Limit): string {
  const states = "states" in limit && limit.states.length > 0 ? ` in ${limit.states.join(" | ")}` : "";
  const window = "window" in limit ? `/${limit.window}` : "";
  const burst = "burst" in limit && limit.burst !== undefined ? `, burst ${limit.burst}` : "";
  return `${limit.count}${window}${states} per ${limit.per}${burst}`;
}

/** `additive` if every client within the old limit is within the new one: count, rate and burst are no smaller. */
function effectOf(old: Limit, now: Limit): Effect {
  if ("states" in old && "states" in now)
    return now.count >= old.count &&
      now.states.every((state) => old.states.length === 0 || old.states.includes(state)) &&
      (now.states.length > 0 || old.states.length === 0)
      ? "additive"
      : "breaking";
  if (!("window" in old) || !("window" in now)) return "breaking";
  const [before, after] = [windowMilliseconds(old.window), windowMilliseconds(now.window)];
  const burst = (limit: Limit): number => ("burst" in limit && limit.burst !== undefined ? limit.burst : limit.count);
  if (now.count < old.count || burst(now) < burst(old)) return "breaking";
  return now.count * before >= old.count * after ? "additive" : "breaking";
}

function* retentionDifferences(
  name: string,
  old: Retention | undefined,
  now: Retention | undefined,
): Iterable<Difference> {
  const at = `limits/keep/${name}`;
  if (old === undefined || now === undefined) {
    const isRemoved = now === undefined;
    const message = isRemoved
      ? `A \`${name}\` is kept for ever`
      : `A \`${name}\` is kept for ${now.duration} after ${now.after}`;
    yield difference(
      isRemoved ? "additive" : "breaking",
      isRemoved ? "keep-removed" : "keep-added",
      name,
      at,
      message,
      {
        category: "limit",
      },
    );
    return;
  }
  const statement = { kind: "keep-changed", subject: name, at, what: `How long a \`${name}\` is kept` };
  yield* measured(statement, old.duration, now.duration, spanOf, { less: "breaking", more: "additive" });
  yield* restated({ ...statement, what: `From when on a \`${name}\` is kept` }, old.after, now.after, "breaking", {
    category: "limit",
  });
  yield* restated(
    { ...statement, what: `What happens to a \`${name}\` then` },
    old.act,
    now.act,
    now.act === "erase" ? "additive" : "breaking",
    { category: "limit" },
  );
  yield* unhandledKeys({ subject: name, at }, old, now, ["duration", "after", "act"]);
}
