/** A process of the simulated service: its server, its delivery loop, and its own memory. */
import { createIds } from "../../src/base/id.ts";
import { addressProblem } from "../../src/webhooks/address.ts";
import { createDeliveries } from "../../src/webhooks/engine.ts";
import type { Post } from "../../src/webhooks/post.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { rolesHeld } from "../../src/runtime/auth/current-roles.ts";
import { endpointSecret } from "../../src/runtime/events/webhooks.ts";
import { createService, type LiveService } from "../../src/runtime/service.ts";
import { createSchedulerLoop, type SchedulerLoop } from "../../src/runtime/scheduler/loop.ts";
import type { Store } from "../../src/store/port/store.ts";
import type { Functions } from "./functions.ts";
import type { Machine } from "./machine.ts";
import type { Chance } from "./random.ts";
import type { Rates } from "./rates.ts";
import type { Holdable } from "./together.ts";
import type { World } from "./world.ts";

export interface Process {
  readonly life: number;
  readonly service: LiveService;
  /** Sends what is to be sent to webhooks, where the document has them. */
  readonly rounds: SchedulerLoop | undefined;
  readonly rates: Rates;
  readonly functions: Functions;
  /** Forgets what is over, as whoever serves it does every hour. */
  readonly purge: (now: number) => Promise<void>;
}

/** What a deliberate mistake puts between the service and what is around it. */
export interface Mutation {
  readonly plan?: (plan: Plan) => Plan;
  readonly store?: (store: Store) => Store;
  readonly service?: (service: LiveService) => LiveService;
  /** In which worlds it can be seen; absent: in any. */
  readonly of?: (world: World) => boolean;
  /** What a store whose transactions run together does not hold. */
  readonly loose?: Holdable;
  /** Whether it can be seen with such a store alone. */
  readonly together?: true;
  /** The first seed that is tried: one that finds it. */
  readonly from?: number;
}

export interface ProcessOptions {
  readonly plan: Plan;
  readonly store: Store;
  readonly machine: Machine;
  readonly chance: Chance;
  readonly life: number;
  readonly rates: Rates;
  readonly functions: Functions;
  readonly post: Post;
  readonly mutation: Mutation;
  /** Told of what the service says is its own fault. */
  readonly failed: (failure: unknown) => void;
  /** Told of what an operator is told of. */
  readonly notice: (sentence: string) => void;
}

/** The same for every process of one service. */
const secret = "a simulation";

/** What devices sign with. */
export const deviceSecret = "a device";

export function startProcess(options: ProcessOptions): Process {
  const { chance, life, machine, mutation, plan, rates } = options;
  const store = mutation.store?.(options.store) ?? options.store;
  const random = (count: number): Uint8Array => chance.bytes(count);
  const report = (failure: unknown): void => {
    if (machine.isAlive(life)) options.failed(failure);
  };
  const service = createService({
    plan: mutation.plan?.(plan) ?? plan,
    store,
    clock: machine.clock,
    random,
    environment: { DEVICE_SECRET: deviceSecret },
    cursorSecret: secret,
    baseUrl: () => "http://things.example",
    report,
    ...(plan.operations.some(({ action }) => action === "handler") ? { functions: options.functions.named } : {}),
    notice: options.notice,
    webhooks: { key: secret, urlFault: (text) => addressProblem(text, { loopback: false }) },
  });
  const { webhook } = plan.events;
  const deliveries =
    webhook &&
    createDeliveries(
      {
        plan,
        store,
        clock: machine.clock,
        random: () => chance.int(256) / 256,
        newId: createIds(machine.clock, random),
        renderer: service.renderer,
        rolesHeld: (keys, endpoint) => rolesHeld(plan, new Map(), keys, endpoint, machine.time),
        transition: (...transition) => service.transition(...transition),
        secret: (endpoint, number) => endpointSecret(secret, endpoint, number),
        post: options.post,
        report,
      },
      webhook,
    );
  return {
    life,
    rates,
    functions: options.functions,
    purge: async (now) => store.purge(now),
    service: mutation.service?.(service) ?? service,
    rounds: deliveries && createSchedulerLoop({ run: () => deliveries.round().then(() => 0) }, report),
  };
}
