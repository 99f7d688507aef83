/** Paths with renamed resources and fields: below other records, of handlers, and without any record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceFunctions } from "../../../src/runtime/functions/functions.ts";
import { documentOf } from "../../enforced/document.ts";
import { newest, oldest, servedVersions } from "./of-versions.ts";

const ward = (entries: readonly string[]): string =>
  documentOf({
    resources: {
      Doctor: { id: "string(2..20)", name: "string(1..20)" },
      Visit: { id: "id(vis)", doctor: "Doctor", "reviewer?": "Doctor", reason: "string(0..20)" },
    },
    endpoints: {
      endpoints: {
        putDoctor: "PUT /doctors/{doctor}",
        getDoctor: "GET /doctors/{doctor}",
        addVisit: "POST /doctors/{doctor}/visits",
        listVisits: "GET /doctors/{doctor}/visits",
        getVisit: "GET /doctors/{doctor}/visits/{id}",
        count: { at: "GET /doctors/{doctor}/count", does: "handler", gives: { visits: "integer" } },
        report: {
          at: "GET /report",
          does: "handler",
          wire: { answers: { "200": { type: "string(..100)", media: ["text/plain"] } } },
        },
        figures: { at: "GET /figures", gives: { doctors: "Doctor.filter(d, d.name != 'x').size()" } },
      },
    },
    versioning: {
      scheme: "dated",
      sent: "header Version",
      absent: "newest",
      versions: { [newest]: entries, [oldest]: "first" },
    },
  });

const functions: ServiceFunctions = {
  count: async ({ record, records }) => {
    const { items } = (await records["Visit"]?.list({ where: { doctor: record?.["id"] as string } })) ?? { items: [] };
    return { visits: items.length };
  },
  report: () => Promise.resolve({ status: 200, body: "all is well" }),
};

const names = ["rename Physician -> Doctor", "rename Visit.physician -> doctor"];
const moved = [
  "path putDoctor, was PUT /physicians/{physician}",
  "path getDoctor, was GET /physicians/{physician}",
  "path addVisit, was POST /physicians/{physician}/visits",
  "path listVisits, was GET /physicians/{physician}/visits",
  "path getVisit, was GET /physicians/{physician}/visits/{id}",
  "path count, was GET /physicians/{physician}/how-many",
  "path report, was GET /reports/all",
  "path figures, was GET /numbers",
];

interface Paths {
  readonly doctors: string;
  readonly count: string;
  readonly report: string;
  readonly figures: string;
}

const now: Paths = { doctors: "doctors", count: "count", report: "report", figures: "figures" };
const then: Paths = { doctors: "physicians", count: "how-many", report: "reports/all", figures: "numbers" };

const rows: readonly (readonly [string, readonly string[], Paths])[] = [
  ["whose paths have stayed", names, now],
  ["whose paths have other names as well", [...names, ...moved], then],
  ["whose paths alone are others", moved.map((entry) => entry.replaceAll("{physician}", "{doctor}")), then],
];

for (const [title, entries, older] of rows) {
  const field = entries.includes(names[1] as string) ? "physician" : "doctor";
  servedVersions(
    `records ${title}`,
    ward(entries),
    (send) => {
      for (const [version, paths, doctor] of [
        [oldest, older, field],
        [newest, now, "doctor"],
      ] as const) {
        test(`R9.3 every path of ${version} leads where it did`, async () => {
          const at = `/${paths.doctors}/${version}` as const;
          const put = await send(`PUT ${at}`, { version, body: { name: "Anna" } });
          assert.equal(put.status, 201, put.text);
          assert.equal((await send(`GET ${at}`, { version })).status, 200);
          const made = await send(`POST ${at}/visits`, { version, body: { reason: "" } });
          const visit = made.json as { readonly id: string };
          assert.deepEqual([made.status, made.json], [201, { id: visit.id, [doctor]: version, reason: "" }]);
          const list = await send(`GET ${at}/visits`, { version });
          assert.deepEqual(list.json, { items: [visit], next: null });
          assert.deepEqual((await send(`GET ${at}/visits/${visit.id}`, { version })).json, visit);
          assert.equal((await send(`GET /${paths.doctors}/nobody/visits/${visit.id}`, { version })).status, 404);
        });
        test(`R9.3 functions are reached as they were in ${version}`, async () => {
          const at = `/${paths.doctors}/${version}-too` as const;
          await send(`PUT ${at}`, { version, body: { name: "Ben" } });
          assert.deepEqual((await send(`GET ${at}/${paths.count}`, { version })).json, { visits: 0 });
          assert.equal((await send(`GET /${paths.doctors}/nobody/${paths.count}`, { version })).status, 404);
          assert.equal((await send(`GET /${paths.report}`, { version })).text, "all is well");
        });
        test(`R9.3 what is told of the service as a whole is told in ${version}`, async () => {
          await send(`PUT /${paths.doctors}/${version}-three`, { version, body: { name: "Cleo" } });
          const told = (await send(`GET /${paths.figures}`, { version })).json as { readonly doctors: number };
          assert.ok(told.doctors > 0, JSON.stringify(told));
        });
      }
    },
    functions,
  );
}
