/** The result of one check of `nonet doctor`. */
export interface Finding {
  readonly check: string;
  /** The status of the check. `warn`: the service works, but somebody should fix the problem. */
  readonly status: "pass" | "warn" | "fail";
  readonly found: string;
  /** The remedy; present for `warn` and `fail`. */
  readonly fix?: string;
}

/** Returns a finding. `bad`: its status if the check fails, with the remedy `fix`. */
export function finding(check: string, bad: "warn" | "fail", isGood: boolean, found: string, fix: string): Finding {
  return isGood ? { check, status: "pass", found } : { check, status: bad, found, fix };
}
