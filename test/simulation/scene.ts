/** Shared state of a run: its world, the machine, the oracle, and the reported errors. */
import type { Store } from "../../src/store/port/store.ts";
import type { Hooks } from "./hooks.ts";
import type { Machine } from "./machine.ts";
import type { Oracle } from "./oracle.ts";
import type { Prepared } from "./prepared.ts";
import type { Process } from "./process.ts";
import type { Chance } from "./random.ts";

export interface Scene {
  readonly seed: number;
  readonly store: "memory" | "sqlite" | "together";
  readonly chance: Chance;
  readonly machine: Machine;
  readonly prepared: Prepared;
  readonly oracle: Oracle;
  readonly hooks: Hooks;
  /** Those that live, by their lives. */
  readonly processes: Map<number, Process>;
  /** The store behind what fails, which outlives every process. */
  readonly inner: () => Store;
  /** One of the processes that there are: whoever asks does not choose. */
  readonly any: () => Process;
  /** Something is not as it must be. The first thing alone counts: what follows from it says no more. */
  readonly found: (what: string) => void;
}
