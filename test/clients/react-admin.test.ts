/**
 * The unchanged data provider of react-admin for APIs like that of json-server, `ra-data-json-server`, works with
 * examples/back-office.md: every method of a data provider, and errors as react-admin shows them.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type AdminProvider, fetchUtils, HttpError, jsonServerProvider, type Row } from "./providers.ts";
import { emailOf, fillStock, openWorkshop, stores } from "./workshop.ts";

function providerOf(url: string, authorization?: string): AdminProvider {
  return jsonServerProvider(url, (address: string, options: object = {}) =>
    fetchUtils.fetchJson(address, {
      ...options,
      ...(authorization === undefined ? {} : { user: { authenticated: true, token: authorization } }),
    }),
  );
}

const firstPage = { pagination: { page: 1, perPage: 3 }, sort: { field: "name", order: "ASC" as const }, filter: {} };
const all = { pagination: { page: 1, perPage: 50 }, sort: { field: "id", order: "ASC" as const }, filter: {} };

interface RejectedCall extends Error {
  readonly status: number;
  readonly body: { readonly message: string; readonly errors: object };
}

/** Returns the error of a rejected call. */
async function errorOf(call: Promise<unknown>): Promise<RejectedCall> {
  try {
    await call;
  } catch (error) {
    assert(error instanceof HttpError, String(error));
    return error as RejectedCall;
  }
  throw new Error("the call should have been rejected");
}

