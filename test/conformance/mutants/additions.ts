/**
 * Changes that the types of a model do not imply: what a statement could say besides what it says. Another type of a field, a
 * modifier that it does not have, a grant for one role more, a guard, a wider transition, another path.
 */
import { resolveEndpoint, doesOf } from "../../../src/language/endpoints/resolve.ts";
import type { Grant } from "../../../src/language/authentication/model.ts";
import type { Endpoint, Endpoints, ListStyle } from "../../../src/language/endpoints/model.ts";
import type { Errors } from "../../../src/language/errors/model.ts";
import type { OutEvent } from "../../../src/language/events/model.ts";
import type { Rate } from "../../../src/language/limits/model.ts";
import type { Model } from "../../../src/language/model.ts";
import { lookup } from "../../../src/language/resources/fields.ts";
import type { Field, FieldType, Modifier } from "../../../src/language/resources/model.ts";
import type { Lifecycle, Transition, Trigger } from "../../../src/language/states/model.ts";
import type { At } from "./changes.ts";

/** What changes, the other value, and where it is below the value that is added to. */
export type Addition = readonly [what: string, to: unknown, ...below: At];

type Add = (value: never, model: Model, at: At) => Iterable<Addition>;

const byType: Readonly<Record<string, Add>> = {
  FieldType: otherTypes,
  Field: otherFields,
  "Grant[]": otherGrants,
  Grant: otherGrant,
  Lifecycle: otherLifecycles,
  Transition: otherTransitions,
  Trigger: otherTriggers,
  Endpoint: otherEndpoints,
  Endpoints: otherStyles,
  ListStyle: otherLists,
  OutEvent: otherEvents,
  Errors: otherErrors,
  Rate: otherRates,
  Authentication: hiddenFields,
};

/** The additions to a value of the declared type `name`; for a list `name[]`. */
export function additions(model: Model, name: string, value: unknown, at: At): Iterable<Addition> {
  return byType[name]?.(value as never, model, at) ?? [];
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────

const scalar = (name: string): FieldType => ({ kind: "scalar", name }) as FieldType;

function* otherTypes(type: FieldType): Iterable<Addition> {
  switch (type.kind) {
    case "scalar": {
      const { name } = type;
      if (name === "integer")
        yield* [
          ["number for integer", { ...type, name: "number" }],
          ["string for integer", scalar("string")],
        ] as Addition[];
      else if (name === "string" || name === "text") yield [`integer for ${name}`, scalar("integer")];
      else if (name === "number" || name === "decimal") yield [`integer for ${name}`, scalar("integer")];
      else yield [`string for ${name}`, scalar("string")];
      break;
    }
    case "one-of":
      yield ["with the value other", { ...type, values: [...type.values, "other"] }];
      break;
    case "list":
      yield ["one for a list", type.of];
      break;
    case "nullable":
      return yield ["never null", type.of];
    case "id":
      return yield ["a counted id", { kind: "id", made: "counter" }];
    case "map":
    case "named":
    case "file":
    case "schema":
      return;
  }
  yield ["null besides", { kind: "nullable", of: type }];
}

/** Only modifiers that refuse or hide what the document states; a filter more is no contradiction to it. */
const addedModifiers: readonly Modifier[] = ["read-only", "create-only", "write-only", "unique", "delete with"];

function* otherFields(field: Field, _: Model, at: At): Iterable<Addition> {
  if (at.at(-1) === "id") return;
  for (const one of addedModifiers)
    if (!field.marks.includes(one) && !(one === "write-only" && field.marks.includes("secret")))
      yield [`with ${one}`, [...field.marks, one], "marks"];
  if (field.default?.kind === "literal" && field.type.kind === "one-of")
    for (const text of field.type.values
      .filter((value) => value !== (field.default as { text: string }).text)
      .slice(0, 1))
      yield [`the default ${text}`, { kind: "literal", text }, "default"];
  if (field.default?.kind === "now-on-change") yield ["the default now", { kind: "now" }, "default"];
  if (field.default?.kind === "now") yield ["the default now on change", { kind: "now-on-change" }, "default"];
}

// ── States ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function* otherLifecycles({ final = [], start, states, moves }: Lifecycle): Iterable<Addition> {
  for (const state of Object.keys(states))
    if (!final.includes(state) && state !== start && !moves.some(({ from }) => from.includes(state)))
      yield [`${state} is final`, [...final, state], "final"];
}

function* otherTransitions({ from, to }: Transition, model: Model, [, resource = ""]: At): Iterable<Addition> {
  const lifecycle = lookup(model.states, String(resource));
  if (from === "any" || lifecycle === undefined || lifecycle === "none") return;
  for (const state of Object.keys(lifecycle.states))
    if (!from.includes(state) && state !== to) yield [`from ${state}, too`, [...from, state], "from"];
}

function* otherTriggers(trigger: Trigger, model: Model): Iterable<Addition> {
  const [error] = Object.keys(model.errors.errors);
  const isRefusing = trigger.on.kind === "by";
  if (trigger.if === undefined && (error !== undefined || !isRefusing))
    yield ["never", { ...trigger, if: "1 == 2", ...(isRefusing ? { else: error } : {}) }];
  if (trigger.if !== undefined) {
    const { if: _, else: __, ...rest } = trigger;
    yield ["without if", rest];
  }
}

