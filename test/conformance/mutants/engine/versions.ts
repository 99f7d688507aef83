/** Mistakes about versions (part 9). */
import type { VersionPlan } from "../../../../src/plan/versioning/conversion-types.ts";
import { ask, pass, type Scene } from "../../../enforced/proof.ts";
import { type Change, type EngineMutant, mutantsOf } from "./mutant.ts";
import { bodies, planned, requests, responses, texts, withField, withFields } from "./wrappers.ts";

const old = "\nX-Version: 2026-03-01";
const make = ask("POST /things", { count: 3, size: "large" }, "201");

export const versionMutants: readonly EngineMutant[] = mutantsOf("versions", {
  "an older version has the newest responses": [
    requests((request) => (request.method === "GET" ? withFields(request, { "x-version": undefined }) : request)),
    make,
    ask(`GET /things/{1}${old}`, { has: { amount: 3 }, lacks: ["count"] }),
  ],
  "an older version has the newest requests": [
    requests((request) => (request.method === "POST" ? withFields(request, { "x-version": undefined }) : request)),
    ask(`POST /things${old}`, { amount: 3 }, "201"),
  ],
  "the newest version accepts the older names": [
    bodies("POST", ({ amount, ...body }) => (amount === undefined ? body : { count: amount, ...body })),
    ask("POST /things", { amount: 3 }, "422 #/amount unknown-field"),
  ],
  "an older version shows a newer value": [
    texts((text, _, { headers }) =>
      headers.get("x-version") === "2026-03-01" ? text.replace('"size":"small"', '"size":"large"') : text,
    ),
    make,
    ask(`GET /things/{1}${old}`, { has: { size: "small" } }),
  ],
  "a list of an older version has the newest names": [
    requests((request) =>
      request.method === "GET" && request.target === "/things"
        ? withFields(request, { "x-version": undefined })
        : request,
    ),
    make,
    ask(`GET /things${old}`, { items: [{ amount: 3 }] }),
  ],
  "an unknown version is the newest one": [
    requests((request) =>
      /^2026-0[39]-01$/.test(request.headers.get("x-version") ?? "")
        ? request
        : withFields(request, { "x-version": undefined }),
    ),
    ask("GET /things\nX-Version: 2020-01-01", "400 invalid-request"),
  ],
  "no version is the oldest one": [
    planned(({ versions }) => (versions === undefined ? {} : { versions: { ...versions, absent: "oldest" } })),
    make,
  ],
  "responses do not say that a version is deprecated": [
    responses((response) => withField(response, "deprecation")),
    ask(`GET /things${old}`, { headers: { Deprecation: /^@\d+$/ } }),
  ],
  "responses do not say when a version ends": [
    responses((response) => withField(response, "sunset")),
    ask(`GET /things${old}`, { headers: { Sunset: "Sun, 01 Mar 2099 00:00:00 GMT" } }),
  ],
  "the newest version is deprecated, too": [
    responses((response) => withField(response, "deprecation", "@1788220800")),
    ask("GET /things", { headers: { Deprecation: null } }),
  ],
  "responses do not name the guide": [
    responses((response) => withField(response, "link")),
    ask(`GET /things${old}`, { headers: { Link: /docs\.example/ } }),
  ],
  "a version is served after its end": [
    list(({ deprecated: { sunset: _, ...deprecated } = {}, ...version }) => ({ ...version, deprecated })),
    make,
    untilEnd,
    ask(`GET /things/{1}${old}`, "410 version-gone"),
  ],
  "a version ends too early": [
    list(({ deprecated, ...version }) => ({
      ...version,
      ...(deprecated && { deprecated: { ...deprecated, sunset: Date.parse("2026-10-01") } }),
    })),
    ask(`GET /things${old}`, "200"),
  ],
});

function list(change: (version: VersionPlan) => VersionPlan): Change {
  return planned(({ versions }) =>
    versions === undefined ? {} : { versions: { ...versions, list: versions.list.map(change) } },
  );
}

/** Time passes until the older version has ended. */
function untilEnd(scene: Scene): Promise<void> {
  return pass(Date.parse("2099-03-02") - scene.running.now())(scene);
}
