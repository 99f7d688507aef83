/** Plans handlers whose requests and responses are declared in full (`wire`). */
import type { Json, JsonObject } from "../../base/json.ts";
import { resolveEndpoint } from "../../language/endpoints/resolve.ts";
import {
  type Parameter,
  parameterLocations,
  type EndpointContract,
  type ContractResponse,
  type ContractBody,
} from "../../language/endpoints/model.ts";
import { essenceOf, isJson, isRead, resolved } from "../../language/endpoints/wire-media.ts";
import type { Model } from "../../language/model.ts";
import { closedObject, jsonSchemaOf, namedSchemas } from "../../language/resources/json-schema.ts";
import { schemaAddress, schemaName, schemaNameAt } from "../../language/resources/schema.ts";
import { deprecationOf, withDeprecation } from "../../language/versioning/deprecated.ts";
import { handlerOperation } from "./handlers.ts";
import { descriptionOf } from "./operations.ts";
import { allowOf } from "../authentication/permissions.ts";
import type {
  BodyPlan,
  Operation,
  ContractResponsePlan,
  ContractBodyPlan,
  ContractOperation,
  ContractParameter,
  HttpContract,
} from "./types.ts";
import type { Plan } from "../plan.ts";
import type { Unenforced } from "../unsupported.ts";
import type { Table } from "../resources/types.ts";
import type { PlanInput } from "../input.ts";

export {
  essenceOf,
  formMedia,
  isJson,
  plainMedia,
  resolved,
  typesOf,
  xmlMedia,
} from "../../language/endpoints/wire-media.ts";

/** Returns the plan including the operations with a wire, for a service with functions. */
export function servedPlan(plan: Plan, of: (operation: Operation) => Operation = (operation) => operation): Plan {
  const { operations, versions, contractOperations } = plan;
  const list = versions?.list.map((version) => {
    const { older } = version;
    return older === undefined
      ? version
      : { ...version, older: { ...older, received: servedPlan(older.received, of) } };
  });
  return {
    ...plan,
    operations: [...operations, ...contractOperations.map(({ operation }) => of(operation))],
    ...(versions === undefined || list === undefined ? {} : { versions: { ...versions, list } }),
  };
}

/** Returns the schemas below `schemas:` without those that only the known contracts of callers use. */
export function servedSchemas(model: Model): Schemas {
  const all = namedSchemas(model);
  const { endpoints } = model.endpoints;
  const known = Object.values(endpoints).flatMap(({ knownContract }) => knownContract ?? []);
  if (known.length === 0) return all;
  const { schemas: _, ...resources } = model.resources;
  const served = Object.values(endpoints).map(({ knownContract: _known, ...endpoint }) => endpoint);
  const used = addressesIn([resources, served, model.events], all);
  const unused = addressesIn(known, all).difference(used);
  return Object.fromEntries(Object.entries(all).filter(([address]) => !unused.has(address)));
}

/** Returns the addresses of the named schemas that a part of the model uses, directly or through other schemas. */
function addressesIn(part: unknown, schemas: Schemas): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    const { kind, name, $ref: reference } = value as Readonly<Record<string, unknown>>;
    if (kind === "named" && typeof name === "string") add(schemaAddress(name));
    if (typeof reference === "string") add(schemaAddress(schemaName(reference) ?? schemaNameAt(reference)));
    for (const member of Object.values(value)) walk(member);
  };
  const add = (address: string): void => {
    if (found.has(address) || !Object.hasOwn(schemas, address)) return;
    found.add(address);
    walk(schemas[address]);
  };
  walk(part);
  return found;
}

/** Returns the plan in which operations with a wire answer 501, for a service without functions. */
export function planWithoutFunctions(plan: Plan): Plan {
  if (plan.contractOperations.length === 0) return plan;
  return servedPlan(plan, (operation) => ({ ...operation, unserved: true }));
}

/** Returns the served operations; those with a wire only if the service has functions. */
export function servedOperations({ operations, contractOperations, unenforced }: Plan): readonly Operation[] {
  const open = new Set(unenforced.map(({ path }) => path));
  const run = contractOperations.filter(({ name }) => !open.has(`endpoints/endpoints/${name}`));
  return [...operations, ...run.map(({ operation }) => operation)].filter(({ unserved }) => unserved === undefined);
}

/** Returns the unsupported statements that remain when the operations with a wire are served. */
export function withoutContractOperations({ contractOperations, unenforced }: Plan): readonly Unenforced[] {
  const paths = new Set(contractOperations.map(({ name }) => `endpoints/endpoints/${name}`));
  return unenforced.filter(({ path }) => !paths.has(path));
}

export function contractOperationsOf(planInput: PlanInput, tables: readonly Table[]): readonly ContractOperation[] {
  const { model } = planInput;
  return Object.entries(model.endpoints.endpoints).flatMap(([name, { wire, method, path }]): ContractOperation[] => {
    const resolvedEndpoint = resolveEndpoint(model, name);
    if (wire === undefined || resolvedEndpoint?.kind !== "free" || resolvedEndpoint.action !== "handler") return [];
    const plan = httpContract(model, name, wire);
    return [
      {
        name,
        sentence: descriptionOf(model, name),
        method,
        path: resolvedEndpoint.segments,
        template: path,
        allow: allowOf(planInput, name),
        ...plan,
        ...(resolvedEndpoint.resource === undefined ? {} : { resource: resolvedEndpoint.resource }),
        operation: contractOperation(handlerOperation(planInput, resolvedEndpoint, tables), plan, namedSchemas(model)),
      },
    ];
  });
}

/**
 * Plans an operation with a wire. Its function's input has a member for each declared location of the request (path, query,
 * header, cookie, body).
 */
