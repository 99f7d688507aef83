/**
 * A token's scopes restrict every operation, even those for any signed-in caller (R5.1, R5.2): each kind of credential, with each
 * set of scopes, for each form of a grant, over operations, fields, lists, events, webhooks, functions and older versions.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { createClient } from "./client.ts";
import { run } from "./running.ts";
import { documentText, type Subject, stores } from "./scenario.ts";

/** By grant, whether a caller without roles (session), with `reader`, with `writer` passes; then tokens of the same scopes. */
const forms = {
  "signed-in": { session: true, none: false, reader: false },
  "any-scope": { session: true, none: true, reader: true },
  reader: { session: true, none: false, reader: true },
  writer: { session: false, none: false, reader: false },
  "signed-in | reader": { session: true, none: false, reader: true },
  "signed-in if by == caller.id": { session: true, none: false, reader: false },
  "any-scope if by == caller.id": { session: true, none: true, reader: true },
  "anyone if by == caller.id": { session: true, none: false, reader: false },
  anyone: { session: true, none: true, reader: true },
  none: { session: false, none: false, reader: false },
} as const;
type Form = keyof typeof forms;

const quoted = (form: Form): string => (form === "none" ? form : `"${form}"`);

const document = (form: Form): string =>
  documentText("notebook")
    .replace("  addNote: Write a note\n", "  addNote: Write a note\n  readNote: Read one\n  changeNote: Change one\n  shout: Move one\n  history: Its moves\n  ask: A function\n  logout: End\n")
    .replace("  text: string(1..100)\n", "  text: string(1..100)\n  secretText: string(1..9) = hidden\n")
    .replace("## States and transitions\nnone", "## States and transitions\n```yaml\nUser: none\nNote: { states: [calm, loud], start: calm, final: none, moves: { calm | loud -> loud: by shout } }\n```")
    .replace("  addNote: POST /notes\n", "  addNote: POST /notes\n  readNote: GET /notes/{id}\n  changeNote: PATCH /notes/{id}\n  shout: POST /notes/{id}/shout\n  history: GET /notes/{id}/history\n  ask: { at: POST /ask, does: handler, of: Note, gives: { n: integer } }\n  logout: { at: POST /logout, does: logout }\n")
    .replace(/allow:[^`]*/, `allow:
  register, login: anyone
  addNote: signed-in | writer
  logout: signed-in
  readNote, changeNote, shout, listNotes, history: ${form}
  ask: ${form.includes(" if ") ? "none" : form}
  changeUser, removeUser: signed-in
show: { Note.secretText: ${quoted(form)} }
`)
    .replace('"notes:write": [reader, writer]', '"notes:write": writer, "notes:nothing": idler')
    .replace("roles: [reader, writer]", "roles: [reader, writer, idler]")
    .replace("role: reader | writer = reader", "role: reader | writer | idler = reader")
    .replace("## Events\nnone", `## Events
\`\`\`yaml
out: { note.loud: Note -> loud }
delivery: { stream: { at: GET /events, for: ${quoted(form)} } }
\`\`\``)
    .replace("## Versioning\nnone", `## Versioning
\`\`\`yaml
scheme: numbered
sent: header Notebook-Version
absent: newest
versions:
  2: ["path readNote, was GET /one-note/{id}"]
  1: first
\`\`\``); // biome-ignore format: a document

interface Made {
  readonly note: string;
  /** By caller. */
  readonly tokens: Readonly<Record<"session" | "none" | "reader", string>>;
}

async function made({ client, running }: Subject): Promise<Made> {
  const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const reply = await client.send({ method: "POST", path, body, headers });
    assert(reply.status < 300, `${path}: ${reply.text}`);
    return reply.json as Readonly<Record<string, string>>;
  };
  const email = "ann@example.com";
  const user = await post("/users", { email, password: "correct horse" });
  const { token: session = "" } = await post("/login", { email, password: "correct horse" });
  const { id: note = "" } = await post("/notes", { text: "hello" }, { Authorization: `Bearer ${session}` });
  // A client of the user's own: what it may do differs by its scopes alone.
  const id = String(user["id"]);
  const secret = await running.keyOf("app", id, "reader", "idler");
  const key = (await running.store.keys.list()).find((one) => one.user === id);
  const tokenFor = async (scope: string): Promise<string> => {
    const reply = await client.send({
      method: "POST",
      path: "/oauth/token",
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Authorization: `Basic ${Buffer.from(`${key?.id}:${secret}`).toString("base64")}`,
      },
      body: `grant_type=client_credentials&scope=${scope}`,
    });
    assert.equal(reply.status, 200, reply.text);
    return (reply.json as { access_token: string }).access_token;
  };
  return { note, tokens: { session, none: await tokenFor("notes:nothing"), reader: await tokenFor("notes:read") } };
}

