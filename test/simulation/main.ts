/** `npm run simulate`: runs many seeds, or one seed with its document and every step; with `--rules` generated rules. */
import process from "node:process";
import { parseArgs } from "node:util";

const usage = `npm run simulate -- [options]
  --seeds N      how many (default 10000)
  --from N       the first of them (default 0)
  --threads N    played at a time (default one for each processor)
  --most N       findings after which it ends (default 20)
  --seed N       this one alone, exactly as it was, with its document and every step

npm run simulate -- --rules [options]
  generated documents with rules, served over HTTP beside a model of what their rules mean
  --minutes N    until so much time is over (default 60)
  --store NAME   sqlite, or postgres: a server of its own, from the dependencies (default sqlite)
  --seeds N      how many at most (default as many as there is time for)
  --from N       the first of them (default 0)
  --most N       findings after which it ends (default 20)`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "0" },
    threads: { type: "string" },
    seed: { type: "string" },
    most: { type: "string", default: "20" },
    rules: { type: "boolean", default: false },
    minutes: { type: "string", default: "60" },
    store: { type: "string", default: "sqlite" },
    help: { type: "boolean", default: false },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.help) say(usage);
else if (values.rules) process.exitCode = await rules();
else if (values.seed === undefined) process.exitCode = await many();
else process.exitCode = await one(Number(values.seed));

async function rules(): Promise<number> {
  const { playMany } = await import("../rules/many.ts");
  const { store } = values;
  if (store !== "sqlite" && store !== "postgres")
    throw new Error(`${store} is no store: there are sqlite and postgres`);
  const found = await playMany({
    store,
    from: Number(values.from),
    seeds: Number(values.seeds ?? Number.MAX_SAFE_INTEGER),
    minutes: Number(values.minutes),
    most: Number(values.most),
    say,
  });
  return found === 0 ? 0 : 1;
}

async function one(seed: number): Promise<number> {
  const { prepared } = await import("./prepared.ts");
  const { simulate, worldNumberOf } = await import("./run.ts");
  say(prepared(worldNumberOf(seed)).text);
  const { violation } = await simulate(seed, {}, say);
  if (violation === undefined) say(`\nSeed ${seed} holds.`);
  return violation === undefined ? 0 : 1;
}

async function many(): Promise<number> {
  const { runFleet } = await import("./fleet.ts");
  const [from, seeds] = [Number(values.from), Number(values.seeds ?? 10_000)];
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
      if (done < told + 1000) return;
      told = done;
      say(`${done} seeds, ${seconds()} s`);
    },
  });
  say(`${seeds} seeds from ${from}, ${answers} answers, ${findings.length} findings, ${seconds()} s`);
  return findings.length === 0 ? 0 : 1;
}
