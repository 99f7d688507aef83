/** Proofs of an array of records in a body. */
import type { Json } from "../../src/base/json.ts";
import { crud, documentOf, things } from "./document.ts";
import { ask, type Proof } from "./proof.ts";

function served(takes: Json): string {
  const endpoints = { ...crud, addThings: { at: "POST /many-things", of: "Thing", does: "create", takes } };
  return documentOf({ resources: things({ count: "integer(0..9)" }), endpoints: { endpoints } });
}

const path = "endpoints/endpoints/manyRecords";
const two = ask("POST /many-things", [{ count: 1 }, { count: 2 }], {
  status: "201",
  has: [{ count: 1 }, { count: 2 }],
});

export const manyRecordProofs: readonly Proof[] = [
  {
    of: [path],
    with: served("Thing[]"),
    without: served({ count: "integer" }),
    play: [two, ask("POST /many-things", [{ count: 1 }, { count: 10 }], "422 #/1/count too-large")],
  },
  {
    of: [`${path}/min`],
    with: served("Thing[](2..)"),
    without: served("Thing[]"),
    play: [ask("POST /many-things", [{ count: 1 }], "422 # too-few")],
  },
  {
    of: [`${path}/max`],
    with: served("Thing[](..1)"),
    without: served("Thing[]"),
    play: [ask("POST /many-things", [{ count: 1 }, { count: 2 }], "422 # too-many")],
  },
];
