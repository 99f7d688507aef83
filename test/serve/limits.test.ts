/** Part 8 over real sockets, on both stores: rates, quotas, sizes, times, and their header fields (R8.1 to R8.8). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRates } from "../store/memory-rates.ts";
import { parseList } from "structured-headers";
import type { Reply, Sent } from "./client.ts";
import { desks } from "./desks.ts";
import type { Subject } from "./scenario.ts";
import { by, serve, stores } from "./scenario.ts";
import type { RunOptions } from "./running.ts";

/** A test on each store, with a service of its own. */
function on(
  name: string,
  document: string,
  body: (subject: Subject, desk: (user?: string) => Promise<Caller>) => Promise<void>,
  options: RunOptions = {},
): void {
  for (const store of stores) {
    void test(`${name} (${store})`, async () => {
      await using subject = await serve(document, { proxies: ["127.0.0.1"], ...options, store });
      await body(subject, (user = "kim") => callerOf(subject, user));
      assert.deepEqual(subject.running.failures, []);
    });
  }
  void test(`${name} (counted together)`, async () => {
    await using subject = await serve(document, { proxies: ["127.0.0.1"], ...options, store: "memory", rates: memoryRates() }); // biome-ignore format: short
    await body(subject, (user = "kim") => callerOf(subject, user));
    assert.deepEqual(subject.running.failures, []);
  });
}

interface Caller {
  readonly send: (line: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Reply>;
}

async function callerOf({ client, running }: Subject, user: string): Promise<Caller> {
  const key = user === "nobody" ? undefined : await running.key(user, "clerk");
  return {
    send: (line, body, headers = {}) => {
      const [method = "", path = ""] = line.split(" ");
      const credential = key === undefined ? {} : by(key);
      const sent: Sent = {
        method,
        path,
        headers: { ...credential, ...headers },
        ...(body === undefined ? {} : { body }),
      };
      return client.send(sent);
    },
  };
}

/** `name r`, in the order of the header; fails where it is no structured field. */
function left({ headers }: Reply): readonly string[] {
  const field = headers["ratelimit"];
  if (field === undefined) return [];
  return parseList(field).map(([name, parameters]) => {
    const t = parameters.get("t");
    assert.ok(typeof t === "number" && Number.isInteger(t) && t >= 1, field);
    return `${String(name)} ${String(parameters.get("r"))}`;
  });
}

function policies({ headers }: Reply): readonly string[] {
  return parseList(headers["ratelimit-policy"] ?? "").map(([name, parameters]) => {
    return `${String(name)} ${String(parameters.get("q"))}/${String(parameters.get("w"))}`;
  });
}

function codeOf(reply: Reply): string {
  return reply.status < 400 ? String(reply.status) : String((reply.json as { code: string }).code);
}

function violated(reply: Reply): readonly string[] | undefined {
  return (reply.json as { "violated-policies"?: readonly string[] })["violated-policies"];
}

function idOf(reply: Reply): string {
  assert.equal(reply.status, 201, reply.text);
  return (reply.json as { id: string }).id;
}

async function countCodes(replies: readonly Promise<Reply>[]): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const reply of await Promise.all(replies)) counts[codeOf(reply)] = (counts[codeOf(reply)] ?? 0) + 1;
  return counts;
}

const fifty = Array.from({ length: 50 }, (_, index) => index);
const from = (address: string) => ({ "X-Forwarded-For": address });

// ── Rates ──────────────────────────────────────────────────────────────────────────────────────────────────────────

on(
  "R8.1 R8.2 R8.3 the fields, the last request, and the one too many",
  desks({ rate: "{ all: 3/min per user }" }),
  async (subject, caller) => {
    const kim = await caller();
    for (const r of [2, 1, 0]) {
      const reply = await kim.send("GET /tickets");
      assert.deepEqual(
        [reply.status, left(reply), policies(reply)],
        [200, [`all-per-user ${r}`], ["all-per-user 3/60"]],
      );
    }
    const refused = await kim.send("GET /tickets");
    assert.deepEqual([refused.status, codeOf(refused), violated(refused)], [429, "rate-limited", ["all-per-user"]]);
    assert.deepEqual(left(refused), ["all-per-user 0"]);
    const t = Number(parseList(refused.headers["ratelimit"] ?? "")[0]?.[1].get("t"));
    const wait = Number(refused.headers["retry-after"]);
    assert.ok(wait >= t && wait <= 60, `Retry-After ${wait} is t ${t} or more`);
    const sam = await caller("sam");
    assert.deepEqual(left(await sam.send("GET /tickets")), ["all-per-user 2"], "R8.4 another caller has their own");
    subject.running.pass(60_000);
    assert.equal((await kim.send("GET /tickets")).status, 200);
  },
);

