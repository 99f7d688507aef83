/** Knows the names of time zones by those of the browser, in place of a list. */
export function isZone(text: string): boolean {
  try {
    // A difference to UTC such as `+01:00` is no name.
    return /^[a-z]/i.test(text) && new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
