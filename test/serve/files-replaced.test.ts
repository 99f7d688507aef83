/** A PUT of a full record: a file that it does not mention stays unchanged, in every way that the PUT can take files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { documentOf } from "../enforced/document.ts";
import type { Reply } from "./client.ts";
import { faultsOf, served, type Subject } from "./scenario.ts";

const photo = "file(..1KB, image/png)";
const takes = { "size?": "integer(0..9)", "photo?": photo };

const others = {
  addThing: "POST /things",
  getThing: "GET /things/{id}",
  changeThing: "PATCH /things/{id}",
  getPhoto: "GET /things/{id}/photo",
  putPhoto: "PUT /things/{id}/photo",
};

interface Put {
  readonly id: string;
  readonly field: string;
  readonly putThing: Json;
  /** Of a form that makes a record. */
  readonly make: readonly [method: string, path: string];
}

const puts: Readonly<Record<string, Put>> = {
  "a PUT that creates": {
    id: "string(1..9), create-only",
    field: "photo?",
    putThing: "PUT /things/{id}",
    make: ["PUT", "/things/a"],
  },
  "a PUT that creates and says what it takes": {
    id: "string(1..9), create-only",
    field: "photo?",
    putThing: { at: "PUT /things/{id}", takes },
    make: ["PUT", "/things/a"],
  },
  "a PUT that says what it takes": {
    id: "id(thi)",
    field: "photo?",
    putThing: { at: "PUT /things/{id}", takes },
    make: ["POST", "/things"],
  },
  "a PUT that takes what is its own": {
    id: "id(thi)",
    field: "photo?",
    putThing: "PUT /things/{id}",
    make: ["POST", "/things"],
  },
  "a PUT of a record that has to have a file": {
    id: "id(thi)",
    field: "photo",
    putThing: "PUT /things/{id}",
    make: ["POST", "/things"],
  },
};

interface Thing {
  readonly id: string;
  readonly size?: number;
  readonly photo?: { readonly id: string; readonly name?: string };
}

const formOf = (bytes: string): FormData => {
  const form = new FormData();
  form.append("size", "1");
  form.append("photo", new Blob([bytes], { type: "image/png" }), "a.png");
  return form;
};

type Send = (method: string, path: string, body?: unknown) => Promise<Reply>;

/** Forms as they are, everything else as JSON. */
function sending(subject: Subject): Send {
  return async (method, path, body) => {
    if (!(body instanceof FormData))
      return subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
    const form = new Response(body);
    const headers = { "Content-Type": form.headers.get("content-type") ?? "" };
    return subject.client.send({ method, path, headers, body: Buffer.from(await form.arrayBuffer()) });
  };
}

for (const [what, { id, field, make, putThing }] of Object.entries(puts)) {
  const text = documentOf({
    resources: { Thing: { id, "size?": "integer(0..9)", [field]: photo } },
    endpoints: { endpoints: { ...others, putThing } },
  });
  served(what, text, (subject) => {
    const send = sending(subject);
    test("leaves the file that it does not mention", async () => {
      const made = await send(...make, formOf("one"));
      assert.equal(made.status, 201, made.text);
      const { id: key, photo: said } = made.json as Thing;
      assert.ok(said);
      const path = `/things/${key}`;
      const put = await send("PUT", path, { size: 2 });
      assert.equal(put.status, 200, put.text);
      assert.deepEqual(put.json, { ...(made.json as Thing), size: 2 });
      assert.deepEqual((await send("GET", path)).json, put.json);
      assert.equal((await send("GET", `${path}/photo`)).text, "one");
      assert.ok(await subject.running.store.files.piece(said.id, 0));
      // What is no file goes where it is left out.
      const less = await send("PUT", path, {});
      assert.deepEqual([less.status, less.json], [200, { id: key, photo: said }], less.text);
      const whole = await send("PUT", path, { ...(less.json as Thing), size: 4 });
      assert.deepEqual([whole.status, whole.json], [200, { id: key, size: 4, photo: said }], whole.text);
      const forged = await send("PUT", path, { photo: { ...said, id: "file_x" } });
      assert.equal(forged.status, 422, forged.text);
      if (field === "photo") return;
      const none = await send("PATCH", path, { photo: null });
      assert.deepEqual([none.status, none.json], [200, { id: key, size: 4 }], none.text);
      assert.equal(await subject.running.store.files.piece(said.id, 0), undefined);
      assert.deepEqual((await send("PUT", path, { size: 3 })).json, { id: key, size: 3 });
    });
  });
}

const strict = documentOf({
  resources: { Thing: { id: "string(1..9), create-only", "size?": "integer(0..9)", photo } },
  endpoints: { endpoints: { ...others, putThing: "PUT /things/{id}" } },
});

served("a PUT that creates a record that has to have a file", strict, (subject) => {
  const send = sending(subject);
  test("takes it in a form, and is refused without it", async () => {
    const bare = await send("PUT", "/things/a", { size: 2 });
    assert.deepEqual([bare.status, faultsOf(bare)], [422, ["#/photo required"]], bare.text);
    assert.equal((await send("PUT", "/things/a", formOf("one"))).status, 201);
    const again = await send("PUT", "/things/a", { size: 2 });
    assert.deepEqual([again.status, faultsOf(again)], [422, ["#/photo required"]], again.text);
    const other = await send("PUT", "/things/a", formOf("two"));
    assert.equal(other.status, 200, other.text);
    assert.equal((await send("GET", "/things/a/photo")).text, "two");
  });

  test("is described as a form only: no JSON could have the file", () => {
    const { paths } = openapi(subject.running.plan, "") as unknown as { paths: Paths };
    const content = paths["/things/{id}"]?.put?.requestBody.content ?? {};
    assert.deepEqual(Object.keys(content), ["multipart/form-data"]);
  });
});

const optional = documentOf({
  resources: { Thing: { id: "string(1..9), create-only", name: "string(1..9)", "photo?": photo } },
  endpoints: { endpoints: { ...others, putThing: "PUT /things/{id}" } },
});

served("a PUT that creates, as it is described", optional, (subject) => {
  test("JSON has no file and needs none; a form may have one", () => {
    const { components, paths } = openapi(subject.running.plan, "") as unknown as {
      paths: Paths;
      components: { schemas: Readonly<Record<string, Schema>> };
    };
    const content = paths["/things/{id}"]?.put?.requestBody.content ?? {};
    const json = components.schemas[content["application/json"]?.schema.$ref?.split("/").at(-1) ?? ""];
    assert.deepEqual([Object.keys(json?.properties ?? {}), json?.required], [["id", "name"], ["name"]]);
    const form = content["multipart/form-data"]?.schema;
    assert.deepEqual([Object.keys(form?.properties ?? {}), form?.required], [["id", "name", "photo"], ["name"]]);
  });
});

interface Schema {
  readonly $ref?: string;
  readonly properties?: object;
  readonly required?: readonly string[];
}

type Paths = Readonly<
  Record<
    string,
    {
      readonly put?: {
        readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
      };
    }
  >
>;
