/** Proofs of `expand` of parts 2 and 4 and of `fields`, for all operations and for one. */
import type { Json } from "../../src/base/json.ts";
import { type Block, crud, documentOf } from "./document.ts";
import { ask, type Proof } from "./proof.ts";

const plain: Block = { Thing: { id: "id(thi)", "name?": "string(1..9)", "above?": "Thing" } };
const expandable: Block = { Thing: { ...(plain["Thing"] as Block), "above?": "Thing, expand" } };

function served(expand: Json, resources: Block = expandable): string {
  return documentOf({ resources, endpoints: { expand } });
}

/** With the parameter of the operations that add and read things. */
function ofReading(expand: Json): string {
  const endpoints = {
    ...crud,
    addThing: { at: "POST /things", expand },
    getThing: { at: "GET /things/{id}", expand },
  };
  return documentOf({ resources: expandable, endpoints: { expand: "with", endpoints } });
}

/** A document in which reading a thing has no parameter. */
function withoutParameter(path: string): string {
  if (path !== "endpoints/expand") return ofReading("none");
  const endpoints = { ...crud, listThings: { at: "GET /things", expand: "expand" } };
  return documentOf({ resources: expandable, endpoints: { expand: "none", endpoints } });
}

const three = [
  ask("POST /things", { name: "a" }, "201"),
  ask("POST /things", { name: "b", above: "{1}" }, "201"),
  ask("POST /things", { name: "c", above: "{2}" }, "201"),
];
const asObject = (parameter: string) =>
  ask(`GET /things/{3}?${parameter}=above`, { has: { above: { name: "b" }, name: "c" } });

const levels: readonly { readonly path: string; readonly written: (expand: Json) => string }[] = [
  { path: "endpoints/expand", written: (expand) => served(expand) },
  { path: "endpoints/endpoints/expand", written: ofReading },
];

const parameters = levels.flatMap(({ path, written }): readonly Proof[] => [
  {
    of: [path],
    with: written("expand"),
    without: written("other"),
    play: [...three, asObject("expand"), ask("GET /things/{3}?other=above", "400 other unknown-parameter")],
  },
  {
    of: [path],
    with: written("expand[]"),
    without: written("expand"),
    play: [
      ...three,
      asObject("expand[]"),
      asObject("expand[0]"),
      ask("POST /things", { above: "{1}", expand: ["above"] }, { status: "201", has: { above: { name: "a" } } }),
    ],
  },
  {
    of: [`${path}/none`],
    with: withoutParameter(path),
    without: written("expand"),
    play: [...three, ask("GET /things/{3}?expand=above", "400 expand unknown-parameter")],
  },
  {
    of: [`${path}/depth`],
    with: written("expand, depth 1"),
    without: written("expand, depth 2"),
    play: [...three, asObject("expand"), ask("GET /things/{3}?expand=above.above", "400 expand too-many")],
  },
]);

const starts: readonly Proof[] = levels.flatMap(({ path }): readonly Proof[] => {
  const from = (start: string): string =>
    path === "endpoints/expand"
      ? served({ name: "expand", from: start })
      : documentOf({
          resources: expandable,
          endpoints: {
            expand: "with",
            endpoints: { ...crud, listThings: { at: "GET /things", expand: { name: "expand", from: start } } },
          },
        });
  const add = ask("POST /things", { name: "a" }, "201");
  const of = ask("POST /things", { name: "b", above: "{1}" }, "201");
  return [
    {
      of: [`${path}/from`, `${path}/from/response`],
      with: from("response"),
      without: from("record"),
      play: [add, of, ask("GET /things?expand=items.above", { has: { items: [{ above: { name: "a" } }, {}] } })],
    },
    {
      of: [`${path}/from/record`],
      with: from("record"),
      without: from("response"),
      play: [add, of, ask("GET /things?expand=above", { has: { items: [{ above: { name: "a" } }, {}] } })],
    },
  ];
});

const modifiers: readonly Proof[] = [
  {
    of: ["resources/resources/fields/marks/expand"],
    with: served("expand"),
    without: documentOf({ resources: plain }),
    play: [...three, asObject("expand")],
  },
];

const onRequest = (member: string): string =>
  documentOf({
    resources: {
      Thing: { id: "id(thi)", name: "string(1..9)", "above?": "Thing" },
      views: { Full: { of: "Thing", fields: ["id"], higher: member }, Short: { of: "Thing", fields: ["name"] } },
    },
    endpoints: {
      expand: "expand",
      endpoints: { ...crud, getThing: { at: "GET /things/{id}", gives: "Full" } },
    },
  });

const leftOut: readonly Proof[] = [
  {
    of: ["resources/resources/fields/marks/on request"],
    with: onRequest("Short := above, on request"),
    without: onRequest("Short := above, expand"),
    play: [
      ask("POST /things", { name: "a" }, "201"),
      ask("POST /things", { name: "b", above: "{1}" }, "201"),
      ask("GET /things/{2}", { lacks: ["higher"] }),
      ask("GET /things/{2}?expand=higher", { has: { higher: { name: "a" } } }),
    ],
  },
];

const one = ask("POST /things", { name: "a" }, "201");
const part = ask("GET /things/{1}?fields=name", { has: { name: "a" }, lacks: ['"id"'] });

function withFields(fields: string, get: Block = {}): string {
  const endpoints = { ...crud, getThing: { at: "GET /things/{id}", ...get } };
  return documentOf({ resources: plain, endpoints: { fields, endpoints } });
}

const selections: readonly Proof[] = [
  {
    of: ["endpoints/fields"],
    with: withFields("fields"),
    without: withFields("none"),
    play: [one, part, ask("GET /things/{1}?fields=none", "400 fields unknown-field")],
  },
  {
    of: ["endpoints/endpoints/fields"],
    with: withFields("none", { fields: "fields" }),
    without: withFields("fields", { fields: "none" }),
    play: [one, part],
  },
];

export const expandProofs: readonly Proof[] = [...parameters, ...starts, ...modifiers, ...leftOut, ...selections];
