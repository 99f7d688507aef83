/**
 * What a request costs behind the socket, in microseconds of processor time: the flagship's service asked without one, 32
 * requests at a time, on SQLite with full durability. Several worktrees are measured in turn in one run:
 *
 *     node bench/micro/request-path.ts                       this one
 *     node bench/micro/request-path.ts . ../before           this one beside another
 *     node bench/micro/request-path.ts . --at-a-time 1       one request at a time, and so one in each commit
 *     node bench/micro/request-path.ts . --statements        and what each statement of SQL takes of it
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { StatementSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ask } from "../child.ts";
import { raisedFlagship } from "../contestants.ts";
import { openInside } from "../inside.ts";
import { median } from "../median.ts";

const SCENARIOS = ["read", "old", "list", "create", "move"] as const;
type Scenario = (typeof SCENARIOS)[number];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "15" },
    requests: { type: "string", default: "2000" },
    "at-a-time": { type: "string", default: "32" },
    rows: { type: "string", default: "10000" },
    scenarios: { type: "string", default: SCENARIOS.join() },
    statements: { type: "boolean", default: false },
    child: { type: "string" },
  },
});

if (values.child === undefined) await compare(positionals.length === 0 ? ["."] : positionals);
else await serve(values.child);

interface Outcome {
  readonly microseconds: number;
  readonly statements: readonly (readonly [sql: string, calls: number, microseconds: number])[];
}

async function compare(folders: readonly string[]): Promise<void> {
  const scenarios = values.scenarios.split(",") as Scenario[];
  const flags = [
    "--rows",
    values.rows,
    "--at-a-time",
    values["at-a-time"],
    ...(values.statements ? ["--statements"] : []),
  ];
  const children = folders.map((folder) =>
    fork(import.meta.filename, ["--child", resolve(folder), ...flags], { execArgv: process.execArgv }),
  );
  for (const scenario of scenarios) {
    const seen: number[][] = folders.map(() => []);
    let last: Outcome[] = [];
    for (let round = 0; round < Number(values.rounds) + 2; round += 1) {
      last = [];
      for (const [index, child] of children.entries()) {
        const outcome = await ask<Outcome>(child, "a service", [scenario, Number(values.requests)]);
        last.push(outcome);
        if (round > 1) seen[index]?.push(outcome.microseconds);
      }
    }
    const line = seen.map((all, index) => {
      const ratio = median(all.map((one, round) => one / (seen[0]?.[round] as number)));
      return `${median(all).toFixed(1)} µs (${Math.min(...all).toFixed(1)} at least)${index === 0 ? "" : ` ${ratio.toFixed(2)}x`}`;
    });
    console.log(`${scenario.padEnd(7)} ${line.join("   ")}`);
    if (values.statements)
      for (const { statements } of last)
        for (const [sql, calls, microseconds] of statements)
          console.log(
            `  ${microseconds.toFixed(2).padStart(7)} µs ${calls.toFixed(2).padStart(6)} a request  ${sql.slice(0, 130)}`,
          );
  }
  for (const child of children) child.disconnect();
}

async function serve(folder: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "nonet-path-"));
  process.once("exit", () => rmSync(data, { recursive: true, force: true }));
  process.once("disconnect", () => process.exit(0));
  const { all, ask, cost, key } = await openInside(folder, raisedFlagship(), join(data, "a.db"));
  const couriers: string[] = [];
  for (let index = 0; index < 10; index += 1) couriers.push(await key(`courier-${index}`, "courier"));
  const operator = await key("operator", "operator");
  let count = 0;
  const idIn = (text: string): string => (JSON.parse(text) as { id: string }).id;
  const places = async (wanted: number): Promise<readonly { site: string; size: string }[]> => {
    const address = { street: "Storgata 1", postcode: "0155", country: "NO" };
    const sites = await all(Math.ceil(wanted / 500), async () =>
      idIn(await ask("POST", "/sites", operator, { name: `Site ${(count += 1)}`, address })),
    );
    return all(wanted, async (index) => {
      const place = {
        site: sites[Math.floor(index / 500)] as string,
        size: ["small", "medium", "large"][index % 3] as string,
      };
      await ask("POST", "/lockers", operator, { ...place, door: (index % 500) + 1 });
      return place;
    });
  };
  const announce = async (place: { site: string; size: string }): Promise<{ id: string; secret: string }> => {
    const number = (count += 1);
    const secret = couriers[number % couriers.length] as string;
    const text = await ask("POST", "/parcels", secret, {
      ...place,
      trackingNumber: `TRK-${String(number).padStart(10, "0")}`,
      recipientEmail: `recipient.${number}@mail.example`,
      weightKg: (5 + (number % 190)) / 10,
      ...(number % 2 === 0 ? { labels: ["fragile", "this side up"] } : {}),
    });
    return { id: idIn(text), secret };
  };
  const rows = Number(values.rows);
  const spaces = await places(rows);
  const seeded = await all(rows, (index) => announce(spaces[index] as { site: string; size: string }));
  const statements = values.statements ? timed() : undefined;

  process.on("message", ([scenario, requests]: [Scenario, number]) => {
    void (async () => {
      const space = scenario === "create" || scenario === "move" ? await places(requests) : [];
      const parcels =
        scenario === "move"
          ? await all(requests, (index) => announce(space[index] as { site: string; size: string }))
          : seeded;
      const works: Readonly<Record<Scenario, (index: number) => Promise<unknown>>> = {
        read: (index: number) => {
          const { id, secret } = seeded[(index * 7919) % seeded.length] as { id: string; secret: string };
          return ask("GET", `/parcels/${id}`, secret);
        },
        old: (index: number) => {
          const { id, secret } = seeded[(index * 7919) % seeded.length] as { id: string; secret: string };
          return ask("GET", `/parcels/${id}`, secret, undefined, [["lockers-version", "2026-03-01"]]);
        },
        list: (index: number) => ask("GET", "/parcels?limit=50", couriers[index % couriers.length] as string),
        create: (index: number) => announce(space[index] as { site: string; size: string }),
        move: (index: number) => {
          const { id, secret } = parcels[index] as { id: string; secret: string };
          return ask("POST", `/parcels/${id}/drop-off`, secret);
        },
      };
      statements?.clear();
      const microseconds = await cost(requests, works[scenario], Number(values["at-a-time"]));
      const spent = [...(statements ?? [])].map(([sql, { calls, nanoseconds }]) => {
        return [sql.replaceAll(/\s+/g, " "), calls / requests, nanoseconds / requests / 1000] as const;
      });
      process.send?.({
        microseconds,
        statements: spent.toSorted((a, b) => b[2] - a[2]).slice(0, 24),
      } satisfies Outcome);
    })();
  });
}

/** What each statement has taken since it was cleared last; measuring adds about a microsecond to each call. */
function timed(): Map<string, { calls: number; nanoseconds: number }> {
  const spent = new Map<string, { calls: number; nanoseconds: number }>();
  const note = (sql: string, begun: bigint): void => {
    const one = spent.get(sql) ?? { calls: 0, nanoseconds: 0 };
    spent.set(sql, one);
    one.calls += 1;
    one.nanoseconds += Number(process.hrtime.bigint() - begun);
  };
  const { prototype } = StatementSync;
  for (const name of ["get", "run", "all"] as const) {
    const original = prototype[name] as (...args: unknown[]) => unknown;
    Object.assign(prototype, {
      [name](this: StatementSync, ...args: unknown[]): unknown {
        const begun = process.hrtime.bigint();
        try {
          return original.apply(this, args);
        } finally {
          note(this.sourceSQL, begun);
        }
      },
    });
  }
  return spent;
}
