/** What `nonet doctor` says of one thing that it looked at. */
export interface Finding {
  readonly check: string;
  /** `warn`: it can be served, and somebody should see to it. */
  readonly status: "pass" | "warn" | "fail";
  readonly found: string;
  /** What to do; there wherever something is. */
  readonly fix?: string;
}

/** `bad`: what it is where it is not good, and `fix` what to do then. */
export function finding(check: string, bad: "warn" | "fail", isGood: boolean, found: string, fix: string): Finding {
  return isGood ? { check, status: "pass", found } : { check, status: bad, found, fix };
}
