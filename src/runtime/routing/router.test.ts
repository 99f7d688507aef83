/** Tests that the router finds the same route as a search through all routes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Segment } from "../../plan/endpoints/types.ts";
import { pathSegments } from "../../language/endpoints/resolve.ts";
import { type Route, createRouter, literalPath } from "./router.ts";

/** `/tools/{id}` with the method in front. */
function route(text: string): Route<string> {
  const [method = "", path = ""] = text.split(" ");
  const segments = path
    .slice(1)
    .split("/")
    .map(
      (part): Segment =>
        part.startsWith("{") ? { kind: "parameter", name: part.slice(1, -1) } : { kind: "literal", text: part },
    );
  return { method, path: segments, target: text };
}

function find(routes: readonly string[], method: string, path: string): string {
  const found = createRouter(routes.map(route))(path.slice(1).split("/"), method);
  return found === undefined ? "" : `${found.methods.get(method) ?? "-"} ${JSON.stringify(found.parameters)}`;
}

test("R4.1 R4.3 which route serves a path", () => {
  const routes = [
    "GET /tools",
    "POST /tools",
    "GET /tools/{id}",
    "GET /tools/overdue",
    "POST /tools/{tool}/lend",
    "GET /{kind}/{id}/lend",
  ];
  const rows: readonly (readonly [string, string, string])[] = [
    ["GET", "/tools", "GET /tools {}"],
    ["DELETE", "/tools", "- {}"],
    ["GET", "/tools/t1", 'GET /tools/{id} {"id":"t1"}'],
    ["GET", "/tools/overdue", "GET /tools/overdue {}"],
    ["POST", "/tools/t1/lend", 'POST /tools/{tool}/lend {"tool":"t1"}'],
    ["GET", "/tools/t1/lend", "- {}"],
    ["GET", "/saws/s1/lend", 'GET /{kind}/{id}/lend {"kind":"saws","id":"s1"}'],
    ["GET", "/tools/", ""],
    ["GET", "/tools//lend", ""],
    ["GET", "/", ""],
    ["GET", "/tools/t1/lend/x", ""],
    ["GET", "/constructor", ""],
  ];
  for (const [method, path, expected] of rows) assert.equal(find(routes, method, path), expected, `${method} ${path}`);
});

test("a path leads where a search through all routes would, a literal before a parameter from the left", () => {
  const part = fc.constantFrom("a", "b", "{x}", "{y}");
  const template = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `GET /${parts.join("/")}`);
  const path = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.uniqueArray(template, { maxLength: 8, selector: (text) => text.replace(/\{\w\}/g, "{}") }),
      path,
      (templates, segments) => {
        const fits = templates.filter((text) => {
          const parts = text.slice(5).split("/");
          return (
            parts.length === segments.length &&
            parts.every((one, at) => one === segments[at] || (one.startsWith("{") && segments[at] !== ""))
          );
        });
        const order = (text: string) =>
          text
            .slice(5)
            .split("/")
            .map((one) => (one.startsWith("{") ? "1" : "0"))
            .join("");
        const [best] = fits.toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
        const found = createRouter(templates.map(route))(segments, "GET");
        assert.equal(found?.methods.get("GET"), best);
      },
    ),
  );
});

test("the path of a mount point", () => {
  assert.deepEqual(literalPath("/api/v1/"), [
    { kind: "literal", text: "api" },
    { kind: "literal", text: "v1" },
  ]);
  assert.deepEqual(literalPath(""), []);
});

test("R4.3 a path is found as it is written, and no other", () => {
  const text = fc.stringMatching(/^[a-c.:~-]{1,3}$/).filter((one) => one !== "." && one !== "..");
  const part = fc.oneof(
    text,
    fc.constant("{p}"),
    fc.tuple(text, text).map(([before, after]) => `${before}{p}${after}`),
    text.map((after) => `{p}${after}`),
    text.map((before) => `${before}{p}`),
  );
  const path = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "/"))
    .map(([parts, slash]) => `/${parts.map((one, index) => one.replace("{p}", `{p${index}}`)).join("/")}${slash}`);
  const value = fc.stringMatching(/^[a-c.:~-]{1,4}$/);
  const asked = fc.tuple(path, fc.array(value, { minLength: 3, maxLength: 3 }), fc.constantFrom("", "/", "x"));
  fc.assert(
    fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 8 }), asked, (written, [template, values, more]) => {
      const routes = written.map((one) => ({ method: "GET", path: pathSegments(one), target: one }));
      const router = createRouter(routes);
      const filled = (one: string) => one.replaceAll(/\{p(\d)\}/g, (_, index: string) => values[Number(index)] ?? "");
      for (const address of [...written.map(filled), `${filled(template)}${more}`]) {
        const found = router(address.slice(1).split("/"), "GET");
        const fits = written.filter((one) => expressionOf(one).test(address));
        if (found === undefined) assert.deepEqual(fits, [], address);
        else {
          assert(fits.includes(found.template), `${address} found ${found.template}, and fits ${fits.join(" ")}`);
          // Filling the parameters into the template returns the path.
          const again = found.template.replaceAll(/\{(p\d)\}/g, (_, name: string) => found.parameters[name] ?? "");
          assert.equal(again, address);
        }
      }
    }),
  );
});

/** An independent implementation: a parameter matches any non-empty text without a slash. */
function expressionOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.:~-]/g, String.raw`\$&`).replaceAll(/\{p\d\}/g, "[^/]+");
  return new RegExp(`^${escaped}$`);
}