const functions = { ask: () => ({ n: 1 }) };

for (const store of stores) {
  for (const [form, expected] of Object.entries(forms) as [Form, (typeof forms)[Form]][]) {
    test(`R5.1 ${form} (${store})`, async () => {
      await using running = await run(document(form), { store, functions });
      using client = createClient(running.port, () => {});
      const subject = { running, client };
      const { note, tokens } = await made(subject);
      const isConditional = form.includes(" if ");
      for (const caller of ["session", "none", "reader"] as const) {
        const may = expected[caller];
        const send = async (method: string, path: string, body?: unknown, headers = {}) => {
          const sent = { method, path, headers: { Authorization: `Bearer ${tokens[caller]}`, ...headers } };
          return subject.client.send(body === undefined ? sent : { ...sent, body });
        };
        const says = (what: string, status: number) =>
          may
            ? assert(status < 300, `${caller}: ${what} is ${status}`)
            : assert([403, 404].includes(status), `${caller}: ${what} is ${status}`);
        says("read", (await send("GET", `/notes/${note}`)).status);
        says("change", (await send("PATCH", `/notes/${note}`, { text: "again" })).status);
        says("move", (await send("POST", `/notes/${note}/shout`)).status);
        says("history", (await send("GET", `/notes/${note}/history`)).status);
        says(
          "read in version 1",
          (await send("GET", `/one-note/${note}`, undefined, { "Notebook-Version": "1" })).status,
        );
        const list = await send("GET", "/notes");
        const items = ((list.json as { items?: readonly unknown[] }).items ?? []).length;
        assert.equal(list.status < 300 && items === 1, may, `${caller}: list is ${list.status} ${list.text}`);
        const events = await send("GET", "/events", undefined, { Accept: "application/json" });
        const told = ((events.json as { items?: readonly unknown[] }).items ?? []).length;
        assert.equal(
          events.status < 300 && told > 0,
          may && wasLoud(form),
          `${caller}: events ${events.status} ${events.text}`,
        );
        if (may) {
          const { json } = await send("GET", `/notes/${note}`);
          assert.equal(Object.hasOwn(json as object, "secretText"), true, caller);
        }
        if (!isConditional) says("a function's operation", (await send("POST", "/ask")).status);
        if (caller !== "session") {
          const id = (await subject.running.store.keys.list())[0]?.user ?? "";
          const password = await send("PATCH", `/users/${id}`, { password: "another horse" });
          assert([403, 404].includes(password.status), `a token changed the password: ${password.status}`);
          assert.equal((await send("POST", "/logout")).status, 403);
        }
      }
      assert.deepEqual(running.failures, []);
    });
  }
}

/** Whether somebody could move the note. */
function wasLoud(form: Form): boolean {
  return Object.values(forms[form]).some(Boolean);
}

for (const form of Object.keys(forms) as Form[]) {
  test(`check warns where no token passes: ${form}`, () => {
    const warned = check("notebook.md", document(form)).diagnostics.filter(
      ({ code }) => code === "authentication/grant-without-scope",
    );
    const subjects = new Set(warned.map(({ message }) => /has `([^`]+)`$/.exec(message)?.[1]));
    assert(subjects.has("changeUser") && subjects.has("removeUser"));
    assert(!subjects.has("logout") && !subjects.has("addNote") && !subjects.has("login"));
    const isClosed =
      form === "signed-in" || form === "signed-in if by == caller.id" || form === "anyone if by == caller.id";
    for (const name of ["readNote", "Note.secretText", "for"])
      assert.equal(subjects.has(name), isClosed, `${form}: ${name} in ${[...subjects].join()}`);
  });
}
