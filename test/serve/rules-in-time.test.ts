/**
 * Rules over other records, for writes without a request: timers and incoming events (language, section 2). A write that would
 * break a rule is skipped and reported, and its records can still be changed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import { served } from "./scenario.ts";

const hour = 3_600_000;

const document = `# Clubs
## What the service does
\`\`\`yaml
nonet: 1
service: clubs
operations: [addTeam, getTeam, addSeat, dropSeat, renameSeat, addNote, getNote]
\`\`\`
## Resources and their fields
\`\`\`yaml
Team: { id: id(team), name: string(1..20), seats: "integer = 0" }
Seat: { id: id(seat), team: Team, name: string(1..20) }
Note: { id: id(note), of?: "Team, clear", text?: "string(1..20), personal", kept: "boolean = false" }
rules:
  Seat: team.state != 'closed' else in-use
  Team: Note.filter(n, n.of == id && n.kept && n.text == null).size() == 0 else note-needed
  Note: kept == false || Note.filter(n, n.kept).size() >= 1 else last-note
\`\`\`
## States and transitions
\`\`\`yaml
Team:
  states: [open, closed]
  start: open
  final: none
  moves:
    open -> closed:
      - after 2h
      - when team.banned
Seat: none
Note:
  states: [fresh, old]
  start: fresh
  final: [old]
  moves: { fresh -> old: after 1h }
\`\`\`
## Endpoints
\`\`\`yaml
endpoints:
  addTeam: POST /teams
  getTeam: GET /teams/{id}
  addSeat: POST /seats
  dropSeat: DELETE /seats/{id}
  renameSeat: PATCH /seats/{id}
  addNote: POST /notes
  getNote: GET /notes/{id}
\`\`\`
## Authentication
\`\`\`yaml
credentials:
  key: { kind: api-key, sent: Authorization Bearer, prefix: cl_, lasts: 365d, revoked: at once }
  gate: { kind: hmac-sha256, sent: header Gate-Signature, secret: env GATE_SECRET }
allow: { "addTeam, getTeam, addSeat, dropSeat, renameSeat, addNote, getNote": anyone }
\`\`\`
## Events
\`\`\`yaml
in:
  team.banned: { at: POST /hooks/bans, with: gate, carries: { team: Team } }
\`\`\`
## Errors
\`\`\`yaml
errors: { in-use: 409 It has seats, note-needed: 409 A note is needed, last-note: 409 The last note }
\`\`\`
## Limits
\`\`\`yaml
keep: { Note: "1h after final, erase" }
\`\`\`
## Versioning
none
`;

served(
  "rules in time",
  document,
  (subject) => {
    const send = (method: string, path: string, body?: object) =>
      subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
    const make = async (path: string, body: object): Promise<string> => {
      const reply = await send("POST", path, body);
      assert.equal(reply.status, 201, reply.text);
      return (reply.json as { id: string }).id;
    };
    const get = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
      (await send("GET", path)).json as Readonly<Record<string, unknown>>;
    let passed = 0;
    const pass = async (milliseconds: number): Promise<void> => {
      passed += milliseconds;
      subject.running.pass(milliseconds);
      while ((await subject.running.tick()) > 0);
    };
    const noticesAbout = (id: string): readonly string[] =>
      subject.running.notices.filter((notice) => notice.includes(id));

    test("a move in time that would break a rule is not made, is told, and is made once it can be", async () => {
      const team = await make("/teams", { name: "timed" });
      const seat = await make("/seats", { team, name: "a" });
      await pass(2 * hour);
      assert.equal((await get(`/teams/${team}`))["state"], "open");
      assert.deepEqual(noticesAbout(team), [`Team ${team}, after 2h: not done, in-use`]);
      assert.equal((await send("PATCH", `/seats/${seat}`, { name: "b" })).status, 200, "it can be changed");
      assert.equal((await send("DELETE", `/seats/${seat}`)).status, 204);
      await pass(hour);
      assert.equal((await get(`/teams/${team}`))["state"], "closed");
      const late = await send("POST", "/seats", { team, name: "late" });
      assert.deepEqual([late.status, (late.json as { code: string }).code], [409, "in-use"]);
    });

    test("what is to be erased and that a rule needs stays, is told, and goes later", async () => {
      const team = await make("/teams", { name: "noted" });
      const kept = await make("/notes", { of: team, text: "personal", kept: true });
      const plain = await make("/notes", { of: team, text: "personal" });
      await pass(hour);
      await pass(hour);
      assert.equal((await get(`/notes/${kept}`))["text"], "personal");
      assert.equal((await get(`/notes/${plain}`))["text"], undefined);
      assert.deepEqual(noticesAbout(kept), [`Note ${kept}, keep 1h after final: not done, note-needed`]);
    });

    test("an event that would break a rule is refused; nothing of it is kept, and it may be sent again", async () => {
      const team = await make("/teams", { name: "banned" });
      const seat = await make("/seats", { team, name: "a" });
      const body = JSON.stringify({ team });
      const path = "/hooks/bans";
      const signature = signatureField("the gate's", Math.floor((Date.now() + passed) / 1000), {
        method: "POST",
        target: path,
        body: Buffer.from(body),
      });
      const ban = () =>
        subject.client.send({
          method: "POST",
          path,
          headers: { "Content-Type": "application/json", "Gate-Signature": signature },
          body,
        });
      const refused = await ban();
      assert.deepEqual([refused.status, (refused.json as { code: string }).code], [409, "in-use"], refused.text);
      assert.equal((await get(`/teams/${team}`))["state"], "open");
      assert.equal((await send("DELETE", `/seats/${seat}`)).status, 204);
      assert.equal((await ban()).status, 202);
      assert.equal((await get(`/teams/${team}`))["state"], "closed");
    });
  },
  { environment: { GATE_SECRET: "the gate's" } },
);
