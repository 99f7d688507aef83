/** A hidden field appears nowhere: not in bodies, filters, sorts or errors, and guesses reveal nothing (R5.9). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Reply } from "./client.ts";
import { by, documentText, faultsOf, served } from "./scenario.ts";

type Person = "pia" | "paul" | "tina";

served("fields", documentText("diary"), (subject) => {
  const keys = {} as Record<Person, { readonly Authorization: string }>;
  let day = 0;
  before(async () => {
    keys.pia = by(await subject.running.key("pia"));
    keys.paul = by(await subject.running.key("paul"));
    keys.tina = by(await subject.running.key("tina", "teacher"));
  });
  const send = (who: Person, method: string, path: string, body?: unknown): Promise<Reply> =>
    subject.client.send({ method, path, headers: keys[who], ...(body === undefined ? {} : { body }) });
  const entry = async (fields: object = {}): Promise<{ id: string; path: string; pin: string; reply: Reply }> => {
    day += 1;
    const reply = await send("pia", "POST", "/entries", {
      title: "t",
      day,
      mood: "secretly sad",
      badge: `b${day}`,
      ...fields,
    });
    assert.equal(reply.status, 201, reply.text);
    const { id, pin } = reply.json as { id: string; pin: string };
    return { id, path: `/entries/${id}`, pin, reply };
  };

  const shown: Readonly<Record<Person, readonly string[]>> = {
    pia: ["owner", "mood", "pin"],
    paul: [],
    tina: ["owner", "grade", "heat", "warmth", "badge"],
  };
  const hidden = ["owner", "mood", "grade", "pin", "heat", "warmth", "badge"];
  const seen = ({ text }: Reply): readonly string[] => hidden.filter((name) => text.includes(`"${name}"`));

  test("R2.9 R5.9 answers of every kind have what the caller sees of that record, and no more", async () => {
    const { path, reply, id } = await entry();
    assert.deepEqual(seen(reply), shown.pia, "create");
    for (const who of ["pia", "paul", "tina"] as const) {
      const expected = shown[who].toSorted();
      const check = (name: string, given: Reply): void => {
        assert.equal(given.status, 200, given.text);
        assert.deepEqual(seen(given).toSorted(), expected, `${name} by ${who}: ${given.text}`);
      };
      check("read", await send(who, "GET", path));
      check("patch", await send(who, "PATCH", path, { title: `by ${who}` }));
      check("patch of nothing", await send(who, "PATCH", path, {}));
      const { json } = await send(who, "GET", path);
      check("put", await send(who, "PUT", path, json));
      const list = (await send(who, "GET", "/entries?limit=200")).json as { items: { id: string }[] };
      const item = list.items.find((each) => each.id === id);
      assert.deepEqual(hidden.filter((name) => Object.hasOwn(item ?? {}, name)).toSorted(), expected, `list by ${who}`);
    }
    const graded = await send("tina", "POST", `${path}/grade`, { grade: 7 });
    assert.deepEqual(seen(graded).toSorted(), shown.tina.toSorted(), "move");
    const { json } = await send("pia", "GET", path);
    assert.equal((json as { mood: string }).mood, "secretly sad", "what the others did not see they did not change");
  });

  test("R5.9 an answer of the operation's own shape hides as well, also what it tells of another record", async () => {
    const { path, id, pin } = await entry();
    const note = ((await send("paul", "POST", "/notes", { entry: id, text: "n" })).json as { id: string }).id;
    const glance = async (who: Person, at: string) => (await send(who, "POST", `${at}/glance`)).json;
    assert.deepEqual(await glance("pia", path), { name: "t", pin });
    assert.deepEqual(await glance("paul", path), { name: "t" });
    assert.deepEqual(await glance("tina", path), { name: "t", grade: 5 });
    assert.deepEqual(await glance("paul", `/notes/${note}`), { title: "t" });
    assert.deepEqual(await glance("tina", `/notes/${note}`), { title: "t", grade: 5 });
  });

  test("R4.13 who does not see a field of every record can neither filter nor sort by it", async () => {
    await entry();
    for (const who of ["pia", "paul", "tina"] as const) {
      for (const name of ["owner", "mood", "grade", "pin", "warmth"]) {
        const open = who === "tina" && ["owner", "grade", "warmth"].includes(name);
        const value = ["grade", "warmth"].includes(name) ? "5" : "x";
        for (const query of [`${name}=${value}`, `${name}[in]=${value}`, `${name}[gte]=${value}`]) {
          const reply = await send(who, "GET", `/entries?${query}`);
          const ordered = !query.includes("gte") || value === "5";
          assert.equal(reply.status, open && ordered ? 200 : 400, `${who} ${query}`);
          if (reply.status !== 400) continue;
          const unheard = await send(who, "GET", `/entries?${query.replace(name, "unheard")}`);
          assert.equal(same(reply).replaceAll(name, "unheard"), same(unheard), "like a field that there is not");
        }
        const sorted = await send(who, "GET", `/entries?sort=-${name}`);
        assert.equal(sorted.status, open && name !== "owner" ? 200 : 400, `${who} sort ${name}`);
        if (sorted.status !== 400) continue;
        const unheard = await send(who, "GET", "/entries?sort=-unheard");
        assert.equal(same(sorted).replaceAll(name, "unheard"), same(unheard));
      }
    }
  });

  test("R5.9 R2.4 a guess at a hidden value is answered like a field that there is not, right or wrong", async () => {
    const { path, pin } = await entry();
    const guesses: readonly (readonly [who: Person, name: string, right: unknown, wrong: unknown])[] = [
      ["paul", "pin", pin, "000000"],
      ["tina", "pin", pin, "000000"],
      ["paul", "grade", 5, 6],
      ["pia", "grade", 5, 6],
      ["paul", "heat", 10, 11],
      ["pia", "warmth", 6, 7],
      ["paul", "owner", "pia", "paul"],
    ];
    for (const [who, name, right, wrong] of guesses) {
      for (const method of ["PATCH", "PUT"]) {
        const rest = method === "PUT" ? { title: "t", day } : {};
        for (const value of [right, wrong]) {
          const reply = await send(who, method, path, { ...rest, [name]: value });
          assert.deepEqual(
            [reply.status, faultsOf(reply)],
            [422, [`#/${name} unknown-field`]],
            `${who} ${method} ${name}`,
          );
          const unheard = await send(who, method, path, { ...rest, unheard: value });
          assert.equal(same(reply).replaceAll(name, "unheard"), same(unheard));
        }
      }
    }
    for (const [who, name, right, wrong] of [
      ["pia", "pin", pin, "000000"],
      ["tina", "grade", 5, 6],
      ["tina", "heat", 10, 11],
    ] as const) {
      assert.equal((await send(who, "PATCH", path, { [name]: right })).status, 200, `R2.4 ${who} sees ${name}`);
      const reply = await send(who, "PATCH", path, { [name]: wrong });
      assert.deepEqual(faultsOf(reply), [`#/${name} read-only`]);
    }
  });

  test("R2.11 R5.9 a conflict names what the caller sent or sees", async () => {
    const { reply } = await entry();
    const taken = await send("paul", "POST", "/entries", { title: "t", day: 1000, badge: `b${day}` });
    assert.deepEqual([taken.status, faultsOf(taken)], [409, ["#/badge already-exists"]]);
    const twice = await send("pia", "POST", "/entries", { title: "t", day: (reply.json as { day: number }).day });
    assert.deepEqual([twice.status, faultsOf(twice)], [409, ["#/day already-exists", "#/owner already-exists"]]);
  });

  test("what is hidden may be written where the document lets it, and is kept", async () => {
    const { path } = await entry({ plan: { goal: "g", where: "w" } });
    assert.equal((await send("paul", "PATCH", path, { mood: "from paul" })).status, 200);
    assert.equal(((await send("pia", "GET", path)).json as { mood: string }).mood, "from paul");
    const put = await send("paul", "PUT", path, { title: "t2" });
    assert.equal(put.status, 200, put.text);
    const after = (await send("pia", "GET", path)).json as Record<string, unknown>;
    assert.deepEqual([after["mood"], after["plan"]], ["from paul", undefined]);
    assert.equal(((await send("tina", "GET", path)).json as { badge: string }).badge, `b${day}`);
  });
});

/** Status, headers and body but for the request's own. */
function same({ status, headers, text }: Reply): string {
  const { date: _date, "request-id": id = "", "content-length": _length, ...rest } = headers;
  return JSON.stringify([status, rest, text.replaceAll(id, "")]);
}
