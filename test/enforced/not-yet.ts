/** What the language has and this release does not enforce yet, each with the reason; at the end there is nothing here. */

export interface NotYet {
  /** The constructs at and below this path that have no proof. */
  readonly below: string;
  readonly reason: string;
}

const wires = "what goes over the wire of a handler is enforced once handlers are run";

export const notYet: readonly NotYet[] = [
  { below: "endpoints/endpoints/wire", reason: wires },
  { below: "resources/schemas", reason: wires },
];

export function reasonOf(construct: string): NotYet | undefined {
  return notYet.find(({ below }) => construct === below || construct.startsWith(`${below}/`));
}
