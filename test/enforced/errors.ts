/** Proofs of part 7. */
import type { Json } from "../../src/base/json.ts";
import { standardErrors } from "../../src/parts/errors/model.ts";
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

const shape: Json = {
  error: { code: "{code}", text: "{message}", status: "{status}" },
  faults: [{ at: "{pointer}", name: "{field}" }],
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
    of: [
      "errors/body/shape",
      ...["code", "message", "status", "field", "pointer"].map((fact) => `errors/body/shape/${fact}`),
    ],
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
      ask("POST /things", { size: "x" }, { status: "422", has: { faults: [{ at: "#/size", name: "size" }] } }),
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
