/**
 * Deliberate bugs, which the simulation must find: each wraps a correct service's plan or its store, so that the product needs no
 * code for them.
 */
import type { Variables } from "../../src/expression/evaluate.ts";
import type { TransitionPlan } from "../../src/plan/states/types.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Table } from "../../src/plan/resources/types.ts";
import { Waits } from "../../src/runtime/functions/transaction.ts";
import type { LiveService } from "../../src/runtime/service.ts";
import type { JournalEntry, Store, Transaction } from "../../src/store/port/store.ts";
import type { SessionToken } from "../../src/store/port/sessions.ts";
import type { Mutation } from "./process.ts";
import { detail } from "./store.ts";
import type { World } from "./world.ts";

const keeps = ({ resources }: World): boolean => resources.some(({ keep }) => keep);

const tellsOfLapsed = (world: World): boolean => world.webhook !== undefined && keeps(world);

const hasQuota = ({ resources }: World): boolean =>
  resources.some(({ operations }) => operations.some(({ quota }) => quota));

const hasBuckets = ({ rate }: World): boolean => rate?.burst !== undefined;

const logsIn = ({ logins }: World): boolean => logins !== undefined;

const listens = ({ inbound }: World): boolean => inbound !== undefined;

const hasFiles = ({ resources }: World): boolean =>
  resources.some(({ operations }) => operations.some(({ file }) => file));

const works = ({ resources }: World): boolean =>
  resources.some(({ operations }) => operations.some(({ action }) => action === "handler"));

const readsAcross = ({ resources }: World): boolean => resources.some(({ across }) => across);

const renews = ({ logins }: World): boolean => logins?.renewed !== undefined;