for (const store of stores) {
  test(`react-admin's data provider works unchanged (${store})`, async (t) => {
    await using workshop = await openWorkshop(store);
    const admin = providerOf(workshop.url, workshop.manager);
    const make = async (resource: string, data: object): Promise<Row> => (await admin.create(resource, { data })).data;
    const stock = await fillStock(make, [
      { brand: "Gazelle", model: "Arroyo", frame: "GZ-0001", kind: "city" },
      { brand: "Brompton", model: "C Line", frame: "BR-0002", kind: "city" },
    ]);
    const { customers, repairs } = stock;
    const [nora, ada] = customers;
    const [bike, other] = stock.bikes;

    await t.test("create returns the record with its id", () => {
      assert.match(String(nora.id), /^cus_/);
      assert.deepEqual([nora["name"], typeof nora["since"]], ["Nora", "string"]);
      assert.equal(repairs[0]?.["state"], "booked");
    });

    await t.test("getList: pages and their total", async () => {
      const pages = [1, 2, 3, 4].map((page) =>
        admin.getList("customers", { ...firstPage, pagination: { page, perPage: 3 } }),
      );
      const found = await Promise.all(pages);
      assert.deepEqual(
        found.map(({ data, total }) => [data.map((one) => one["name"]), total]),
        [
          [["Bo", "Carl", "Ina"], 7],
          [["Nora", "Zoé", "ada"], 7],
          [["Émile"], 7],
          [[], 7],
        ],
      );
    });

    await t.test("getList: order by any column, in both directions, also by id", async () => {
      const sorted = async (resource: string, field: string, order: "ASC" | "DESC") =>
        (await admin.getList(resource, { ...all, sort: { field, order } })).data;
      const byId = customers.map(({ id }) => id);
      assert.deepEqual(
        (await sorted("customers", "id", "ASC")).map(({ id }) => id),
        byId,
      );
      assert.deepEqual(
        (await sorted("customers", "id", "DESC")).map(({ id }) => id),
        byId.toReversed(),
      );
      const prices = (await sorted("repairs", "price", "DESC")).map((one) => one["price"]);
      assert.deepEqual(prices, [3000, 2000, 1000, 0]);
    });

    await t.test("getList: filters, a search, and operators by their suffix", async () => {
      const faults = async (filter: object) => {
        const { data, total } = await admin.getList("repairs", { ...all, filter });
        assert.equal(total, data.length);
        return data.map((one) => one["fault"]);
      };
      assert.deepEqual(await faults({ state: "booked", bike: other.id }), ["Flat battery"]);
      assert.deepEqual(await faults({ q: "FLAT" }), ["flat tyre", "Flat battery"]);
      assert.deepEqual(await faults({ fault_like: "ligh" }), ["no light"]);
      assert.deepEqual(await faults({ price_gte: 1000, price_lte: 2000 }), ["brakes squeak", "no light"]);
      assert.deepEqual(await faults({ bike_ne: bike.id }), ["Flat battery"]);
      assert.deepEqual(await faults({ price: [0, 3000] }), ["flat tyre", "Flat battery"]);
      assert.deepEqual(await faults({ owner: ada.id }), ["Flat battery"]);
      assert.deepEqual(await faults({ price: [7] }), []);
    });

    await t.test("getOne, getMany and getManyReference", async () => {
      assert.deepEqual((await admin.getOne("customers", { id: nora.id })).data, nora);
      const many = await admin.getMany("customers", { ids: [nora.id, ada.id] });
      assert.deepEqual(new Set(many.data.map(({ id }) => id)), new Set([nora.id, ada.id]));
      const one = await admin.getMany("customers", { ids: [ada.id] });
      assert.deepEqual(one.data, [ada]);
      const ofBike = await admin.getManyReference("repairs", {
        ...{ target: "bike", id: bike.id, pagination: { page: 2, perPage: 2 } },
        ...{ sort: { field: "price", order: "ASC" }, filter: {} },
      });
      assert.deepEqual([ofBike.total, ofBike.data.map((one) => one["fault"])], [3, ["no light"]]);
    });

    await t.test("update sends the whole record, updateMany some of its members", async () => {
      const { data } = await admin.getOne("customers", { id: nora.id });
      const updated = await admin.update("customers", {
        id: nora.id,
        data: { ...data, phone: "+4712345678" },
        previousData: data,
      });
      assert.deepEqual(updated.data, { ...data, phone: "+4712345678" });
      const ids = repairs.slice(0, 2).map(({ id }) => id);
      assert.deepEqual((await admin.updateMany("repairs", { ids, data: { mechanic: "Max" } })).data, ids);
      const { data: after } = await admin.getList("repairs", { ...all, filter: { mechanic: "Max" } });
      assert.deepEqual(
        after.map(({ id, fault }) => [id, fault]),
        [
          [ids[0], "flat tyre"],
          [ids[1], "brakes squeak"],
        ],
      );
    });

    await t.test("delete and deleteMany return the ids", async () => {
      const [zoe, bo, emile] = customers.slice(2) as [Row, Row, Row];
      assert.deepEqual((await admin.delete("customers", { id: zoe.id, previousData: zoe })).data, { id: zoe.id });
      const ids = [bo.id, emile.id];
      assert.deepEqual((await admin.deleteMany("customers", { ids })).data, ids);
      assert.equal((await admin.getList("customers", firstPage)).total, 4);
    });

    await t.test("errors have the status, the message and the fields that react-admin shows", async () => {
      const invalid = await errorOf(admin.create("customers", { data: { name: "", email: "no" } }));
      assert.equal(invalid.status, 422);
      assert.deepEqual(Object.keys(invalid.body.errors), ["name", "email"]);
      assert.equal(invalid.message, invalid.body.message);
      const taken = await errorOf(admin.create("customers", { data: { name: "Nora", email: emailOf("Nora") } }));
      assert.deepEqual([taken.status, Object.keys(taken.body.errors)], [409, ["email"]]);
      const used = await errorOf(admin.delete("customers", { id: nora.id }));
      assert.equal(used.status, 409);
      const missing = await errorOf(admin.getOne("customers", { id: "cus_00000000000000000000000000" }));
      assert.equal(missing.status, 404);
      const denied = await errorOf(
        providerOf(workshop.url, workshop.mechanic).create("customers", { data: { name: "X", email: "x@x.example" } }),
      );
      assert.equal(denied.status, 403);
      assert.equal((await errorOf(providerOf(workshop.url).getList("customers", firstPage))).status, 401);
      const unsortable = { ...firstPage, sort: { field: "email", order: "ASC" as const } };
      assert.equal((await errorOf(admin.getList("customers", unsortable))).status, 400);
      assert.equal((await errorOf(admin.getList("customers", { ...firstPage, filter: { shoe: 42 } }))).status, 400);
    });

    await t.test("a page of another origin may read the total", async () => {
      const response = await fetch(`${workshop.url}/bikes`, {
        headers: { Authorization: workshop.manager, Origin: "http://localhost:5173" },
      });
      assert.equal(response.headers.get("x-total-count"), "2");
      assert.match(response.headers.get("access-control-expose-headers") ?? "", /\bX-Total-Count\b/);
    });
    assert.deepEqual(workshop.running.failures, []);
  });
}
