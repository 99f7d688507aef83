/** Proofs of part 9: requests and responses of a caller of the older version, while the document declares the newer one. */
import assert from "node:assert/strict";
import type { Json } from "../../src/base/json.ts";
import type { Block, Parts } from "./document.ts";
import { crud, documentOf, things } from "./document.ts";
import type { Expected, Proof, ApiError, Step } from "./proof.ts";
import { ask, pass } from "./proof.ts";
import { says } from "./resources.ts";

const fields: Block = {
  count: "integer",
  "note?": "string(1..40)",
  size: "small | large = small, filter",
};

const now = "2026-09-01";
const before = "2026-03-01";

/** Things in two versions, the newer of which has these changes. */
function changed(changes: Json, versioning: Block = {}, parts: Parts = {}): string {
  return documentOf({
    resources: { ...things(fields), rules: { Thing: "count < 99 else too-big" } },
    errors: { errors: { "too-big": "409 It is too big" } },
    versioning: {
      scheme: "dated",
      sent: "header X-Version",
      absent: "newest",
      versions: { [now]: changes, [before]: "first" },
      ...versioning,
    },
    ...parts,
  });
}

const path = "versioning/versions/changes";
const old = `\nX-Version: ${before}`;
const add = (body: Json, gets: Expected, version = ""): Step => ask(`POST /things${version}`, body, gets);

function change(
  of: readonly string[],
  entry: Json,
  play: readonly Step[],
  other: Json = "none",
  parts: Parts = {},
): Proof {
  const changes = typeof other === "string" ? other : [other];
  return {
    of: ["versioning/versions", path, ...of.map((one) => `${path}/${one}`)],
    with: changed([entry], {}, parts),
    without: changed(changes, {}, parts),
    unobserved: true,
    play,
  };
}

const lived: Parts = {
  resources: { Thing: { id: "id(thi)", "count?": "integer" } },
  errors: {},
  states: {
    Thing: { states: ["open", "lost"], start: "open", moves: { "open -> lost": "by lose", "lost -> open": "by find" } },
  },
  endpoints: { endpoints: { ...crud, lose: "POST /things/{id}/lose", find: "POST /things/{id}/find" } },
};

