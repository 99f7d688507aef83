/** Part 8, limits: rates, quotas, sizes, time-outs and retention. Durations and sizes are kept as written. */

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

/** What a window is counted in, with or without a number before it. */
export const windowUnits = [
  "s", "sec", "second", "min", "minute", "h", "hour", "d", "day", "w", "week", "mo", "month",
] as const; // biome-ignore format: a table

/** Whom a limit counts for, beside the name of a resource. */
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
