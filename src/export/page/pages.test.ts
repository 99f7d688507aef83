/** The pages as answers: what each client is given, with which header fields. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../../test/enforced/document.ts";
import { at, baseUrl, checked, checkedFlagship, checkedLibrary } from "../../../test/export/documents.ts";
import type { JsonObject } from "../../base/json.ts";
import { openapi } from "../openapi/openapi.ts";
import { type PageResponse, servicePages } from "./pages.ts";

const flagship = servicePages({ ...checkedFlagship, baseUrl: () => `${baseUrl}/` });
const library = servicePages({ ...checkedLibrary, baseUrl: () => baseUrl });

async function get(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  pages = flagship,
): Promise<PageResponse> {
  const given = path.split("/").slice(1);
  const parameters: Record<string, string> = {};
  const found = pages.find((page) => {
    if (page.path.length !== given.length) return false;
    return page.path.every((segment, index) => {
      if (segment.kind === "literal") return segment.text === given[index];
      parameters[segment.name] = given[index] ?? "";
      return true;
    });
  });
  assert.ok(found, `there is a page at ${path}`);
  return found.page({ headers: { get: (name) => headers[name] } }, parameters, () => checkedFlagship);
}

function header({ headers }: PageResponse, name: string): string | undefined {
  const index = headers.indexOf(name);
  return index === -1 ? undefined : headers[index + 1];
}

test("/ is HTML for those who ask for it and JSON for everybody else", async () => {
  const rows = [
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8"],
    ["TEXT/HTML", "text/html; charset=utf-8"],
    ["application/json, text/html;q=0.5", "application/json"],
    ["text/html;q=0, */*", "application/json"],
    ["application/json", "application/json"],
    ["*/*", "application/json"],
    [undefined, "application/json"],
  ] as const;
  for (const [accept, type] of rows) {
    const answer = await get("/", accept === undefined ? {} : { accept });
    assert.equal(header(answer, "Content-Type"), type, accept ?? "nothing");
    assert.equal(header(answer, "Vary"), "Accept");
    for (const relation of ["service-desc", "service-doc", "status"]) {
      assert.match(header(answer, "Link") ?? "", new RegExp(`rel="${relation}"`), "R1.1");
    }
  }
});

test("the page is at /document if the document has an operation at /, and every description says so", async () => {
  const { plan, result } = checked(
    documentOf({ endpoints: { endpoints: { listThings: { at: "GET /", of: "Thing" } } } }),
  );
  const pages = servicePages({ plan, result, baseUrl: () => baseUrl });
  assert.match(String((await get("/document", { accept: "text/html" }, pages)).body), /<h1>/);
  const { links } = JSON.parse(String((await get("/document", {}, pages)).body)) as { links: { document: string } };
  assert.equal(links.document, `${baseUrl}/document`);
  const catalogue = await get("/.well-known/api-catalog", {}, pages);
  assert.match(String(catalogue.body), new RegExp(`"service-doc":\\[\\{"href":"${baseUrl}/document"`));
});

test("/ has the address for agents, and how to connect one", async () => {
  const { plan, result } = checked(
    documentOf({ endpoints: { base: "{base_url}/v1", mcp: { at: "/mcp", for: "admin" } } }),
  );
  const pages = servicePages({ plan, result, baseUrl: () => baseUrl });
  const { body } = await get("/", { accept: "text/html" }, pages);
  assert.match(
    String(body),
    new RegExp(`add <a href="${baseUrl}/v1/mcp"[^>]*>${baseUrl}/v1/mcp</a> to it as a server`),
  );
  assert.match(String(body), /; for <code>admin<\/code>/);
  assert.doesNotMatch(String((await get("/", { accept: "text/html" })).body), /Model Context Protocol/);
});

test("only pages with HTML loosen the policy, and only for the stylesheet and the icon", async () => {
  const policy = (await get("/", { accept: "text/html" })).policy ?? "";
  assert.match(policy, /^default-src 'none'; style-src 'self'; img-src data:;/);
  assert.doesNotMatch(policy, /script-src|unsafe|connect-src/);
  assert.equal((await get("/")).policy, undefined);
  assert.equal((await get("/openapi.json")).policy, undefined);
});

