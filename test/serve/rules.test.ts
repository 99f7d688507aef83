/** Computed values must fit their fields, like values from callers (language, section 1). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentText, faultsOf, served } from "./scenario.ts";

served("values that are worked out", documentText("tally"), (subject) => {
  const send = (method: string, path: string, body?: unknown) =>
    subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
  let made = 0;
  const tally = async (fields: object = {}): Promise<string> => {
    made += 1;
    const reply = await send("POST", "/tallies", { text: `t${made}`, ...fields });
    assert.equal(reply.status, 201, reply.text);
    return `/tallies/${(reply.json as { id: string }).id}`;
  };

  const pushes: readonly (readonly [body: object, status: number, outcome: object | readonly string[]])[] = [
    [{ by: 9 }, 200, { count: 10, double: 20 }],
    [{ by: 10 }, 422, ["#/count too-large", "#/double too-large"]],
    [{ by: -1 }, 200, { count: 0, double: 0 }],
    [{ by: -2 }, 422, ["#/count too-small", "#/double too-small"]],
    [{ size: "large" }, 200, { size: "large" }],
    [{ size: "medium" }, 422, ["#/size not-one-of"]],
    [{ note: "abcde" }, 200, { note: "abcde" }],
    [{ note: "abcdef" }, 422, ["#/note too-long"]],
    [{ note: "" }, 422, ["#/note too-short"]],
    [{}, 200, { size: "small" }],
    [{ more: 1 }, 200, { big: 9007199254740991 }],
    [{ parts: 0.5 }, 200, { share: 2 }],
    [{ parts: 0.01 }, 422, ["#/share too-large"]],
  ];
  for (const [body, status, outcome] of pushes) {
    test(`a move that sets ${JSON.stringify(body)} is ${status}`, async () => {
      const path = await tally();
      const before = await send("GET", path);
      const reply = await send("POST", `${path}/push`, body);
      assert.equal(reply.status, status, reply.text);
      if (status === 200) assert.partialDeepStrictEqual(reply.json, outcome);
      else {
        assert.deepEqual(faultsOf(reply), outcome);
        assert.equal((await send("GET", path)).text, before.text, "nothing is kept");
      }
    });
  }

  for (const body of [{ more: 2 }]) {
    test(`what has no value is refused, not rounded: ${JSON.stringify(body)}`, async () => {
      const path = await tally();
      const before = await send("GET", path);
      const reply = await send("POST", `${path}/push`, body);
      assert.equal(reply.status, 422, reply.text);
      assert.equal((await send("GET", path)).text, before.text);
    });
  }

  test("a computed field has to fit as well, at creation and at a change", async () => {
    for (const text of ["much too long for it", "", "!!!"]) {
      const reply = await send("POST", "/tallies", { text });
      assert.equal(reply.status, 422, reply.text);
      assert.match(faultsOf(reply).join(), /^#\/slug too-(long|short)$/);
    }
    const path = await tally();
    const reply = await send("PATCH", path, { text: "much too long for it" });
    assert.deepEqual([reply.status, faultsOf(reply)], [422, ["#/slug too-long"]]);
  });

  test("what would not fit in a record that is moved in turn refuses it all", async () => {
    const lid = ((await send("POST", "/lids", {})).json as { id: string }).id;
    const path = await tally({ lid });
    await send("POST", `${path}/push`, { by: 5 });
    const reply = await send("POST", `${path}/shut`);
    assert.equal(reply.status, 422, reply.text);
    assert.equal(((await send("GET", path)).json as { state: string }).state, "open");
    assert.equal(((await send("GET", `/lids/${lid}`)).json as { state: string }).state, "up");
    await send("POST", `${path}/push`, { by: -2 });
    assert.equal((await send("POST", `${path}/shut`)).status, 200);
    assert.partialDeepStrictEqual((await send("GET", `/lids/${lid}`)).json, { state: "down", weight: 5 });
  });
});
