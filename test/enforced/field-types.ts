/**
 * Proofs of field types: the values that each accepts, returns and rejects. Each row runs twice, as a field of a resource and as
 * a member of an embedded type, since both are constructs. All rows are fields of one document, which is served once.
 */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../src/base/json.ts";
import type { Reply, Sent } from "../serve/client.ts";
import { documentOf, things, thingsWith } from "./document.ts";
import type { Proof, Step } from "./proof.ts";
import { ask } from "./proof.ts";

interface Row {
  /** Below the fields of a resource, or the members of a type. */
  readonly of: readonly string[];
  readonly line: Json;
  /** The line without the construct, or with another. */
  readonly other: Json;
  readonly takes: readonly (Json | Given)[];
  readonly refuses: readonly Json[];
}

/** What is given back otherwise than it was sent. */
class Given {
  readonly sent: Json;
  readonly back: Json;
  constructor(sent: Json, back: Json) {
    this.sent = sent;
    this.back = back;
  }
}

const scalar = (name: string): string[] => ["type/scalar", `type/scalar/name/${name}`];

const rows: readonly Row[] = [
  { of: scalar("string"), line: "string", other: "json", takes: ["a", ""], refuses: [1, "a".repeat(10_001)] },
  { of: scalar("text"), line: "text", other: "json", takes: ["a\nb"], refuses: [1, "a".repeat(10_001)] },
  { of: scalar("integer"), line: "integer", other: "json", takes: [0, -7], refuses: [1.5, "1"] },
  { of: scalar("number"), line: "number", other: "json", takes: [1.5, 1e30], refuses: ["1.5"] },
  { of: scalar("decimal"), line: "decimal", other: "number", takes: [0.1], refuses: [1.234567890123456, "0.1"] },
  {
    of: scalar("money"),
    line: "money",
    other: "json",
    takes: [{ amount: "12.50", currency: "EUR" }],
    refuses: [12.5, { amount: 12.5, currency: "EUR" }, { amount: "12.50", currency: "XYZ" }, { amount: "1" }],
  },
  { of: scalar("boolean"), line: "boolean", other: "json", takes: [true, false], refuses: ["true", 1] },
  { of: scalar("date"), line: "date", other: "string", takes: ["2026-02-28"], refuses: ["2026-02-30", "28.2.2026"] },
  { of: scalar("time"), line: "time", other: "string", takes: ["23:59"], refuses: ["24:00", "9"] },
  {
    of: scalar("datetime"),
    line: "datetime",
    other: "string",
    takes: [new Given("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000Z")],
    refuses: ["2026-01-01", "now"],
  },
  { of: scalar("duration"), line: "duration", other: "string", takes: ["PT72H"], refuses: ["72h", "soon"] },
  { of: scalar("email"), line: "email", other: "string", takes: ["a@example.org"], refuses: ["a", "a@", "@b.c"] },
  { of: scalar("url"), line: "url", other: "string", takes: ["https://example.org/a"], refuses: ["example", "/a"] },
  {
    of: scalar("uuid"),
    line: "uuid",
    other: "string",
    takes: ["0198b5c5-7a5e-7c10-9d3b-4d2f0c1a2b3c"],
    refuses: ["0198b5c5"],
  },
  { of: scalar("phone"), line: "phone", other: "string", takes: ["+4712345678"], refuses: ["12345678", "+0123"] },
  { of: scalar("country"), line: "country", other: "string", takes: ["NO"], refuses: ["XX", "no", "Norway"] },
  { of: scalar("currency"), line: "currency", other: "string", takes: ["NOK"], refuses: ["XXY", "nok"] },
  { of: scalar("language"), line: "language", other: "string", takes: ["nb-NO"], refuses: ["n", "norwegian language"] },
  { of: scalar("timezone"), line: "timezone", other: "string", takes: ["Europe/Oslo"], refuses: ["Oslo"] },
  { of: scalar("user"), line: "user", other: "json", takes: ["ann"], refuses: ["", 1] },
  { of: scalar("bytes"), line: "bytes", other: "string", takes: ["AAEC"], refuses: ["not base 64!", "A"] },
  { of: scalar("json"), line: "json", other: "string", takes: [{ a: [1] }, 1, "a"], refuses: [] },

  { of: ["type/scalar/min"], line: "integer(3..)", other: "integer", takes: [3], refuses: [2] },
  { of: ["type/scalar/max"], line: "integer(..3)", other: "integer", takes: [3], refuses: [4] },
  { of: ["type/scalar/min"], line: "string(2..)", other: "string", takes: ["ab", "é́"], refuses: ["a", "😀"] },
  { of: ["type/scalar/max"], line: "string(..2)", other: "string", takes: ["ab", "😀😀"], refuses: ["abc"] },
  { of: ["type/scalar/min"], line: "decimal(0.5..)", other: "decimal", takes: [0.5], refuses: [0.4] },
  { of: ["type/scalar/max"], line: "number(..0.5)", other: "number", takes: [0.5], refuses: [0.6] },
  {
    of: ["type/scalar/min", "type/scalar/max"],
    line: "money(0..99.95)",
    other: "money",
    takes: ["0", "99.95", "0.00", "-0"].map((amount) => ({ amount, currency: "EUR" })),
    refuses: ["-0.01", "99.96", "100", "-100"].map((amount) => ({ amount, currency: "EUR" })),
  },
  {
    of: ["type/scalar/min", "type/scalar/max"],
    line: "bytes(3)",
    other: "bytes",
    takes: ["AAEC"],
    refuses: ["AA==", "AAECAAEC", "AAE="],
  },
  { of: ["type/scalar/pattern"], line: "string /^[0-9]+$/", other: "string", takes: ["12"], refuses: ["1a"] },
  {
    of: ["type/scalar/pattern"],
    line: "phone /^\\+47/",
    other: "phone",
    takes: ["+4712345678"],
    refuses: ["+4612345678"],
  },

  {
    of: ["type/one-of", "type/one-of/values"],
    line: "red | green",
    other: "string",
    takes: ["red"],
    refuses: ["blue"],
  },
  { of: ["type/one-of/open"], line: "red | green | string", other: "red | green", takes: ["blue"], refuses: [""] },
  { of: ["type/list"], line: "integer[]", other: "json", takes: [[], [1, 2]], refuses: [1, ["a"], [null]] },
  { of: ["type/list/min"], line: "integer[](1..)", other: "integer[]", takes: [[1]], refuses: [[]] },
  { of: ["type/list/max"], line: "integer[](..2)", other: "integer[]", takes: [[1, 2]], refuses: [[1, 2, 3]] },
  { of: ["type/map"], line: "map(integer)", other: "json", takes: [{ a: 1 }, {}], refuses: [{ a: "b" }, [1], 1] },
  {
    of: ["type/schema"],
    line: {
      schema: { type: "object", required: ["hs"], properties: { hs: { type: "string", pattern: "^[0-9]{6}$" } } },
    },
    other: "json",
    takes: [{ hs: "123456" }],
    refuses: [{}, { hs: "1" }, 1],
  },
];

