/** `npm run simulate -- --rules`: generates documents with rules until the time limit. */
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { startPostgres } from "../postgres/server.ts";
import { noCounts, play, type PlayOptions, shrunk } from "./play.ts";

export interface RulesOptions {
  readonly store: PlayOptions["store"];
  readonly from: number;
  /** How many seeds at most. */
  readonly seeds: number;
  readonly minutes: number;
  /** Findings after which it ends. */
  readonly most: number;
  readonly say: (text: string) => void;
}

/** Real time that one seed may take. It takes seconds, also on a busy machine. */
const timeoutMilliseconds = 300_000;

/** The number of seeds that something was found in. */
export async function playMany(options: RulesOptions): Promise<number> {
  if (options.store === "sqlite") return playAll(options);
  await using server = await startPostgres();
  process.env["NONET_TEST_POSTGRES"] = server.address;
  return await playAll(options);
}

async function playAll({ from, minutes, most, say, seeds, store }: RulesOptions): Promise<number> {
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1000);
  const total = noCounts();
  let found = 0;
  let played = 0;
  let told = 0;
  for (let seed = from; seed < from + seeds && seconds() < minutes * 60 && found < most; seed += 1) {
    const command = `npm run simulate -- --rules --store ${store} --from ${seed} --seeds 1`;
    const one = await Promise.race([play({ seed, store }), neverEnds()]).catch((cause: unknown) => {
      throw new Error(`seed ${seed} did not come to its end\n  ${command}`, { cause });
    });
    played += 1;
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += one.counts[name];
    if (one.fault !== undefined) {
      found += 1;
      say(`seed ${seed}: ${one.fault}`);
      const { document, fault, lines } = await shrunk({ seed, store }, one);
      say(`${fault}\n${document}\n${lines.join("\n")}\n  ${command}`);
    }
    if (seconds() < told + 60) continue;
    told = seconds();
    say(summary());
  }
  say(summary());
  return found;

  function summary(): string {
    const counts = Object.entries(total).map(([name, count]) => `${count} ${name}`);
    return `${played} seeds from ${from} on ${store}, ${counts.join(", ")}, ${found} findings, ${seconds()} s`;
  }
}

async function neverEnds(): Promise<never> {
  await setTimeout(timeoutMilliseconds, undefined, { ref: false });
  throw new Error(`it made no progress within ${timeoutMilliseconds / 1000} s`);
}
