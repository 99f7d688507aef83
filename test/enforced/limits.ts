/** Proofs of part 8. */
import type { Json } from "../../src/base/json.ts";
import type { Block, Parts } from "./document.ts";
import { crud, documentOf } from "./document.ts";
import type { Expected, Proof, Step } from "./proof.ts";
import { ask, pass } from "./proof.ts";

const second = 1000;
const hour = 3_600_000;
const day = 24 * hour;

const resources: Block = {
  Box: { id: "id(box)", "name?": "string(1..9)" },
  Thing: {
    id: "id(thi)",
    by: "user = caller, read-only",
    "box?": "Box",
    "note?": "string(1..4000), personal",
    madeAt: "datetime = now, read-only",
  },
};

const states: Block = {
  Box: "none",
  Thing: {
    states: ["open", "shut", "gone"],
    start: "open",
    final: ["gone"],
    moves: { "open -> shut": "by shut", "open | shut -> gone": "by drop" },
  },
};

const endpoints: Block = {
  ...crud,
  addBox: "POST /boxes",
  shut: "POST /things/{id}/shut",
  drop: "POST /things/{id}/drop",
};

const anybody: Block = Object.fromEntries(Object.keys(endpoints).map((operation) => [operation, "signed-in"]));

/** Things of whoever is signed in, which live and end, some of them in boxes. */
function limited(limits: Block, allow: Block = {}): string {
  const authentication = { allow: { ...anybody, ...allow } };
  const parts: Parts = { resources, states, endpoints: { endpoints }, authentication };
  return documentOf({ ...parts, ...(Object.keys(limits).length === 0 ? {} : { limits }) });
}

const add = (who: string, gets: Expected, body: Json = {}): Step => ask(`${who}POST /things`, body, gets);
const fine = (who = "ann "): Step => add(who, "201");
const over = (who = "ann "): Step => add(who, "429 rate-limited");
const full = (who = "ann "): Step => add(who, "403 quota-exceeded");

function proof(of: readonly string[], limits: Block, other: Block, play: readonly Step[], allow: Block = {}): Proof {
  return { of: of.map((one) => `limits/${one}`), with: limited(limits, allow), without: limited(other, allow), play };
}

/** What a window's units come to. */
const windows: Readonly<Record<string, number>> = {
  s: second, sec: second, second, min: 60 * second, minute: 60 * second, h: hour, hour, d: day, day, w: 7 * day,
  week: 7 * day, mo: 30 * day, month: 30 * day,
}; // biome-ignore format: a table

const rates: readonly Proof[] = [
  proof(["rate", "rate/all", "rate/per/user"], { rate: { all: "2/min per user" } }, { rate: { all: "2/min per ip" } }, [
    fine(),
    fine(),
    ask("ann GET /things", "429 rate-limited"),
    fine("bob "),
    pass(61 * second),
    fine(),
  ]),
  proof(["rate/per/ip"], { rate: { all: "2/min per ip" } }, { rate: { all: "2/min per user" } }, [
    fine(),
    fine("bob "),
    over("olga "),
  ]),
  proof(
    ["rate/anyone"],
    { rate: { anyone: "1/min per ip" } },
    {},
    [ask("POST /boxes", {}, "201"), ask("POST /boxes", {}, "429 rate-limited"), ask("ann POST /boxes", {}, "201")],
    { addBox: "anyone" },
  ),
  proof(["rate/operation"], { rate: { addThing: "1/min per user" } }, { rate: { addBox: "1/min per user" } }, [
    fine(),
    over(),
    ask("ann POST /boxes", {}, "201"),
  ]),
  proof(["rate/per/Resource"], { rate: { getThing: "1/min per Thing" } }, { rate: { getThing: "1/min per user" } }, [
    fine(),
    fine(),
    ask("ann GET /things/{1}", "200"),
    ask("ann GET /things/{1}", "429 rate-limited"),
    ask("ann GET /things/{2}", "200"),
  ]),
  proof(["rate/burst"], { rate: { addThing: "60/h per user, burst 2" } }, { rate: { addThing: "60/h per user" } }, [
    fine(),
    fine(),
    over(),
    pass(61 * second),
    fine(),
    over(),
  ]),
  ...Object.entries(windows).map(([unit, length]) => {
    // A hundred of the shortest, so that the clock on the wall does not matter.
    const many = length === second ? 100 : 1;
    return proof(
      [`rate/window/${unit}`],
      { rate: { addThing: `1/${many}${unit} per user` } },
      { rate: { addThing: "1/7s per user" } },
      [fine(), over(), pass(many * length - 30 * second), over(), pass(31 * second), fine()],
    );
  }),
  proof(["rate/zone"], { rate: { addThing: "1/month in UTC per user" } }, { rate: { addThing: "1/h per user" } }, [
    fine(),
    over(),
    // The next day is in the same month, unless this day is the last of one.
    async (scene) => {
      const isLast = new Date(scene.running.now() + 2 * 3_600_000).getUTCDate() === 1;
      if (!isLast) for (const step of [pass(2 * 3_600_000), over()]) await step(scene);
    },
    pass(32 * day),
    fine(),
  ]),
];

