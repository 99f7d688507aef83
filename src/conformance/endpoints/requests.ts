/** What requests may contain (`requests`): media types, unknown members and parameters, texts in place of numbers. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { type AcceptedMedia, sessionActions } from "../../language/endpoints/model.ts";
import { isOneText, responseShape } from "../../language/endpoints/shape.ts";
import { formMedia, plainMedia } from "../../language/endpoints/wire-media.ts";
import { bareType } from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried } from "../case.ts";
import { type Contract, type Operation, requestStyle } from "../contract.ts";
import { isRejectedByGuard } from "../errors/expected.ts";
import { expectSuccess, neededSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { isBodiless, returnsBytes } from "../response.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { hasJsonBody } from "./bodies.ts";
import { about, concrete, mediaBodyCases, returnsRecord, validBytes } from "./media-bodies.ts";
import { operationCase, pathOf, plainOperations, validOptions } from "./subjects.ts";

export function requestCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called) => {
    const { empty, media = [], texts, unknown } = requestStyle(contract, called);
    const hasBody = hasJsonBody(contract, called) && !sessionActions.has(called.action);
    const reads = called.action === "read" || called.action === "list";
    return [
      ...(unknown === "ignored" && hasBody ? [ignoresMember(contract, called)] : []),
      ...(unknown === "ignored" && reads ? [ignoresParameter(contract, called)] : []),
      ...(texts === "converted" && hasBody ? convertsTexts(contract, called) : []),
      ...(empty === "removes" && hasBody && returnsRecord(called) ? losesMember(contract, called) : []),
      ...(hasBody ? mediaBodyCases(contract, called) : []),
      ...media.filter((one) => isReturned(contract, called, one)).map((one) => returns(contract, called, one)),
    ];
  });
}

function ignoresMember(contract: Contract, called: Operation): Case {
  const aspects = about(contract, called, "unknown", `${called.operation} ignores a member that it does not take`);
  return operationCase(called, "unknown member", aspects, async (trial) => {
    const interaction = await sendChanged(trial, called, (body) => ({ ...body, unknownMember: "x" }));
    if (isRejectedByGuard(contract, trial.responseOf(interaction), called))
      throw new NotTried(`the test finds no input with which the guard of ${called.operation} is true`);
    expectSuccess(trial, interaction);
  });
}

function ignoresParameter(contract: Contract, called: Operation): Case {
  const aspects = about(contract, called, "unknown", `${called.operation} ignores a parameter that it does not take`);
  return operationCase(called, "unknown parameter", aspects, async (trial) => {
    const { query, ...options } = await validOptions(trial, called);
    neededSuccess(trial, await trial.call(called.operation, { ...options, query }));
    const unknown = { ...query, unknownParameter: "x" };
    expectSuccess(trial, await trial.call(called.operation, { ...options, query: unknown }));
  });
}

/** Sends the first number or boolean of the body as a text. */
function convertsTexts(contract: Contract, called: Operation): readonly Case[] {
  const converted = membersOf(contract, called).find(({ field }) => {
    const bare = bareType(field.type);
    return bare.kind === "scalar" && ["integer", "number", "decimal", "boolean"].includes(bare.name);
  });
  if (converted === undefined) return [];
  const { name } = converted;
  const aspects = about(contract, called, "texts", `${called.operation} accepts the text of a value for \`${name}\``);
  return [
    operationCase(called, `${name} as a text`, aspects, async (trial) => {
      const asText = (body: JsonObject): JsonObject => replaced(body, name) as JsonObject;
      expectSuccess(trial, await sendChanged(trial, called, asText));
    }),
  ];
}

/** Sends an empty text as a member of the first map of the body. */
function losesMember(contract: Contract, called: Operation): readonly Case[] {
  const map = membersOf(contract, called).find(
    ({ field }) => bareType(field.type).kind === "map" && !field.marks.includes("write-only"),
  );
  if (map === undefined || contract.model.endpoints.wrap?.one !== undefined) return [];
  const { name } = map;
  const aspects = about(contract, called, "empty", `an empty text removes a member of \`${name}\``);
  return [
    operationCase(called, `an empty member of ${name}`, aspects, async (trial) => {
      const interaction = await sendChanged(trial, called, (body) => {
        const members = isObject(body[name]) ? body[name] : {};
        return { ...body, [name]: { ...members, emptied: "" } };
      });
      expectSuccess(trial, interaction);
      const { json } = trial.responseOf(interaction);
      const members = isObject(json) ? (json[name] as Json | undefined) : undefined;
      if (isObject(members) && Object.hasOwn(members, "emptied"))
        throw new Broken(`\`${name}\` without the member that was sent empty`, JSON.stringify(members), interaction);
    }),
  ];
}

/** Returns the value with the member of this name, at any depth of the objects around it, as a text. */
function replaced(value: Json, name: string): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]): [string, Json] => {
      const isScalar = typeof inner === "number" || typeof inner === "boolean";
      return [member, member === name && isScalar ? String(inner) : replaced(inner as Json, name)];
    }),
  );
}

/** Whether a successful response of the operation may have the media type. */
function isReturned(contract: Contract, called: Operation, { type }: AcceptedMedia): boolean {
  if (called.action === "handler" || isBodiless(contract, called) || returnsBytes(called)) return false;
  return type !== formMedia && (type !== plainMedia || isOneText(responseShape(contract.model, called).item));
}

function returns(contract: Contract, called: Operation, { type, as = type }: AcceptedMedia): Case {
  const aspects = about(contract, called, "media", `a client that accepts ${type} gets ${as} from ${called.operation}`);
  const { element } = called.endpoint;
  const named = {
    path: pathOf(called, "element"),
    expects: `XML of ${called.operation} has the element \`${element}\``,
  };
  const all: readonly [Aspect, ...Aspect[]] =
    element === undefined || !/[/+]xml$/.test(as) ? aspects : [...aspects, named];
  const run = async (trial: Trial): Promise<void> => {
    const headers = { Accept: concrete(type) };
    const isSession = sessionActions.has(called.action);
    const options = isSession ? {} : await validOptions(trial, called);
    const interaction = await trial.call(called.operation, { ...options, headers });
    if (!isSession && isRejectedByGuard(contract, trial.responseOf(interaction), called))
      throw new NotTried(`the guard of ${called.operation} is false`);
    const response = expectSuccess(trial, interaction);
    const [found = "none"] = (response.headers["content-type"] ?? "").split(/\s*;/);
    if (found !== concrete(as)) throw new Broken(`Content-Type: ${concrete(as)}`, found, interaction);
    const { element } = called.endpoint;
    if (element === undefined || !/[/+]xml$/.test(found)) return;
    const root = /^\s*(?:<\?xml[^>]*>\s*)?<([^\s/>]+)/.exec(response.text)?.[1] ?? "none";
    const path = pathOf(called, "element");
    if (root !== element) throw new Broken(`the element \`${element}\``, `the element \`${root}\``, interaction, path);
  };
  return operationCase(called, `accepts ${type}`, all, run, called.action === "clear" ? { exclusive: true } : {});
}

async function sendChanged(
  trial: Trial,
  called: Operation,
  change: (body: JsonObject) => JsonObject,
): Promise<Interaction> {
  const { bytes, options } = await validBytes(trial, called);
  const rawBody = { type: "application/json", bytes: JSON.stringify(change(JSON.parse(bytes) as JsonObject)) };
  return trial.call(called.operation, { ...options, rawBody });
}
