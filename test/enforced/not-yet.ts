/** What the language has and this release does not enforce yet, each with the reason; at the end there is nothing here. */

export interface NotYet {
  /** The constructs at and below this path that have no proof. */
  readonly below: string;
  readonly reason: string;
}

const wires = "an operation with a wire is described, and listed as not served";

export const notYet: readonly NotYet[] = [{ below: "endpoints/endpoints/wire", reason: wires }];

export function reasonOf(construct: string): NotYet | undefined {
  return notYet.find(({ below }) => construct === below || construct.startsWith(`${below}/`));
}
