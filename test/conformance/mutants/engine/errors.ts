/** Mistakes about errors (part 7). */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../../../src/base/json.ts";
import type { ErrorPlan } from "../../../../src/plan/errors/types.ts";
import { ask, type Expected, type Step } from "../../../enforced/proof.ts";
import { type Change, type EngineMutant, mutantsOf } from "./mutant.ts";
import { saw } from "./resources.ts";
import { environment } from "./signing.ts";
import { planned, responses, texts, withField } from "./wrappers.ts";

const heavy = (gets: Expected): Step => ask("ann POST /things", { ...saw, weight: 51 }, gets);

export const errorMutants: readonly EngineMutant[] = [
  ...mutantsOf("things", {
    "an error has another status": [
      errors("too-heavy", (error) => ({ ...error, status: 409, statuses: [409] })),
      heavy("422 too-heavy"),
    ],
    "an error has another code": [
      errors("too-heavy", (error) => ({ ...error, wire: "heavy" })),
      heavy("422 too-heavy"),
    ],
    "an error has another title": [
      errors("too-heavy", (error) => ({ ...error, title: "Too heavy" })),
      heavy({ status: "422", has: { title: "Only large things are heavy" } }),
    ],
    "an error says another status than it has": [
      texts((text, { status }) => (status === 422 ? text.replace('"status":422', '"status":400') : text)),
      heavy({ status: "422", has: { status: 422 } }),
    ],
    "an error has a stack trace": [
      texts((text, { status }) =>
        status >= 400
          ? text.replace(/\}$/, ',"stack":"TypeError: x is undefined at handle (/srv/app/server.js:10:5)"}')
          : text,
      ),
      heavy({ status: "422", lacks: ["server.js"] }),
    ],
    "an error is JSON of no kind": [
      responses((response) =>
        response.status >= 400 ? withField(response, "content-type", "application/json") : response,
      ),
      heavy({ status: "422", headers: { "Content-Type": /^application\/problem\+json/ } }),
    ],
    "an error is a page": [
      responses((response) =>
        response.status >= 400
          ? withField({ ...response, body: "<html><body>Error</body></html>" }, "content-type", "text/html")
          : response,
      ),
      heavy({ status: "422", headers: { "Content-Type": /json/ } }),
    ],
    "a response reports the first violation alone": [
      texts((text, { status }) => (status === 422 ? firstAlone(text) : text)),
      ask("ann POST /things", { name: "a", weight: 0, serial: "a" }, ({ json }) =>
        assert.equal((json as { readonly errors: readonly Json[] }).errors.length, 3),
      ),
    ],
    "a response does not report where a violation is": [
      texts((text, { status }) => (status === 422 ? text.replaceAll(/"pointer":"[^"]*",?/g, "") : text)),
      ask("ann POST /things", { ...saw, weight: 0 }, "422 #/weight too-small"),
    ],
    "a body that is null is an internal error": [
      responses((response, _, service) =>
        response.status === 422 && String(response.body).includes('"pointer":"#"')
          ? service.reject("internal")
          : response,
      ),
      ask("ann POST /things", null, "422"),
    ],
    "a wrong method is an unknown path": [
      responses((response, request, service) =>
        response.status === 405 ? service.reject("not-found", { httpRequest: request }) : response,
      ),
      ask("ann PUT /things/thi_1", {}, "405 method-not-allowed"),
    ],
    "a wrong method has no list of the right ones": [
      responses((response) => (response.status === 405 ? withField(response, "allow") : response)),
      ask("ann PUT /things/thi_1", {}, { status: "405", headers: { Allow: /GET/ } }),
    ],
    "an unknown path is answered with 200": [
      responses((response) => (response.status === 404 ? { ...response, status: 200 } : response)),
      ask("ann GET /nothing", "404 not-found"),
    ],
    "an id that there is not is an internal error": [
      responses((response, _, service) => (response.status === 404 ? service.reject("internal") : response)),
      ask("ann GET /things/thi_00000000000000000000000000", "404 not-found"),
    ],
  }),
  ...mutantsOf("plain", {
    "errors have the usual body": [
      planned(() => ({ problemBody: "problem+json" })),
      ask("POST /things", { name: "" }, { status: "422", has: { field: "name" } }),
    ],
    "a message is not the one of the document": [
      errors("not-found", ({ message: _, ...error }) => ({ ...error, title: "Not found" })),
      ask("GET /things/thi_00000000000000000000000000", { status: "404", has: { detail: "There is no such thing" } }),
    ],
  }),
  ...mutantsOf(
    "parcel-lockers",
    {
      "an error does not say when to try again": [
        errors("no-free-locker", ({ retryAfterSeconds: _, ...error }) => error),
        async (scene) => {
          const key = await scene.running.key("olga", "operator");
          const courier = await scene.running.key("ann", "courier");
          const by = (secret: string) => ({ Authorization: `Bearer ${secret}` });
          const site = await scene.send({
            method: "POST",
            path: "/sites",
            headers: by(key),
            body: { name: "Mall", address: { street: "Main 1", postcode: "0150", country: "NO" } },
          });
          const { id } = site.json as { readonly id: string };
          const parcel = {
            site: id,
            size: "small",
            trackingNumber: "ANA-000001",
            recipientEmail: "a@example.org",
            weightKg: 2,
          };
          const reply = await scene.send({ method: "POST", path: "/parcels", headers: by(courier), body: parcel });
          assert.equal(reply.status, 409, reply.text);
          assert.equal(reply.headers["retry-after"], "600");
        },
      ],
    },
    { environment },
  ),
];

function firstAlone(text: string): string {
  const { errors: all = [], ...rest } = JSON.parse(text) as JsonObject & { readonly errors?: readonly Json[] };
  return JSON.stringify({ ...rest, errors: all.slice(0, 1) });
}

function errors(code: string, change: (error: ErrorPlan) => ErrorPlan): Change {
  return planned((plan) => ({
    errors: Object.fromEntries(
      Object.entries(plan.errors).map(([name, error]) => [name, name === code ? change(error) : error]),
    ),
  }));
}
