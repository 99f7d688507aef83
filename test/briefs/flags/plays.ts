/** Feature flags: what the brief promises. */
import type { Plays, Step } from "../../docs/play.ts";

/** Ann and bob are of one team, eve of another; `app` reads production, `dev` development. */
const flag: readonly Step[] = [
  ["ann POST /projects", { name: "Shop" }, "201 as $shop"],
  ["ann POST /members", { project: "$shop", user: "bob" }, "201"],
  ["eve POST /projects", { name: "Bank" }, "201 as $bank"],
  ["ann POST /flags", { project: "$shop", key: "new-cart", description: "a" }, "201 as $flag"],
  ["ann GET /settings?flag=$flag&environment=development", "200 items.length=1 items.0.enabled=false as $dev"],
  ["ann GET /settings?flag=$flag&environment=production", "200 items.length=1 as $prod"],
  ["ann POST /readers", { name: "a", project: "$shop", environment: "production", user: "app" }, "201 as $app"],
  ["ann POST /readers", { name: "b", project: "$shop", environment: "development", user: "dev" }, "201"],
];
const production = "/settings/$prod.items.0.id";
const propose = (caller: string, response: string): Step => [
  `${caller} POST /proposals`,
  { setting: "$prod.items.0.id", enabled: true, percent: 20 },
  response,
];
const off: Step = ["app GET /flag-values", "200 items.length=1 items.0.enabled=false"];

export const flags: Plays = {
  callers: {
    ...{ ann: ["developer"], bob: ["developer"], eve: ["developer"] },
    ...{ app: ["application"], dev: ["application"], other: ["application"] },
  },
  promises: {
    "A change in production is a proposal that another developer has to approve; the flag changes in that moment": [
      ...flag,
      [`ann PATCH ${production}`, { enabled: true }, "409 needs-approval"],
      propose("ann", "201 state=open as $proposal"),
      off,
      ["ann POST /proposals/$proposal/approve", "403 own-proposal"],
      ["eve POST /proposals/$proposal/approve", "404 not-found"],
      ["app POST /proposals/$proposal/approve", "403 forbidden"],
      off,
      ["bob POST /proposals/$proposal/approve", "200 state=approved decidedBy=bob"],
      ["app GET /flag-values", "200 items.0.enabled=true items.0.percent=20"],
      ["bob POST /proposals/$proposal/approve", "409 state-conflict"],
    ],
    "Only one proposal for a flag may be open at a time; one that was not decided after 7 days lapses.": [
      ...flag,
      ["at once", [propose("ann", ""), propose("bob", "")], "201 | 409 proposal-open"],
      ["ann GET /proposals", "200 items.length=1 as $open"],
      ["pass 167h"],
      propose("ann", "409 proposal-open"),
      ["pass 1h"],
      ["ann GET /proposals/$open.items.0.id", "200 state=lapsed"],
      ["bob POST /proposals/$open.items.0.id/approve", "409 state-conflict"],
      off,
      propose("ann", "201"),
    ],
    "a key (letters, digits, `-`) that is unique within a project; developers switch in development and staging": [
      ...flag,
      ["bob POST /flags", { project: "$shop", key: "new-cart", description: "b" }, "409 key-taken"],
      ["bob POST /flags", { project: "$shop", key: "new cart", description: "b" }, "422 invalid-request"],
      ["eve POST /flags", { project: "$bank", key: "new-cart", description: "b" }, "201"],
      ["bob PATCH /settings/$dev.items.0.id", { enabled: true, percent: 50 }, "200"],
      ["bob PATCH /settings/$dev.items.0.id", { percent: 101 }, "422 invalid-request"],
      ["eve PATCH /settings/$dev.items.0.id", { enabled: false }, "404 not-found"],
      ["dev GET /flag-values", "200 items.length=1 items.0.key=new-cart items.0.enabled=true items.0.percent=50"],
      off,
    ],
    "The applications read the flags of one environment with a key that only reads, and only that environment": [
      ...flag,
      ["app GET /flag-values", "200 items.length=1 items.0.environment=production"],
      ["dev GET /flag-values", "200 items.length=1 items.0.environment=development"],
      ["app GET /flag-values?environment=development", "200 items.length=0"],
      ["other GET /flag-values", "200 items.length=0"],
      ["app GET /settings", "403 forbidden"],
      ["app GET /flags", "403 forbidden"],
      [`app PATCH ${production}`, { enabled: true }, "403 forbidden"],
      ["app POST /flags", { project: "$shop", key: "x", description: "" }, "403 forbidden"],
      ["nobody GET /flag-values", "401 unauthenticated"],
    ],
    "they poll often, so an answer that has not changed must be cheap": [
      ...flag,
      off,
      ["app again GET /flag-values", "304"],
      propose("ann", "201 as $proposal"),
      ["app again GET /flag-values", "304"],
      ["bob POST /proposals/$proposal/approve", "200"],
      ["app again GET /flag-values", "200 items.0.enabled=true"],
    ],
    "They may also follow the changes as a stream.": [
      ...flag,
      ["app follows /events"],
      ["dev follows /events"],
      ["bob PATCH /settings/$dev.items.0.id", { enabled: true }, "200"],
      propose("ann", "201 as $proposal"),
      ["bob POST /proposals/$proposal/approve", "200"],
      ["app hears", "flag.changed"],
      ["dev hears", "flag.changed"],
    ],
    "Each change of a flag is in a history: who, when, from what to what.": [
      ...flag,
      ["bob PATCH /settings/$dev.items.0.id", { enabled: true, percent: 50 }, "200"],
      [
        "ann GET /changes",
        "200 items.length=1 items.0.by=bob items.0.fromEnabled=false items.0.toEnabled=true items.0.fromPercent=100 items.0.toPercent=50",
      ],
      ["pass 1m"],
      propose("ann", "201 as $proposal"),
      ["ann GET /changes", "200 items.length=1"],
      ["bob POST /proposals/$proposal/approve", "200"],
      [
        "ann GET /changes",
        "200 items.length=2 items.0.by=ann items.0.approvedBy=bob items.0.fromEnabled=false items.0.toEnabled=true items.0.fromPercent=100 items.0.toPercent=20",
      ],
      ["eve GET /changes", "200 items.length=0"],
      ["app GET /changes", "403 forbidden"],
    ],
    "A flag is archived, never deleted; archived flags are not given to applications.": [
      ...flag,
      ["ann DELETE /flags/$flag", "405 method-not-allowed"],
      ["eve POST /flags/$flag/archive", "404 not-found"],
      ["ann POST /flags/$flag/archive", "200 state=archived"],
      ["app GET /flag-values", "200 items.length=0"],
      ["ann GET /flags/$flag", "200 state=archived"],
      ["ann GET /changes", "200 items.length=1 items.0.toState=archived"],
      propose("bob", "409 flag-archived"),
    ],
    "A key may be revoked at once.": [
      ...flag,
      off,
      ["eve POST /readers/$app/revoke", "404 not-found"],
      ["bob POST /readers/$app/revoke", "200 state=revoked"],
      ["app GET /flag-values", "200 items.length=0"],
      ["dev GET /flag-values", "200 items.length=1"],
    ],
  },
};
