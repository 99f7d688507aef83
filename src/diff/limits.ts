/** Differences of part 8: rates, quotas, sizes, times and retention. A smaller amount may break a client that worked before. */
import type { Effect } from "../language/grammar/changes.ts";
import { limits } from "../language/limits/grammar.ts";
import { type Limits, type Quota, type Rate, windowMilliseconds } from "../language/limits/model.ts";
import { below, type Difference, difference, restated, same } from "./difference.ts";
import { partDifferences, type Statement } from "./walk.ts";

export function limitDifferences(old: Limits, now: Limits): Iterable<Difference> {
  return partDifferences("limits", limits, old, now, { "rate/*": countDifferences, "quota/*": countDifferences });
}

type Limit = Rate | Quota;

/** Matches the limits of one target by their `per` and by whether they count live records. */
function* countDifferences(
  old: readonly Limit[] = [],
  now: readonly Limit[] = [],
  site: Statement,
): Iterable<Difference> {
  const { kind, name: target } = site;
  const rest = [...old];
  for (const [index, limit] of now.entries()) {
    const limitSite = below(site, index);
    const like = rest.findIndex((other) => sideOf(other) === sideOf(limit));
    const [former] = like < 0 ? [] : rest.splice(like, 1);
    if (former === undefined) {
      const message = `\`${target}\` has the new ${kind} \`${limitText(limit)}\``;
      yield difference("breaking", `${kind}-added`, limitSite, message, { category: "limit" });
    } else if (!same(former, limit)) {
      const values = [limitText(former), limitText(limit)] as const;
      const what = `The ${kind} of \`${target}\``;
      yield* restated(effectOf(former, limit), `${kind}-changed`, limitSite, what, values, { category: "limit" });
    }
  }
  for (const limit of rest) {
    const message = `\`${target}\` no longer has the ${kind} \`${limitText(limit)}\``;
    yield difference("additive", `${kind}-removed`, site, message, { category: "limit" });
  }
}

function sideOf(limit: Limit): string {
  return `${limit.per} ${"kind" in limit && limit.kind === "live" ? "live" : "window"}`;
}

function limitText(limit: Limit): string {
  const states = "states" in limit && limit.states.length > 0 ? ` in ${limit.states.join(" | ")}` : "";
  const window = "window" in limit ? `/${limit.window}` : "";
  const zone = "zone" in limit && limit.zone !== undefined ? ` in ${limit.zone}` : "";
  const burst = "burst" in limit && limit.burst !== undefined ? `, burst ${limit.burst}` : "";
  return `${limit.count}${window}${zone}${states} per ${limit.per}${burst}`;
}

/**
 * Returns the effect of a changed limit: `additive` if every client within the old limit is within the new one, so count, rate
 * and burst are no smaller.
 */
function effectOf(old: Limit, now: Limit): Effect {
  if ("states" in old && "states" in now)
    return now.count >= old.count &&
      now.states.every((state) => old.states.length === 0 || old.states.includes(state)) &&
      (now.states.length > 0 || old.states.length === 0)
      ? "additive"
      : "breaking";
  if (!("window" in old) || !("window" in now)) return "breaking";
  if (old.zone !== now.zone) return "breaking";
  const [before, after] = [windowMilliseconds(old.window), windowMilliseconds(now.window)];
  const burst = (limit: Limit): number => ("burst" in limit && limit.burst !== undefined ? limit.burst : limit.count);
  if (now.count < old.count || burst(now) < burst(old)) return "breaking";
  return now.count * before >= old.count * after ? "additive" : "breaking";
}