on(
  "R8.1 told with every 2xx and 4xx, and with no 3xx or anything that is not limited",
  desks({ rate: "{ all: 100/min per user }" }),
  async (subject, caller) => {
    const kim = await caller();
    const desk = await kim.send("POST /desks", { name: "A" });
    const path = `/desks/${idOf(desk)}`;
    const told: readonly (readonly [string, Promise<Reply>, number])[] = [
      ["created", Promise.resolve(desk), 201],
      ["read", kim.send(`GET ${path}`), 200],
      ["head", kim.send(`HEAD ${path}`), 200],
      ["absent", kim.send("GET /desks/dsk_x"), 404],
      ["wrong", kim.send("POST /desks", { name: 1 }), 422],
      ["no JSON", kim.send("POST /desks", "{", { "Content-Type": "application/json" }), 400],
      ["media type", kim.send("POST /desks", "x", { "Content-Type": "text/plain" }), 415],
      ["taken", kim.send("POST /desks", { name: "A" }), 409],
    ];
    for (const [what, reply, status] of told) {
      assert.equal((await reply).status, status, what);
      assert.deepEqual(policies(await reply), ["all-per-user 100/60"], what);
      assert.equal(left(await reply).length, 1, what);
    }
    const nobody = await callerOf(subject, "nobody");
    const unknown = await nobody.send(`GET ${path}`, undefined, by("dk_x"));
    assert.deepEqual(
      [unknown.status, policies(unknown), left(unknown)],
      [401, ["all-per-user 100/60"], []],
      "whose it would be is not known",
    );
    const same = await kim.send(`GET ${path}`, undefined, { "If-None-Match": desk.headers["etag"] ?? "" });
    assert.deepEqual(
      [same.status, same.headers["ratelimit"], same.headers["ratelimit-policy"]],
      [304, undefined, undefined],
    );
    for (const free of ["/livez", "/readyz", "/nothing"])
      assert.equal((await kim.send(`GET ${free}`)).headers["ratelimit-policy"], undefined, free);
  },
);

on(
  "R4.17 a 304 to a signed-in caller uses nothing up; one to nobody does",
  desks({ rate: "{ all: 3/min per user }" }),
  async (_, caller) => {
    for (const [user, after] of [
      ["kim", 1],
      ["nobody", 0],
    ] as const) {
      const one = await caller(user);
      const tag = (await one.send("GET /tickets")).headers["etag"] ?? "";
      for (let turn = 0; turn < (user === "kim" ? 10 : 1); turn += 1)
        assert.equal((await one.send("GET /tickets", undefined, { "If-None-Match": tag })).status, 304);
      assert.deepEqual(left(await one.send("GET /tickets")), [`all-per-user ${after}`]);
    }
  },
);

on(
  "R8.4 without a credential: the address, IPv6 by /64, and nobody else's",
  desks({ rate: "{ anyone: 2/min per ip }" }),
  async (_, caller) => {
    const nobody = await caller("nobody");
    const ask = (address: string) => nobody.send("GET /tickets", undefined, from(address));
    const rows = [
    ["192.0.2.1", 200], ["192.0.2.1", 200], ["192.0.2.1", 429], ["192.0.2.2", 200],
    ["2001:db8::1", 200], ["2001:db8::ffff:1", 200], ["2001:db8::2", 429], ["2001:db8:0:1::1", 200],
  ] as const; // biome-ignore format: a table
    for (const [address, status] of rows) assert.equal((await ask(address)).status, status, address);
    const kim = await caller();
    const signedIn = await kim.send("GET /tickets", undefined, from("192.0.2.1"));
    assert.deepEqual(
      [signedIn.status, signedIn.headers["ratelimit-policy"]],
      [200, undefined],
      "it is not about who has one",
    );
    const barred = await nobody.send("POST /desks", { name: "A" }, from("192.0.2.1"));
    assert.equal(barred.status, 429, "R0.1 before the credential is missed");
  },
);

