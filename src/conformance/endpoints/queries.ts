/** Query parameters that the document declares: values at the edges are accepted, others are rejected, and required ones are needed. */
import { isObject, type Json } from "../../base/json.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { bareType } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusOf, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction, Request } from "../interaction.ts";
import { supplyFor } from "../resources/writing.ts";
import { type BuiltRequest, requestFor } from "../trial/calls.ts";
import { fromText, hasParts, type Pairs, type Parameter, received, sent } from "../trial/parameters.ts";
import type { Trial } from "../trial/trial.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import { edgeValues, invalidValues } from "../values/boundaries.ts";
import { problemOf, writtenAs } from "../values/fits.ts";
import { isSameJson } from "../values/same.ts";
import type { Supply } from "../values/valid.ts";
import { operationCase, pathOf, plainOperations, validOptions } from "./subjects.ts";

export function queryCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called) =>
    Object.entries(called.endpoint.query ?? {}).flatMap(([name, field]): readonly Case[] => [
      ...hasType(contract, called, `query/${name}`, field),
      ...(field.optional || field.default !== undefined ? [] : [isRequired(called, name)]),
      ...(field.default === undefined ? [] : [hasDefault(called, name, field)]),
    ]),
  );
}

/** Whether values of the type can be sent as a text. */
export function isTextual(type: FieldType): boolean {
  const { kind } = bareType(type);
  return kind === "scalar" || kind === "one-of";
}

function isRequired(called: Operation, name: string): Case {
  const aspects: Case["aspects"] = [
    { path: pathOf(called, `query/${name}`), expects: `a request without \`${name}\` is rejected` },
  ];
  return operationCase(called, `without ${name}`, aspects, async (trial) => {
    const interaction = await sendWith(trial, called, name, []);
    const entries = [{ place: name, codes: ["required"] }];
    expectError(trial, interaction, { code: "invalid-request", status: 400, entries });
  });
}

/** A parameter that is left out is as its default. */
function hasDefault(called: Operation, name: string, field: Field): Case {
  const aspects: Case["aspects"] = [
    { path: pathOf(called, `query/${name}`), expects: `a request without \`${name}\` is as one with its default` },
  ];
  return operationCase(called, `default of ${name}`, aspects, async (trial) => {
    const { contract } = trial;
    const value = defaultValue(contract.model, field);
    if (value === undefined || value === null) throw new NotTried("the test does not know the default");
    const send = (pairs: Pairs): Promise<Interaction> => sendWith(trial, called, name, pairs);
    const { status } = trial.responseOf(await send(sent(contract.model, name, field, value)));
    const without = await send([]);
    const response = trial.responseOf(without);
    const isInvalid = [400, statusOf(contract, "invalid-request", called.operation)].includes(response.status);
    if (isInvalid && response.status !== status)
      throw new Broken(`\`${name}\` to be left out`, statusText(contract, response), without);
  });
}

/** Sends a valid request with these pairs as a parameter. */
async function sendWith(trial: Trial, called: Operation, name: string, pairs: Pairs): Promise<Interaction> {
  return resend(trial, await requestFor(trial, called, await validOptions(trial, called)), name, pairs);
}

/** Sends a request with these pairs as a parameter. The caller authorizes it again, since a signature covers the query. */
function resend(
  trial: Trial,
  { request, called, caller }: BuiltRequest,
  name: string,
  pairs: Pairs,
): Promise<Interaction> {
  const changed = caller.authorize(withParameter(request, name, pairs));
  return sendAfterLimits(trial, changed, caller, { operation: called.operation });
}

function withParameter(request: Request, name: string, pairs: Pairs): Request {
  const url = new URL(request.url);
  const others = [...url.searchParams].filter(([other]) => other !== name && !other.startsWith(`${name}[`));
  url.search = new URLSearchParams([...others, ...pairs].map(([key, text]) => [key, text])).toString();
  return { ...request, url: url.href };
}

/** A list or an object in the form that the document declares: values at its edges are accepted, others are rejected. */
function hasPartsOf(called: Operation, member: string, name: string, parameter: Parameter): Case {
  const aspects: Case["aspects"] = [{ path: pathOf(called, member), expects: `\`${name}\` has its type` }];
  return operationCase(called, `parts of ${name}`, aspects, async (trial) => {
    const { contract } = trial;
    const { model } = contract;
    const supply = await supplyFor(trial, parameter.type);
    const send = (pairs: Pairs): Promise<Interaction> => {
      trial.startOver();
      return sendWith(trial, called, name, pairs);
    };
    const asSent = (value: Json): { readonly pairs: Pairs; readonly value: Json | undefined } => {
      const pairs = sent(model, name, parameter, value);
      return { pairs, value: received(model, name, parameter, pairs) };
    };
    const isShort = (pairs: Pairs): boolean => pairs.flat().join("").length <= longestText;
    const wrong = invalidValues(contract, parameter.type, supply).flatMap(({ stated, value, what }) => {
      const one = asSent(value);
      const isWrong = one.value !== undefined && problemOf(contract, parameter.type, one.value, "input") !== undefined;
      return stated && isWrong && isShort(one.pairs) ? [{ pairs: one.pairs, what }] : [];
    });
    for (const { pairs, what } of wrong.slice(0, mostValues)) {
      const interaction = await send(pairs);
      if (trial.responseOf(interaction).status < 300)
        throw new Broken(
          `\`${name}\` to be rejected: ${what}`,
          statusText(contract, trial.responseOf(interaction)),
          interaction,
        );
      expectError(trial, interaction, { code: "invalid-request", status: 400 });
    }
    const right = edgeValues(contract, parameter.type, supply).flatMap(({ value, what }) => {
      const one = asSent(value);
      return isSameJson(one.value, value) && isShort(one.pairs) ? [{ pairs: one.pairs, what }] : [];
    });
    for (const { pairs, what } of right.slice(0, mostValues)) expectNoComplaint(trial, name, what, await send(pairs));
  });
}

