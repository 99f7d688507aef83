/**
 * R0.1, pair by pair: a request with two violations gets the error of the first check. The violations of each table are in the
 * order of the checks.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sent } from "./client.ts";
import { faultsOf, served } from "./scenario.ts";
import type { Subject } from "./scenario.ts";
import { addTool, aTool, once, people, toolLibrary } from "./tool-library.ts";
import type { People } from "./tool-library.ts";

/** What a request is made of, before it is sent: each violation spoils one thing and leaves the others. */
interface Draft {
  method: string;
  prefix: string;
  below: string;
  query: string;
  headers: Record<string, string>;
  body: Record<string, unknown> | undefined;
  /** Made of the body's JSON at the end. */
  text: (json: string) => string;
  /** The record that the path names. */
  record: { owner: keyof People; open: boolean; lends: number; kind: string };
  /** Done to the record before it is asked for. */
  state: "shelved" | "retired";
}

interface Violation {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  readonly fault?: string;
  spoil(draft: Draft): void;
}

const badEscape: Violation = {
  name: "bad escape in the path",
  status: 400,
  code: "invalid-request",
  fault: "bad-path",
  spoil: (draft) => {
    draft.below += "%zz";
  },
};
const unknownPath: Violation = {
  name: "unknown path",
  status: 404,
  code: "not-found",
  spoil: (draft) => {
    draft.prefix = "/hammers";
  },
};
const wrongMethod: Violation = {
  name: "wrong method",
  status: 405,
  code: "method-not-allowed",
  spoil: (draft) => {
    draft.method = "PUT";
  },
};
const badKey = "Bearer tl_nobody";
const badCredential: Violation = {
  name: "bad credential",
  status: 401,
  code: "unauthenticated",
  spoil: (draft) => {
    draft.headers["Authorization"] = badKey;
  },
};
const barredRole = (who: People): Violation => ({
  name: "barred role",
  status: 403,
  code: "forbidden",
  spoil: (draft) => {
    draft.headers["Authorization"] ??= who.visitor.Authorization;
  },
});
const notAcceptable: Violation = {
  name: "Accept",
  status: 406,
  code: "not-acceptable",
  spoil: (draft) => {
    draft.headers["Accept"] = "text/html";
  },
};
const mediaType: Violation = {
  name: "Content-Type",
  status: 415,
  code: "unsupported-media",
  spoil: (draft) => {
    draft.headers["Content-Type"] = "text/plain";
  },
};
const contentCoding: Violation = {
  name: "Content-Encoding",
  status: 415,
  code: "unsupported-media",
  spoil: (draft) => {
    draft.headers["Content-Encoding"] = "gzip";
  },
};
const tooLarge: Violation = {
  name: "too large",
  status: 413,
  code: "too-large",
  spoil: (draft) => {
    const before = draft.text;
    draft.text = (json) => before(json).padEnd(20_000);
  },
};
const badJson: Violation = {
  name: "bad JSON",
  status: 400,
  code: "invalid-request",
  fault: "# bad-json",
  spoil: (draft) => {
    const before = draft.text;
    draft.text = (json) => `{${before(json)}`;
  },
};
const unknownParameter: Violation = {
  name: "unknown parameter",
  status: 400,
  code: "invalid-request",
  fault: "colour unknown-parameter",
  spoil: (draft) => {
    draft.query = "?colour=red";
  },
};
const emptyKey: Violation = {
  name: "empty key",
  status: 400,
  code: "invalid-request",
  fault: "idempotency-key bad-header",
  spoil: (draft) => {
    draft.headers["Idempotency-Key"] = "";
  },
};
const reusedKey: Violation = {
  name: "reused key",
  status: 422,
  code: "idempotency-key-reused",
  spoil: (draft) => {
    draft.headers["Idempotency-Key"] = "reused";
  },
};
const hidden: Violation = {
  name: "hidden record",
  status: 404,
  code: "not-found",
  spoil: (draft) => {
    draft.record.owner = "other";
    draft.record.open = false;
  },
};
const barred: Violation = {
  name: "visible but barred",
  status: 403,
  code: "forbidden",
  spoil: (draft) => {
    draft.record.owner = "other";
  },
};
const noTag: Violation = {
  name: "no If-Match",
  status: 428,
  code: "precondition-needed",
  spoil: (draft) => {
    delete draft.headers["If-Match"];
  },
};
const stale: Violation = {
  name: "stale If-Match",
  status: 412,
  code: "stale",
  spoil: (draft) => {
    draft.headers["If-Match"] = '"old"';
  },
};
const wrongBody: Violation = {
  name: "wrong body",
  status: 422,
  code: "invalid-request",
  fault: "#/extra unknown-field",
  spoil: (draft) => {
    draft.body = { ...draft.body, extra: 1 };
  },
};
const wrongState: Violation = {
  name: "wrong state",
  status: 409,
  code: "state-conflict",
  spoil: (draft) => {
    draft.state = "retired";
  },
};
const guard: Violation = {
  name: "guard",
  status: 409,
  code: "too-long",
  spoil: (draft) => {
    draft.body = { ...draft.body, days: 99 };
  },
};
const wornOut: Violation = {
  name: "rule",
  status: 409,
  code: "worn-out",
  spoil: (draft) => {
    draft.record.lends = 2;
  },
};
const tooCheap: Violation = {
  name: "rule",
  status: 422,
  code: "too-cheap",
  spoil: (draft) => {
    draft.body = { ...draft.body, kind: "power", price: 0 };
  },
};
const taken: Violation = {
  name: "taken name",
  status: 409,
  code: "already-exists",
  spoil: (draft) => {
    draft.body = { ...draft.body, name: "the taken one" };
  },
};

