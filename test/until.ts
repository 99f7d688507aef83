/** Polls until a condition is true, for conditions without an event to wait for. */
import assert from "node:assert/strict";
import { setTimeout as pass } from "node:timers/promises";

/** Asks 20 times a second, for half a minute at most. */
export async function until(what: () => Promise<boolean> | boolean, message: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await what()) return;
    await pass(50);
  }
  assert.fail(message);
}
