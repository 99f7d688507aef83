/**
 * The service of `examples/parcel-lockers.md`, in this process: as `nonet serve` runs it, but with a clock that the story
 * moves by hand, so that four days take no longer than a line.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as nonet from "nonet";

/** The example, with an operation more: it does not ask for the history of a parcel, and the story ends with one. */
function documentText(): string {
  const example = readFileSync(new URL("../parcel-lockers.md", import.meta.url), "utf8");
  return Object.entries({
    "  takeBack: Fetch an expired parcel\n": "  parcelHistory: See what became of a parcel\n",
    "  takeBack: POST /parcels/{id}/take-back\n": "  parcelHistory: GET /parcels/{id}/history\n",
    "  collect: anyone\n": "  parcelHistory: operator\n",
  }).reduce((text, [line, more]) => text.replace(line, line + more), example);
}

/** What the doors sign with; a service takes it from its environment. */
export const doorSecret = "correct horse battery staple";

/** A clock that stands still until somebody moves it. */
export interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Running extends AsyncDisposable {
  readonly url: string;
  readonly clock: Clock;
  /** A key for somebody in this role. */
  key(user: string, role: string): Promise<string>;
  /** Moves the clock to a moment, and lets time do what has become due. */
  advanceTo(moment: number): Promise<void>;
}

export async function serve(start: string): Promise<Running> {
  const result = nonet.check("parcel-lockers.md", Buffer.from(documentText()));
  const model = nonet.soundModel(result);
  if (model === undefined) throw new Error(result.diagnostics.map(({ message }) => message).join("\n"));
  const plan = nonet.buildPlan(model, result.places, result.expressions);

  let moment = Date.parse(start);
  let url = "";
  const clock: Clock = { now: () => moment };
  const store = await nonet.openSqliteStore({ file: ":memory:", tables: plan.tables, clock: clock.now });
  // A failure of Nonet's own ends the story: there is nothing in it that should cause one.
  const report = (failure: unknown): never => {
    throw failure;
  };
  const service = nonet.servePlan({
    plan,
    store,
    clock,
    random: randomBytes,
    environment: { DOOR_SECRET: doorSecret },
    cursorSecret: "kept across restarts",
    baseUrl: () => url,
    report,
    webhooks: { key: "kept outside the data", urlFault: (text) => nonet.webhookUrlFault(text, { loopback: true }) },
    pages: nonet.servicePages({ result, plan, baseUrl: () => url }),
  });
  const background = nonet.startBackground({
    plan,
    store,
    service,
    clock,
    random: randomBytes,
    webhookKey: "kept outside the data",
    loopback: true,
    report,
  });
  const server = await nonet.listen({
    service: () => service,
    host: "127.0.0.1",
    port: 0,
    requestMilliseconds: plan.limits.requestMilliseconds,
    forwarding: nonet.createForwarding([]),
  });
  url = `http://127.0.0.1:${server.port}`;

  const [credential] = nonet.keyCredentials(plan);
  if (credential === undefined) throw new Error("the document has no credential with keys");
  return {
    url,
    clock,
    async key(user, role) {
      const minting = { user, roles: [role], credential, milliseconds: credential.lastsMilliseconds };
      return (await nonet.mintKey(store.keys, minting, clock, randomBytes)).secret;
    },
    async advanceTo(to) {
      moment = to;
      // What is done may make something else due.
      while ((await service.tick()) > 0);
    },
    async [Symbol.asyncDispose]() {
      await server.close(1000);
      await service.flush();
      await background.stop(1000);
      await store.close();
    },
  };
}
