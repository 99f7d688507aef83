/** Part 8, printed: the shortest form that reads back as the same. */
import type { Tree } from "../../document/print.ts";
import { type Below, nothingBelow } from "../resources/field-print.ts";
import type { Limits, Quota, Rate, Retention } from "./model.ts";

export function printLimits({ rate, quota, size, time, keep }: Limits, below: Below = nothingBelow): Tree {
  return {
    ...(rate === undefined ? {} : { rate: lines(rate, below("rate"), (rates) => oneOrList(rates, printRate)) }),
    ...(quota === undefined ? {} : { quota: lines(quota, below("quota"), (quotas) => oneOrList(quotas, printQuota)) }),
    ...(size === undefined ? {} : { size: lines(size, below("size"), (limit) => limit) }),
    ...(time === undefined ? {} : { time: lines(time, below("time"), (limit) => limit) }),
    ...(keep === undefined ? {} : { keep: lines(keep, below("keep"), printRetention) }),
  };
}

/** `none` where there is nothing, unless something is `open`. */
function lines<Limit>(limits: Readonly<Record<string, Limit>>, open: boolean, print: (limit: Limit) => Tree): Tree {
  const printed = Object.entries(limits).map(([target, limit]) => [target, print(limit)] as const);
  return printed.length === 0 && !open ? "none" : Object.fromEntries(printed);
}

function oneOrList<Limit>(limits: readonly Limit[], print: (limit: Limit) => string): Tree {
  const [only, ...more] = limits.map(print);
  if (only === undefined) return "none";
  return more.length === 0 ? only : [only, ...more];
}

function printRate({ count, window, per, burst }: Rate): string {
  return `${count}/${window} per ${per}${burst === undefined ? "" : `, burst ${burst}`}`;
}

function printQuota(quota: Quota): string {
  if (quota.kind === "window") return `${quota.count}/${quota.window} per ${quota.per}`;
  return `${quota.count}${quota.states.length === 0 ? "" : ` in ${quota.states.join(" | ")}`} per ${quota.per}`;
}

function printRetention({ duration, after, act }: Retention): string {
  return `${duration} after ${after}${act === "erase" ? ", erase" : ""}`;
}
