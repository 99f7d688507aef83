/**
 * Faults of a PostgreSQL server while three processes use it: confirmed writes are there, nothing runs twice, callers are told to
 * retry, `/readyz` reports the fault, and service resumes by itself. `NONET_FAULTS` selects faults, `all` runs all of them, as
 * `npm run nightly` does; the default are the fast ones.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import pg from "pg";
import type { Replica } from "../commands/fleet.ts";
import { temporaryFolder } from "../commands/process.ts";
import { underLoad } from "../commands/under-load.ts";
import { type PostgresServer, startPostgres } from "../postgres/server.ts";
import { isNightly } from "../nightly.ts";
import { until } from "../until.ts";
import { openWay, type Way } from "./proxy.ts";

interface Scene {
  server: PostgresServer;
  /** What `server` tells before it answers. */
  readonly standby: PostgresServer;
  readonly way: Way;
  /** Whether `/readyz` of each process has this status. */
  readonly isEverywhere: (status: 200 | 503) => Promise<boolean>;
  /** Resolves when `/readyz` of each process has this status. */
  readonly ready: (status: 200 | 503) => Promise<void>;
  /** Resolves when so many more writes were answered. */
  readonly writes: (more: number) => Promise<void>;
  /** Resolves when so many more were told to come again. */
  readonly refusals: (more: number) => Promise<void>;
  /** One who is not the service. */
  readonly other: (...statements: readonly string[]) => Promise<void>;
}

interface Fault {
  readonly isLong?: true;
  readonly happen: (scene: Scene) => Promise<void>;
}

const faults: Readonly<Record<string, Fault>> = {
  "a connection is ended in each phase": {
    happen: async ({ other, writes }) => {
      for (let round = 0; round < 40; round += 1) {
        await other(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nonet' ORDER BY random() LIMIT 2",
        );
        await pass(10);
      }
      await writes(10);
    },
  },
  "it is stopped (fast) and started": { isLong: true, happen: (scene) => stopped(scene, "fast") },
  "it is stopped (immediate) and started": { isLong: true, happen: (scene) => stopped(scene, "immediate") },
  "its first process is killed, and it is started": { happen: (scene) => stopped(scene, "killed") },
  "it takes no writes": {
    isLong: true,
    happen: async ({ other, refusals, writes }) => {
      await other("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()");
      await refusals(20);
      await other("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()");
      await writes(20);
    },
  },
  "others have all of its connections": {
    isLong: true,
    happen: async ({ isEverywhere, ready, refusals, server, writes }) => {
      const taken: pg.Client[] = [];
      const take = async (): Promise<boolean> => {
        const client = new pg.Client({ connectionString: server.address });
        client.on("error", () => undefined);
        return client.connect().then(
          () => taken.push(client) > 0,
          () => false,
        );
      };
      await take();
      const ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nonet'";
      // A connection that is just being opened has no application name yet, and escapes the query. So it is repeated until all are refused.
      await until(async () => {
        await taken[0]?.query(ended);
        while (await take());
        return isEverywhere(503);
      }, "a connection is left");
      await refusals(5);
      for (const client of taken) await client.end();
      await ready(200);
      await writes(20);
    },
  },
  "the way to it is cut": {
    happen: async ({ way, writes }) => {
      for (let round = 0; round < 5; round += 1) {
        way.cut();
        await writes(10);
      }
    },
  },
  "all of its processes stand for 8 s": {
    isLong: true,
    happen: async ({ ready, server, writes }) => {
      const all = server.processes();
      for (const pid of all) process.kill(pid, "SIGSTOP");
      await ready(503);
      await pass(8_000);
      for (const pid of all) process.kill(pid, "SIGCONT");
      await ready(200);
      await writes(20);
    },
  },
  "the way to it is lost without a word": {
    isLong: true,
    happen: async ({ way, ready, refusals, writes }) => {
      way.lose();
      await ready(503);
      await refusals(12);
      await pass(8_000);
      way.find();
      await ready(200);
      await writes(20);
    },
  },
  "it fails, and its standby takes over": {
    happen: async (scene) => {
      const { ready, refusals, server, standby, way, writes } = scene;
      await server.stop("killed");
      way.cut();
      // Where the address leads to one that is not the first yet.
      way.lead(portOf(standby));
      await ready(503);
      await refusals(10);
      const client = new pg.Client({ connectionString: standby.address });
      await client.connect();
      await client.query("SELECT pg_promote(true, 30)");
      await client.query("ALTER SYSTEM SET synchronous_standby_names = ''");
      await client.query("SELECT pg_reload_conf()");
      await client.end();
      scene.server = standby;
      await ready(200);
      await writes(20);
    },
  },
};