on(
  "R8.4 a failed credential uses up its address, and nobody's own limit",
  desks({ rate: "{ all: [3/min per user, 5/min per ip] }" }),
  async (_, caller) => {
    const kim = await caller();
    const nobody = await caller("nobody");
    assert.deepEqual(left(await kim.send("GET /tickets", undefined, from("192.0.2.9"))), [
      "all-per-ip 4",
      "all-per-user 2",
    ]);
    for (const r of [3, 2, 1, 0]) {
      const reply = await nobody.send("GET /tickets", undefined, { ...by("dk_wrong"), ...from("192.0.2.9") });
      assert.deepEqual([reply.status, left(reply)], [401, [`all-per-ip ${r}`]]);
    }
    const shut = await nobody.send("GET /tickets", undefined, { ...by("dk_wrong"), ...from("192.0.2.9") });
    assert.deepEqual([shut.status, violated(shut)], [429, ["all-per-ip"]], "before the credential is looked at");
    assert.deepEqual(left(await kim.send("GET /tickets", undefined, from("192.0.2.10"))), [
      "all-per-ip 4",
      "all-per-user 1",
    ]);
  },
);

on(
  "all limits have to have room, and one that has none uses no other up",
  desks({ rate: "{ all: [9/min per ip, 5/min per user], closeTicket: 1/min per Ticket }" }),
  async (_, caller) => {
    const kim = await caller();
    const close = (id: string) => kim.send(`POST /tickets/${id}/close`);
    assert.deepEqual(left(await close("tic_1")), ["all-per-ip 8", "all-per-user 4", "closeTicket-per-Ticket 0"]);
    for (const _ of [1, 2, 3]) {
      const refused = await close("tic_1");
      assert.deepEqual([refused.status, violated(refused)], [429, ["closeTicket-per-Ticket"]]);
      assert.deepEqual(left(refused), ["all-per-ip 8", "all-per-user 4", "closeTicket-per-Ticket 0"]);
    }
    assert.deepEqual(left(await close("tic_2")), ["all-per-ip 7", "all-per-user 3", "closeTicket-per-Ticket 0"]);
  },
);

on(
  "per record: the same whether there is one or not, and from wherever it is asked",
  desks({ rate: "{ guessTicket: 2/min per Ticket }" }),
  async (subject, caller) => {
    const kim = await caller();
    const desk = idOf(await kim.send("POST /desks", { name: "A" }));
    const ticket = idOf(await kim.send("POST /tickets", { desk }));
    const absent = `${ticket.slice(0, -1)}${ticket.endsWith("0") ? "1" : "0"}`;
    const nobody = await caller("nobody");
    for (const [index, address] of ["192.0.2.1", "192.0.2.2", "192.0.2.3"].entries()) {
      const both = [ticket, absent].map((id) =>
        nobody.send(`POST /tickets/${id}/guess`, { code: "----" }, from(address)),
      );
      const [there, gone] = await Promise.all(both);
      assert.deepEqual(left(there as Reply), left(gone as Reply));
      assert.deepEqual([there?.status, gone?.status], index < 2 ? [403, 404] : [429, 429]);
    }
    assert.equal(
      (await kim.send(`POST /tickets/${ticket}/guess`, { code: "----" })).status,
      429,
      "who signs in has no other",
    );
    subject.running.pass(60_000);
    assert.equal((await kim.send(`POST /tickets/${ticket}/guess`, { code: "----" })).status, 403);
  },
);

on(
  "per record: who may not run the operation at all cannot use it up",
  desks({ rate: "{ openTicket: 1/min per Ticket }" }),
  async (subject, caller) => {
    const kim = await caller();
    const ticket = idOf(await kim.send("POST /tickets", { desk: idOf(await kim.send("POST /desks", { name: "A" })) }));
    const nobody = await caller("nobody");
    const visitor = await subject.running.key("vic");
    for (const _ of [1, 2]) {
      assert.equal((await nobody.send(`POST /tickets/${ticket}/open`)).status, 401);
      assert.equal((await nobody.send(`POST /tickets/${ticket}/open`, undefined, by(visitor))).status, 403);
    }
    assert.equal((await kim.send(`POST /tickets/${ticket}/open`)).status, 200);
    assert.equal((await kim.send(`POST /tickets/${ticket}/open`)).status, 429);
  },
);

