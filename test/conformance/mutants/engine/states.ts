/** Mistakes about states, transitions and timers (part 3). */
import assert from "node:assert/strict";
import { lengthOf } from "../../../../src/base/duration.ts";
import type { HttpResponse } from "../../../../src/http/message.ts";
import type { TimedJob } from "../../../../src/plan/states/types.ts";
import { ask, pass, type Scene } from "../../../enforced/proof.ts";
import { type Change, type EngineMutant, mutantsOf } from "./mutant.ts";
import { add } from "./resources.ts";
import { bell, environment } from "./signing.ts";
import { inTransactions, isFor, operations, stored, tables, transitions } from "./wrappers.ts";

const hour = 3_600_000;
const close = ask("ann POST /things/{1}/close", { pin: "1234" }, { status: "200", has: { state: "closed" } });

export const stateMutants: readonly EngineMutant[] = mutantsOf(
  "things",
  {
    "a guard is skipped": [
      transitions(({ if: _, ...transition }) => transition),
      add,
      ask("ann POST /things/{1}/close", { pin: "9999" }, "403 wrong-pin"),
      ask("ann GET /things/{1}", { has: { state: "open" } }),
    ],
    "a guard that is false has the error of a wrong state": [
      transitions((transition) => ({ ...transition, else: "state-conflict" })),
      add,
      ask("ann POST /things/{1}/close", { pin: "9999" }, "403 wrong-pin"),
    ],
    "a transition starts in any state": [
      transitions((transition) => ({ ...transition, from: ["open", "closed", "lost"] })),
      add,
      ask("ann POST /things/{1}/open", "409 state-conflict"),
    ],
    "a transition ends in another state": [
      transitions((one) => ({ ...one, to: one.to === "closed" ? "lost" : one.to })),
      add,
      close,
    ],
    "a transition sets no fields": [
      transitions((transition) => ({ ...transition, set: [] })),
      add,
      ask("ann POST /things/{1}/close", { pin: "1234" }, { has: { uses: 1 } }),
    ],
    "a transition is answered, but not made": [
      inTransactions((tx) => ({
        update: async (resource, row, changes, view, variables) => {
          if (resource !== "Thing" || changes["state"] === undefined)
            return tx.update(resource, row, changes, view, variables);
          const text = await tx.view({ ...row, ...changes }, view, variables);
          return { kind: "written", text, revision: row["_rev"] as number, row: { ...row, ...changes } };
        },
      })),
      add,
      close,
      ask("ann GET /things/{1}", { has: { state: "closed" } }),
    ],
    "a wrong state is a bad request": [
      operations(undefined, ({ response }) => ({ response: { ...response, errors: { "state-conflict": 400 } } })),
      add,
      ask("ann POST /things/{1}/open", "409 state-conflict"),
    ],
    "records start in another state": [
      tables(({ lifecycle }) => (lifecycle === undefined ? {} : { lifecycle: { ...lifecycle, start: "closed" } })),
      ask("ann POST /things", { name: "saw", weight: 5, serial: "A" }, { has: { state: "open" } }),
    ],
    "a timer never fires": [
      stored(() => ({ due: () => [] })),
      add,
      close,
      pass(49 * hour),
      ask("ann GET /things/{1}", { has: { state: "lost" } }),
    ],
    "a timer fires late": [
      timers((job) => ({ ...job, after: { months: 0, milliseconds: lengthOf(job.after) + 2 * hour } })),
      add,
      close,
      pass(49 * hour),
      ask("ann GET /things/{1}", { has: { state: "lost" } }),
    ],
    "a timer fires early": [
      timers((job) => ({ ...job, after: { months: 0, milliseconds: lengthOf(job.after) - 2 * hour } })),
      add,
      close,
      pass(47 * hour),
      ask("ann GET /things/{1}", { has: { state: "closed" } }),
    ],
    "a timer fires in another state, too": [
      timers((job) =>
        job.action.kind === "move"
          ? {
              ...job,
              states: ["open", "closed"],
              action: { ...job.action, moves: job.action.moves.map((one) => ({ ...one, from: ["open", "closed"] })) },
            }
          : job,
      ),
      add,
      pass(49 * hour),
      ask("ann GET /things/{1}", { has: { state: "open" } }),
    ],
    "a timer goes on after the record has left the state": [
      timers((job) =>
        job.action.kind === "move"
          ? {
              ...job,
              states: ["open", "closed"],
              since: { kind: "column", column: "madeAt" },
              action: { ...job.action, moves: job.action.moves.map((one) => ({ ...one, from: ["open", "closed"] })) },
            }
          : job,
      ),
      add,
      close,
      pass(24 * hour),
      ask("ann POST /things/{1}/open", { has: { state: "open" } }),
      pass(25 * hour),
      ask("ann GET /things/{1}", { has: { state: "open" } }),
    ],
    "an event from outside moves no record": [
      operations("bell.rang", () => ({ effects: [] })),
      add,
      close,
      bell({ thing: "{1}", times: 1 }, "202"),
      ask("ann GET /things/{1}", { has: { state: "open" } }),
    ],
    "two that race both win": [twoWin(), add, racing],
    "the history misses the last transition": [
      stored((store) => ({
        journal: {
          ...store.journal,
          moves: async (...selected) => (await store.journal.moves(...selected)).slice(0, -1),
        },
      })),
      add,
      close,
      ask("ann GET /things/{1}/history", { items: [{ to: "open" }, { to: "closed" }] }),
    ],
  },
  { environment },
);

function timers(change: (job: TimedJob) => TimedJob): Change {
  return tables(({ timed }) => (timed === undefined ? {} : { timed: timed.map(change) }));
}

/** Requests for one path that come at once share the response of the first one. */
function twoWin(): Change {
  return {
    between: (service) => {
      const running = new Map<string, HttpResponse | Promise<HttpResponse>>();
      return {
        ...service,
        async response(request) {
          if (!isFor(request, "POST", /\/close$/)) return service.response(request);
          const first = running.get(request.target);
          const own = service.response(request);
          if (first === undefined) running.set(request.target, own);
          setTimeout(() => running.delete(request.target), 50);
          const response = await own;
          return response.status === 409 && first !== undefined ? first : response;
        },
      };
    },
  };
}

async function racing(scene: Scene): Promise<void> {
  const headers = { Authorization: `Bearer ${await scene.key("ann")}` };
  const sent = { method: "POST", path: scene.filled("/things/{1}/close"), headers, body: { pin: "1234" } };
  const replies = await Promise.all(Array.from({ length: 3 }, () => scene.send(sent)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
}
