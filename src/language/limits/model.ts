/** Part 8, limits: rates, quotas, sizes, time-outs and retention. Durations and sizes are as written. */

export interface Limits {
  /** By target: `all`, `anyone`, an operation. */
  readonly rate?: Readonly<Record<string, readonly Rate[]>>;
  /** By target: an operation, a resource, `webhook`. */
  readonly quota?: Readonly<Record<string, readonly Quota[]>>;
  /** `request: 256KB`. */
  readonly size?: Readonly<Record<string, string>>;
  /** `request: 10s`. */
  readonly time?: Readonly<Record<string, string>>;
  /** Retention by resource. */
  readonly keep?: Readonly<Record<string, Retention>>;
}

const day = 86_400_000;

/**
 * The units of a window, with or without a number before them, in milliseconds. A month is 30 days: a window begins with its
 * first request, not on the first day of a month.
 */
export const windowUnits: Readonly<Record<string, number>> = {
  s: 1000,
  sec: 1000,
  second: 1000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: day,
  day,
  w: 7 * day,
  week: 7 * day,
  mo: 30 * day,
  month: 30 * day,
};

/** Of a window as a limit has it: `15min`, `day`. */
export function windowMilliseconds(window: string): number {
  const [, number = "", unit = ""] = /^(\d*)([a-z]+)$/.exec(window) ?? [];
  return (number === "" ? 1 : Number(number)) * (windowUnits[unit] ?? Number.NaN);
}

/** The callers that a limit counts by, besides names of resources. */
export const pers = ["user", "ip"] as const;

/** `5/15min per Parcel, burst 10`. */
export interface Rate {
  readonly count: number;
  /** The window as written without its slash: `min`, `15min`, `day`. */
  readonly window: string;
  /** `user`, `ip` or a resource's name. */
  readonly per: string;
  readonly burst?: number;
}

export type Quota =
  /** `5000/day per user` */
  | { readonly kind: "window"; readonly count: number; readonly window: string; readonly per: string }
  /** `300 in announced | stored per user`; `states` empty: all live records. */
  | { readonly kind: "live"; readonly count: number; readonly states: readonly string[]; readonly per: string };

/** `90d after final`, `30d after createdAt, erase`. */
export interface Retention {
  readonly duration: string;
  /** `final`, a state, or a field of type datetime. */
  readonly after: string;
  readonly act: "delete" | "erase";
}