on(
  "R8.5 a 429 has changed nothing, and its idempotency key does the work later",
  desks({ rate: "{ addDesk: 1/min per user }" }),
  async (subject, caller) => {
    const kim = await caller();
    await kim.send("POST /desks", { name: "A" });
    const refused = await kim.send("POST /desks", { name: "B" }, { "Idempotency-Key": "k" });
    assert.equal(refused.status, 429);
    const unread = await kim.send("POST /desks", "{", { "Content-Type": "text/plain", "Idempotency-Key": "k" });
    assert.equal(unread.status, 429, "before the body and its type");
    subject.running.pass(60_000);
    const later = await kim.send("POST /desks", { name: "B" }, { "Idempotency-Key": "k" });
    assert.deepEqual([later.status, later.headers["idempotent-replayed"]], [201, undefined]);
    subject.running.pass(60_000);
    const again = await kim.send("POST /desks", { name: "B" }, { "Idempotency-Key": "k" });
    assert.deepEqual(
      [again.status, again.headers["idempotent-replayed"], left(again)],
      [201, "true", ["addDesk-per-user 0"]],
      "what is left is that of now",
    );
  },
);

on(
  "a burst is told as the bucket that it is, and refilled all the time",
  desks({
    rate: '{ listTickets: "6/min per user, burst 3" }',
  }),
  async (subject, caller) => {
    const kim = await caller();
    for (const r of [2, 1, 0]) {
      const reply = await kim.send("GET /tickets");
      assert.deepEqual([policies(reply), left(reply)], [["listTickets-per-user 3/30"], [`listTickets-per-user ${r}`]]);
    }
    const refused = await kim.send("GET /tickets");
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers["retry-after"]) <= 10, "the next one is there in ten seconds");
    subject.running.pass(10_000);
    assert.equal((await kim.send("GET /tickets")).status, 200);
    assert.equal((await kim.send("GET /tickets")).status, 429);
  },
);

on(
  "R8.3 fifty at once at the edge: exactly as many as there is room for, of every kind of rate",
  desks({
    rate: '{ all: 20/min per user, anyone: 7/min per ip, getDesk: "60/h per user, burst 5", guessTicket: 3/15min per Ticket, closeTicket: 9/min per ip }',
  }),
  async (_, caller) => {
    const nobody = await caller("nobody");
    const rows = [
    ["per user", (await caller("a")).send, "GET /tickets", 20],
    ["a bucket", (await caller("b")).send, "GET /desks/dsk_x", 5],
    ["per record", (await caller("c")).send, "POST /tickets/tic_x/guess", 3],
    ["per ip", (await caller("d")).send, "POST /tickets/tic_x/close", 9],
    ["anyone", nobody.send, "GET /tickets", 7],
  ] as const; // biome-ignore format: a table
    for (const [what, send, line, room] of rows) {
      const body = line.endsWith("guess") ? { code: "----" } : undefined;
      const counts = await countCodes(fifty.map(() => send(line, body, from("192.0.2.7"))));
      assert.equal(counts["rate-limited"], 50 - room, what);
    }
  },
);

// ── Quotas ─────────────────────────────────────────────────────────────────────────────────────────────────────────

on(
  "R8.7 fifty at once at the edge: exactly the rest, of every kind of quota",
  desks({ quota: "{ addDesk: 12/day per user, Ticket: [9 in parked | open per user, 6 per Desk, 30/h per user] }" }),
  async (subject, caller) => {
    const kim = await caller();
    const made = await Promise.all(fifty.map((index) => kim.send("POST /desks", { name: `D${index}` })));
    assert.deepEqual(await countCodes(made.map((reply) => Promise.resolve(reply))), { 201: 12, "quota-exceeded": 38 });
    const [one, two] = made.filter(({ status }) => status === 201).map(idOf);
    const tickets = (desk: string | undefined) => countCodes(fifty.map(() => kim.send("POST /tickets", { desk })));
    assert.deepEqual(await tickets(one), { 201: 6, "quota-exceeded": 44 }, "six at a desk");
    assert.deepEqual(await tickets(two), { 201: 3, "quota-exceeded": 47 }, "nine for one clerk");
    const list = (await kim.send("GET /tickets?limit=100")).json as { items: readonly unknown[] };
    assert.equal(list.items.length, 9, "nothing is left of what was refused");
    const sam = await caller("sam");
    assert.deepEqual(await countCodes(fifty.map(() => sam.send("POST /tickets", { desk: two }))), {
      201: 3,
      "quota-exceeded": 47,
    });
    assert.deepEqual(subject.running.failures, []);
  },
);

