/** Plays the requests of a mutant of the engine, with the mistake or without it. */
import assert from "node:assert/strict";
import { sceneOf } from "../../../enforced/proof.ts";
import { createClient } from "../../../serve/client.ts";
import { run, type RunOptions } from "../../../serve/running.ts";
import { subjectOf } from "../../../serve/scenario.ts";
import { documents } from "./documents.ts";
import type { EngineMutant } from "./mutant.ts";

/** Returns the first expectation that a response does not meet; undefined if all are met. */
export async function difference(mutant: EngineMutant, which: "correct" | "mistaken"): Promise<string | undefined> {
  const { environment = {}, functions = {} } = mutant;
  const options: RunOptions = { store: "memory", environment, functions };
  const running = await run(textOf(mutant), which === "mistaken" ? mutant.apply(options) : options);
  await using subject = subjectOf(
    running,
    createClient(running.port, () => {}),
  );
  await using scene = sceneOf(subject, 1000);
  try {
    for (const step of mutant.play) await step(scene);
  } catch (thrown) {
    assert(thrown instanceof assert.AssertionError, thrown as Error);
    return thrown.message;
  }
  return undefined;
}

/** The document that a mutant serves. */
export function textOf({ document }: EngineMutant): string {
  const text = documents[document];
  assert(text !== undefined, document);
  return text;
}
