/** What an endpoint does, read from its method, path and words; what is not plain is said and never guessed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "../../document/read.ts";
import { readModel } from "../read.ts";
import { partsOf, type PathKey } from "./model.ts";
import { resolveEndpoint } from "./resolve.ts";

const head = `# T
## Resources and their fields
\`\`\`yaml
DeliveryRun: { id: id(run), code: "string, unique", nick: string }
Stop: { id: id(sto), run: DeliveryRun, first?: Person, second?: Person }
Person: { id: id(per), handle: "string, unique", word: "string, secret" }
Price: { id: id(pri), run?: DeliveryRun, product: string, currency: string, day: date }
Remark: { id: id(rem), price: Price }
Setting: { id: id(set), region: string, team: integer, name: string, old?: string }
Use: { id: id(use), setting: Setting }
rules: { Price: [unique product + currency, unique run + currency + day], Setting: unique region + team + name }
\`\`\`
## States and transitions
\`\`\`yaml
Stop:
  states: { open: o, closed: c }
  start: open
  moves: { open -> closed: by it }
\`\`\`
## Authentication
\`\`\`yaml
credentials: { pass: { kind: password, of: Person, name: handle, secret: word } }
\`\`\`
## Endpoints
`;

function meaning(line: string): string {
  const { model } = readModel(readDocument("t.md", `${head}\`\`\`yaml\nendpoints: { it: ${line} }\n\`\`\`\n`).document);
  const found = resolveEndpoint(model, "it");
  if (found === undefined) return "none";
  if (found.kind === "unclear") return `unclear ${found.what}: ${found.message}`;
  const columns = (key: PathKey): string =>
    partsOf(key)
      .map(({ column }) => column)
      .join("+");
  if (found.kind === "free") return `${found.action} ${found.resource ?? ""}`.trim();
  const parents = found.parents.map((parent) => ` < ${parent.resource}.${columns(parent)} (${parent.field})`).join("");
  const pathFields = found.pathFields?.map(({ column }) => ` in ${column}`).join("") ?? "";
  return `${found.action} ${found.resource}${found.key === undefined ? "" : `.${columns(found.key)}`}${pathFields}${parents}`;
}

const rows: readonly (readonly [line: string, meaning: string])[] = [
  ["GET /delivery-runs", "list DeliveryRun"],
  ['"GET /regions/{region}/teams/{team}/settings"', "list Setting in region in team"],
  ['"POST /regions/{region}/settings"', "create Setting in region"],
  ['{ at: "POST /regions/{region}/options", of: Setting }', "create Setting in region"],
  ['{ at: "GET /regions/{region}/options/{settingId}", of: Setting }', "read Setting.region+id"],
  ['"PUT /regions/{region}/teams/{team}/settings/{name}"', "replace Setting.region+team+name"],
  ['"GET /regions/{region}/settings/{name}"', "unclear key: `{name}` is not a unique field of Setting"],
  ['"POST /regions/{region}/teams/{team}/settings/{name}/uses"', "create Use < Setting.region+team+name (setting)"],
  ['"GET /regions/{old}/settings"', "unclear parent: `{old}` names no record by a unique field"],
  ['"GET /delivery-runs/{region}/settings"', "unclear parent: `{region}` names no record by a unique field"],
  ["GET /delivery_runs", "list DeliveryRun"],
  ["GET /deliveryRuns", "list DeliveryRun"],
  ["GET /api/v2/delivery-runs", "list DeliveryRun"],
  ["POST /delivery-runs", "create DeliveryRun"],
  ['"GET /delivery-runs/{id}"', "read DeliveryRun.id"],
  ['"GET /delivery-runs/{code}"', "read DeliveryRun.code"],
  ['"GET /delivery-runs/{deliveryRun}"', "read DeliveryRun.id"],
  ['"GET /delivery-runs/{delivery_run_id}"', "read DeliveryRun.id"],
  ['"GET /delivery-runs/{nick}"', "unclear key: `{nick}` is not a unique field of DeliveryRun"],
  ['"PATCH /delivery-runs/{id}"', "update DeliveryRun.id"],
  ['"PUT /delivery-runs/{id}"', "replace DeliveryRun.id"],
  ['"DELETE /delivery-runs/{id}"', "delete DeliveryRun.id"],
  ['"POST /delivery-runs/{id}/start"', "move DeliveryRun.id"],
  ['"POST /delivery-runs/{id}/doors/open"', "move DeliveryRun.id"],
  ['"GET /delivery-runs/{id}/map"', "read DeliveryRun.id"],
  ['"PATCH /delivery-runs/{id}/map"', "unclear deed: `PATCH /delivery-runs/{id}/map` does not determine what `it` does"],
  ['{ at: "PATCH /delivery-runs/{id}/map", does: update }', "update DeliveryRun.id"],
  ["GET /delivery-runs/late", "list DeliveryRun"],
  ["POST /delivery-runs/late", "unclear deed: `POST /delivery-runs/late` does not determine what `it` does"],
  ["DELETE /delivery-runs", "clear DeliveryRun"],
  ["DELETE /delivery-runs/late", "clear DeliveryRun"],
  ["{ at: DELETE /late-runs, of: DeliveryRun, does: delete }", "clear DeliveryRun"],
  ["{ at: GET /, of: DeliveryRun }", "list DeliveryRun"],
  ["{ at: POST /, of: DeliveryRun }", "create DeliveryRun"],
  ["{ at: DELETE /, of: DeliveryRun }", "clear DeliveryRun"],
  ['{ at: "GET /{id}", of: DeliveryRun }', "read DeliveryRun.id"],
  ['{ at: "PATCH /{code}", of: DeliveryRun }', "update DeliveryRun.code"],
  ['"GET /v2/delivery_runs/{run_id}/last_operation"', "read DeliveryRun.id"],
  ['{ at: "PUT /trips/{trip_id}", of: DeliveryRun }', "replace DeliveryRun.id"],
  ['{ at: "GET /trips/{runId}/stops", of: Stop }', "list Stop < DeliveryRun.id (run)"],
  ['{ at: "GET /trips/{code}/stops/{id}", of: Stop }', "read Stop.id < DeliveryRun.code (run)"],
  ['{ at: "GET /trips/{stop_id}", of: DeliveryRun }', "unclear key: `{stop_id}` is not a unique field of DeliveryRun"],
  ["{ at: GET /me, of: Person, the: id == caller.id }", "read Person"],
  ["{ at: PATCH /people/me, the: id == caller.id }", "update Person"],
  ["{ at: PUT /me, of: Person, the: id == caller.id }", "replace Person"],
  ["{ at: DELETE /me, of: Person, the: id == caller.id }", "delete Person"],
  ['{ at: "GET /delivery-runs/{id}/first", of: Stop, the: "true" }', "read Stop < DeliveryRun.id (run)"],
  ['{ at: "GET /people/{id}", the: "true" }', "unclear key: `{id}` cannot use `the`, because its path names the record"],
  ['{ at: "POST /cooks/{handle}/follow", of: Person, link: { in: Stop, with: { run: id } } }', "link Person.handle"],
  ['{ at: "DELETE /cooks/{handle}/follow", of: Person, unlink: { in: Stop, with: { run: id } } }', "unlink Person.handle"],
  ['"DELETE /stops/{id}"', "move Stop.id"],
  ['"GET /stops/{id}"', "read Stop.id"],
  ['"GET /delivery-runs/{code}/stops"', "list Stop < DeliveryRun.code (run)"],
  ['"POST /delivery-runs/{id}/stops"', "create Stop < DeliveryRun.id (run)"],
  ['"GET /delivery-runs/{id}/stops/{stop}"', "read Stop.id < DeliveryRun.id (run)"],
  ['"GET /delivery-runs/{id}/x/{other}/stops"', "unclear parent: `{other}` names no record by a unique field"],
  ['"GET /people/{handle}/stops"', "unclear parent: it is unclear which field of Stop refers to the Person of `{handle}`"],
  ['"GET /people/{handle}/delivery-runs"', "unclear parent: it is unclear which field of DeliveryRun refers to the Person of `{handle}`"],
  ["GET /feed", "unclear resource: `/feed` does not determine the resource of `it`"],
  ["{ at: GET /feed, of: DeliveryRun }", "list DeliveryRun"],
  ["{ at: POST /signup, of: Person }", "create Person"],
  ['{ at: "GET /cooks/{handle}", of: Person }', "read Person.handle"],
  ['{ at: "POST /cooks/{handle}/subscription", of: Person }', "move Person.handle"],
  ['{ at: "POST /delivery-runs/{id}/remarks", of: Stop }', "create Stop < DeliveryRun.id (run)"],
  ["{ at: GET /feed, of: Nobody }", "unclear resource: `/feed` does not determine the resource of `it`"],
  ["{ at: POST /quotes, does: handler }", "handler"],
  ["{ at: POST /login, does: login }", "login Person"],
  ["{ at: POST /people/renewal, does: renew }", "renew Person"],
  ["{ at: DELETE /stops/current, does: logout }", "logout Person"],
  ["{ at: POST /login, of: Stop, does: login }", "unclear login: `it` needs `with` and one of these credentials: `pass`"],
  ["{ at: GET /delivery-runs, does: read }", "unclear key: no part of `/delivery-runs` names one DeliveryRun"],
  ['{ at: "POST /delivery-runs/{id}/copy", does: create }', "unclear key: `{id}` cannot be in the path of a create"],
  ['"GET /prices/{product}/{currency}"', "read Price.product+currency"],
  ['"PUT /prices/{currency}/{product}"', "replace Price.currency+product"],
  ['"DELETE /prices/{product}/{currency}"', "delete Price.product+currency"],
  ['"POST /prices/{product}/{currency}/x"', "move Price.product+currency"],
  ['{ at: "GET /p/{product}/{currency}", of: Price }', "read Price.product+currency"],
  ['"GET /prices/{product}/{currency}/remarks"', "list Remark < Price.product+currency (price)"],
  ['"GET /prices/{product}/{currency}/remarks/{id}"', "read Remark.id < Price.product+currency (price)"],
  ['"GET /delivery-runs/{id}/prices/{day}/{currency}"', "read Price.day+currency < DeliveryRun.id (run)"],
  ['"GET /prices/{run.code}/{day}/{currency}"', "read Price.day+currency < DeliveryRun.code (run)"],
  ['"GET /prices/{run}/{day}/{currency}/remarks"', "list Remark < DeliveryRun.id (run) < Price.day+currency (price)"],
  ['"GET /prices/{product}"', "unclear key: `{product}` is not a unique field of Price"],
  ['"GET /prices/{product}/{day}"', "unclear key: `{product}` and `{day}` name no Price: no rule `unique product + day` declares it"],
  ['"GET /prices/{product}/{day}/remarks"', "unclear parent: `{day}` names no record by a unique field"],
  ['"GET /prices/{id}/{currency}"', "unclear key: `{currency}` names no record: `{id}` names the Price already"],
]; // biome-ignore format: a table

for (const [line, expected] of rows) {
  test(line, () => assert.equal(meaning(line), expected));
}
