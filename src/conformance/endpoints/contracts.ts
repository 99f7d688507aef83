/**
 * Operations of handlers: their responses have the declared members; and with a complete contract (`wire`) the declared statuses, media
 * types, header fields and bodies. What the document does not declare of them is not compared.
 */
import { isObject, type Json } from "../../base/json.ts";
import type { ContractResponse, EndpointContract } from "../../language/endpoints/model.ts";
import { bareType, lookup } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { type Aspect, Broken, type Case, shortText } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { neededSuccess } from "../expect.ts";
import type { Interaction, Response } from "../interaction.ts";
import type { Trial } from "../trial/trial.ts";
import { problemOf } from "../values/fits.ts";
import type { Extent } from "../values/valid.ts";
import { contractRequest, rejectsInvalid, sendContract } from "./contract-requests.ts";
import { fromText } from "../trial/parameters.ts";
import { aspectsOf, operationCase, pathOf } from "./subjects.ts";

export function contractCases(contract: Contract): readonly Case[] {
  return [...contract.operations.values()].flatMap((called): readonly Case[] => {
    const { shape, wire } = called.endpoint;
    if (wire !== undefined)
      return [...extents.map((extent) => fitsContract(called, wire, extent)), ...rejectsInvalid(called, wire)];
    return called.action === "handler" && shape !== undefined ? [fitsShape(contract, called)] : [];
  });
}

// ── The members of a response ──────────────────────────────────────────────────────────────────────────────────────

function fitsShape(contract: Contract, called: Operation): Case {
  const { operation, endpoint } = called;
  const aspects = aspectsOf(contract, called, ["gives", "takes"], "the response has the declared members");
  return operationCase(called, "response", aspects, async (trial) => {
    const interaction = await trial.call(operation);
    const { json, text } = neededSuccess(trial, interaction);
    const fail = (expected: string, got: string): never => {
      throw new Broken(expected, got, interaction, pathOf(called, "gives"));
    };
    const shape = endpoint.shape ?? {};
    // `gives: none` has no members either.
    if (text === "" && Object.keys(shape).length === 0) return;
    if (!isObject(json)) return fail("an object", shortText(json));
    for (const [name, { optional, type }] of Object.entries(shape)) {
      const value = lookup(json, name);
      if (value === undefined && optional) continue;
      if (value === undefined) return fail(`the member \`${name}\``, "no such member");
      const problem = isRecord(contract, type) ? undefined : problemOf(contract, type, value, "output");
      if (problem !== undefined) return fail(`\`${name}\` as declared`, `${shortText(value)}: ${problem}`);
    }
    const other = Object.keys(json).find((name) => lookup(shape, name) === undefined);
    if (other !== undefined) return fail(`only the members ${Object.keys(shape).join(", ")}`, `also \`${other}\``);
  });
}

/** Whether the member is a record, or a list of records, and not a reference. */
function isRecord({ model }: Contract, type: FieldType): boolean {
  const bare = bareType(type);
  const item = bare.kind === "list" ? bareType(bare.of) : bare;
  return item.kind === "named" && lookup(model.resources.resources, item.name) !== undefined;
}

// ── Complete contracts ─────────────────────────────────────────────────────────────────────────────────────────────

/** With which parameters the operation is called: all of them, those that it needs, and some. */
const extents: readonly Extent[] = ["needed", "all", "some"];

function fitsContract(called: Operation, wire: EndpointContract, extent: Extent): Case {
  const members = Object.keys(wire).map((name) => `wire/${name}`);
  const [first, ...more] = members.length === 0 ? ["wire"] : members;
  const expects = "the response to a valid request is one that the document declares";
  const about = (member = "wire"): Aspect => ({ path: pathOf(called, member), expects });
  const aspects: Case["aspects"] = [about(first), ...more.map(about), { path: pathOf(called), expects }];
  return operationCase(
    called,
    `contract with ${extent === "needed" ? "what it needs" : `${extent} parameters`}`,
    aspects,
    async (trial) => {
      const interaction = await sendContract(trial, called, await contractRequest(trial, wire, extent));
      expectDeclared(trial, called, wire, interaction);
    },
  );
}

function expectDeclared(
  trial: Trial,
  called: Operation,
  { answers }: EndpointContract,
  interaction: Interaction,
): void {
  if (answers === undefined) return;
  const response = trial.responseOf(interaction);
  const { status } = response;
  const key = [String(status), `${Math.floor(status / 100)}XX`, "default"].find((one) => Object.hasOwn(answers, one));
  const declared = key === undefined ? undefined : lookup(answers, key);
  if (key === undefined || declared === undefined)
    throw new Broken(
      `a status of ${Object.keys(answers).join(", ")}`,
      String(status),
      interaction,
      pathOf(called, "wire/answers"),
    );
  const path = pathOf(called, `wire/answers/${key}`);
  const problem = headerProblem(trial.contract, declared, response) ?? bodyProblem(trial.contract, declared, response);
  if (problem !== undefined) throw new Broken(problem.expected, problem.got, interaction, path);
}

interface Mismatch {
  readonly expected: string;
  readonly got: string;
}

function headerProblem(
  contract: Contract,
  { headers = {} }: ContractResponse,
  response: Response,
): Mismatch | undefined {
  for (const [name, { optional, type }] of Object.entries(headers)) {
    const text = response.headers[name.toLowerCase()];
    if (text === undefined && optional) continue;
    if (text === undefined) return { expected: `the header field ${name}`, got: "no such field" };
    const problem = problemOf(contract, type, fromText(type, text), "output");
    if (problem !== undefined) return { expected: `${name} as declared`, got: `${text}: ${problem}` };
  }
  return undefined;
}

function bodyProblem(
  contract: Contract,
  { media, type }: ContractResponse,
  { headers, json, text }: Response,
): Mismatch | undefined {
  if (type === undefined && media === undefined)
    return text === "" ? undefined : { expected: "a response without a body", got: text.slice(0, 100) };
  const allowed = media ?? ["application/json"];
  const found = headers["content-type"];
  if (found === undefined) return { expected: `Content-Type ${allowed.join(" or ")}`, got: "no such field" };
  const essence = found.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!allowed.some((one) => isOfRange(essence, one)))
    return { expected: `Content-Type ${allowed.join(" or ")}`, got: found };
  if (type === undefined) return undefined;
  const isText = !/\bjson$/.test(essence);
  if (!isText && json === undefined) return { expected: "a body of JSON", got: text.slice(0, 100) };
  const problem = problemOf(contract, type, isText ? fromText(type, text) : (json as Json), "output");
  return problem === undefined
    ? undefined
    : { expected: "a body as declared", got: `${shortText(isText ? text : json)}: ${problem}` };
}

/** Whether a media type is one of a range such as `image/*`. */
function isOfRange(essence: string, range: string): boolean {
  const wanted = range.split(";")[0]?.trim().toLowerCase() ?? "";
  if (wanted === "*/*" || wanted === essence) return true;
  return wanted.endsWith("/*") && essence.startsWith(wanted.slice(0, -1));
}