export const mutants: Readonly<Record<string, Mutation>> = {
  "a key's answer is not remembered": { store: (store) => inTransactions(store, (tx) => with_(tx, { saveResponse: () => {} })) }, // biome-ignore format: a table
  "a key's answer is remembered in memory alone": { store: rememberedInMemory },
  "an answer is given before it is durable": { from: 165, store: answeredTooEarly },
  "events are written after the transaction": { store: (store) => entriesApart(store, "after") },
  "events are written of what is refused": { store: (store) => entriesApart(store, "in spite") },
  "a quota is counted in spite of a refusal": { from: 165, of: hasQuota, store: countedInSpite },
  "quotas are not held": { of: hasQuota, plan: (plan) => ({ ...plan, quotas: plan.quotas.map((quota) => ({ ...quota, count: quota.count + 1 })) }) }, // biome-ignore format: a table
  "one request too many is let in": { from: 1551, plan: (plan) => ({ ...plan, rates: plan.rates.map((rate) => ({ ...rate, count: rate.count + 1 })) }) }, // biome-ignore format: a table
  "a bucket is larger than it may be": { of: hasBuckets, plan: (plan) => ({ ...plan, rates: plan.rates.map((rate) => (rate.burst === undefined ? rate : { ...rate, burst: rate.burst + 1 })) }) }, // biome-ignore format: a table
  "each process counts for itself": { of: hasBuckets, together: true, store: ({ rates: _, ...store }) => store },
  "a bucket is refilled by each who asks": {
    from: 41545,
    of: ({ rate }) => rate?.burst !== undefined && rate.milliseconds < 60_000,
    loose: "time",
  },
  "a timer fires twice": {
    from: 1056,
    of: ({ resources }) =>
      resources.some(({ lifecycle }) =>
        lifecycle?.moves.some(({ by, from, to }) => by.kind === "after" && from.includes(to)),
      ),
    store: (store) => inTransactions(store, (tx) => with_(tx, { hasFired: () => false })),
  },
  "a timer never fires": { store: (store) => ({ ...store, due: async (now, limit) => (await store.due(now, limit)).slice(1) }) }, // biome-ignore format: a table
  "a hidden field is shown": { plan: (plan) => withTables(plan, (table) => ({ ...table, columns: table.columns.map(({ visibleTo: _, ...column }) => column) })) }, // biome-ignore format: a table
  "lists show everybody's records": { from: 561, store: (store) => ({ ...store, list: ({ where: _, ...query }) => store.list(query) }) }, // biome-ignore format: a table
  "reads show everybody's records": { store: (store) => ({ ...store, read: ({ where: _, ...query }) => store.read(query) }) }, // biome-ignore format: a table
  "hidden records are told from absent ones": { plan: (plan) => ({ ...plan, unseen: plan.unseen === 403 ? 404 : 403 }) }, // biome-ignore format: a table
  "guards are not held": { from: 660, plan: (plan) => withMoves(plan, ({ if: _, ...move }) => move) },
  "a record moves from any state": { from: 165, plan: (plan) => ({ ...plan, operations: plan.operations.map((operation) => ({ ...operation, moves: operation.moves.map((move) => ({ ...move, from: plan.tables.find(({ resource }) => resource === operation.resource)?.lifecycle?.states ?? [] })) })) }) }, // biome-ignore format: a table
  "an event has no effect on others": { plan: (plan) => ({ ...plan, operations: plan.operations.map((operation) => ({ ...operation, effects: [] })) }) }, // biome-ignore format: a table
  "revisions repeat": { store: revisionsRepeat },
  "what was read is given again later": { from: 132, store: readOnce },
  "stale edits are taken": { from: 132, plan: (plan) => ({ ...plan, operations: plan.operations.map((operation) => ({ ...operation, edits: "none" as const })) }) }, // biome-ignore format: a table
  "what was sent is forgotten": { from: 825, store: (store) => inTransactions(store, (tx) => with_(tx, { setOffset: () => {} })) }, // biome-ignore format: a table
  "events pass one another": { from: 330, of: ({ webhook }) => webhook?.inOrder === true, store: (store) => inTransactions(store, (tx) => with_(tx, { all: async (resource, ...asked) => (resource === "WebhookDelivery" ? [] : tx.all(resource, ...asked)) })) }, // biome-ignore format: a table
  "webhooks are told of everybody's records": { from: 330, plan: (plan) => ({ ...plan, events: { ...plan.events, out: Object.fromEntries(Object.entries(plan.events.out).map(([name, event]) => [name, { ...event, webhook: event.webhook.map(({ who }) => ({ who })) }])) } }) }, // biome-ignore format: a table
  "what was not taken is not sent again": { from: 561, store: (store) => inTransactions(store, (tx) => with_(tx, { update: (resource, row, changes, ...asked) => tx.update(resource, row, resource === "WebhookDelivery" && changes["tries"] !== undefined ? { ...changes, state: "delivered", nextAttemptAt: null } : changes, ...asked) })) }, // biome-ignore format: a table
  "an event is passed over": { store: (store) => ({ ...store, journal: { ...store.journal, events: async (after, limit) => (await store.journal.events(after, limit)).slice(1) } }) }, // biome-ignore format: a table
  "a key is good after it was revoked": { from: 660, store: (store) => ({ ...store, keys: { ...store.keys, find: async (hash) => { const key = await store.keys.find(hash); if (key === undefined) return undefined; const { revoked: _, ...good } = key; return good; } } }) }, // biome-ignore format: a table
  "streams are told of everybody's records": { from: 693, plan: (plan) => ({ ...plan, events: { ...plan.events, out: Object.fromEntries(Object.entries(plan.events.out).map(([name, event]) => [name, { ...event, stream: event.stream.map(({ who }) => ({ who })) }])) } }) }, // biome-ignore format: a table
  "a record is changed by two at once": { loose: "row" },
  "a number of records is decided on by two at once": {
    of: ({ resources }) => resources.some(({ live }) => live),
    loose: "number",
  },
  "a quota is counted by two at once": { from: 1117, of: hasQuota, loose: "count" },
  "a key is looked for by two at once": { from: 757, loose: "answer" },
  "a bookmark is moved by two at once": { from: 3961, loose: "bookmark" },
  "what is erased becomes a delivery at once": { from: 8209, of: tellsOfLapsed, loose: "told" },
  "what was erased is told to who comes later": { from: 3630, of: tellsOfLapsed, store: (store) => inTransactions(store, (tx) => with_(tx, { intact: async (positions) => new Set(positions) })) }, // biome-ignore format: a table
  "what was erased stays in the journal": { of: keeps, store: (store) => inTransactions(store, (tx) => with_(tx, { forget: () => {} })) }, // biome-ignore format: a table
  "what was erased stays in deliveries": { of: tellsOfLapsed, store: (store) => inTransactions(store, (tx) => with_(tx, { first: async (resource, where, given) => (isAbout(given) ? undefined : tx.first(resource, where, given)) })) }, // biome-ignore format: a table
  "a personal field is not erased": { of: keeps, plan: (plan) => withTables(plan, (table) => ({ ...table, ...(table.timed && { timed: table.timed.map((one) => (one.action.kind === "erase" ? { ...one, action: { ...one.action, columns: one.action.columns.slice(1) } } : one)) }) })) }, // biome-ignore format: a table
  "a value that is unique is written by two at once": { from: 1225, loose: "unique" },
  "a session that is over is good from memory": { from: 1122, of: logsIn, store: (store) => ({ ...store, sessions: { ...store.sessions, find: once((hash) => store.sessions.find(hash)) } }) }, // biome-ignore format: a table
  "somebody's role is that of yesterday": { of: logsIn, store: (store) => ({ ...store, read: (query) => (query.system === true && query.key === "id" ? once(store.read(query)) : store.read(query)) }) }, // biome-ignore format: a table
  "a session is not ended": { from: 1122, of: logsIn, store: (store) => inTransactions(store, (tx) => with_(tx, { endSessions: () => {} })) }, // biome-ignore format: a table
  "a session is renewed with one token again and again": { from: 1683, of: renews, store: (store) => inTransactions(store, (tx) => with_(tx, { async session(hash) { const { replaced: _, ...token } = (await tx.session(hash)) ?? {}; return "hash" in token ? (token as SessionToken) : undefined; } })) }, // biome-ignore format: a table
  "a session is renewed by two at once": { from: 6445, of: renews, loose: "session" },
  "an event that comes again is taken again": { from: 594, of: listens, store: (store) => inTransactions(store, (tx) => with_(tx, { findResponse: (scope, key) => (scope === "signature" ? undefined : tx.findResponse(scope, key)) })) }, // biome-ignore format: a table
  "anybody's events are taken": { of: listens, plan: (plan) => ({ ...plan, operations: plan.operations.map(({ inbound, ...operation }) => (inbound === undefined ? operation : { ...operation, inbound: { ...inbound, credential: "key" } })) }) }, // biome-ignore format: a table
  "what came in is not kept": { of: listens, store: (store) => inTransactions(store, (tx) => with_(tx, { record: (entry) => (entry.received === undefined ? tx.record(entry) : undefined) })) }, // biome-ignore format: a table
  "the first byte of a file is lost": { from: 726, of: hasFiles, store: (store) => ({ ...store, files: { ...store.files, append: (id, bytes) => store.files.append(id, bytes.subarray(1)) } }) }, // biome-ignore format: a table
  "other bytes are given of a file": { from: 726, of: hasFiles, store: (store) => ({ ...store, files: { ...store.files, piece: async (id, at) => { const piece = await store.files.piece(id, at); return piece && { ...piece, bytes: piece.bytes.map((byte) => byte + 1) }; } } }) }, // biome-ignore format: a table
  "a file that no record was given stays": { of: hasFiles, store: (store) => ({ ...store, files: { ...store.files, discard: () => {} }, purge: () => {} }) }, // biome-ignore format: a table
  "a file that no record took is not discarded": { of: hasFiles, store: (store) => ({ ...store, files: { ...store.files, discard: () => {} } }) }, // biome-ignore format: a table
  "a file stays when its record is gone": { from: 1729, of: hasFiles, loose: "file of the gone" },
  "a session outlives its record": { from: 7381, of: logsIn, loose: "token of the gone" },
  "what is over is not cleared": { from: 132, store: (store) => ({ ...store, purge: () => {} }) },
  "what is not over is cleared": { from: 217, loose: "not over" },
  "half of what a function does stays while it waits": { from: 4785, of: works, store: keptHalf },
  "rules that read other records are evaluated before the write": { from: 330, of: readsAcross, plan: evaluatedBefore },
  "rules are not evaluated when what they read of others changes": {
    from: 2277,
    of: ({ resources }) =>
      resources.some(({ across }) => across !== undefined && across.holds.kind.startsWith("refer")),
    plan: (plan) => withTables(plan, ({ lateRules = [], ...table }) => ({ ...table, lateRules: lateRules.filter(({ resource }) => resource === table.resource) })), // biome-ignore format: a table
  },
  "what time does is held to no rule": {
    from: 2739,
    of: ({ resources }) => resources.some(({ across }) => across?.holds.kind === "total" && across.holds.field === "count"), // biome-ignore format: a table
    store: timeUnheld,
  },
  "a rule is evaluated by two at once": { from: 2737, of: readsAcross, loose: "rule" },
  "a failure tells how": { service: (service) => answering(service, (text, status) => (status === 500 ? `${text}${detail}` : text)) }, // biome-ignore format: a table
  "older callers are told something new": { from: 165, service: (service) => answering(service, (text, status, older) => (older && status === 200 ? text.replace(/^\{"id"/, '{"new":1,"id"') : text)) }, // biome-ignore format: a table
};

/** Whether deliveries are looked for that tell of a record, whoever they are to. */
function isAbout({ input }: Variables): boolean {
  return JSON.stringify(Object.keys((input ?? {}) as object)) === '["record"]';
}

function with_(tx: Transaction, other: Partial<Transaction>): Transaction {
  return { ...tx, ...other };
}

function inTransactions(store: Store, change: (tx: Transaction) => Transaction): Store {
  return { ...store, transaction: (work) => store.transaction((tx) => work(change(tx))) };
}

function rememberedInMemory(store: Store): Store {
  const kept = new Map<string, Parameters<Transaction["saveResponse"]>[2]>();
  return inTransactions(store, (tx) =>
    with_(tx, {
      findResponse: (scope, key) => kept.get(`${scope} ${key}`),
      saveResponse: (scope, key, response) => void kept.set(`${scope} ${key}`, response),
    }),
  );
}

function answeredTooEarly(store: Store): Store {
  return {
    ...store,
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      let ran: { readonly value: T } | undefined;
      try {
        return await store.transaction(async (tx) => {
          ran = undefined;
          const value = await work(tx);
          ran = { value };
          return value;
        });
      } catch (thrown) {
        if (ran === undefined) throw thrown;
        return (ran as { readonly value: T }).value;
      }
    },
  };
}