on(
  "R8.7 a quota in a window counts successes alone, is told, and says when it ends",
  desks({ quota: "{ addDesk: 3/h per user }" }),
  async (subject, caller) => {
    const kim = await caller();
    const first = await kim.send("POST /desks", { name: "A" }, { "Idempotency-Key": "a" });
    assert.deepEqual([policies(first), left(first)], [["addDesk-per-user 3/3600"], ["addDesk-per-user 2"]]);
    const free = [
      await kim.send("POST /desks", { name: "A" }, { "Idempotency-Key": "a" }),
      await kim.send("POST /desks", { name: "A" }),
      await kim.send("POST /desks", { name: "" }),
      await kim.send("POST /desks", "{", { "Content-Type": "application/json" }),
    ];
    assert.deepEqual(free.map(codeOf), ["201", "already-exists", "invalid-request", "invalid-request"]);
    for (const reply of free) assert.deepEqual([policies(reply), left(reply)], [["addDesk-per-user 3/3600"], []]);
    assert.deepEqual(left(await kim.send("POST /desks", { name: "B" })), ["addDesk-per-user 1"]);
    assert.deepEqual(left(await kim.send("POST /desks", { name: "C" })), ["addDesk-per-user 0"]);
    const refused = await kim.send("POST /desks", { name: "D" }, { "Idempotency-Key": "d" });
    assert.deepEqual(
      [refused.status, codeOf(refused), violated(refused), left(refused)],
      [403, "quota-exceeded", ["addDesk-per-user"], ["addDesk-per-user 0"]],
    );
    const wait = Number(refused.headers["retry-after"]);
    assert.ok(wait > 3500 && wait <= 3600, String(wait));
    assert.equal(codeOf(await kim.send("POST /desks", { name: "C" })), "already-exists", "it is the last check of all");
    subject.running.pass(3_600_000);
    const later = await kim.send("POST /desks", { name: "D" }, { "Idempotency-Key": "d" });
    assert.deepEqual(
      [later.status, later.headers["idempotent-replayed"]],
      [201, undefined],
      "the refusal was kept under no key",
    );
  },
);

on(
  "R8.7 a quota of a day of a time zone begins again at local midnight",
  desks({ quota: "{ addDesk: 1/day in Asia/Kolkata per user, Ticket: 9/month in Asia/Kolkata per user }" }),
  async (subject, caller) => {
    const kim = await caller();
    const day = 86_400_000;
    const ahead = 5.5 * 3_600_000;
    const left = (): number => day - ((subject.running.now() + ahead) % day);
    // Not within a second of midnight.
    if (left() < 5000) subject.running.pass(left() + 1000);
    assert.equal(codeOf(await kim.send("POST /desks", { name: "A" })), "201");
    const refused = await kim.send("POST /desks", { name: "B" });
    assert.equal(codeOf(refused), "quota-exceeded");
    assert.ok(
      Math.abs(Number(refused.headers["retry-after"]) - left() / 1000) < 3,
      String(refused.headers["retry-after"]),
    );
    subject.running.pass(left() - 2000);
    assert.equal(codeOf(await kim.send("POST /desks", { name: "B" })), "quota-exceeded");
    subject.running.pass(3000);
    assert.equal(codeOf(await kim.send("POST /desks", { name: "B" })), "201");
    assert.equal(codeOf(await kim.send("POST /desks", { name: "C" })), "quota-exceeded");
  },
);

on(
  "R8.3 a rate of a day of a time zone begins again at local midnight",
  desks({ rate: "{ addDesk: 2/day in Asia/Kolkata per user }" }),
  async (subject, caller) => {
    const kim = await caller();
    const day = 86_400_000;
    const ahead = 5.5 * 3_600_000;
    const left = (): number => day - ((subject.running.now() + ahead) % day);
    // Not within a second of midnight.
    if (left() < 5000) subject.running.pass(left() + 1000);
    const first = await kim.send("POST /desks", { name: "A" });
    assert.equal(first.headers["ratelimit-policy"], '"addDesk-per-user";q=2;w=86400');
    const [, seconds] = /r=1;t=(\d+)/.exec(String(first.headers["ratelimit"])) ?? [];
    assert.ok(Math.abs(Number(seconds) - left() / 1000) < 3, String(seconds));
    assert.equal(codeOf(await kim.send("POST /desks", { name: "B" })), "201");
    const refused = await kim.send("POST /desks", { name: "C" });
    assert.equal(codeOf(refused), "rate-limited");
    assert.match(refused.text, /Too many requests: at most 2 in a day of Asia\/Kolkata/);
    const wait = Number(refused.headers["retry-after"]);
    assert.ok(Math.abs(wait - left() / 1000) < 3, String(wait));
    subject.running.pass(left() - 2000);
    assert.equal(codeOf(await kim.send("POST /desks", { name: "C" })), "rate-limited");
    subject.running.pass(3000);
    assert.equal(codeOf(await kim.send("POST /desks", { name: "C" })), "201");
  },
);