// ── Endpoints ──────────────────────────────────────────────────────────────────────────────────────────────────────

function* otherEndpoints(endpoint: Endpoint, model: Model, at: At): Iterable<Addition> {
  const explicit = withMeaning(endpoint, model, String(at.at(-1)));
  yield ["another path", { ...explicit, path: `/x${endpoint.path}` }];
  const [method, ...more] =
    endpoint.method === "GET" ? ["POST"] : endpoint.method === "POST" ? ["PUT", "GET"] : ["POST"];
  for (const one of [method, ...more]) yield [`${one} for ${endpoint.method}`, { ...explicit, method: one }];
  if (endpoint.status === undefined) yield ["status 202", { ...endpoint, status: 202 }];
  if (endpoint.if === undefined) {
    const [error] = Object.keys(model.errors.errors);
    if (error !== undefined) yield ["never", { ...endpoint, if: "1 == 2", else: error }];
  } else {
    const { if: _, else: __, ...rest } = endpoint;
    yield ["without if", rest];
  }
  const resolved = resolveEndpoint(model, String(at.at(-1)));
  if (resolved?.kind !== "resource") return;
  if (resolved.action === "list" && endpoint.where === undefined) yield ["a list of nothing", "1 == 2", "where"];
  const [first] = Object.keys(lookup(model.resources.resources, resolved.resource)?.fields ?? {});
  if (endpoint.gives === undefined && resolved.action !== "list" && resolved.action !== "delete")
    yield [resolved.action === "read" ? "only the id" : "gives the id alone", { id: first ?? "id" }, "gives"];
}

/** Writes out what the path implies, since another path need not imply it. */
function withMeaning(endpoint: Endpoint, model: Model, operation: string): Endpoint {
  const resolved = resolveEndpoint(model, operation);
  if (resolved?.kind !== "resource") return endpoint;
  const does = doesOf(resolved.action);
  return { ...endpoint, of: resolved.resource, ...(does === undefined ? {} : { does }) };
}

function* otherStyles({ wrap }: Endpoints): Iterable<Addition> {
  if (wrap?.one === undefined) yield ["a record within data", { ...wrap, one: "data" }, "wrap"];
}

function* otherLists({ kind, names, bare }: ListStyle): Iterable<Addition> {
  if (kind === "none" || bare) return;
  for (const name of ["items", "next", "limit", "cursor", "sort", "count"] as const)
    if (names?.[name] === undefined) yield [`another name of ${name}`, { ...names, [name]: `${name}x` }, "names"];
}

// ── Authentication ─────────────────────────────────────────────────────────────────────────────────────────────────

function* otherGrants(grants: readonly Grant[], model: Model): Iterable<Addition> {
  const isFor = (kind: Grant["who"]["kind"], role?: string): boolean =>
    grants.some(
      ({ if: condition, who }) =>
        condition === undefined && who.kind === kind && (who.kind !== "role" || who.role === role),
    );
  if (isFor("anyone")) return yield ["for signed-in callers alone", [{ who: { kind: "signed-in" } }]];
  yield ["for anyone", [...grants, { who: { kind: "anyone" } }]];
  if (isFor("signed-in")) return;
  yield ["for all signed-in callers", [...grants, { who: { kind: "signed-in" } }]];
  for (const role of model.authentication.roles ?? [])
    if (!isFor("role", role)) yield [`for each ${role}, too`, [...grants, { who: { kind: "role", role } }]];
}

function* otherGrant(grant: Grant): Iterable<Addition> {
  if (grant.if === undefined) yield ["for nobody", { ...grant, if: "1 == 2" }];
}

/** One field of each resource that only callers of the first role see. */
function* hiddenFields(_: unknown, model: Model): Iterable<Addition> {
  const { roles = [], show } = model.authentication;
  const [role] = roles;
  if (role === undefined) return;
  for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
    const name = Object.keys(fields).find((one) => one !== "id" && lookup(show, `${resource}.${one}`) === undefined);
    if (name !== undefined)
      yield [
        `${resource}.${name} for a ${role} alone`,
        { ...show, [`${resource}.${name}`]: [{ who: { kind: "role", role } }] },
        "show",
      ];
  }
}

// ── Events, errors, limits ─────────────────────────────────────────────────────────────────────────────────────────

function* otherEvents({ carries, when }: OutEvent, model: Model): Iterable<Addition> {
  if (when.kind !== "enters") return;
  const fields = Object.keys(lookup(model.resources.resources, when.resource)?.fields ?? {});
  if (carries === undefined) yield ["carries the id alone", ["id"], "carries"];
  else
    for (const field of fields.filter((one) => !carries.includes(one)).slice(0, 1))
      yield [`carries ${field}, too`, [...carries, field], "carries"];
}

function* otherErrors({ body }: Errors): Iterable<Addition> {
  if (body === "problem+json") yield ["a custom body", { shape: { error: "{code}", message: "{message}" } }, "body"];
}

function* otherRates({ burst, count }: Rate): Iterable<Addition> {
  if (burst === undefined) yield ["a bucket", Math.max(1, Math.floor(count / 2)), "burst"];
}