function entriesApart(store: Store, when: "after" | "in spite"): Store {
  return {
    ...store,
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      let entries: JournalEntry[] = [];
      const write = (): Promise<void> =>
        store.transaction(async (tx) => {
          for (const entry of entries) await tx.record(entry);
        });
      try {
        const value = await store.transaction((tx) => {
          entries = [];
          return work(
            with_(tx, {
              async record(entry) {
                entries.push(entry);
                if (when === "in spite") await tx.record(entry);
              },
            }),
          );
        });
        if (when === "after" && entries.length > 0) await write();
        return value;
      } catch (thrown) {
        if (when === "in spite" && entries.length > 0) await write();
        throw thrown;
      }
    },
  };
}

function countedInSpite(store: Store): Store {
  return {
    ...store,
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      let counted: Parameters<Transaction["count"]> | undefined;
      try {
        return await store.transaction((tx) => {
          counted = undefined;
          return work(
            with_(tx, {
              count(...asked) {
                counted = asked;
                return tx.count(...asked);
              },
            }),
          );
        });
      } catch (thrown) {
        const asked = counted;
        if (asked !== undefined) await store.transaction(async (tx) => tx.count(...asked));
        throw thrown;
      }
    },
  };
}

/** With the other rules, over the record as it would be and everything else as it still is. */
function evaluatedBefore(plan: Plan): Plan {
  const early = <Rule extends object>(rules: readonly Rule[]): readonly Rule[] => rules.map((rule) => ({ ...rule, isLate: undefined })); // biome-ignore format: short
  return {
    ...withTables(plan, ({ lateRules: _, ...table }) => ({ ...table, rules: early(table.rules) as typeof table.rules })), // biome-ignore format: short
    operations: plan.operations.map((one) => ({ ...one, rules: early(one.rules) as typeof one.rules })),
  };
}

