/** Plans incoming events (part 6, `in`) as operations that receive them. */
import { pathSegments } from "../../language/endpoints/resolve.ts";
import type { InEvent } from "../../language/events/model.ts";
import { requestValueOf } from "../../language/events/request-value.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { bareType, lookup, referenceOf } from "../../language/resources/fields.ts";
import { closedObject, jsonSchemaOf } from "../../language/resources/json-schema.ts";
import { columnTypeOf } from "../resources/columns.ts";
import { operationLimits, ratesOf } from "../limits/limits.ts";
import { effectsOfInbound, furtherWritePlans } from "../states/transitions.ts";
import { inputForm } from "../endpoints/body.ts";
import { errorsCaused, errorsOfFurtherWrites, idempotencyOf } from "../endpoints/operations.ts";
import type { BodyPlan, InputField, Operation } from "../endpoints/types.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { Table } from "../resources/types.ts";
import type { PlanInput } from "../input.ts";
import type { Model } from "../../language/model.ts";
import type { PayloadReference } from "./types.ts";

/** Plans the incoming events; empty if the document has no resource. */
export function inboundOperations(planInput: PlanInput, tables: readonly Table[]): readonly Operation[] {
  const [first] = tables;
  if (first === undefined) return [];
  return Object.entries(planInput.model.events.in ?? {}).map(([event, inEvent]) =>
    inbound(planInput, event, inEvent, tables, first),
  );
}

function inbound(
  planInput: PlanInput,
  event: string,
  inEvent: InEvent,
  tables: readonly Table[],
  first: Table,
): Operation {
  const { model } = planInput;
  const effects = effectsOfInbound(planInput, event);
  const also = inEvent.also && furtherWritePlans(planInput, `events/in/${event}`, inEvent.also, [event]);
  const references = referencesIn(model, inEvent.carries);
  // If an operation has the event's name, the suffix makes this name unique, since names of operations contain no dots.
  const name = lookup(model.endpoints.endpoints, event) === undefined ? event : `${event}.received`;
  // The plan of every operation needs a resource, even if the event changes none.
  const resource = effects[0]?.resource ?? references[0]?.resource ?? first.resource;
  const repeats = idempotencyOf(planInput, "receive", inEvent);
  return {
    name,
    sentence: `Receive the event ${event}`,
    action: "receive",
    method: inEvent.method,
    path: pathSegments(inEvent.path),
    template: inEvent.path,
    resource,
    parents: [],
    allow: [{ who: { kind: "signed-in" } }],
    visible: [],
    body: bodyOf(planInput, inEvent),
    creates: false,
    query: [],
    // The status is 202 whether or not the event causes a transition.
    response: { status: 202, kind: "none" },
    moves: [],
    choose: [],
    ...(also === undefined ? {} : { also }),
    edits: "none",
    // Senders of events may not know the idempotency header of this service, so it is optional.
    ...(repeats === undefined ? {} : { repeats: { ...repeats, required: false } }),
    effects,
    ...(inEvent.unknown === "ignored" ? { ignoresUnknown: true as const } : {}),
    inbound: {
      event,
      credential: inEvent.with,
      is: Object.entries(inEvent.is ?? {}).map(([at, value]) => ({ at: requestValueOf(at), value })),
      ...(inEvent.once === undefined ? {} : { once: requestValueOf(inEvent.once) }),
      references,
    },
    emits: [],
    rules: [],
    limits: operationLimits(planInput, name),
    rates: ratesOf(planInput, { operation: name, resource, parents: [] }),
    quotas: [],
    errors: [...errorsCaused(effects, tables), ...errorsOfFurtherWrites(also ?? [], tables)],
    needs: [],
  };
}

/** `around`: the embedded types that contain the members; a recursive type is not followed. */
function referencesIn(model: Model, members: InEvent["carries"], around: readonly string[] = []): PayloadReference[] {
  return Object.entries(members).flatMap(([name, type]) => {
    const resource = referenceOf(model, type);
    if (resource !== undefined) return [{ path: [name], resource }];
    const bare = bareType(type);
    const fields = bare.kind === "named" ? lookup(model.resources.types, bare.name) : undefined;
    if (bare.kind !== "named" || fields === undefined || around.includes(bare.name)) return [];
    const inner = Object.fromEntries(Object.entries(fields).map(([field, one]) => [field, one.type]));
    return referencesIn(model, inner, [...around, bare.name]).map((one) => ({ ...one, path: [name, ...one.path] }));
  });
}

function bodyOf(planInput: PlanInput, { carries, optional = [], is = {} }: InEvent): BodyPlan {
  const { model } = planInput;
  const members = Object.entries(carries);
  const kinds = kindSchemas(is, carries);
  const required = members.map(([name]) => name).filter((name) => !optional.includes(name));
  return {
    schema: closedObject(
      { ...kinds, ...Object.fromEntries(members.map(([name, type]) => [name, jsonSchemaOf(model, type, "input")])) },
      [...Object.keys(kinds), ...required],
    ),
    mediaTypes: ["application/json"],
    required: required.length > 0,
    fields: [],
    others: members.map(([name, type]): InputField => {
      const form = inputForm(planInput, type, anything);
      return { name, type: columnTypeOf(model, type), ...(form === undefined ? {} : { form }) };
    }),
    fixed: [],
  };
}

/** Returns the schemas of the members that tell the kind, except of those that the event carries. */
function kindSchemas(is: NonNullable<InEvent["is"]>, carries: InEvent["carries"]): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(is).flatMap(([written, value]): [string, JsonObject][] => {
      const at = requestValueOf(written);
      if (at.kind === "header") return [];
      const [first = "", ...inner] = at.path;
      if (lookup(carries, first) !== undefined) return [];
      const around = (schema: JsonObject, name: string): JsonObject => ({
        type: "object",
        properties: { [name]: schema },
        required: [name],
      });
      return [[first, inner.reduceRight(around, { enum: spellings(value) })]];
    }),
  );
}

/** Returns the JSON values that the document's text can mean: `true` is the text or the boolean. */
function spellings(value: string): readonly Json[] {
  const isOther = /^(?:true|false|-?(?:0|[1-9][0-9]*))$/.test(value);
  return isOther ? [value, JSON.parse(value) as Json] : [value];
}

/** An event may refer to any record, since its sender is not a user of the service. */
const anything = (): readonly GrantPlan[] => [{ who: { kind: "anyone" } }];
