/** Data for every table of a store, for tests that copy all of it. */
import { sampleRow, fullView } from "./contract-tables.ts";
import type { Store } from "../../src/store/port/store.ts";

/** A text that is hard to carry. */
export const hardText = 'Größe \u{1f600} "quoted" \\ \n\t';

/** `name` is a site's. */
export async function fill(store: Store, name: string): Promise<void> {
  await store.keys.create({ id: "k", credential: "key", hash: "h", hint: "x", user: "ann", roles: ["a"], created: 1 });
  await store.secret("cursors", () => "s3cret");
  await store.pins.pin("key", "ann", "2026-03-01");
  await store.grants.put({ kind: "code", id: "c", group: "g", text: "{}", expires: 9e15 });
  await store.counts.save([{ name: "daily", key: "ann", used: 3, until: 9e15 }]);
  await store.files.append("fil_1", new Uint8Array([0, 1, 255, 10, 13]));
  await store.files.append("fil_1", new Uint8Array(70_000).fill(7));
  await store.transaction(async (tx) => {
    await tx.insert("Site", { id: "s1", name }, 1, fullView("Site"), {});
    await tx.insert("Thing", sampleRow("a", { site: "s1", flag: true, ratio: 0.1 + 0.2, tags: ["x", "ü"], count: 3 }), 1, fullView("Thing"), {}); // biome-ignore format: short
    await tx.insert("Thing", sampleRow("b", { parent: "a", flag: false, ratio: 1e300, count: Number.MAX_SAFE_INTEGER }), 7, fullView("Thing"), {}); // biome-ignore format: short
    await tx.insert("Ticket", { id: "t", state: "open", until: "2026-11-22T10:00:00.000Z" }, 1, fullView("Ticket"), {});
    await tx.saveResponse("ann", "key-1", { fingerprint: "f", status: 201, headers: { etag: '"1"' }, body: "{}", expires: 9e15 }); // biome-ignore format: short
    for (const record of ["a", "b"])
      await tx.record({ at: 5, resource: "Thing", record, to: "new", by: "ann", cause: "add", event: "thing.added", data: { id: record } }); // biome-ignore format: short
    await tx.setOffset("webhooks", 1);
    await tx.count("monthly", "ann", 1, 9e15);
    await tx.addSession({ hash: "sh", session: "ses", credential: "key", resource: "Thing", user: "a", use: "access", hint: "y", created: 1 }); // biome-ignore format: short
  });
}
