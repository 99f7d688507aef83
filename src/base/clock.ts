/** Time as an argument: whoever needs the present is given a clock, so that a test or a simulation can say what it is. */

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

/** `YYYY-MM-DDTHH:MM:SS.sssZ`, the form in which an instant is stored and sent. */
export function instantText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
