/** Differences of part 8: rates, quotas, sizes, times and retention. A smaller amount may break a client that worked before. */
import type { Effect } from "../language/grammar/changes.ts";
import { limits } from "../language/limits/grammar.ts";
import {
  calendarUnit,
  type CalendarUnit,
  type Limits,
  type Quota,
  type Rate,
  windowMilliseconds,
} from "../language/limits/model.ts";
import { below, type Difference, difference, same } from "./difference.ts";
import { partDifferences, type Statement } from "./walk.ts";

export function limitDifferences(old: Limits, now: Limits): Iterable<Difference> {
  return partDifferences("limits", limits, old, now, { "rate/*": countDifferences, "quota/*": countDifferences });
}

type Limit = Rate | Quota;

/** Compares the limits of one target. */
function* countDifferences(
  old: readonly Limit[] = [],
  now: readonly Limit[] = [],
  site: Statement,
): Iterable<Difference> {
  const { kind, name: target } = site;
  const formers = formerLimits(old, now);
  for (const [index, limit] of now.entries()) {
    const limitSite = below(site, index);
    const former = formers.get(limit);
    if (former === undefined) {
      const message = `\`${target}\` has the new ${kind} \`${limitText(limit)}\``;
      yield difference("breaking", `${kind}-added`, limitSite, message, { category: "limit" });
    } else if (!same(former, limit)) {
      const isCalendar = zoneOf(former) !== undefined || zoneOf(limit) !== undefined;
      const effect = effectOf(former, limit);
      const whom = effect === "breaking" && isCalendar ? brokenCallers(former, limit) : "";
      const message = `The ${kind} of \`${target}\` is \`${limitText(limit)}\`, and was \`${limitText(former)}\`${whom}`;
      const isOtherWindow = isCalendar && windowOf(former) !== windowOf(limit);
      const changed = isOtherWindow ? `${kind}-window-changed` : `${kind}-changed`;
      yield difference(effect, changed, limitSite, message, { category: "limit" });
    }
  }
  const kept = new Set(formers.values());
  for (const limit of old.filter((one) => !kept.has(one))) {
    const message = `\`${target}\` no longer has the ${kind} \`${limitText(limit)}\``;
    yield difference("additive", `${kind}-removed`, site, message, { category: "limit" });
  }
}

/** Returns the old limit of each new one: an equal one, else one of the same window, else one that counts by the same. */
function formerLimits(old: readonly Limit[], now: readonly Limit[]): ReadonlyMap<Limit, Limit> {
  const formers = new Map<Limit, Limit>();
  const rest = new Set(old);
  const isLike: readonly ((one: Limit, other: Limit) => boolean)[] = [
    same,
    (one, other) => sideOf(one) === sideOf(other) && windowOf(one) === windowOf(other),
    (one, other) => sideOf(one) === sideOf(other),
  ];
  for (const like of isLike)
    for (const limit of now) {
      const former = formers.has(limit) ? undefined : [...rest].find((other) => like(other, limit));
      if (former === undefined) continue;
      formers.set(limit, former);
      rest.delete(former);
    }
  return formers;
}

function sideOf(limit: Limit): string {
  return `${limit.per} ${"kind" in limit && limit.kind === "live" ? "live" : "window"}`;
}

function zoneOf(limit: Limit): string | undefined {
  return "zone" in limit ? limit.zone : undefined;
}

function windowOf(limit: Limit): string | undefined {
  if (!("window" in limit)) return undefined;
  return `${calendarUnit(limit.window) ?? limit.window} ${limit.zone}`;
}

/** Returns in words which callers a limit of a calendar window rejects that the old limit did not. */
function brokenCallers(old: Limit, now: Limit): string {
  if (zoneOf(old) !== zoneOf(now)) return ": its windows begin at other times for callers who use up the old ones";
  const unit = "window" in now ? calendarUnit(now.window) : undefined;
  return `: it rejects callers who need more than ${now.count} in a ${unit}`;
}

function limitText(limit: Limit): string {
  const states = "states" in limit && limit.states.length > 0 ? ` in ${limit.states.join(" | ")}` : "";
  const window = "window" in limit ? `/${limit.window}` : "";
  const zone = "zone" in limit && limit.zone !== undefined ? ` in ${limit.zone}` : "";
  const burst = "burst" in limit && limit.burst !== undefined ? `, burst ${limit.burst}` : "";
  return `${limit.count}${window}${zone}${states} per ${limit.per}${burst}`;
}

/** How many windows of the first unit one window of the second unit can meet: a month of 31 days meets up to 6 weeks. */
const windowsMet: Readonly<Record<CalendarUnit, Readonly<Record<CalendarUnit, number>>>> = {
  day: { day: 1, week: 7, month: 31 },
  week: { day: 1, week: 1, month: 6 },
  month: { day: 1, week: 2, month: 1 },
};

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
  const units = [calendarUnit(old.window), calendarUnit(now.window)] as const;
  if (now.zone !== undefined && units[0] !== undefined && units[1] !== undefined)
    return now.count >= old.count * windowsMet[units[0]][units[1]] ? "additive" : "breaking";
  const [before, after] = [windowMilliseconds(old.window), windowMilliseconds(now.window)];
  const burst = (limit: Limit): number => ("burst" in limit && limit.burst !== undefined ? limit.burst : limit.count);
  if (now.count < old.count || burst(now) < burst(old)) return "breaking";
  return now.count * before >= old.count * after ? "additive" : "breaking";
}