/** Where a line stands. */
interface Site {
  readonly path: string;
  document(lines: Readonly<Record<string, Json>>): string;
  body(field: string, value: Json): JsonObject;
  readonly pointer: string;
}

const sites: readonly Site[] = [
  {
    path: "resources/resources/fields",
    document: (lines) => documentOf({ resources: things(lines) }),
    body: (field, value) => ({ [field]: value }),
    pointer: "#/",
  },
  {
    path: "resources/types",
    document: (lines) => documentOf({ resources: thingsWith({ Place: lines }, { at: "Place" }) }),
    body: (field, value) => ({ at: { [field]: value } }),
    pointer: "#/at/",
  },
];

/** A form with one file. */
function formOf(type: string, bytes: string): Partial<Sent> {
  const part = `--x\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\nContent-Type: ${type}\r\n\r\n${bytes}\r\n`;
  return { headers: { "Content-Type": "multipart/form-data; boundary=x" }, body: `${part}--x--\r\n` };
}

/** Files are sent in a form, and only as fields of a resource. */
const fileProofs: readonly Proof[] = [
  {
    of: ["type/file"],
    line: "file(..10B)",
    other: "json",
    play: [
      sendForm("text/plain", "0123456789", 201),
      sendForm("text/plain", "0123456789+", 413),
      ask(
        "POST /things",
        { photo: { id: "file_a", type: "text/plain", bytes: 1, sha256: "0" } },
        faultBelow("#/photo"),
      ),
    ],
  },
  {
    of: ["type/file/media"],
    line: "file(..10B, image/*)",
    other: "file(..10B)",
    play: [sendForm("image/png", "a", 201), sendForm("text/plain", "a", 422)],
  },
].map(({ of, line, other, play }) => ({
  of: of.map((construct) => `resources/resources/fields/${construct}`),
  with: documentOf({ resources: things({ "photo?": line }) }),
  without: documentOf({ resources: things({ "photo?": other }) }),
  play,
}));

