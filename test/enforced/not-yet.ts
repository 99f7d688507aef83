/** Constructs that this release does not enforce yet, each with its reason; the list should become empty. */

export interface NotYet {
  /** The constructs at and below this path that have no proof. */
  readonly below: string;
  readonly reason: string;
}

export const notYet: readonly NotYet[] = [];

export function reasonOf(construct: string): NotYet | undefined {
  return notYet.find(({ below }) => construct === below || construct.startsWith(`${below}/`));
}
