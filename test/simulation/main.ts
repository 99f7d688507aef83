/**
 * `npm run simulate`: many seeds, or one of them with its document and every step.
 *
 *     npm run simulate -- --seeds 100000 --from 1     many, on all cores
 *     npm run simulate -- --seed 4711                 this one once more, exactly as it was
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { runFleet } from "./fleet.ts";
import { prepared } from "./prepared.ts";
import { simulate, worldNumberOf } from "./run.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "10000" },
    from: { type: "string", default: "0" },
    threads: { type: "string" },
    seed: { type: "string" },
    /** Findings after which it ends. */
    most: { type: "string", default: "20" },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.seed === undefined) process.exitCode = await many();
else process.exitCode = await one(Number(values.seed));

async function one(seed: number): Promise<number> {
  const { trace, violation } = await simulate(seed);
  say(prepared(worldNumberOf(seed)).text);
  say(trace.join("\n"));
  if (violation === undefined) say(`\nSeed ${seed} holds.`);
  return violation === undefined ? 0 : 1;
}

async function many(): Promise<number> {
  const [from, seeds] = [Number(values.from), Number(values.seeds)];
  const began = performance.now();
  const seconds = (): string => ((performance.now() - began) / 1000).toFixed(0);
  let told = 0;
  const { answers, findings } = await runFleet({
    from,
    seeds,
    most: Number(values.most),
    ...(values.threads === undefined ? {} : { threads: Number(values.threads) }),
    found: ({ seed, violation }) =>
      say(`seed ${seed}: ${violation.slice(0, 1000)}\n  npm run simulate -- --seed ${seed}`),
    done: (done) => {
      if (done < told + 10_000) return;
      told = done;
      say(`${done} seeds, ${seconds()} s`);
    },
  });
  say(`${seeds} seeds from ${from}, ${answers} answers, ${findings.length} findings, ${seconds()} s`);
  return findings.length === 0 ? 0 : 1;
}
