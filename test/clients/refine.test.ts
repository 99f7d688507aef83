/**
 * The unchanged data provider `@refinedev/simple-rest` works with examples/back-office.md: every method of a refine data
 * provider, and errors as refine reads them.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { axiosInstance, type CrudFilter, refineProvider, type Row } from "./providers.ts";
import { emailOf, fillStock, openWorkshop, stores } from "./workshop.ts";

for (const store of stores) {
  test(`refine's data provider works unchanged (${store})`, async (t) => {
    await using workshop = await openWorkshop(store);
    axiosInstance.defaults.headers.common["Authorization"] = workshop.manager;
    const office = refineProvider(workshop.url);
    const make = async (resource: string, variables: object): Promise<Row> =>
      (await office.create({ resource, variables })).data;
    const stock = await fillStock(make, [
      { brand: "Gazelle", model: "Arroyo", frame: "GZ-0001", kind: "city" },
      { brand: "Gazelle", model: "Makki", frame: "GZ-0002", kind: "cargo" },
    ]);
    const { customers, repairs } = stock;
    const [nora, ada] = customers;
    const [, other] = stock.bikes;

    await t.test("getList: pages, their total, and no pages", async () => {
      const page = await office.getList({
        resource: "customers",
        pagination: { currentPage: 2, pageSize: 3 },
        sorters: [{ field: "name", order: "desc" }],
      });
      assert.deepEqual([page.data.map((one) => one["name"]), page.total], [["Nora", "Ina", "Carl"], 7]);
      const whole = await office.getList({ resource: "customers", pagination: { mode: "off" } });
      assert.deepEqual([whole.data.length, whole.total], [7, 7]);
    });

    await t.test("getList: several fields to sort by, each in its direction", async () => {
      const { data } = await office.getList({
        resource: "bikes",
        sorters: [
          { field: "brand", order: "asc" },
          { field: "model", order: "desc" },
        ],
      });
      assert.deepEqual(
        data.map((one) => one["model"]),
        ["Makki", "Arroyo"],
      );
    });

    await t.test("getList: every operator that the provider sends", async () => {
      const faults = async (...filters: readonly CrudFilter[]) => {
        const sorters = [{ field: "price", order: "asc" as const }];
        return (await office.getList({ resource: "repairs", filters: [...filters], sorters })).data.map(
          (one) => one["fault"],
        );
      };
      assert.deepEqual(await faults({ field: "bike", operator: "eq", value: other.id }), ["Flat battery"]);
      assert.deepEqual(await faults({ field: "bike", operator: "ne", value: other.id }), [
        "flat tyre",
        "brakes squeak",
        "no light",
      ]);
      assert.deepEqual(
        await faults(
          { field: "price", operator: "gte", value: 1000 },
          { field: "price", operator: "lte", value: 2000 },
        ),
        ["brakes squeak", "no light"],
      );
      assert.deepEqual(await faults({ field: "fault", operator: "contains", value: "flat" }), [
        "flat tyre",
        "Flat battery",
      ]);
      assert.deepEqual(await faults({ field: "price", operator: "in", value: [0, 2000] }), ["flat tyre", "no light"]);
      assert.deepEqual(await faults({ field: "q", operator: "eq", value: "squeak" }), ["brakes squeak"]);
    });

    await t.test("getOne and getMany", async () => {
      assert.deepEqual((await office.getOne({ resource: "customers", id: nora.id })).data, nora);
      const many = await office.getMany({ resource: "customers", ids: [ada.id, nora.id] });
      assert.deepEqual(new Set(many.data.map(({ id }) => id)), new Set([nora.id, ada.id]));
    });

    await t.test("update sends some members with PATCH, or the record with PUT", async () => {
      const variables = { phone: "+4712345678" };
      const patched = await office.update({ resource: "customers", id: nora.id, variables });
      assert.deepEqual(patched.data, { ...nora, ...variables });
      const put = await office.update({
        ...{ resource: "customers", id: nora.id, variables: { ...patched.data, name: "Nora N." } },
        meta: { method: "put" },
      });
      assert.deepEqual(put.data, { ...nora, ...variables, name: "Nora N." });
    });

    await t.test("deleteOne returns the record's id; custom runs any other operation", async () => {
      const [, , , bo] = customers as [Row, Row, Row, Row];
      assert.deepEqual((await office.deleteOne({ resource: "customers", id: bo.id })).data, { id: bo.id });
      const [repair] = repairs as [Row];
      const started = await office.custom({ url: `${workshop.url}/repairs/${repair.id}/start`, method: "post" });
      assert.equal(started.data["state"], "running");
      const payload = { price: 2500 };
      const done = await office.custom({ url: `${workshop.url}/repairs/${repair.id}/finish`, method: "post", payload });
      assert.deepEqual([done.data["state"], done.data["price"]], ["done", 2500]);
    });

    await t.test("errors have the status and the message that refine shows", async () => {
      const rejected = async (call: Promise<unknown>): Promise<readonly unknown[]> => {
        const error = await call.then(
          () => assert.fail("the call should have been rejected"),
          (thrown: unknown) => thrown as { readonly statusCode: number; readonly message: string },
        );
        return [error.statusCode, error.message];
      };
      assert.deepEqual(await rejected(office.create({ resource: "customers", variables: { email: emailOf("new") } })), [
        422,
        "name is required",
      ]);
      assert.equal((await rejected(office.deleteOne({ resource: "customers", id: nora.id })))[0], 409);
      assert.equal(
        (await rejected(office.getOne({ resource: "customers", id: "cus_00000000000000000000000000" })))[0],
        404,
      );
      const [repair] = repairs as [Row];
      const again = office.custom({ url: `${workshop.url}/repairs/${repair.id}/start`, method: "post" });
      assert.equal((await rejected(again))[0], 409);
      const unsortable = office.getList({ resource: "customers", sorters: [{ field: "email", order: "asc" }] });
      assert.equal((await rejected(unsortable))[0], 400);
    });
    assert.deepEqual(workshop.running.failures, []);
  });
}