const changes: readonly Proof[] = [
  change(["rename", "rename/from/field"], "rename Thing.amount -> count", [
    add({ amount: 1 }, { status: "201", has: { amount: 1 }, lacks: ["count"] }, old),
    ask("GET /things/{1}", { has: { count: 1 }, lacks: ["amount"] }),
    add({ amount: 1 }, "422 #/amount unknown-field"),
    add({ count: 1 }, "422 #/count unknown-field", old),
  ]),
  change(["add", "add/target/field"], "add Thing.note", [
    add({ count: 1, note: "a" }, "201"),
    ask(`GET /things/{1}${old}`, { has: { count: 1 }, lacks: ["note"] }),
    add({ count: 1, note: "a" }, "422 #/note unknown-field", old),
  ]),
  change(["add/taken"], "add Thing.count, taken as 5 before", [
    add({}, { status: "201", lacks: ["count"] }, old),
    ask("GET /things/{1}", { has: { count: 5 } }),
  ]),
  change(["add"], "add removeThing", [
    add({ count: 1 }, "201"),
    ask(`DELETE /things/{1}${old}`, "405"),
    ask("DELETE /things/{1}", "204"),
  ]),
  change(
    ["remove", "remove/target/field", "remove/type", "remove/seen"],
    { remove: "Thing.door", type: "integer, read-only", seen: "7" },
    [
      add({ count: 1 }, { status: "201", has: { door: 7 } }, old),
      add({ count: 1 }, { status: "201", lacks: ["door"] }),
      ask(`GET /things/{1}${old}`, { has: { door: 7 } }),
    ],
  ),
  change(["require", "require/target/field"], "require Thing.count, taken as 1 before", [
    add({}, "201", old),
    ask("GET /things/{1}", { has: { count: 1 } }),
    add({}, "422 #/count required"),
  ]),
  change(["relax", "relax/target/field", "relax/seen"], "relax Thing.note, seen as '-' before", [
    add({ count: 1 }, { status: "201", lacks: ["note"] }),
    ask(`GET /things/{1}${old}`, { has: { note: "-" } }),
    add({ count: 1 }, "422 #/note required", old),
  ]),
  change(["relax/was"], "relax Thing.count, was integer(1..5)", [
    add({ count: 6 }, "201"),
    add({ count: 6 }, "422 #/count too-large", old),
  ]),
  change(
    ["retype", "retype/target/field", "retype/seen", "retype/taken"],
    "retype Thing.count, was integer(1..9), seen as count / 10 before, taken as count * 10 before",
    [
      add({ count: 3 }, { status: "201", has: { count: 3 } }, old),
      ask("GET /things/{1}", { has: { count: 30 } }),
      add({ count: 10 }, "422 #/count too-large", old),
    ],
  ),
  change(["path"], "path addThing, was PUT /stuff", [
    ask(`PUT /stuff${old}`, { count: 1 }, "201"),
    ask("PUT /stuff", { count: 1 }, "404"),
    ask("GET /things/{1}", "200"),
  ]),
  change(["error"], "error too-big, was 400 huge", [
    add({ count: 99 }, "400 huge", old),
    add({ count: 99 }, "409 too-big"),
  ]),
  change(
    ["state"],
    "state Thing.lost, seen as open before",
    [
      add({}, "201"),
      ask("POST /things/{1}/lose", { has: { state: "lost" } }),
      ask(`GET /things/{1}${old}`, { has: { state: "open" } }),
      ask(`GET /things?state=lost${old}`, "400"),
      ask("GET /things/{1}", { has: { state: "lost" } }),
    ],
    "none",
    lived,
  ),
  change(["add-value", "add-value/target/field"], "add value Thing.size large, seen as small before", [
    add({ count: 1, size: "large" }, "201"),
    ask(`GET /things/{1}${old}`, { has: { size: "small" } }),
    add({ count: 1, size: "large" }, "422 #/size not-one-of", old),
  ]),
];

const renamed = ["rename Thing.amount -> count"];

function asked(of: string, versioning: Block, other: Block, play: readonly Step[], parts: Parts = {}): Proof {
  const [one, two] = [changed(renamed, versioning, parts), changed(renamed, other, parts)];
  return {
    of: [`versioning/${of}`, `versioning/${of.split("/")[0]}`],
    with: one,
    without: two,
    unobserved: true,
    play,
  };
}

const oldShape: Expected = { has: { amount: 1 } };
const newShape: Expected = { has: { count: 1 } };

const signedIn: Parts = {
  authentication: { allow: Object.fromEntries(Object.keys(crud).map((name) => [name, "signed-in"])) },
};

