/** What `nonet doctor` says of one thing that it looked at. */
export interface Finding {
  readonly check: string;
  /** `warn`: it can be served, and somebody should see to it. */
  readonly status: "pass" | "warn" | "fail";
  readonly found: string;
  /** What to do; there wherever something is. */
  readonly fix?: string;
}
