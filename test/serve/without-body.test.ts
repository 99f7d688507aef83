/** Operations whose response is only a status: each action has its effect, and no data of the record is sent. */
import { archive, snapshots } from "./archive.ts";
import { play, served } from "./scenario.ts";

const silent = archive
  .replace("addTag: POST /tags", 'addTag: { at: "POST /tags", status: 204 }')
  .replace("putBinder: PUT /binders/{id}", 'putBinder: { at: "PUT /binders/{id}", status: 204 }')
  .replace("changeShelf: PATCH /shelves/{id}", 'changeShelf: { at: "PATCH /shelves/{id}", status: 204 }')
  .replace("replaceBox: PUT /boxes/{id}", 'replaceBox: { at: "PUT /boxes/{id}", status: 204 }');

served("answers without a body", silent, (subject) => {
  const { add, get, sendWith } = snapshots(subject);
  const nothing = {
    headers: { "Content-Type": null, ETag: null, "Content-Length": null, "Cache-Control": "no-store" },
  };
  const ada = async () => ({ Authorization: `Bearer ${await subject.running.key("ada")}` });

  play(subject, [
    {
      name: "R4.7 a create says where the record is, and no more",
      send: async () => ({ method: "POST", path: "/tags", headers: await ada(), body: { name: "quiet" } }),
      status: 204,
      ...nothing,
      then: async (reply) => {
        const made = await get("ada", reply.headers["location"] ?? "");
        if (made.json["name"] !== "quiet") throw new Error(reply.headers["location"]);
      },
    },
    {
      name: "R4.7 a PUT that creates",
      send: async () => ({ method: "PUT", path: "/binders/red", headers: await ada(), body: { kind: "ring" } }),
      status: 201,
      headers: { "Content-Type": null, ETag: null, "Content-Length": "0", Location: "/binders/red" },
      lacks: ["ring"],
    },
    {
      name: "R4.7 a PUT that does not",
      send: async () => ({ method: "PUT", path: "/binders/red", headers: await ada(), body: { kind: "ring" } }),
      status: 204,
      ...nothing,
    },
    {
      name: "R4.7 an edit",
      send: async () => {
        const id = await add("ada", "/shelves", { label: "before" });
        return { method: "PATCH", path: `/shelves/${id}`, headers: await ada(), body: { label: "after" } };
      },
      status: 204,
      ...nothing,
    },
    {
      name: "R4.8 an edit that changes nothing",
      send: async () => {
        const id = await add("ada", "/shelves", { label: "before" });
        return { method: "PATCH", path: `/shelves/${id}`, headers: await ada(), body: {} };
      },
      status: 204,
      ...nothing,
    },
    {
      name: "R4.7 a PUT of what is there",
      send: async () => {
        const shelf = await add("ada", "/shelves", { label: "one" });
        const box = await add("ada", "/boxes", { label: "one", shelf });
        return { method: "PUT", path: `/boxes/${box}`, headers: await ada(), body: { label: "two", shelf } };
      },
      status: 204,
      ...nothing,
    },
    {
      name: "R4.16 a stale edit is a problem as ever",
      send: async () => {
        const id = await add("ada", "/shelves", { label: "before" });
        const stale = { "If-Match": '"old"' };
        const refused = await sendWith("ada", "PATCH", `/shelves/${id}`, { label: "after" }, stale);
        if (refused.status !== 412) throw new Error(refused.text);
        return { method: "GET", path: `/shelves/${id}`, headers: await ada() };
      },
      status: 200,
      has: { label: "before" },
    },
  ]);
});
