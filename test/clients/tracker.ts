/** Serves examples/issue-tracker.md for its real client, over a real socket. */
import { readFileSync } from "node:fs";
import { type Running, run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";

const text = readFileSync(new URL("../../examples/issue-tracker.md", import.meta.url), "utf8");

export { stores };

export interface Tracker extends AsyncDisposable {
  readonly url: string;
  readonly running: Running;
  /** The tokens of two members. */
  readonly tokens: { readonly ann: string; readonly bob: string };
}

export async function openTracker(store: (typeof stores)[number]): Promise<Tracker> {
  const running = await run(text, { store });
  return {
    running,
    url: running.url,
    tokens: { ann: await running.key("ann", "member"), bob: await running.key("bob", "member") },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
