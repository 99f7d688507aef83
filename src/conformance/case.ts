/**
 * A case: something that the document states and a client can observe, with the requests that show whether it is so. Each part has
 * a file `cases.ts`, which derives the cases from the document alone.
 */
import type { Json } from "../base/json.ts";
import type { Contract } from "./contract.ts";
import type { Interaction } from "./interaction.ts";
import type { Trial } from "./trial/trial.ts";

/** What a statement says, so far as one case shows it. */
export interface Aspect {
  /** The path of the statement or of a detail of it, as in `SourceLocations`. */
  readonly path: string;
  /** What has to be so, in plain words: `a text of 81 characters is rejected`. */
  readonly expects: string;
}

export interface Case {
  /** A name that stays the same for the same document: `resources/Site/name: too long`. */
  readonly id: string;
  readonly aspects: readonly [Aspect, ...Aspect[]];
  /** The operation that the case is about, for `--only`. */
  readonly operation?: string;
  /** How many requests of a window the case uses up, or how far it moves the clock: such cases run last and alone. */
  readonly exclusive?: true;
  /** Whether the credentials of the test have expired afterwards: such cases run at the very end. */
  readonly endsCredentials?: true;
  /** Whether the case is about all responses of the run, or moves the clock by days: such cases run after all others. */
  readonly last?: true;
  /**
   * Shows the aspects.
   *
   * @throws Broken if the implementation does something else @throws NotTried if what the case needs cannot be had
   */
  readonly run: (trial: Trial) => Promise<void>;
}

/** An aspect that no client can observe, or that this test does not try. */
export interface Unobservable extends Aspect {
  readonly reason: string;
  /** What would make it possible; absent if nothing would. */
  readonly remedy?: string;
}

export interface PartCases {
  readonly cases: readonly Case[];
  readonly unobservable: readonly Unobservable[];
}

/** Derives the cases of one part. */
export type DeriveCases = (contract: Contract) => PartCases;

/** The implementation did something else than the document states. */
export class Broken extends Error {
  readonly expected: string;
  readonly got: string;
  /** The interaction that shows it. */
  readonly interaction: Interaction | undefined;
  /** The path of the broken statement, if it is not one of the case's. */
  readonly path: string | undefined;
  /** Names a deviation that any response of the operation may show, and without which the case can go on. */
  readonly deviation: string | undefined;

  constructor(expected: string, got: string, interaction?: Interaction, path?: string, deviation?: string) {
    super(`expected ${expected}, got ${got}`);
    this.name = "Broken";
    this.expected = expected;
    this.got = got;
    this.interaction = interaction;
    this.path = path;
    this.deviation = deviation;
  }
}

/** What a case needs cannot be had. */
export class NotTried extends Error {
  readonly reason: string;
  /** What would make it possible. */
  readonly remedy: string | undefined;

  constructor(reason: string, remedy?: string) {
    super(reason);
    this.name = "NotTried";
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** The requests of a case took so long that its result would depend on it: the case may run again. */
export class TooSlow extends NotTried {
  constructor(reason: string) {
    super(reason, "a faster machine, or less load on it");
  }
}

/** Returns a value as the text in `expected` and `got`. */
export function shortText(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}
