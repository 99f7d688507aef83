/** Proofs of part 7. */
import assert from "node:assert/strict";
import type { Json } from "../../src/base/json.ts";
import { errorVariables, standardErrors } from "../../src/language/errors/model.ts";
import type { Block, Parts } from "./document.ts";
import { documentOf, things } from "./document.ts";
import type { Proof } from "./proof.ts";
import { ask } from "./proof.ts";
import { says } from "./resources.ts";

const some: Parts = { resources: { ...things({ size: "integer" }), rules: { Thing: "size < 9 else too-big" } } };

/** Things of some size, and what part 7 says. */
function erring(errors: Block): string {
  return documentOf({ ...some, errors: { errors: { "too-big": "409 It is too big" }, ...errors } });
}

const faulty = {
  error: {
    code: "invalid-request",
    text: "size must be a whole number",
    status: 422,
  },
  of: "thing: The request is invalid",
  reason: "Unprocessable Entity",
  faults: [{ at: "#/size", name: "size", form: "size", path: "size", why: "wrong-type" }],
};

const shape: Json = {
  error: { code: "{code}", text: "{message}", status: "{status}" },
  of: "{resource}: {title}",
  request: "{request}",
  reason: "{reason}",
  faults: [{ at: "{pointer}", name: "{field}", form: "{parameter}", path: "{path}", why: "{fault}" }],
};

export const errorProofs: readonly Proof[] = [
  {
    of: ["errors/errors"],
    with: erring({ errors: { "too-big": "422 It does not fit" } }),
    without: erring({}),
    play: [
      ask("POST /things", { size: 9 }, { status: "422 too-big", has: { title: "It does not fit" } }),
      ask("GET /errors/too-big", says("It does not fit")),
    ],
  },
  {
    of: ["errors/errors/retryAfter"],
    with: erring({ errors: { "too-big": "409 It is too big, retry after 2m" } }),
    without: erring({}),
    play: [ask("POST /things", { size: 9 }, { status: "409 too-big", headers: { "Retry-After": "120" } })],
  },
  {
    of: ["errors/body", "errors/body/problem+json"],
    with: erring({ body: "problem+json" }),
    without: erring({ body: shape }),
    play: [
      ask("GET /things/thi_1", {
        status: "404 not-found",
        has: { status: 404, code: "not-found" },
        headers: { "Content-Type": "application/problem+json" },
      }),
    ],
  },
  {
    of: ["errors/body/shape", ...errorVariables.map((fact) => `errors/body/shape/${fact}`)],
    with: erring({ body: shape }),
    without: erring({ body: "problem+json" }),
    play: [
      ask(
        "POST /things",
        { size: 9 },
        {
          status: "409",
          has: { error: { code: "too-big", text: "It is too big", status: 409 } },
          headers: { "Content-Type": "application/json" },
        },
      ),
      ask("POST /things", { size: "x" }, (reply) => {
        assert.deepEqual(reply.json, { ...faulty, request: reply.headers["request-id"] });
      }),
    ],
  },
  {
    of: ["errors/bodies", "errors/bodies/shape", "errors/bodies/problem+json"],
    with: erring({
      body: { error: "{code}" },
      bodies: { "without field": { nothing: "{message}" }, "too-big in addThing": {}, forbidden: "problem+json" },
    }),
    without: erring({}),
    play: [
      ask("GET /things/thi_1", { status: "404", is: { nothing: "Not found" } }),
      ask("POST /things", { size: 9 }, { status: "409", is: {} }),
      ask("POST /things", { size: "x" }, { status: "422", is: { error: "invalid-request" } }),
    ],
  },
  {
    of: ["errors/status"],
    with: erring({ status: { "not-found": "410", "invalid-request": "400" } }),
    without: erring({}),
    play: [
      ask("GET /things/thi_1", { status: "410 not-found", has: { status: 410 } }),
      ask("POST /things", { size: "x" }, "400 #/size wrong-type"),
    ],
  },
  {
    of: ["errors/codes"],
    with: erring({ codes: { "not-found": "NothingHere", required: "missing" } }),
    without: erring({}),
    unobserved: true,
    play: [
      ask("GET /things/thi_1", { status: "404", has: { code: "NothingHere" } }),
      ask("POST /things", {}, "422 #/size missing"),
    ],
  },
  {
    of: ["errors/messages"],
    with: erring({ messages: { "not-found": "No such {resource}", "wrong-type": "{field}? {message}" } }),
    without: erring({}),
    play: [
      ask("GET /things/thi_1", { status: "404", has: { detail: "No such thing" } }),
      ask("POST /things", { size: "x" }, { status: "422", has: { detail: "size? size must be a whole number" } }),
    ],
  },
  ...["all", ...Object.keys(standardErrors)].map((code): Proof => {
    const asked = code === "all" ? "already-exists" : code;
    return {
      of: ["errors/standard", `errors/standard/${code}`],
      with: erring({ standard: code === "all" ? code : Object.keys(standardErrors) }),
      without: erring({ standard: "none" }),
      shared: true,
      play: [ask(`GET /errors/${asked}`, says("An error of the standard catalogue"))],
    };
  }),
];