const choosing: readonly Proof[] = [
  asked("scheme/dated", {}, { scheme: "numbered", versions: { "2.1": renamed, "1.1": "first" } }, [
    add({ amount: 1 }, oldShape, old),
  ]),
  asked("scheme/numbered", { scheme: "numbered", versions: { "2.1": renamed, "1.1": "first" } }, {}, [
    add({ amount: 1 }, oldShape, "\nX-Version: 1.1"),
    add({ amount: 1 }, "400", "\nX-Version: 3"),
  ]),
  {
    of: ["versioning/scheme/none"],
    with: documentOf({ resources: things(fields), versioning: { scheme: "none" } }),
    without: changed("none"),
    unobserved: true,
    play: [add({ count: 1 }, "201", "\nX-Version: nonsense")],
  },
  asked("sent/header", { sent: "header Y-Version" }, {}, [
    add({ amount: 1 }, oldShape, `\nY-Version: ${before}`),
    add({ amount: 1 }, "422", old),
  ]),
  asked("sent/query", { sent: "query version" }, {}, [ask(`POST /things?version=${before}`, { amount: 1 }, oldShape)]),
  asked(
    "sent/path",
    { sent: "path /v{n}", scheme: "numbered", versions: { "2.1": renamed, "1.1": "first" } },
    { scheme: "numbered", versions: { "2.1": renamed, "1.1": "first" } },
    [ask("POST /v1.1/things", { amount: 1 }, oldShape), ask("POST /v2.1/things", { count: 1 }, newShape)],
  ),
  asked("sent/media-type", { sent: "media-type" }, {}, [
    add({ amount: 1 }, oldShape, `\nAccept: application/json; version=${before}`),
  ]),
  asked("absent/newest", { absent: "newest" }, { absent: "oldest" }, [add({ count: 1 }, newShape)]),
  asked("absent/oldest", { absent: "oldest" }, { absent: "newest" }, [add({ amount: 1 }, oldShape)]),
  asked("absent/refuse", { absent: "refuse" }, { absent: "newest" }, [
    add({ count: 1 }, "400"),
    add({ amount: 1 }, oldShape, old),
  ]),
  {
    of: ["versioning/absent/pinned"],
    with: changed(renamed, { absent: "pinned" }, signedIn),
    without: changed(renamed, { absent: "oldest" }, signedIn),
    unobserved: true,
    play: [ask("ann POST /things", { count: 1 }, newShape), ask(`ann POST /things${old}`, { amount: 1 }, oldShape)],
  },
];

const sunset = (year: number): Block => ({
  [before]: { since: "2026-09-01", sunset: `${year}-01-01`, guide: "https://docs.example/old" },
});

const ending: readonly Proof[] = [
  asked("deprecated/since", { deprecated: sunset(2099) }, {}, [
    add({ amount: 1 }, { status: "201", headers: { Deprecation: "@1788220800" } }, old),
    add({ count: 1 }, { status: "201", headers: { Deprecation: null } }),
  ]),
  asked("deprecated/sunset", { deprecated: sunset(2099) }, { deprecated: sunset(2098) }, [
    add({ amount: 1 }, { status: "201", headers: { Sunset: /01 Jan 2099/ } }, old),
    pass(73 * 366 * 86_400_000),
    add({ amount: 1 }, "410 version-gone", old),
  ]),
  asked("deprecated/guide", { deprecated: sunset(2099) }, {}, [
    add({ amount: 1 }, { status: "201", headers: { Link: /https:\/\/docs\.example\/old.*deprecation/ } }, old),
  ]),
  asked(
    "policy/afterSunset",
    { deprecated: sunset(2099), policy: { "after sunset": "404 too-old" } },
    { deprecated: sunset(2099), policy: { "after sunset": "410 version-gone" } },
    [pass(74 * 366 * 86_400_000), add({ amount: 1 }, "404 too-old", old)],
    { errors: { errors: { "too-old": "404 This version is gone", "too-big": "409 It is too big" } } },
  ),
  asked(
    "policy/unknown",
    { policy: { unknown: "412 which-version" } },
    {},
    [add({ amount: 1 }, "412 which-version", "\nX-Version: 2020-01-01")],
    { errors: { errors: { "which-version": "412 Say a version that there is", "too-big": "409 It is too big" } } },
  ),
  asked("deprecated", { deprecated: { addThing: { since: "2026-09-01", sunset: "2099-01-01" } } }, {}, [
    add({ count: 1 }, { status: "201", headers: { Deprecation: "@1788220800", Sunset: /01 Jan 2099/ } }),
    add({ count: "x" }, { status: "422", headers: { Deprecation: "@1788220800" } }),
    ask("GET /things/{1}", { status: "200", headers: { Deprecation: null, Sunset: null } }),
    pass(73 * 366 * 86_400_000),
    add({ count: 1 }, { status: "410", headers: { Sunset: /01 Jan 2099/ } }),
    ask("GET /things/{1}", "200"),
  ]),
  asked("policy/support", { policy: { support: "12mo" } }, {}, [ask("GET /\nAccept: text/html", says("12mo"))]),
  asked("policy/notice", { policy: { notice: "180d" } }, {}, [ask("GET /\nAccept: text/html", says("180d"))]),
  asked("policy/breaking", { policy: { breaking: "new version only" } }, {}, [
    ask("GET /\nAccept: text/html", says("new version only")),
  ]),
];

