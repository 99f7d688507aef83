/** `npm run simulate`: many seeds, or one of them with its document and every step. */
import process from "node:process";
import { parseArgs } from "node:util";
import { runFleet } from "./fleet.ts";
import { prepared } from "./prepared.ts";
import { simulate, worldNumberOf } from "./run.ts";

const usage = `npm run simulate -- [options]
  --seeds N      how many (default 10000)
  --from N       the first of them (default 0)
  --threads N    played at a time (default one for each processor)
  --most N       findings after which it ends (default 20)
  --seed N       this one alone, exactly as it was, with its document and every step`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "10000" },
    from: { type: "string", default: "0" },
    threads: { type: "string" },
    seed: { type: "string" },
    most: { type: "string", default: "20" },
    help: { type: "boolean", default: false },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.help) say(usage);
else if (values.seed === undefined) process.exitCode = await many();
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
