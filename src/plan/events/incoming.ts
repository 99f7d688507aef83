/** Plans incoming events (part 6, `in`) as operations that receive them. */
import { pathSegments } from "../../language/endpoints/resolve.ts";
import type { InEvent } from "../../language/events/model.ts";
import { lookup, referenceOf } from "../../language/resources/fields.ts";
import { closedObject, jsonSchemaOf } from "../../language/resources/json-schema.ts";
import { columnTypeOf } from "../resources/columns.ts";
import { operationLimits, ratesOf } from "../limits/limits.ts";
import { effectsOfInbound } from "../states/transitions.ts";
import { inputForm } from "../endpoints/body.ts";
import { errorsCaused, idempotencyOf } from "../endpoints/operations.ts";
import type { BodyPlan, InputField, Operation } from "../endpoints/types.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { Table } from "../resources/types.ts";
import type { PlanInput } from "../input.ts";

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
  const references = Object.entries(inEvent.carries).flatMap(([member, type]) => {
    const resource = referenceOf(model, type);
    return resource === undefined ? [] : [{ member, resource }];
  });
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
    edits: "none",
    // Senders of events may not know the idempotency header of this service, so it is optional.
    ...(repeats === undefined ? {} : { repeats: { ...repeats, required: false } }),
    effects,
    inbound: { event, credential: inEvent.with, references },
    emits: [],
    rules: [],
    limits: operationLimits(planInput, name),
    rates: ratesOf(planInput, { operation: name, resource, parents: [] }),
    quotas: [],
    errors: errorsCaused(effects, tables),
    needs: [],
  };
}

function bodyOf(planInput: PlanInput, { carries, optional = [] }: InEvent): BodyPlan {
  const { model } = planInput;
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
      const form = inputForm(planInput, type, anything);
      return { name, type: columnTypeOf(model, type), ...(form === undefined ? {} : { form }) };
    }),
    fixed: [],
  };
}

/** An event may refer to any record, since its sender is not a user of the service. */
const anything = (): readonly GrantPlan[] => [{ who: { kind: "anyone" } }];