function timeUnheld(store: Store): Store {
  return inTransactions(store, (tx) => {
    let isTimed = false;
    return {
      ...tx,
      lock(...asked) {
        isTimed = true;
        return tx.lock(...asked);
      },
      get changes() {
        return isTimed ? [] : tx.changes;
      },
    };
  });
}

function keptHalf(store: Store): Store {
  return {
    ...store,
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const came = await store.transaction(async (tx) => {
        try {
          return { value: await work(tx) };
        } catch (thrown) {
          if (thrown instanceof Waits) return { waits: thrown };
          throw thrown;
        }
      });
      if ("waits" in came) throw came.waits;
      return came.value;
    },
  };
}

function revisionsRepeat(store: Store): Store {
  return inTransactions(store, (tx) =>
    with_(tx, {
      async update(...asked) {
        const written = await tx.update(...asked);
        return written.kind === "written" ? { ...written, revision: asked[1]["_rev"] as number } : written;
      },
    }),
  );
}

/** What was found for the same once is found for ever. */
function once<Asked extends readonly unknown[], Found>(
  find: (...asked: Asked) => Found | Promise<Found>,
): (...asked: Asked) => Promise<Found> {
  const known = new Map<string, Found>();
  return async (...asked) => {
    const key = JSON.stringify(asked);
    const found = known.get(key) ?? (await find(...asked));
    if (found !== undefined) known.set(key, found);
    return found;
  };
}

function readOnce(store: Store): Store {
  return {
    ...store,
    read: (query) => {
      const read = store.read(query);
      const known = new Map<unknown, Awaited<ReturnType<typeof read>>>();
      return async (key, variables) => {
        const found = known.get(key) ?? (await read(key, variables));
        if (found !== undefined) known.set(key, found);
        return found;
      };
    },
  };
}

function answering(
  service: LiveService,
  change: (text: string, status: number, older: boolean) => string,
): LiveService {
  return {
    ...service,
    async response(exchange) {
      const response = await service.response(exchange);
      if (typeof response.body !== "string") return response;
      const older = exchange.headers.get("api-version") !== undefined;
      return { ...response, body: change(response.body, response.status, older) };
    },
  };
}

function withTables(plan: Plan, change: (table: Table) => Table): Plan {
  return { ...plan, tables: plan.tables.map(change) };
}

function withMoves(plan: Plan, change: (move: TransitionPlan) => TransitionPlan): Plan {
  return {
    ...plan,
    operations: plan.operations.map((operation) => ({ ...operation, moves: operation.moves.map(change) })),
  };
}
