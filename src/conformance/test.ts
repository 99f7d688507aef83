/**
 * The library `nonet/test`: tests an implementation against a document, for programs and test suites.
 *
 *     const report = await test({ name: "shop.md", text, url: "http://127.0.0.1:8080", callers: [{ roles: ["buyer"], token }] });
 *     assert(report.statements.every(({ kind }) => kind !== "broken"));
 */
import { setTimeout as delay } from "node:timers/promises";
import { type CheckResult, check } from "../language/check.ts";
import { contractOf } from "./contract.ts";
import { follow } from "./event-stream.ts";
import { createClient, isLoopback } from "./http-client.ts";
import { isResponse, type Send } from "./interaction.ts";
import { lend, type Obtain } from "./lend.ts";
import { createReceiver, type Receiver } from "./receiver.ts";
import { operationsAddress } from "./request.ts";
import type { CaseResult, Report } from "./result.ts";
import { selectionOf } from "./select.ts";
import type { TestSettings } from "./settings.ts";
import { statementsOf } from "./statement.ts";
import { createTestClock } from "./test-clock.ts";
import type { Revoke } from "./target.ts";
import { testTarget } from "./test-target.ts";

export type { CaseResult, Report, StatementResult } from "./result.ts";
export type { LentCaller } from "./settings.ts";
export type { Obtain } from "./lend.ts";
export type { Revoke } from "./target.ts";

export interface TestOptions extends Partial<Omit<TestSettings, "url" | "obtain" | "revoke">> {
  /** The document's name in messages, and its text. */
  readonly name: string;
  readonly text: string;
  /** The address of the implementation, which replaces `{base_url}` of the document. */
  readonly url: string;
  /** Returns a credential of a new user with these roles. */
  readonly obtain?: Obtain | undefined;
  /** Revokes the credentials of a user. */
  readonly revoke?: Revoke | undefined;
  /** The version to test; by default the newest. */
  readonly version?: string | undefined;
  /** Parts, operations, or lines of the document; by default everything. */
  readonly only?: readonly string[];
  /** The ids of cases; by default all. */
  readonly ids?: ReadonlySet<string> | undefined;
  /** The same seed makes the same requests; by default 1. */
  readonly seed?: number | undefined;
  /** How long the test may take, in milliseconds; by default a minute. */
  readonly budgetMilliseconds?: number;
  /** How many cases run at once; by default 4. */
  readonly workers?: number;
  readonly progress?: ((result: CaseResult, done: number, of: number) => void) | undefined;
}

/** The test cannot begin: the document has errors, an option names nothing, or the implementation cannot be reached. */
export class TestError extends Error {
  /** The check of the document, if it has errors. */
  readonly result: CheckResult | undefined;

  constructor(message: string, result?: CheckResult) {
    super(message);
    this.name = "TestError";
    this.result = result;
  }
}

/** How long one response may take, in milliseconds, and how large it may be, in bytes. */
const timeoutMilliseconds = 30_000;
const maximumBytes = 16_777_216;

/** Tests an implementation. @throws TestError if the test cannot begin */
export async function test(options: TestOptions): Promise<Report> {
  const { name, text, version, seed = 1, budgetMilliseconds = 60_000, workers = 4, ids, progress } = options;
  const { callers = [], secrets = {}, skip = [], confirm, obtain, revoke } = options;
  const result = check(name, text);
  if (result.summary.errors > 0) throw new TestError(`${name} has errors`, result);
  const { model, places } = result;
  const versions = (model.versioning.versions ?? []).map((one) => one.name);
  if (version !== undefined && !versions.includes(version))
    throw new TestError(
      `${version} is not a version of the document${versions.length === 0 ? "" : `: ${versions.join(", ")}`}`,
    );
  const contract = contractOf(model, places, version);
  const statements = statementsOf(model, places);
  const only = (options.only ?? []).map((one) => {
    const selection = selectionOf(one, contract, statements);
    if (selection === undefined) throw new TestError(`${one} is not a part, an operation or a line with a statement`);
    return selection;
  });
  const address = checkedAddress(options.url, confirm);
  const isAllowed = (url: URL): boolean => isLoopback(url) || isConfirmed(url, confirm);
  await using open = new AsyncDisposableStack();
  const client = createClient({ timeoutMilliseconds, maximumBytes, allowed: isAllowed });
  open.defer(() => client.close());
  const first = await client.send({ method: "GET", url: `${operationsAddress(contract, address)}/`, headers: {} });
  if (!isResponse(first)) throw new TestError(`${address} cannot be reached: ${first.problem}`);
  await reset(client.send, options.reset);
  const receiver = await receiverAt(options.receiver, address);
  if (receiver !== undefined) open.defer(() => receiver.close());
  const report = await testTarget(
    {
      ...{ address, send: client.send, follow, now: Date.now, secrets, skipped: new Set(skip) },
      wait: (milliseconds) => delay(milliseconds),
      caller: lend(contract, callers, obtain),
      ...(revoke === undefined ? {} : { revoke }),
      ...(options.clock === undefined ? {} : { clock: createTestClock(client.send, options.clock) }),
      ...(receiver === undefined ? {} : { receiver }),
    },
    { ...{ result, text, version, seed, budgetMilliseconds, workers, only, ids }, ...(progress && { progress }) },
  );
  // An implementation that has ended is in the report, which must not be lost with it.
  await reset(client.send, options.reset).catch(() => {});
  return report;
}

/** Empties the data of the implementation, if its owner has named an address for that. */
async function reset(send: Send, url: string | undefined): Promise<void> {
  if (url === undefined) return;
  const response = await send({ method: "POST", url, headers: {} });
  const got = isResponse(response) ? response.status : response.problem;
  if (typeof got === "string" || got >= 300)
    throw new TestError(`POST ${url} did not reset the implementation: ${got}`);
}

/** Starts a receiver of webhooks at an address; without one on this machine, if the implementation is there too. */
async function receiverAt(text: string | undefined, implementation: string): Promise<Receiver | undefined> {
  if (text === undefined) return isLoopback(new URL(implementation)) ? createReceiver() : undefined;
  const { hostname, port } = new URL(text);
  try {
    return await createReceiver({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
  } catch (thrown) {
    throw new TestError(`the test cannot receive webhooks at ${text}: ${(thrown as Error).message}`);
  }
}

/** Returns the address without a slash at its end, if requests may be sent to it. */
function checkedAddress(text: string, confirm: string | undefined): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TestError(`${text} is not an http or https address`);
  if (isLoopback(url) || isConfirmed(url, confirm)) return text.replace(/\/+$/, "");
  throw new TestError(
    `the test creates, changes and deletes records at ${url.host}, which is another machine; add --confirm ${url.hostname} to allow that`,
  );
}

function isConfirmed({ hostname, host }: URL, confirm: string | undefined): boolean {
  return confirm !== undefined && (confirm === hostname || confirm === host);
}
