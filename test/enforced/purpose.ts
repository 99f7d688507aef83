/** Proofs of part 1, which the pages show to readers. */
import type { Block } from "./document.ts";
import { crud, documentOf } from "./document.ts";
import type { Proof, ApiError } from "./proof.ts";
import { ask } from "./proof.ts";
import { says } from "./resources.ts";

const page = "GET /\nAccept: text/html";

function shown(member: string, line: Block, other: Block, where: string, text: string): Proof {
  return {
    of: [`purpose/${member}`],
    with: documentOf({ purpose: line }),
    without: documentOf({ purpose: other }),
    play: [ask(where, says(text))],
  };
}

const sentences = (sentence: string): Block => ({
  operations: Object.fromEntries(Object.keys(crud).map((name) => [name, sentence])),
});

export const purposeProofs: readonly Proof[] = [
  shown("service", { service: "boxes" }, { service: "things" }, "GET /", "boxes"),
  shown("domain", { domain: "warehouses" }, { domain: "examples" }, page, "warehouses"),
  shown(
    "purpose",
    { purpose: "Keep boxes apart" },
    { purpose: "Keep things" },
    "GET /openapi.json",
    "Keep boxes apart",
  ),
  shown("users", { users: { packer: "puts things into boxes" } }, {}, page, "puts things into boxes"),
  shown("outside", { outside: ["wrapping paper"] }, {}, page, "wrapping paper"),
  shown("operations", sentences("Do it gently"), {}, "GET /openapi.json", "Do it gently"),
];

export const purposeRefusals: readonly ApiError[] = [
  {
    of: ["purpose/nonet"],
    with: documentOf({ purpose: { nonet: "2" } }),
    refused: "purpose/unknown-edition",
    without: documentOf({ purpose: { nonet: "1" } }),
  },
];
