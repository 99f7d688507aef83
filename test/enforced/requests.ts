/** Proofs of `requests` of part 4, for all operations and for one. */
import assert from "node:assert/strict";
import type { Block } from "./document.ts";
import { crud, documentOf, things } from "./document.ts";
import { ask, type Proof, type Step } from "./proof.ts";

const count = things({
  count: "integer, sort, filter",
  "name?": "string(1..9), search",
  "tags?": "map(string(..9))",
});

/** Where `requests` is: in part 4, or in one of its operations. */
interface Level {
  readonly path: string;
  readonly written: (requests: Block) => string;
}

const levels: readonly Level[] = [
  {
    path: "endpoints/requests",
    written: (requests) => documentOf({ resources: count, endpoints: { requests } }),
  },
  {
    path: "endpoints/endpoints/requests",
    written: (requests) => ofAdding({ requests }),
  },
];

/** The smallest service, with another style of the operation that adds things. */
function ofAdding(styles: Block, more: Block = {}): string {
  const endpoints = { ...crud, addThing: { at: "POST /things", ...styles } };
  return documentOf({ resources: count, endpoints: { ...more, endpoints } });
}

/** Adds a thing with an empty text in a map. */
const emptied = (tags: Block): Step =>
  ask("POST /things", { count: 1, tags: { key: "", other: "x" } }, (reply) => {
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual((reply.json as { tags: unknown }).tags, tags);
  });

const unknown: Step = ask("POST /things", { count: 1, color: "red" }, "201");
const rejected: Step = ask("POST /things", { count: 1, color: "red" }, "422 #/color unknown-field");
const text: Step = ask("POST /things", { count: "1" }, "201");

function requestsAt({ path, written }: Level): readonly Proof[] {
  const usual = written({ unknown: "rejected" });
  return [
    {
      of: [path, `${path}/unknown`, `${path}/unknown/ignored`],
      with: written({ unknown: "ignored" }),
      without: usual,
      play: [unknown],
    },
    {
      of: [`${path}/unknown/rejected`],
      with: usual,
      without: written({ unknown: "ignored" }),
      play: [rejected],
    },
    {
      of: [`${path}/texts`, `${path}/texts/converted`],
      with: written({ texts: "converted" }),
      without: usual,
      play: [text],
    },
    {
      of: [`${path}/texts/exact`],
      with: written({ texts: "exact" }),
      without: written({ texts: "converted" }),
      play: [ask("POST /things", { count: "1" }, "422 #/count wrong-type")],
    },
    {
      of: [`${path}/empty`, `${path}/empty/removes`],
      with: written({ empty: "removes" }),
      without: usual,
      play: [emptied({ other: "x" })],
    },
    {
      of: [`${path}/empty/kept`],
      with: written({ empty: "kept" }),
      without: written({ empty: "removes" }),
      play: [emptied({ key: "", other: "x" })],
    },
    {
      of: [`${path}/media`],
      with: written({ media: "application/vnd.things+json" }),
      without: usual,
      play: [
        ask(
          "POST /things\nContent-Type: application/vnd.things+json",
          { count: 1 },
          {
            status: "201",
            headers: { "Content-Type": "application/vnd.things+json" },
          },
        ),
      ],
    },
    {
      of: [`${path}/media/as`],
      with: written({ media: "application/vnd.things+json as application/json" }),
      without: written({ media: "application/vnd.things+json" }),
      play: [
        ask(
          "POST /things\nAccept: application/vnd.things+json",
          { count: 1 },
          {
            status: "201",
            headers: { "Content-Type": "application/json" },
          },
        ),
      ],
    },
  ];
}

const asXml = { requests: { media: "application/xml" } };

const elementProof: Proof = {
  of: ["endpoints/endpoints/element"],
  with: documentOf({
    resources: things({ count: "integer" }),
    endpoints: { endpoints: { ...crud, addThing: { at: "POST /things", ...asXml, element: "new-thing" } } },
  }),
  without: documentOf({
    resources: things({ count: "integer" }),
    endpoints: { endpoints: { ...crud, addThing: { at: "POST /things", ...asXml } } },
  }),
  play: [
    ask("POST /things\nAccept: application/xml", { count: 1 }, (reply) => {
      assert.match(reply.text, /^<\?xml version='1\.0'\?>\n<new-thing>\n/);
    }),
  ],
};

export const requestProofs: readonly Proof[] = [...levels.flatMap(requestsAt), elementProof];
