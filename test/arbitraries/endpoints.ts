/** Generates any valid part 4. */
import fc from "fast-check";
import type { Grant } from "../../src/language/authentication/model.ts";
import {
  actions,
  type Endpoint,
  type Endpoints,
  type ResponseTemplate,
  type ListStyle,
  listKinds,
  type ListNames,
  listWords,
  pageLinks,
  severalValues,
  methods,
  type Parameter,
  idempotencyScopes,
  type EndpointContract,
} from "../../src/language/endpoints/model.ts";
import { fields, fieldTypes, json } from "./resources.ts";
import { durations, expressions, kebabNames, names, paths, records, resourceNames, sentences } from "./words.ts";
import { furtherWrites } from "./states.ts";

function headerFields(): fc.Arbitrary<Readonly<Record<string, string>>> {
  return records(fc.constantFrom("X-Total-Count", "Content-Range", "x", "If"), expressions, 2);
}

const parameterNames = fc
  .tuple(fc.constantFrom("", "x_", "filter["), fc.constantFrom("", "_ne", "]", ".gte"))
  .map(([before, after]) => `${before}{field}${after}`);

const orders = fc.uniqueArray(fc.record({ field: names, descending: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ field }) => field,
});

const lists: fc.Arbitrary<ListStyle> = fc.record(
  {
    kind: fc.constantFrom(...listKinds),
    size: fc.integer({ min: 1, max: 500 }),
    max: fc.integer({ min: 500, max: 999 }),
    clamped: fc.constant(true as const),
    bare: fc.constant(true as const),
    links: fc.subarray([...pageLinks], { minLength: 1 }),
    headers: headerFields(),
    operators: fc.record(
      {
        ne: parameterNames,
        gte: parameterNames,
        contains: parameterNames,
        null: parameterNames,
        in: fc.record({ as: parameterNames, several: fc.constantFrom(...severalValues) }),
      },
      { requiredKeys: ["ne"] },
    ),
    names: fc.record(
      Object.fromEntries(listWords.map((word) => [word, names])) as Record<keyof ListNames, typeof names>,
      {
        requiredKeys: [],
      },
    ),
  },
  { requiredKeys: ["kind"] },
);

const choices = fc.record(
  { from: resourceNames, if: expressions, else: kebabNames },
  { requiredKeys: ["from", "else"] },
);

const links = fc.record({ in: resourceNames, with: records(names, expressions, 2) });

const filters = fc.record({ type: fieldTypes, if: expressions }, { requiredKeys: ["if"] });

const successes = fc.integer({ min: 200, max: 299 });

const outcomes = ["given", "changed", "created", "same", "accepted", "differs"];

const statuses = fc
  .record(
    {
      created: successes,
      same: successes,
      accepted: fc.record({ status: successes, if: expressions }, { requiredKeys: ["status"] }),
      differs: kebabNames,
      errors: fc.dictionary(
        kebabNames.filter((name) => !outcomes.includes(name)),
        fc.integer({ min: 400, max: 599 }),
        { minKeys: 1, maxKeys: 2 },
      ),
    },
    { requiredKeys: [] },
  )
  .filter((some) => Object.keys(some).length > 0);

const optionally: { requiredKeys: [] } = { requiredKeys: [] };

const parameters = records(
  fc.oneof(names, fc.constantFrom("page[size]", "X-Trace", "$top", "per-page", "@type", "__proto__")),
  fc
    .tuple(fc.boolean(), fieldTypes, fc.record({ note: sentences, example: json }, optionally))
    .map(([optional, type, more]): Parameter => ({ optional, type, ...more })),
  2,
);

const mediaTypes = fc.uniqueArray(
  fc.constantFrom("application/json", "text/plain", "multipart/form-data", "application/vnd.x+json; v=1"),
  { minLength: 1, maxLength: 2 },
);

/** What stands in a path is there. */
function present(all: Readonly<Record<string, Parameter>>): Readonly<Record<string, Parameter>> {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, { ...one, optional: false }]));
}