test("/openapi.json is the exported document, and 304 for who has it, compressed or not", async () => {
  const answer = await get("/openapi.json");
  assert.deepEqual(JSON.parse(answer.body ?? ""), openapi(checkedFlagship.plan, baseUrl));
  const tag = header(answer, "ETag") ?? "";
  for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, tag.replace(/"$/, '-br"'), "*"]) {
    const again = await get("/openapi.json", { "if-none-match": sent });
    assert.deepEqual([again.status, again.body], [304, undefined], sent);
  }
  assert.equal((await get("/openapi.json", { "if-none-match": '"other"' })).status, 200);
  assert.notEqual(header(await get("/openapi.json", {}, library), "ETag"), tag);
});

test("/errors/{code} explains each error there is, and nothing else", async () => {
  for (const code of Object.keys(checkedFlagship.plan.errors)) {
    const { status, body = "" } = await get(`/errors/${code}`);
    assert.equal(status, 200, code);
    assert.match(body, new RegExp(`<h1><code>${code}</code></h1>`));
  }
  assert.match((await get("/errors/no-free-locker")).body ?? "", /after 10 minutes[\s\S]*announceParcel/);
  assert.doesNotMatch((await get("/errors/no-free-locker")).body ?? "", /takeBack/);
  for (const code of ["nothing", "constructor", "__proto__", "<b>"])
    assert.equal((await get(`/errors/${code}`)).status, 404, code);
});

test("/.well-known/api-catalog names the API and what describes it (RFC 9727)", async () => {
  const answer = await get("/.well-known/api-catalog", {}, library);
  assert.match(header(answer, "Content-Type") ?? "", /^application\/linkset\+json; profile=/);
  const links = at(JSON.parse(answer.body ?? "") as JsonObject, "linkset", 0);
  assert.equal(links["anchor"], `${baseUrl}/v1`);
  assert.deepEqual(links["service-desc"], [{ href: `${baseUrl}/openapi.json`, type: "application/json" }]);
});

test("the JSON at / says where things are", async () => {
  const description = JSON.parse((await get("/", {}, library)).body ?? "") as JsonObject;
  assert.deepEqual(description, {
    service: "reading-rooms",
    title: "Reading Rooms",
    purpose: "Keep track of what is on which shelf.",
    operations: 8,
    links: {
      operations: `${baseUrl}/v1`,
      openapi: `${baseUrl}/openapi.json`,
      document: `${baseUrl}/`,
      status: `${baseUrl}/readyz`,
    },
  });
});

test("a page asks for nothing of other hosts and runs nothing", async () => {
  for (const pages of [flagship, library]) {
    const body = (await get("/", { accept: "text/html" }, pages)).body ?? "";
    assert.doesNotMatch(body, /<script|<iframe|<img|<object|\sstyle=|\son\w+=|@import/i);
    const fetched = [...body.matchAll(/<link[^>]+href="([^"]+)"/g)].map((match) => (match[1] as string).slice(0, 24));
    assert.deepEqual(
      fetched,
      ["data:image/svg+xml,%3Csvg", "./assets/style.css"].map((one) => one.slice(0, 24)),
    );
  }
  assert.doesNotMatch((await get("/assets/style.css")).body ?? "", /url\(|@import/);
});

test("the address is the one that the service has at the moment", async () => {
  let port = 1;
  const pages = servicePages({ ...checkedFlagship, baseUrl: () => `http://127.0.0.1:${port}` });
  assert.match((await get("/openapi.json", {}, pages)).body ?? "", /127\.0\.0\.1:1"/);
  port = 2;
  assert.match((await get("/openapi.json", {}, pages)).body ?? "", /127\.0\.0\.1:2"/);
});

test("the same document in one YAML file is shown too", async () => {
  const { result, plan } = checkedFlagship;
  const pages = servicePages({
    result: { ...result, name: "lockers.yaml", text: "purpose: { service: lockers } # <b>" },
    plan,
    baseUrl: () => baseUrl,
  });
  assert.match(
    (await get("/", { accept: "text/html" }, pages)).body ?? "",
    /<h2>The document<\/h2><pre tabindex="0"><code><span class="key">purpose<\/span>[^\n]*&lt;b&gt;/,
  );
});