on(
  "a standing quota has no end to wait for, and is free again when a record is out of the count",
  desks({ quota: "{ Ticket: 1 in parked | open per user }" }),
  async (_, caller) => {
    const kim = await caller();
    const desk = idOf(await kim.send("POST /desks", { name: "A" }));
    const ticket = idOf(await kim.send("POST /tickets", { desk }));
    const refused = await kim.send("POST /tickets", { desk });
    assert.deepEqual(
      [refused.status, codeOf(refused), violated(refused), refused.headers["retry-after"]],
      [403, "quota-exceeded", ["Ticket-per-user"], undefined],
    );
    assert.equal((await kim.send(`POST /tickets/${ticket}/open`)).status, 200, "from one counted state to another");
    assert.equal((await kim.send(`POST /tickets/${ticket}/close`)).status, 200);
    assert.equal((await kim.send("POST /tickets", { desk })).status, 201);
    assert.equal(codeOf(await kim.send(`POST /tickets/${ticket}/reopen`)), "quota-exceeded");
    assert.equal(
      ((await kim.send(`GET /tickets/${ticket}`)).json as { state: string }).state,
      "closed",
      "the move was undone",
    );
  },
);

on("a record that becomes another's counts there", desks({ quota: "{ Ticket: 2 per Desk }" }), async (_, caller) => {
  const kim = await caller();
  const [one, two] = [
    idOf(await kim.send("POST /desks", { name: "A" })),
    idOf(await kim.send("POST /desks", { name: "B" })),
  ];
  for (const _ of [1, 2]) idOf(await kim.send("POST /tickets", { desk: one }));
  const moving = idOf(await kim.send("POST /tickets", { desk: two }));
  assert.equal(codeOf(await kim.send(`PATCH /tickets/${moving}`, { desk: one })), "quota-exceeded");
  assert.equal(codeOf(await kim.send(`PATCH /tickets/${moving}`, { note: "x" })), "200");
  idOf(await kim.send("POST /tickets", { desk: two }));
  assert.equal(codeOf(await kim.send("POST /tickets", { desk: two })), "quota-exceeded", "it stayed where it was");
});

on(
  "a full quota refuses the cause where an event would move a record into it",
  desks({ quota: "{ Desk: 1 in busy per user }" }),
  async (_, caller) => {
    const kim = await caller();
    const sam = await caller("sam");
    const desksOfKim = [
      idOf(await kim.send("POST /desks", { name: "A" })),
      idOf(await kim.send("POST /desks", { name: "B" })),
    ];
    const [one, two] = [
      idOf(await sam.send("POST /tickets", { desk: desksOfKim[0] })),
      idOf(await sam.send("POST /tickets", { desk: desksOfKim[1] })),
    ];
    assert.equal(codeOf(await sam.send(`POST /tickets/${one}/open`)), "200");
    const refused = await sam.send(`POST /tickets/${two}/open`, undefined, { "Idempotency-Key": "o" });
    assert.deepEqual(
      [codeOf(refused), violated(refused)],
      ["quota-exceeded", ["Desk-per-user"]],
      "it is Kim who has too many",
    );
    assert.equal(((await sam.send(`GET /tickets/${two}`)).json as { state: string }).state, "parked");
    assert.equal(codeOf(await sam.send(`POST /tickets/${one}/close`)), "200");
    assert.equal(codeOf(await sam.send(`POST /tickets/${two}/open`, undefined, { "Idempotency-Key": "o" })), "200");
  },
);

on(
  "where time would, the move is not made",
  desks({ quota: "{ Ticket: 1 in open per user }" }),
  async (subject, caller) => {
    const kim = await caller();
    const desk = idOf(await kim.send("POST /desks", { name: "A" }));
    for (const _ of [1, 2]) idOf(await kim.send("POST /tickets", { desk }));
    subject.running.pass(3_600_001);
    await subject.running.tick();
    const { items } = (await kim.send("GET /tickets?state=open")).json as { items: readonly unknown[] };
    assert.equal(items.length, 1);
    assert.match(subject.running.notices.join(), /not done, quota-exceeded/);
  },
);