async function stopped(
  { ready, refusals, server, writes }: Scene,
  how: Parameters<PostgresServer["stop"]>[0],
): Promise<void> {
  await server.stop(how);
  await ready(503);
  await refusals(20);
  await server.start();
  await ready(200);
  await writes(20);
}

const wanted = process.env["NONET_FAULTS"];
const chosen = Object.entries(faults).filter(([name, { isLong }]) =>
  wanted === undefined ? isNightly || isLong !== true : wanted === "all" || name.includes(wanted),
);

const portOf = ({ address }: PostgresServer): number => Number(new URL(address).port);

/** With what keeps commits over a crash, which other tests do without. */
const settings = ["shared_buffers=32MB", "max_connections=60", "wal_level=replica", "hot_standby=on"];

/** Two servers: what the first answers the second has, too. */
async function pair(t: TestContext): Promise<readonly [PostgresServer, PostgresServer]> {
  const folder = mkdtempSync(join(tmpdir(), "nonet-faults-"));
  chmodSync(folder, 0o755);
  const running: PostgresServer[] = [];
  t.after(async () => {
    for (const one of running) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = async (name: string, more: readonly string[] = []): Promise<PostgresServer> => {
    const server = await startPostgres({ folder: join(folder, name), settings: [...settings, ...more] });
    running.push(server);
    return server;
  };
  const first = await start("first");
  await first.stop("fast");
  // With its owner, who alone may read it.
  execFileSync("cp", ["-a", join(folder, "first"), join(folder, "second")]);
  writeFileSync(join(folder, "second", "data", "standby.signal"), "");
  await first.start();
  const second = await start("second", [`primary_conninfo=host=127.0.0.1 port=${portOf(first)} user=postgres`]);
  const client = new pg.Client({ connectionString: first.address });
  await client.connect();
  await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await client.query("SELECT pg_reload_conf()");
  await until(async () => {
    const { rows } = await client.query("SELECT sync_state FROM pg_stat_replication");
    return (rows as { sync_state: string }[])[0]?.sync_state === "sync";
  }, "the second does not follow");
  await client.end();
  return [first, second];
}

async function isReady({ client }: Replica): Promise<number> {
  return (await client.send({ method: "GET", path: "/readyz" })).status;
}

test(`R7.4 R1.2 R1.8 ${chosen.map(([name]) => name).join("; ")}`, async (t) => {
  const [server, standby] = await pair(t);
  await using way = await openWay(portOf(server));
  const tally = new Map<number, number>();
  const counted = (...statuses: readonly number[]): number =>
    statuses.reduce((sum, one) => sum + (tally.get(one) ?? 0), 0);
  const more = async (many: number, ...statuses: readonly number[]): Promise<void> => {
    const before = counted(...statuses);
    await until(() => counted(...statuses) >= before + many, `not ${many} more of ${statuses.join(", ")}`);
  };
  const options = {
    folder: temporaryFolder(t),
    data: `postgres://postgres@127.0.0.1:${way.port}/postgres?connections=6`,
    observe: (sent: unknown, { status }: { status: number }) => {
      if (typeof sent === "object" && (sent as { method: string }).method === "POST")
        tally.set(status, (tally.get(status) ?? 0) + 1);
    },
  };
  await underLoad(t, options, async (replicas) => {
    const isEverywhere = async (status: number): Promise<boolean> => {
      const found = await Promise.all(replicas.map(isReady));
      return found.every((one) => one === status);
    };
    const scene: Scene = {
      server,
      standby,
      way,
      isEverywhere,
      ready: (status) => until(() => isEverywhere(status), `it is not ${status}`),
      writes: (many) => more(many, 200, 201),
      refusals: (many) => more(many, 503),
      other: async (...statements) => {
        const client = new pg.Client({ connectionString: scene.server.address });
        await client.connect();
        for (const statement of statements) await client.query(statement);
        await client.end();
      },
    };
    for (const [name, { happen }] of chosen) {
      await scene.writes(20);
      const [began, before, refused] = [performance.now(), counted(200, 201), counted(503)];
      await happen(scene);
      const figures = `${((performance.now() - began) / 1000).toFixed(1)} s, ${counted(200, 201) - before} written, ${counted(503) - refused} refused`;
      t.diagnostic(`${name}: ${figures}`);
      if (process.env["NONET_FIGURES"] !== undefined) console.log(`${name}: ${figures}`);
    }
  });
});
