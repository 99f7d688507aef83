/** What the language has and this release does not enforce yet, each with the reason; at the end there is nothing here. */

export interface NotYet {
  /** The constructs at and below this path that have no proof. */
  readonly below: string;
  readonly reason: string;
}

const unproved = "the proofs are being written";

export const notYet: readonly NotYet[] = [
  { below: "purpose", reason: unproved },
  { below: "resources", reason: unproved },
  { below: "states", reason: unproved },
  { below: "endpoints", reason: unproved },
  { below: "authentication", reason: unproved },
  { below: "events", reason: unproved },
  { below: "errors", reason: unproved },
  { below: "limits", reason: unproved },
  { below: "versioning", reason: unproved },
];

export function reasonOf(construct: string): NotYet | undefined {
  return notYet.find(({ below }) => construct === below || construct.startsWith(`${below}/`));
}