on("without states all but the ended count", desks({ quota: "{ Ticket: 1 per user }" }), async (_, caller) => {
  const kim = await caller();
  const desk = idOf(await kim.send("POST /desks", { name: "A" }));
  const ticket = idOf(await kim.send("POST /tickets", { desk }));
  const { code } = (await kim.send(`GET /tickets/${ticket}`)).json as { code: string };
  assert.equal(codeOf(await kim.send("POST /tickets", { desk })), "quota-exceeded");
  assert.equal(codeOf(await kim.send(`POST /tickets/${ticket}/guess`, { code })), "200");
  assert.equal(codeOf(await kim.send("POST /tickets", { desk })), "201");
});

on(
  "a quota of records in a window counts what is made; per record what the body names",
  desks({ quota: "{ Ticket: 2/day per Desk, openTicket: 1/day per Ticket }" }),
  async (_, caller) => {
    const kim = await caller();
    const [one, two] = [
      idOf(await kim.send("POST /desks", { name: "A" })),
      idOf(await kim.send("POST /desks", { name: "B" })),
    ];
    const first = idOf(await kim.send("POST /tickets", { desk: one }));
    idOf(await kim.send("POST /tickets", { desk: one }));
    assert.equal(codeOf(await kim.send("POST /tickets", { desk: one })), "quota-exceeded");
    idOf(await kim.send("POST /tickets", { desk: two }));
    assert.equal(codeOf(await kim.send(`POST /tickets/${first}/open`)), "200");
    assert.equal(
      codeOf(await kim.send(`POST /tickets/${first}/open`)),
      "state-conflict",
      "a refusal does not count, and comes first",
    );
  },
);

// ── Sizes and times ────────────────────────────────────────────────────────────────────────────────────────────────

on(
  "a size of an operation takes the place of the general one, either way",
  desks({ size: "{ request: 1KB, addTicket: 4KB, addDesk: 100B }" }),
  async (subject, caller) => {
    const kim = await caller();
    const desk = idOf(await kim.send("POST /desks", { name: "A" }));
    const ticket = idOf(await kim.send("POST /tickets", { desk, note: "x".repeat(3000) }));
    assert.equal(codeOf(await kim.send("POST /tickets", { desk, note: "x".repeat(5000) })), "too-large");
    assert.equal(codeOf(await kim.send(`PATCH /tickets/${ticket}`, { note: "x".repeat(1100) })), "too-large");
    assert.equal(codeOf(await kim.send("POST /desks", { name: "B".padEnd(120) })), "too-large");
    assert.equal(subject.running.plan.limits.requestBytes, 1024);
  },
);

for (const store of stores) {
  void test(`a time of an operation: work whose turn comes too late is not begun (${store})`, async () => {
    let pass: (milliseconds: number) => void = () => {};
    await using subject = await serve(desks({ time: "{ request: 30s, addDesk: 2s }" }), {
      store,
      around: (real) => ({
        ...real,
        transaction: (work) => {
          pass(3000);
          return real.transaction(work);
        },
      }),
    });
    const kim = await callerOf(subject, "kim");
    pass = (milliseconds) => subject.running.pass(milliseconds);
    const late = await kim.send("POST /desks", { name: "A" });
    assert.deepEqual([late.status, codeOf(late), late.headers["retry-after"]], [503, "timed-out", "1"]);
    assert.equal(late.headers["ratelimit-policy"], undefined);
    pass = () => {};
    const desk = idOf(await kim.send("POST /desks", { name: "A" }));
    pass = (milliseconds) => subject.running.pass(milliseconds);
    assert.equal((await kim.send("POST /tickets", { desk })).status, 201, "others have longer");
  });
}

on(
  "a time of an operation: a body that takes longer is 408, also where others may take longer",
  desks({ time: "{ request: 30s, addDesk: 200ms }" }),
  async (subject, caller) => {
    await caller();
    const key = await subject.running.key("kim", "clerk");
    using connection = await subject.client.open();
    connection.write(
      `POST /desks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`,
    );
    const reply = await connection.next();
    assert.equal(reply?.status, 408);
  },
);
