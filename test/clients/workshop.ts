/** Serves examples/back-office.md for the data providers of admin frameworks, over a real socket. */
import { readFileSync } from "node:fs";
import { type Running, run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";

const text = readFileSync(new URL("../../examples/back-office.md", import.meta.url), "utf8");

export { stores };

export interface Workshop extends AsyncDisposable {
  readonly url: string;
  readonly running: Running;
  /** The `Authorization` of a manager, and of a mechanic. */
  readonly manager: string;
  readonly mechanic: string;
}

export async function openWorkshop(store: (typeof stores)[number]): Promise<Workshop> {
  const running = await run(text, { store });
  return {
    running,
    url: running.url,
    manager: `Bearer ${await running.key("mia", "manager")}`,
    mechanic: `Bearer ${await running.key("max", "mechanic")}`,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** Customers whose names are in no order. */
export const names: readonly string[] = ["Nora", "ada", "Zoé", "Bo", "Émile", "Carl", "Ina"];

export const emailOf = (name: string): string =>
  `${name
    .normalize("NFD")
    .replaceAll(/[^A-Za-z]/g, "")
    .toLowerCase()}@bikes.example`;