const quotas: readonly Proof[] = [
  proof(["quota", "quota/window", "quota/operation"], { quota: { addThing: "2/day per user" } }, {}, [
    fine(),
    fine(),
    full(),
    fine("bob "),
    pass(day + second),
    fine(),
  ]),
  proof(
    ["quota/window/zone"],
    { quota: { addThing: "1/month in UTC per user" } },
    { quota: { addThing: "1/h per user" } },
    [
      fine(),
      full(),
      // The next day is in the same month, unless this day is the last of one.
      async (scene) => {
        const isLast = new Date(scene.running.now() + 2 * 3_600_000).getUTCDate() === 1;
        if (!isLast) for (const step of [pass(2 * 3_600_000), full()]) await step(scene);
      },
      pass(32 * day),
      fine(),
    ],
  ),
  proof(["quota/live", "quota/resource"], { quota: { Thing: "2 per user" } }, { quota: { Thing: "3 per user" } }, [
    fine(),
    fine(),
    full(),
    fine("bob "),
    ask("ann DELETE /things/{1}", "204"),
    fine(),
  ]),
  proof(
    ["quota/live/states"],
    { quota: { Thing: "1 in open per user" } },
    { quota: { Thing: "1 in open | shut per user" } },
    [fine(), full(), ask("ann POST /things/{1}/shut", "200"), fine()],
  ),
];

const sizes: readonly Proof[] = [
  proof(["size", "size/request"], { size: { request: "1KB" } }, {}, [
    add("ann ", "201", { note: "a" }),
    add("ann ", "413 too-large", { note: "a".repeat(2000) }),
  ]),
  proof(["size/operation"], { size: { request: "1KB", addThing: "3KB" } }, { size: { request: "1KB" } }, [
    add("ann ", "201", { note: "a".repeat(2000) }),
    add("ann ", "413 too-large", { note: "a".repeat(3999) }),
  ]),
];

/** From now on the store takes three seconds to begin a transaction. */
const slowly: Step = async ({ running }) => {
  const real = running.store.transaction.bind(running.store);
  Object.assign(running.store, {
    transaction: async (work: Parameters<typeof real>[0]) => {
      running.pass(3 * second);
      return real(work);
    },
  });
};

const times: readonly Proof[] = [
  proof(["time", "time/request"], { time: { request: "2s" } }, {}, [slowly, add("ann ", "503 timed-out")]),
  proof(["time/operation"], { time: { request: "30s", addThing: "2s" } }, { time: { request: "30s", addBox: "2s" } }, [
    slowly,
    add("ann ", "503 timed-out"),
  ]),
];

const kept: readonly Proof[] = [
  proof(["keep", "keep/act/delete", "keep/after/final"], { keep: { Thing: "2d after final" } }, {}, [
    fine(),
    fine(),
    ask("ann POST /things/{1}/drop", "200"),
    pass(day),
    ask("ann GET /things/{1}", "200"),
    pass(2 * day),
    ask("ann GET /things/{1}", "404"),
    ask("ann GET /things/{2}", "200"),
  ]),
  proof(["keep/after/state"], { keep: { Thing: "2d after shut" } }, { keep: { Thing: "2d after gone" } }, [
    fine(),
    ask("ann POST /things/{1}/shut", "200"),
    pass(3 * day),
    ask("ann GET /things/{1}", "404"),
  ]),
  proof(["keep/after/field"], { keep: { Thing: "2d after madeAt" } }, {}, [
    fine(),
    pass(3 * day),
    ask("ann GET /things/{1}", "404"),
  ]),
];

const hook: Step = ask("ann POST /webhooks", { url: "https://hooks.example.com/" }, "201");

/** Things whose changes are told to endpoints, of which there may be so many. */
function hooked(limits: Block): string {
  const events = {
    out: { "thing.made": "addThing" },
    delivery: { webhook: { subscribe: "POST /webhooks", for: "member" } },
  };
  return documentOf({
    resources,
    endpoints: { endpoints },
    states,
    events,
    limits,
    authentication: { allow: anybody },
  });
}

export const limitProofs: readonly Proof[] = [
  ...rates,
  ...quotas,
  ...sizes,
  ...times,
  ...kept,
  {
    of: ["limits/quota/webhook"],
    with: hooked({ quota: { webhook: "2 per user" } }),
    without: hooked({ quota: { webhook: "3 per user" } }),
    play: [
      hook,
      hook,
      ask("ann POST /webhooks", { url: "https://hooks.example.com/" }, "403 quota-exceeded"),
      ask("bob POST /webhooks", { url: "https://hooks.example.com/" }, "201"),
    ],
  },
  {
    of: ["limits/keep/act/erase", "resources/resources/fields/marks/personal"],
    with: limited({ keep: { Thing: "2d after final, erase" } }),
    without: limited({ keep: { Thing: "2d after final" } }),
    play: [
      add("ann ", "201", { note: "secretive" }),
      ask("ann POST /things/{1}/drop", "200"),
      pass(3 * day),
      ask("ann GET /things/{1}", { has: { state: "gone" }, lacks: ["secretive"] }),
    ],
  },
];
