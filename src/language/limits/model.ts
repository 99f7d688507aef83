/** The model of part 8, limits: rates, quotas, sizes, time-outs and retention. Durations and sizes are texts as in the document. */

export interface Limits {
  /** Rates by target: `all`, `anyone`, or an operation. */
  readonly rate?: Readonly<Record<string, readonly Rate[]>>;
  /** Quotas by target: an operation, a resource, or `webhook`. */
  readonly quota?: Readonly<Record<string, readonly Quota[]>>;
  /** The largest body by target: `request: 256KB`. */
  readonly size?: Readonly<Record<string, string>>;
  /** The time-out by target: `request: 10s`. */
  readonly time?: Readonly<Record<string, string>>;
  /** Retention by resource. */
  readonly keep?: Readonly<Record<string, Retention>>;
}

const day = 86_400_000;

/**
 * The units of a window in milliseconds; a number may precede a unit. A month is 30 days, since a window begins with its first
 * request and not on the first day of a month.
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

/** Returns the length of a window, such as `15min` or `day`, in milliseconds. */
export function windowMilliseconds(window: string): number {
  const [, number = "", unit = ""] = /^(\d*)([a-z]+)$/.exec(window) ?? [];
  return (number === "" ? 1 : Number(number)) * (windowUnits[unit] ?? Number.NaN);
}

/** Returns the unit of a window that can be one of the calendar; undefined for any other window. */
export function calendarUnit(window: string): CalendarUnit | undefined {
  return ({ d: "day", day: "day", w: "week", week: "week", mo: "month", month: "month" } as const)[window];
}

export type CalendarUnit = "day" | "week" | "month";

/** The words after `per` that are no names of resources. */
export const pers = ["user", "ip"] as const;

/**
 * A rate, such as `5/15min per Parcel, burst 10`. With `zone`, the window is a day, a week or a month of the calendar in that
 * time zone: `5000/day in Europe/Oslo per user`.
 */
export interface Rate {
  readonly count: number;
  /** The window as written without its slash: `min`, `15min`, `day`. */
  readonly window: string;
  /** What the limit counts by: `user`, `ip` or a resource's name. */
  readonly per: string;
  readonly zone?: string;
  readonly burst?: number;
}

export type Quota =
  /**
   * A quota on operations in a window: `5000/day per user`. With `zone`, the window is a day, a week or a month of the calendar
   * in that time zone: `5000/day in Europe/Oslo per user`.
   */
  | {
      readonly kind: "window";
      readonly count: number;
      readonly window: string;
      readonly per: string;
      readonly zone?: string;
    }
  /** A quota on live records: `300 in announced | stored per user`; `states` empty: all live records. */
  | { readonly kind: "live"; readonly count: number; readonly states: readonly string[]; readonly per: string };

/** The retention of a resource, such as `90d after final` or `30d after createdAt, erase`. */
export interface Retention {
  readonly duration: string;
  /** The moment at which the duration starts: `final`, a state, or a field of type datetime. */
  readonly after: string;
  readonly act: "delete" | "erase";
}
