/**
 * What so many processes hold, by a simulation of their queues from the costs in `costs.json`, which `measure.ts` has written. Prints the
 * tables of docs/scale.md. Run: node bench/scale/run.ts
 */
import { alone, fleet, heldMilliseconds, mixes, p99Milliseconds, twoDigits } from "./flagship.ts";
import { type Capacity, capacity, type Fleet, simulateFleet } from "./fleet.ts";
import { quantile } from "./queueing.ts";

function told(name: string, of: Fleet, { rate, bottleneck }: Capacity): Readonly<Record<string, string | number>> {
  const easy = simulateFleet(of, rate * 0.7, 40_000, 2);
  const station = bottleneck.replace(/ \d+$/, "");
  return {
    "": name,
    "requests/s at most": twoDigits(rate),
    "at 70 % of that: median ms": Number(quantile(easy.times, 0.5).toFixed(1)),
    "p99 ms": Number(quantile(easy.times, 0.99).toFixed(1)),
    "first to be full": station,
  };
}

for (const mix of Object.keys(mixes) as (keyof typeof mixes)[]) {
  console.log(`\n${mix}: 99 of 100 answered within ${p99Milliseconds} ms`);
  const one = fleet(mix, "sqlite", alone);
  const rows = [told("SQLite, one process", one, capacity(one, p99Milliseconds))];
  for (const databaseCores of [4, 16]) {
    for (const replicas of [1, 4, 16]) {
      const many = fleet(mix, "postgres", { replicas, databaseCores });
      rows.push(
        told(
          `PostgreSQL with ${databaseCores} cores, ${replicas} ${replicas === 1 ? "process" : "processes"}`,
          many,
          capacity(many, p99Milliseconds),
        ),
      );
    }
  }
  console.table(rows);
}

const held = heldMilliseconds();
console.log(
  `\none record on PostgreSQL: about ${Math.round(1000 / held)} changes a second, each holding it for ${held.toFixed(1)} ms`,
);
