/** Serves examples/back-office.md for the data providers of admin frameworks, over a real socket. */
import { readFileSync } from "node:fs";
import { type Running, run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";
import type { Row } from "./providers.ts";

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
const names: readonly string[] = ["Nora", "ada", "Zoé", "Bo", "Émile", "Carl", "Ina"];

export const emailOf = (name: string): string =>
  `${name
    .normalize("NFD")
    .replaceAll(/[^A-Za-z]/g, "")
    .toLowerCase()}@bikes.example`;

/** What the workshop has: customers, a bike of each of the first two, and their repairs, in the order of creation. */
export interface Stock {
  readonly customers: readonly [nora: Row, ada: Row, ...Row[]];
  readonly bikes: readonly [Row, Row];
  readonly repairs: readonly Row[];
}

/** A bike without its owner. */
export type Bike = Readonly<Record<"brand" | "model" | "frame" | "kind", string>>;

/** Creates the stock by the client under test. */
export async function fillStock(
  make: (resource: string, data: object) => Promise<Row>,
  [first, second]: readonly [Bike, Bike],
): Promise<Stock> {
  const customers: Row[] = [];
  for (const name of names) customers.push(await make("customers", { name, email: emailOf(name) }));
  const [nora, ada, ...others] = customers as [Row, Row, ...Row[]];
  const bike = await make("bikes", { owner: nora.id, ...first });
  const other = await make("bikes", { owner: ada.id, ...second });
  const repairs: Row[] = [];
  for (const [index, fault] of ["flat tyre", "brakes squeak", "no light", "Flat battery"].entries())
    repairs.push(await make("repairs", { bike: index < 3 ? bike.id : other.id, fault, price: index * 1000 }));
  return { customers: [nora, ada, ...others], bikes: [bike, other], repairs };
}
