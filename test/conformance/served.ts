/** Serves a document in memory, and tests it over a real socket: with the same document, or with another one. */
import { contractOf } from "../../src/conformance/contract.ts";
import { follow } from "../../src/conformance/event-stream.ts";
import { createClient } from "../../src/conformance/http-client.ts";
import type { Interaction } from "../../src/conformance/interaction.ts";
import { lend, type Obtain } from "../../src/conformance/lend.ts";
import { createReceiver, type Receiver } from "../../src/conformance/receiver.ts";
import type { Report } from "../../src/conformance/result.ts";
import { tooSlow } from "../../src/conformance/run.ts";
import { selectionOf } from "../../src/conformance/select.ts";
import { statementsOf } from "../../src/conformance/statement.ts";
import { testTarget } from "../../src/conformance/test-target.ts";
import { check } from "../../src/language/check.ts";
import { endAfter } from "../../src/runtime/auth/session.ts";
import { run, type RunOptions, type Running } from "../serve/running.ts";

export interface ServedTest {
  /** The document that is served, if it is not the one with which it is tested. */
  readonly served?: string;
  readonly version?: string;
  readonly seed?: number;
  /** Parts, lines or operations; empty: everything. */
  readonly only?: readonly string[];
  readonly options?: RunOptions;
  readonly budgetMilliseconds?: number;
  readonly workers?: number;
  readonly observed?: (interaction: Interaction) => void;
  /** Whether the test may not move the clock. */
  readonly withoutClock?: true;
  /** Whether the test has no receiver of webhooks. */
  readonly withoutReceiver?: true;
  /** Changes the receiver of the test. */
  readonly receiver?: (receiver: Receiver) => Receiver;
  /** How long an event may take, in milliseconds. */
  readonly eventMilliseconds?: number;
  /** How long a response may take, in milliseconds. */
  readonly timeoutMilliseconds?: number;
  /** The secrets of the document; by default one for each. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** The secrets of all documents that have one. */
const sameSecrets = new Proxy<Record<string, string>>({}, { get: () => "a secret for tests, of more than 32 bytes" });

export async function testServed(
  text: string,
  { served = text, options = {}, ...rest }: ServedTest = {},
): Promise<Report> {
  // A machine with too much load has no result for what did not come in time: then the service is tested anew.
  for (let tries = 1; ; tries += 1) {
    await using running = await run(served, { store: "memory", environment: sameSecrets, ...options });
    const report = await testRunning(text, running, rest);
    const isSlow = report.cases.some((one) => one.kind === "not tried" && one.reason === tooSlow);
    if (!isSlow || tries === 3) return report;
  }
}

/** Tests a running service. */
export async function testRunning(
  text: string,
  running: Running,
  {
    version,
    seed = 1,
    only = [],
    // Enough for a slow machine: a case that runs out of time would be "not tried".
    budgetMilliseconds = 300_000,
    workers = 1,
    withoutClock,
    withoutReceiver,
    receiver: changed = (receiver) => receiver,
    eventMilliseconds = 10_000,
    timeoutMilliseconds = 10_000,
    observed,
    secrets = sameSecrets,
  }: Omit<ServedTest, "served" | "options"> = {},
): Promise<Report> {
  const result = check("served.md", text);
  const contract = contractOf(result.model, result.places, version);
  const statements = statementsOf(result.model, result.places);
  const client = createClient({ timeoutMilliseconds, maximumBytes: 10_000_000 });
  const isOf = (credential: string, ...kinds: readonly string[]): boolean =>
    kinds.includes(result.model.authentication.credentials[credential]?.kind ?? "");
  const { keys, sessions } = running.store;
  /** A key, or the id and the secret of a client. */
  const obtain: Obtain = async (user, roles, credential) => {
    if (!isOf(credential, "api-key", "basic", "oauth2")) return undefined;
    const secret = await running.keyOf(credential, user, ...roles);
    if (!isOf(credential, "oauth2")) return secret;
    const found = (await keys.list()).find((key) => key.user === user && secret.endsWith(key.hint.slice(-4)));
    return `${found?.id ?? "none"}:${secret}`;
  };
  const created = withoutReceiver === true ? undefined : await createReceiver();
  const receiver = created && changed(created);
  try {
    return await testTarget(
      {
        ...{ follow, eventMilliseconds },
        ...(receiver === undefined ? {} : { receiver }),
        ...{ address: running.url, send: client.send, now: Date.now, secrets, skipped: new Set<string>() },
        wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
        caller: lend(contract, [], obtain),
        async revoke(user) {
          for (const key of await keys.list()) if (key.user === user) await keys.revoke(key.id, running.now());
          for (const { credential, session, user: of } of await sessions.list()) {
            const after = running.plan.credentials.find(({ name }) => name === credential)?.revokedAfterMilliseconds;
            if (of === user) await sessions.end(session, endAfter(running.now(), after));
          }
        },
        ...(withoutClock === true
          ? {}
          : {
              clock: {
                now: async () => running.now(),
                async advance(milliseconds: number) {
                  running.pass(milliseconds);
                  while ((await running.tick()) > 0);
                },
              },
            }),
      },
      {
        ...{ result, text, version, seed, budgetMilliseconds, workers, ...(observed && { observed }) },
        only: only.flatMap((one) => selectionOf(one, contract, statements) ?? []),
      },
    );
  } finally {
    await client.close();
    await receiver?.close();
  }
}