function contractOperation(bare: Operation, wire: HttpContract, schemas: Schemas): Operation {
  const success = wire.answers.map(({ status }) => Number(status)).find((status) => status >= 200 && status < 300);
  // Only text responses can be stored for idempotency keys, so an operation with other media types accepts none.
  const bytes = wire.answers.some(({ media }) => media.some((one) => !isJson(one) && !/^text\/|[/+]xml\b/.test(one)));
  const { repeats, ...rest } = bare;
  const idempotency = repeats === undefined || bytes ? {} : { repeats };
  return {
    ...rest,
    ...idempotency,
    wire,
    body: groupedBody(wire, schemas),
    response: { ...bare.response, status: success ?? 200, kind: "none" },
  };
}

type Schemas = Readonly<Record<string, JsonObject>>;

function groupedBody({ parameters, body }: HttpContract, schemas: Schemas): BodyPlan {
  const groups = parameterLocations.flatMap((location): [string, JsonObject][] => {
    const own = parameters.filter((one) => one.in === location);
    if (own.length === 0) return [];
    const present = own.filter(({ required, schema }) => required || defaultOf(schema, schemas) !== undefined);
    const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
    return [
      [
        location,
        closedObject(
          properties,
          present.map(({ name }) => name),
        ),
      ],
    ];
  });
  const required = [...groups.map(([location]) => location), ...(body?.required === true ? ["body"] : [])];
  const all = [...groups, ...(body === undefined ? [] : [["body", acceptedBody(body, schemas)] as const])];
  return {
    schema: closedObject(Object.fromEntries(all), required),
    mediaTypes: body === undefined ? [] : readMedia(body, schemas),
    required: body?.required ?? false,
    own: true,
    fields: [],
    others: all.map(([name]) => ({ name, type: "json" })),
    fixed: [],
  };
}

/** Returns the default of a parameter. */
export function defaultOf(schema: JsonObject, schemas: Schemas): Json | undefined {
  return resolved(schema, schemas)["default"];
}

/** Returns the schema of a body in any of its media types that the server reads. */
function acceptedBody(body: ContractBodyPlan, schemas: Schemas): JsonObject {
  const { schema = {}, others } = body;
  if (others === undefined) return schema;
  const further = Object.entries(others).flatMap(([media, one]) => (isRead(media, one, schemas) ? [one] : []));
  return further.length === 0 ? schema : { anyOf: [schema, ...further] };
}

function readMedia(body: ContractBodyPlan, schemas: Schemas): readonly string[] {
  return body.media.filter((one) => isRead(one, schemaIn(body, one), schemas)).map(essenceOf);
}

/** Returns the schema of content in a media type. */
export function schemaIn(
  { schema, others = {} }: Omit<ContractBodyPlan, "required">,
  media: string,
): JsonObject | undefined {
  const found = Object.entries(others).find(([one]) => essenceOf(one) === essenceOf(media));
  return found === undefined ? schema : found[1];
}

/** `operation`: its name, by which part 9 deprecates a parameter. */
export function httpContract(model: Model, operation: string, wire: EndpointContract): HttpContract {
  const { body, answers = {}, openapi } = wire;
  return {
    parameters: parameterLocations.flatMap((location) =>
      parametersOf(model, wire[location]).map((one): ContractParameter => {
        const deprecation = deprecationOf(model, `${operation}.${one.name}`);
        const parameter = { in: location, ...one };
        if (deprecation === undefined) return parameter;
        return { ...parameter, schema: withDeprecation(one.schema, deprecation), deprecated: true };
      }),
    ),
    ...(body === undefined ? {} : { body: bodyOf(model, body) }),
    answers: Object.entries(answers).map(([status, response]) => responseOf(model, status, response)),
    ...(openapi === undefined ? {} : { openapi }),
  };
}

function parametersOf(
  model: Model,
  parameters: EndpointContract["query"] = {},
): readonly Omit<ContractParameter, "in">[] {
  return Object.entries(parameters).map(
    ([name, { optional, type, sent, note, example, openapi }]: [string, Parameter]) => ({
      name,
      required: !optional,
      schema: jsonSchemaOf(model, type, "input"),
      ...(sent === undefined ? {} : { sent }),
      ...(note === undefined ? {} : { note }),
      ...(example === undefined ? {} : { example }),
      ...(openapi === undefined ? {} : { openapi }),
    }),
  );
}

function bodyOf(model: Model, { optional, ...body }: ContractBody): ContractBodyPlan {
  return { required: !optional, ...contentOf(model, body, "input", [json]) };
}

/** `usual`: the media types of content for which the document names none. */
function contentOf(
  model: Model,
  { type, media, others, note, openapi }: Omit<ContractBody, "optional">,
  use: "input" | "output",
  usual: readonly string[],
): Omit<ContractBodyPlan, "required"> {
  const further = Object.entries(others ?? {}).map(([name, one]) => [name, jsonSchemaOf(model, one, use)] as const);
  return {
    media: [...(media ?? usual), ...further.map(([name]) => name)],
    ...(type === undefined ? {} : { schema: jsonSchemaOf(model, type, use) }),
    ...(further.length === 0 ? {} : { others: Object.fromEntries(further) }),
    ...(note === undefined ? {} : { note }),
    ...(openapi === undefined ? {} : { openapi }),
  };
}

function responseOf(model: Model, status: string, { headers, ...content }: ContractResponse): ContractResponsePlan {
  const usual = content.type === undefined ? [] : [json];
  return { status, headers: parametersOf(model, headers), ...contentOf(model, content, "output", usual) };
}

const json = "application/json";