/** How many values of each kind the test sends. */
const mostValues = 4;

/** Values of a parameter that is declared by `member` of the operation: those at the edges of its type, and others. */
export function hasType({ model }: Contract, called: Operation, member: string, parameter: Parameter): readonly Case[] {
  const { type } = parameter;
  const name = member.slice(member.indexOf("/") + 1);
  if (hasParts(model, type)) return [hasPartsOf(called, member, name, parameter)];
  if (!isTextual(type)) return [];
  return [
    operationCase(
      called,
      `values of ${name}`,
      [{ path: pathOf(called, member), expects: `\`${name}\` has its type` }],
      async (trial) => {
        const { contract } = trial;
        const supply = await supplyFor(trial, type);
        const right = edgeValues(contract, type, supply).filter(({ stated }) => stated);
        const built = await requestFor(trial, called, await validOptions(trial, called));
        for (const { text, what } of wrongTexts(contract, type, supply)) {
          trial.startOver();
          const interaction = await resend(trial, built, name, [[name, text]]);
          const { status } = trial.responseOf(interaction);
          if (status < 300) throw new Broken(`\`${name}\` to be rejected: ${what}`, String(status), interaction);
          const entries = [{ place: name, codes: [] }];
          expectError(trial, interaction, { code: "invalid-request", status: 400, entries });
        }
        for (const { text, what } of textsOf(type, right).slice(0, mostValues))
          await expectAccepted(trial, called, { name, text, what });
      },
    ),
  ];
}

export interface Text {
  readonly text: string;
  readonly what: string;
}

/** Returns texts that are no values of the type. */
export function wrongTexts(contract: Contract, type: FieldType, supply: Supply): readonly Text[] {
  const wrong = invalidValues(contract, type, supply).filter(({ stated }) => stated);
  return [...textsOf(type, wrong).slice(0, mostValues), ...wordFor(type)].filter(
    ({ text }) => problemOf(contract, type, fromText(type, text), "input") !== undefined,
  );
}

/** Returns the values that can be sent as texts without becoming valid: the number 5 is a text like any other. */
function textsOf(type: FieldType, values: readonly { readonly value: Json; readonly what: string }[]): readonly Text[] {
  const bare = bareType(type);
  const isNumber = bare.kind === "scalar" && ["integer", "number", "decimal"].includes(writtenAs(bare).name);
  return values.flatMap(({ value, what }): Text[] => {
    const text = isNumber && typeof value === "number" ? JSON.stringify(value) : !isNumber ? value : undefined;
    return typeof text !== "string" || text === "" || text.length > longestText ? [] : [{ text, what }];
  });
}

/** Longer texts may not fit into an address. */
const longestText = 1000;

/** Returns a word, which is no number and no truth value. */
function wordFor(type: FieldType): readonly Text[] {
  const bare = bareType(type);
  const isOther =
    bare.kind === "scalar" &&
    ["integer", "number", "decimal", "boolean", "date", "datetime", "uuid"].includes(bare.name);
  return isOther ? [{ text: "no such value", what: "a word" }] : [];
}

async function expectAccepted(
  trial: Trial,
  called: Operation,
  { name, text, what }: Text & { readonly name: string },
): Promise<void> {
  trial.startOver();
  expectNoComplaint(trial, name, what, await sendWith(trial, called, name, [[name, text]]));
}

/** Expects that the response does not reject the parameter; it may reject the request for another reason. */
function expectNoComplaint(trial: Trial, name: string, what: string, interaction: Interaction): void {
  const response = trial.responseOf(interaction);
  const { errors } = isObject(response.json) ? response.json : {};
  const isAbout = (parameter: Json | undefined): boolean =>
    parameter === name || (typeof parameter === "string" && parameter.startsWith(`${name}[`));
  const isAboutIt =
    Array.isArray(errors) &&
    errors.some((one) => isObject(one as Json) && isAbout((one as { parameter?: Json }).parameter));
  if (response.status < 300 || !isAboutIt) return;
  throw new Broken(`\`${name}\` to be accepted: ${what}`, statusText(trial.contract, response), interaction);
}
