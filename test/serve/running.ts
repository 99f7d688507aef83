/** Serves a document for a test over a real socket: takes its text, returns its address and keys. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { BackgroundOptions } from "../../src/server/background.ts";
import { agentPages, compose } from "../../src/server/compose.ts";
import type { Clock } from "../../src/base/clock.ts";
import { readDocument } from "../../src/document/read.ts";
import { typeExpressions } from "../../src/language/analysis/expressions.ts";
import { readModel } from "../../src/language/read.ts";
import { buildPlan } from "../../src/plan/build.ts";
import { longestRequest } from "../../src/plan/limits/limits.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { rowSecurityOf } from "../../src/plan/authentication/row-security.ts";
import { keyCredentials, keyMilliseconds, mintKey } from "../../src/runtime/auth/mint.ts";
import { followingOf } from "../../src/server/open-store.ts";
import type { Budget } from "../../src/http/memory-budget.ts";
import { createForwarding } from "../../src/http/proxies.ts";
import { planWith } from "../../src/runtime/functions/validate.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import type { Monitoring } from "../../src/observability/monitoring.ts";
import type { HealthDisclosure } from "../../src/runtime/health.ts";
import type { Observe } from "../../src/runtime/context/observation.ts";
import { listen } from "../../src/http/node-server.ts";
import type { Page } from "../../src/runtime/context/endpoint.ts";
import type { LiveService } from "../../src/runtime/service.ts";
import { openMemoryStore } from "../../src/store/memory/open.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Rates, Store } from "../../src/store/port/store.ts";
import { onPostgres, serviceSchema } from "../postgres/service-schema.ts";

export interface Running extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly plan: Plan;
  readonly store: Store;
  /** A key of the document's first credential that has keys. */
  key(user: string, ...roles: string[]): Promise<string>;
  /** A key of the credential of this name. */
  keyOf(credential: string, user: string, ...roles: string[]): Promise<string>;
  /** Failures of Nonet's own, which a test that did not mean them fails for. */
  readonly failures: readonly unknown[];
  /** Drains the server, as SIGTERM does (R1.8); what is under way has this long. */
  stop(graceMilliseconds?: number, lingerMilliseconds?: number): Promise<void>;
  /** Moves the service's clock. */
  pass(milliseconds: number): void;
  /** The service's present, epoch milliseconds. */
  now(): number;
  /** Lets time do what is due, and gives the number of records to which it did something. */
  tick(lateMilliseconds?: number): Promise<number>;
  /** What the operator was told. */
  readonly notices: readonly string[];
  /** All that the service answers: `GET /parcels/{id}`. */
  readonly routes: readonly string[];
}

export interface RunOptions {
  /** `sqlite`, which it is unless told, is PostgreSQL where the suite is run on that; `sqlite-only` never is. */
  readonly store?: "sqlite" | "sqlite-only" | "memory" | "postgres";
  /** Where SQLite keeps it; a file of its own unless told. */
  readonly file?: string;
  /** Where PostgreSQL keeps it; a schema of its own unless told. */
  readonly address?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly proxies?: readonly string[];
  readonly pages?: readonly Page[];
  readonly observe?: (url: () => string) => Observe | undefined;
  /** Follows what webhooks are sent. */
  readonly startSending?: BackgroundOptions["startSending"];
  /** What the service's owner does in it. */
  readonly functions?: ServiceFunctions;
  /** Where rates are counted together with other processes. */
  readonly rates?: Rates;
  /** What watches it. */
  readonly oversight?: Monitoring;
  readonly health?: HealthDisclosure;
  /** What its server may hold. */
  readonly budget?: Budget;
  /** The address that its callers know it by; that of its server, unless told. */
  readonly publicUrl?: string;
  /** When it starts, by its own clock; now, unless told. */
  readonly at?: string;
  /** Puts something between the service and its store. */
  readonly around?: (store: Store) => Store;
  /** Changes what the document was made into. */
  readonly planned?: (plan: Plan) => Plan;
  /** Puts something between the service and its callers. */
  readonly between?: (service: LiveService) => LiveService;
  /** The service's clock, which `pass` moves no further; the machine's unless told. */
  readonly clock?: Clock;
  /** `false`: no webhook is sent. */
  readonly deliveries?: boolean;
  /** Where its ids and secrets come from; the machine's unless told. */
  readonly random?: (bytes: number) => Uint8Array;
}

