/** Constructs without a proof over a socket, each with its reason. */

export interface NotYet {
  /** The constructs at and below this path that have no proof. */
  readonly below: string;
  readonly reason: string;
}

export const notYet: readonly NotYet[] = [
  {
    below: "resources/tables",
    reason:
      "no client notices where the records are; test/commands/existing-tables.test.ts proves it with both databases",
  },
];

export function reasonOf(construct: string): NotYet | undefined {
  return notYet.find(({ below }) => construct === below || construct.startsWith(`${below}/`));
}
