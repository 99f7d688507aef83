/** Proofs of the names of records in paths: by an id, by unique fields, by several fields together, and below parents. */
import { documentOf } from "./document.ts";
import { ask, type Proof, type Step } from "./proof.ts";

/** Things of sites with a code, and at a row and on a day; notes about them. `unique`: the rule of the things. */
function named(at: string, unique: string = "unique site + row + day", notes = "/things/{thing}/notes"): string {
  return documentOf({
    resources: {
      Site: { id: "id(sit)", name: "string(1..9) /^[a-z]+$/, unique" },
      Thing: { id: "id(thi)", site: "Site", row: "string(1..9)", day: "date", code: "string(1..9), unique" },
      Note: { id: "id(not)", thing: "Thing", text: "string(1..9)" },
      rules: { Thing: unique },
    },
    endpoints: {
      endpoints: {
        addSite: "POST /sites",
        addThing: { at: "POST /things", gives: "Thing" },
        getThing: { at: `GET ${at}`, of: "Thing" },
        addNote: `POST ${notes}`,
        listNotes: `GET ${notes}`,
      },
    },
  });
}

const day = "2026-01-01";
/** Two sites, and a thing of each in the same row, on the same day or another one. */
function made(otherDay: string): readonly Step[] {
  return [
    ask("POST /sites", { name: "north" }, "201"),
    ask("POST /sites", { name: "south" }, "201"),
    ask("POST /things", { site: "{1}", row: "a", day, code: "first" }, "201"),
    ask("POST /things", { site: "{2}", row: "a", day: otherDay, code: "second" }, "201"),
  ];
}
const all = made(day);
const days = made("2026-01-02");

const first = { has: { code: "first" } };
const second = { has: { code: "second" } };
const byId = "/things/{id}";
const inRow = "unique site + row";
const onDay = "unique row + day";

/** A form of a path. `by`: what it names a record by. */
const proof = (by: string, text: string, without: string, ...play: readonly Step[]): Proof => ({
  of: [`endpoints/endpoints/path/${by}`],
  with: text,
  without,
  play,
});

export const keyProofs: readonly Proof[] = [
  proof("id", named(byId), named("/things/{code}"), ...all, ask("GET /things/{3}", first)),
  proof("unique field", named("/things/{code}"), named(byId), ...all, ask("GET /things/second", second)),
  proof("fixed text", named("/things/no-{id}.json"), named(byId), ...all, ask("GET /things/no-{4}.json", second)),
  proof(
    "parent",
    named("/sites/{site}/things/{id}"),
    named(byId),
    ...all,
    ask("GET /sites/{1}/things/{3}", first),
    ask("GET /sites/{2}/things/{3}", "404"),
  ),
  proof(
    "field below the parent",
    named("/sites/{site}/things/{row}", inRow),
    named("/sites/{site}/things/{id}", inRow),
    ...all,
    ask("GET /sites/{1}/things/a", first),
    ask("GET /sites/{2}/things/a", second),
    ask("GET /sites/{2}/things/b", "404"),
  ),
  proof(
    "reference and field",
    named("/things/{site}/{row}", inRow),
    named(byId, inRow),
    ...all,
    ask("GET /things/{1}/a", first),
    ask("GET /things/{2}/a", second),
    ask("GET /things/{2}/b", "404"),
  ),
  proof(
    "field of the reference",
    named("/things/{site.name}/{row}", inRow),
    named("/things/{site}/{row}", inRow),
    ...all,
    ask("GET /things/south/a", second),
    ask("GET /things/west/a", "404"),
  ),
  proof(
    "fields together",
    named("/things/{row}/{day}", onDay),
    named(byId, onDay),
    ...days,
    ask("GET /things/a/2026-01-01", first),
    ask("GET /things/a/2026-01-02", second),
    ask("GET /things/a/2026-01-03", "404"),
    ask("GET /things/a/tomorrow", "404"),
  ),
  proof(
    "fields together below the parent",
    named("/sites/{site}/things/{row}/{day}"),
    named("/sites/{site}/things/{id}"),
    ...all,
    ask("GET /sites/{1}/things/a/2026-01-01", first),
    ask("GET /sites/{2}/things/a/2026-01-01", second),
    ask("GET /sites/{2}/things/a/2026-01-02", "404"),
  ),
  proof(
    "fields together of a parent",
    named(byId, onDay, "/things/{row}/{day}/notes"),
    named(byId, onDay),
    ...days,
    ask("POST /things/a/2026-01-02/notes", { text: "b" }, "201"),
    ask("GET /things/a/2026-01-02/notes", { items: 1 }),
    ask("GET /things/a/2026-01-01/notes", { items: 0 }),
    ask("GET /things/b/2026-01-01/notes", "404"),
  ),
];