async function request(subject: Subject, who: People, draft: Draft): Promise<Sent> {
  // R5.7 Failed credentials are counted by the minute.
  if (draft.headers["Authorization"] === badKey) subject.running.pass(60_000);
  let path = draft.prefix;
  let tag = "";
  if (draft.below !== "") {
    const tool = await addTool(subject, who[draft.record.owner], { open: true, kind: draft.record.kind });
    const act = (verb: string, body?: unknown) =>
      subject.client.send({
        method: "POST",
        path: `${tool.path}/${verb}`,
        headers: { ...who.keeper, ...once() },
        body,
      });
    for (let lends = 0; lends < draft.record.lends; lends += 1) {
      await act("lend", { days: 1 });
      await act("return");
    }
    if (draft.state === "retired") await act("retire");
    if (!draft.record.open) {
      await subject.client.send({
        method: "PATCH",
        path: tool.path,
        headers: { ...who.keeper, ...once(), "If-Match": "*" },
        body: { open: false },
      });
    }
    const read = await subject.client.send({ method: "GET", path: tool.path, headers: who[draft.record.owner] });
    tag = read.headers["etag"] ?? "";
    path = `${draft.prefix}/${tool.id}${draft.below === "/" ? "" : draft.below}`;
  }
  const headers: Record<string, string> = { ...once(), "Content-Type": "application/json", ...draft.headers };
  headers["Authorization"] ??= who.member.Authorization;
  if (headers["If-Match"] === "TAG") headers["If-Match"] = tag;
  const body = draft.body === undefined ? undefined : draft.text(JSON.stringify(draft.body));
  return { method: draft.method, path: `${path}${draft.query}`, headers, body };
}

served("order of checks", toolLibrary, (subject) => {
  const who = people(subject);

  test("the reused key is used first", async () => {
    const first = await subject.client.send({
      method: "POST",
      path: "/tools",
      headers: { ...who.member, "Idempotency-Key": "reused" },
      body: aTool({ name: "the taken one", kind: "garden" }),
    });
    assert.equal(first.status, 201);
  });

  const draftOf = (method: string, below: string, body: Record<string, unknown>): Draft => ({
    method,
    prefix: "/tools",
    below,
    query: "",
    headers: method === "PATCH" ? { "If-Match": "TAG" } : {},
    body,
    text: (json) => json,
    record: { owner: "member", open: true, lends: 0, kind: "hand" },
    state: "shelved",
  });

  const before = [badEscape, unknownPath, wrongMethod, badCredential, barredRole(who), notAcceptable];
  const reading = [mediaType, contentCoding, tooLarge, badJson, unknownParameter, emptyKey, reusedKey];
  const tables: readonly (readonly [string, () => Draft, readonly Violation[]])[] = [
    [
      "PATCH",
      () => draftOf("PATCH", "/", { price: 2 }),
      [
        ...before.filter((one) => one !== badEscape),
        ...reading,
        hidden,
        barred,
        noTag,
        stale,
        wrongBody,
        tooCheap,
        taken,
      ],
    ],
    [
      "a move",
      () => draftOf("POST", "/lend", { days: 3 }),
      [...before, ...reading, hidden, stale, wrongBody, wrongState, guard, wornOut],
    ],
    [
      "a creation",
      () => draftOf("POST", "", aTool()),
      [unknownPath, wrongMethod, badCredential, barredRole(who), notAcceptable, ...reading, wrongBody, tooCheap, taken],
    ],
  ];

  for (const [title, make, violations] of tables) {
    test(`R0.1 ${title} without a fault succeeds`, async () => {
      const reply = await subject.client.send(await request(subject, who, make()));
      assert(reply.status < 300, reply.text);
    });
    for (const [at, first] of violations.entries()) {
      // A record cannot be hidden and visible, nor an If-Match both absent and stale.
      const others = violations.slice(at + 1).filter((one) => !(first === noTag && one === stale));
      test(`R0.1 ${title}: ${first.name} is ${first.status} ${first.code}, whatever comes later`, async () => {
        for (const second of [undefined, ...others]) {
          const draft = make();
          second?.spoil(draft);
          first.spoil(draft);
          const reply = await subject.client.send(await request(subject, who, draft));
          const message = `with ${second?.name ?? "nothing else"}: ${reply.text}`;
          assert.equal(reply.status, first.status, message);
          assert.equal((reply.json as { code: string }).code, first.code, message);
          if (first.fault !== undefined) assert.deepEqual(faultsOf(reply), [first.fault], message);
        }
      });
    }
  }
});