export function planOf(text: string): Plan {
  const { document, diagnostics } = readDocument(text.startsWith("#") ? "test.md" : "test.nonet.yaml", text);
  const read = readModel(document);
  const errors = [...diagnostics, ...read.diagnostics].filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ message, span }) => `${span.start.line}: ${message}`),
    [],
  );
  return buildPlan(read.model, read.places, typeExpressions(read.model));
}

interface Opened {
  readonly store: Store;
  readonly close: () => Promise<void>;
}

async function openStore(
  plan: Plan,
  { address: given, file, store: kind }: RunOptions,
  clock: () => number,
): Promise<Opened> {
  const { tables } = plan;
  if (kind === "memory") {
    const store = await openMemoryStore({ tables, clock });
    return { store, close: () => store.close() };
  }
  const following = await followingOf(plan);
  if (kind === "sqlite-only" || (!onPostgres && kind !== "postgres")) {
    const store = await openSqliteStore({ file: file ?? ":memory:", tables, following, clock });
    return { store, close: () => store.close() };
  }
  const security = rowSecurityOf(plan);
  const madeFor = JSON.stringify([tables, plan.history[0], following.events, security]);
  const { address, drop } =
    given === undefined ? await serviceSchema(madeFor, file) : { address: given, drop: async () => {} };
  const store = await openPostgresStore({ address, tables, following, security, clock });
  return {
    store,
    close: async () => {
      await store.close();
      await drop();
    },
  };
}

export async function run(text: string, options: RunOptions = {}): Promise<Running> {
  const planned = planWith(planOf(text), options.functions);
  const plan = options.planned?.(planned) ?? planned;
  const failures: unknown[] = [];
  const notices: string[] = [];
  let shift = options.at === undefined ? 0 : Date.parse(options.at) - Date.now();
  const now = (): number => options.clock?.now() ?? Date.now() + shift;
  const clock: Clock = { now };
  const { close, store } = await openStore(plan, options, now);
  const random = options.random ?? randomBytes;
  let url = "";
  const report = (failure: unknown) => failures.push(failure);
  const baseUrl = () => options.publicUrl ?? url;
  const agents = await agentPages(plan, { baseUrl, service: () => service, report });
  const { service: composed, background } = compose(
    { plan, functions: options.functions },
    options.around?.(store) ?? store,
    { cursor: "a test", webhooks: "a test" },
    {
      ...{ clock, random, health: options.health, pages: [...agents, ...(options.pages ?? [])], rates: options.rates },
      ...{ monitoring: options.oversight, startSending: options.startSending, sends: options.deliveries },
      url: baseUrl,
      loopback: true,
      environment: options.environment ?? {},
      report,
      notice: (sentence) => notices.push(sentence),
      observe: options.observe?.(() => url),
    },
  );
  const service = options.between?.(composed) ?? composed;
  const server = await listen({
    service: () => service,
    host: "127.0.0.1",
    port: 0,
    requestMilliseconds: longestRequest(plan),
    forwarding: createForwarding(options.proxies ?? []),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
  });
  url = `http://127.0.0.1:${server.port}`;
  const keyOf = async (name: string | undefined, user: string, roles: readonly string[]): Promise<string> => {
    const kinds = keyCredentials(plan);
    const credential = name === undefined ? kinds[0] : kinds.find((each) => each.name === name);
    assert(credential !== undefined);
    const minting = { user, roles, credential, milliseconds: keyMilliseconds(credential) };
    const { secret } = await mintKey(store.keys, minting, clock, randomBytes);
    return secret;
  };
  return {
    url,
    port: server.port,
    plan,
    store,
    failures,
    notices,
    routes: service.routes,
    tick: (late) => service.tick(late),
    stop: (graceMilliseconds = 5000, lingerMilliseconds = 0) => server.close(graceMilliseconds, { lingerMilliseconds }),
    pass: (milliseconds) => {
      shift += milliseconds;
    },
    now,
    key: (user, ...roles) => keyOf(undefined, user, roles),
    keyOf: (name, user, ...roles) => keyOf(name, user, roles),
    async [Symbol.asyncDispose]() {
      await server.close(1000);
      await service.flush();
      await background.stop(0);
      await close();
    },
  };
}