/** Deprecated members of a record, of a type and of a view, which only descriptions of the API say. */
const described = (deprecated: Block): string =>
  documentOf({
    errors: {},
    resources: {
      Thing: { id: "id(thi)", to: "Address", "stops?": "Address[](0..3)" },
      types: { Address: { street: "string(1..40)", postcode: "string(3..10)" } },
      views: { Sent: { of: "Thing", fields: ["id", "stops"], "street?": "string := to.street" } },
    },
    endpoints: { endpoints: { ...crud, getThing: { at: "GET /things/{id}", gives: "Sent" } } },
    versioning: { scheme: "none", deprecated },
  });

const fieldsEnding: readonly Proof[] = [
  {
    of: [
      ...["resources/resources/fields/deprecated", "resources/types/deprecated"],
      ...["resources/views/members/deprecated", "resources/views/deprecated"],
    ],
    with: described({
      "Thing.to": "sunset 2097-01-01",
      "Address.postcode": "sunset 2098-01-01",
      "Sent.street": "sunset 2099-01-01",
      "Sent.stops": "sunset 2096-01-01",
    }),
    without: described({}),
    unobserved: true,
    play: [
      ask("GET /openapi.json", says("ends 2096-01-01")),
      ask("GET /openapi.json", says("ends 2097-01-01")),
      ask("GET /openapi.json", says("ends 2098-01-01")),
      ask("GET /openapi.json", says("ends 2099-01-01")),
    ],
  },
];

const receiving: Block = { delivery: { webhook: { subscribe: "POST /webhooks", for: "signed-in" } } };

const subscribed: Step = async (scene) => {
  const { url } = await scene.receiver();
  await ask(`ann POST /webhooks${old}`, { url }, "201")(scene);
};

/** What the first message that comes is called. */
const comes =
  (type: string): Step =>
  async (scene) => {
    const [first] = await scene.received(1);
    assert.equal((JSON.parse(first?.body ?? "{}") as { type?: string }).type, type);
  };

const making = ask("ann POST /things", { count: 1 }, "201");

/** What an endpoint of the older version is told. */
const events: readonly Proof[] = [
  change(
    ["event", "event/was"],
    { event: "thing.added", was: "thing.made" },
    [subscribed, making, comes("thing.made")],
    "none",
    { events: { envelope: "plain", out: { "thing.added": "addThing" }, ...receiving } },
  ),
  change(
    ["event"],
    "event thing.added",
    [subscribed, making, ask("ann PUT /things/{2}", { count: 2 }, "200"), comes("thing.put")],
    "none",
    { events: { envelope: "plain", out: { "thing.added": "addThing", "thing.put": "putThing" }, ...receiving } },
  ),
];

export const versioningProofs: readonly Proof[] = [...changes, ...events, ...choosing, ...ending, ...fieldsEnding];

export const versioningRefusals: readonly ApiError[] = [
  {
    of: ["versioning/policy/notice"],
    with: changed("none", {
      policy: { notice: "400d" },
      deprecated: { [before]: "since 2026-09-01, sunset 2027-03-01" },
    }),
    refused: "versioning/notice-too-short",
    without: changed("none", {
      policy: { notice: "90d" },
      deprecated: { [before]: "since 2026-09-01, sunset 2027-03-01" },
    }),
  },
];