function sendForm(type: string, bytes: string, status: number): Step {
  return async (scene) => {
    const reply = await scene.send({ method: "POST", path: "/things", ...formOf(type, bytes) });
    assert.equal(reply.status, status, reply.text);
  };
}

const lineProofs: readonly Proof[] = sites.flatMap((site) => {
  const lines = (one: "line" | "other"): string =>
    site.document(Object.fromEntries(rows.map((row, index) => [`field${index}?`, row[one]])));
  const documents = { with: lines("line"), without: lines("other") };
  return rows.map(({ of, takes, refuses }, index) => ({
    of: of.map((construct) => `${site.path}/${construct}`),
    ...documents,
    shared: true,
    play: [
      ...takes.map((value) => taken(site, `field${index}`, value)),
      ...refuses.map((value) =>
        ask("POST /things", site.body(`field${index}`, value), faultBelow(`${site.pointer}field${index}`)),
      ),
    ],
  }));
});

/** Moments as Unix time, which embedded values cannot have. */
const unixProofs: readonly Proof[] = [
  { unit: "seconds", takes: [0, -62_135_596_800, 253_402_300_799], refuses: [1.5, "0", 253_402_300_800] },
  { unit: "milliseconds", takes: [1, 253_402_300_799_999], refuses: [0.5, "2026-01-01T00:00:00Z"] },
].map(({ unit, takes, refuses }) => ({
  of: ["resources/resources/fields/type/scalar/unix"],
  with: documentOf({ resources: things({ "at?": `datetime(${unit})` }) }),
  without: documentOf({ resources: things({ "at?": "datetime" }) }),
  play: [
    ...takes.map((at) => ask("POST /things", { at }, { status: "201", has: { at } })),
    ...refuses.map((at) => ask("POST /things", { at }, faultBelow("#/at"))),
  ],
}));

export const fieldTypeProofs: readonly Proof[] = [...fileProofs, ...unixProofs, ...lineProofs];

function taken(site: Site, field: string, value: Json | Given): Step {
  const [sent, back] = value instanceof Given ? [value.sent, value.back] : [value, value];
  return ask("POST /things", site.body(field, sent), { status: "201", has: site.body(field, back) });
}

/** A fault at the pointer or inside of it. */
function faultBelow(pointer: string): (reply: Reply) => void {
  return (reply) => {
    assert.equal(reply.status, 422, reply.text);
    const { errors = [] } = reply.json as { errors?: readonly { pointer?: string }[] };
    assert(
      errors.some((fault) => fault.pointer === pointer || fault.pointer?.startsWith(`${pointer}/`)),
      reply.text,
    );
  };
}