const wires: fc.Arbitrary<EndpointContract> = fc.record(
  {
    path: parameters.map(present),
    query: parameters,
    header: parameters,
    cookie: parameters,
    body: fc
      .tuple(fc.boolean(), fc.record({ type: fieldTypes, media: mediaTypes, note: sentences }, optionally))
      .map(([optional, more]) => ({ optional, ...more })),
    answers: records(
      fc.constantFrom("200", "201", "404", "4XX", "default"),
      fc.record({ type: fieldTypes, media: mediaTypes, headers: parameters, note: sentences }, optionally),
      2,
    ),
  },
  optionally,
);

const anyEndpoint: fc.Arbitrary<Endpoint> = fc.record(
  {
    method: fc.constantFrom(...methods),
    path: paths,
    of: resourceNames,
    does: fc.constantFrom(...actions),
    takes: fields,
    gives: fc.letrec<{ given: ResponseTemplate; members: ResponseTemplate }>((tie) => ({
      given: fc.oneof({ maxDepth: 2 }, expressions, fc.constantFrom("Out[]", "count", "none"), tie("members")),
      members: records(names, tie("given"), 3),
    })).given,
    shape: fields,
    choose: records(names, choices, 2),
    status: successes,
    lists,
    order: orders,
    headers: headerFields(),
    where: expressions,
    wire: wires,
    else: kebabNames,
    statuses,
    the: expressions,
    link: links,
    also: furtherWrites,
    unlink: links,
    filters: records(names, filters, 2),
    query: fields,
    if: expressions,
  },
  { requiredKeys: ["method", "path"] },
);

/** What a handler gives is said by types, what anything else gives by expressions. */
const endpoints: fc.Arbitrary<Endpoint> = anyEndpoint.map(({ gives, shape, wire, if: guard, ...every }) => {
  // A condition needs its error.
  const rest = guard === undefined || every.else === undefined ? every : { ...every, if: guard };
  if (rest.does === "handler" || rest.does === "none")
    return { ...rest, ...(shape === undefined ? {} : { shape }), ...(wire === undefined ? {} : { wire }) };
  const knownContract = wire === undefined ? {} : { knownContract: wire };
  return { ...rest, ...(gives === undefined ? {} : { gives }), ...knownContract };
});
const origins = fc.uniqueArray(
  fc.constantFrom("https://app.example", "https://*.example", "http://localhost:*", "capacitor://localhost"),
  { minLength: 1 },
);

const agentGrants: fc.Arbitrary<readonly Grant[]> = fc.uniqueArray(
  fc.constantFrom<Grant>({ who: { kind: "signed-in" } }, { who: { kind: "role", role: "clerk" } }),
  { minLength: 1 },
);

export const endpointParts: fc.Arbitrary<Endpoints> = fc.record(
  {
    base: fc.constantFrom("{base_url}", "{base_url}/v1", "https://api.example.com", "http://localhost:8080/x"),
    lists,
    edits: fc.constantFrom("required" as const, "optional" as const, "none" as const),
    repeats: fc.oneof(
      fc.constant("none" as const),
      fc.record(
        {
          header: fc.constantFrom("Idempotency-Key", "x-repeat"),
          on: fc.constantFrom(...idempotencyScopes),
          required: fc.boolean(),
          kept: durations,
        },
        { requiredKeys: ["header", "on", "required"] },
      ),
    ),
    wrap: fc.record(
      { one: fc.constantFrom("{resource}", "data", "the-{resource}"), many: fc.constantFrom("{resources}", "data") },
      { requiredKeys: [] },
    ),
    cors: fc.oneof(
      fc.constant("none" as const),
      fc.record(
        { origins: origins, credentials: fc.constant(true as const), keep: durations },
        { requiredKeys: ["origins"] },
      ),
      fc.constant({ origins: "any" as const }),
    ),
    mcp: fc.oneof(
      fc.constant("none" as const),
      fc.record({ at: fc.constantFrom("/mcp", "/v1/agents"), for: agentGrants }, { requiredKeys: ["at"] }),
    ),
    endpoints: records(names, endpoints),
  },
  { requiredKeys: ["endpoints"] },
);
