/** Events that come in (part 6, `in`), each as the operation that takes it. */
import { pathSegments } from "../parts/endpoints/meaning.ts";
import type { InEvent } from "../parts/events/model.ts";
import { own, referenceOf } from "../parts/resources/fields.ts";
import { closedObject, jsonSchemaOf } from "../parts/resources/json-schema.ts";
import { columnTypeOf } from "./columns.ts";
import { operationLimits, ratesOf } from "./limits.ts";
import { effectsOfInbound } from "./moves.ts";
import { errorsCaused, inputForm, repeatsOf } from "./operations.ts";
import type { BodyPlan, GrantPlan, InputField, Operation, Table } from "./plan.ts";
import type { Sources } from "./sources.ts";

/** None where there is nothing that an event could be about. */
export function inboundOperations(sources: Sources, tables: readonly Table[]): readonly Operation[] {
  const [first] = tables;
  if (first === undefined) return [];
  return Object.entries(sources.model.events.in ?? {}).map(([event, said]) =>
    inbound(sources, event, said, tables, first),
  );
}

function inbound(sources: Sources, event: string, said: InEvent, tables: readonly Table[], first: Table): Operation {
  const { model } = sources;
  const effects = effectsOfInbound(sources, event);
  const refers = Object.entries(said.carries).flatMap(([member, type]) => {
    const resource = referenceOf(model, type);
    return resource === undefined ? [] : [{ member, resource }];
  });
  // The names of operations have no dots.
  const name = own(model.endpoints.endpoints, event) === undefined ? event : `${event}.received`;
  // Every operation is listed with some resource.
  const resource = effects[0]?.resource ?? refers[0]?.resource ?? first.resource;
  const repeats = repeatsOf(sources, "receive", said.method);
  return {
    name,
    sentence: `Say that ${event} has happened`,
    deed: "receive",
    method: said.method,
    path: pathSegments(said.path),
    template: said.path,
    resource,
    parents: [],
    allow: [{ who: { kind: "signed-in" } }],
    visible: [],
    body: bodyOf(sources, said),
    creates: false,
    query: [],
    // It is taken whether or not it moves anything.
    answer: { status: 202, kind: "none" },
    moves: [],
    choose: [],
    edits: "none",
    // Whoever sends events was not made for this service, and may not know its header.
    ...(repeats === undefined ? {} : { repeats: { ...repeats, required: false } }),
    effects,
    inbound: { event, credential: said.with, refers },
    emits: [],
    rules: [],
    limits: operationLimits(sources, name),
    rates: ratesOf(sources, { operation: name, resource, parents: [] }),
    quotas: [],
    errors: errorsCaused(effects, tables),
    needs: [],
  };
}

function bodyOf(sources: Sources, { carries, optional = [] }: InEvent): BodyPlan {
  const { model } = sources;
  const members = Object.entries(carries);
  const required = members.map(([name]) => name).filter((name) => !optional.includes(name));
  return {
    schema: closedObject(
      Object.fromEntries(members.map(([name, type]) => [name, jsonSchemaOf(model, type, "input")])),
      required,
    ),
    mediaTypes: ["application/json"],
    required: required.length > 0,
    fields: [],
    others: members.map(([name, type]): InputField => {
      const form = inputForm(sources, type, anything);
      return { name, type: columnTypeOf(model, type), ...(form === undefined ? {} : { form }) };
    }),
    fixed: [],
  };
}

/** What there is, and not what a role sees, is what an event may be about: its sender is no user of the service. */
const anything = (): readonly GrantPlan[] => [{ who: { kind: "anyone" } }];
