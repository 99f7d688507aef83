/** `nonet serve --handlers` and `nonet types`: a document with a module of functions. */
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addressOf, finishedHere, nonet, root, temporaryFolder } from "./process.ts";

const document = join(root, "test", "serve", "documents", "kiosk.md");

const others = `buy: () => ({ order: "", left: 1, all: [] }), refill() {}, closeAll() {}, newest: () => "", audit: () => ({ year: 1, drinks: 1 })`;

function moduleOf(amount: string): string {
  return `import { handlers } from "nonet";
import type { Kiosk } from "./kiosk.types.ts";
const price: Kiosk["operations"]["quote"]["gives"] = { total: { amount: "${amount}", currency: "EUR" } };
export default handlers<Kiosk>({ quote: ({ fail, input }) => input.count === 9 ? fail("too-few") : price, ${others} });
`;
}

test("functions are typed, loaded, served and loaded anew when they change", async (t) => {
  const folder = temporaryFolder(t);
  copyFileSync(document, join(folder, "kiosk.md"));
  const module = join(folder, "kiosk.ts");
  writeFileSync(module, moduleOf("1.00"));
  assert.equal((await finishedHere(["types", "kiosk.md", "--out", "kiosk.types.ts"], { folder })).code, 0);
  assert.match(readFileSync(join(folder, "kiosk.types.ts"), "utf8"), /export interface Kiosk \{/);

  const serve = ["serve", "kiosk.md", "--port", "0", "--data", "memory", "--handlers", "kiosk.ts", "--watch"];
  const running = nonet(t, serve, { folder });
  const address = await addressOf(running);
  const quote = async () => {
    // Whatever it is of has to exist, and anybody may ask.
    const reply = await fetch(`${address}/quote`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ drink: "dri_00000000000000000000000000", count: 1 }),
    });
    return reply.status;
  };
  assert.equal(await quote(), 422);
  writeFileSync(module, moduleOf("2.00").replace("quote:", "qoute:"));
  await running.says(/there is no function `quote`, .*did you mean `qoute`\?/);
  await running.says(/is still served as it was before/);
  writeFileSync(module, moduleOf("3.00"));
  await running.says(/has changed and is served as it is now/);
  assert.equal(await quote(), 422);
});

test("what cannot be served with its functions says why, and ends with 1", async (t) => {
  const folder = temporaryFolder(t);
  copyFileSync(document, join(folder, "kiosk.md"));
  const refused = async (module: string | undefined, says: RegExp, code = 1) => {
    if (module !== undefined) writeFileSync(join(folder, "kiosk.ts"), module);
    const handlers = module === undefined ? [] : ["--handlers", "kiosk.ts"];
    const running = nonet(t, ["serve", "kiosk.md", "--port", "0", "--data", "memory", ...handlers], { folder });
    assert.equal(await running.ended, code);
    assert.match(running.output, says);
  };
  await refused(undefined, /a handler has to do `buy`, `quote`, .* --handlers FILE\.ts/);
  await refused(
    `export default { ${others} };`,
    /kiosk\.ts does not fit the document:\n {2}there is no function `quote`/,
  );
  await refused(
    `export default { ${others}, quote() {}, addDrink() {} };`,
    /`addDrink` is done by Nonet; write `does: handler` in part 4, or `before` or `after` here/,
  );
  await refused(
    `export default { ${others}, quote() {}, on: { "drink.gnoe"() {} }, every: { "5 minutes": {} } };`,
    /`drink\.gnoe` in `on` is no event that goes out .*did you mean `drink\.gone`\?\n {2}`5 minutes` in `every` is no time/,
  );
  await refused("export const quote = () => {};", /has no functions: write `export default handlers/);
  await refused("export default {", /kiosk\.ts cannot be loaded: .*/);
  const missing = nonet(t, ["serve", "kiosk.md", "--port", "0", "--handlers", "nowhere.ts"], { folder });
  assert.equal(await missing.ended, 2);
  assert.match(missing.output, /cannot read nowhere\.ts: there is no such file/);
});
