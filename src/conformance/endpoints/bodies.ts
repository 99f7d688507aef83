/** The form of bodies: the objects around members, and the media types. */
import { isObject, type Json } from "../../base/json.ts";
import { inputOnlyActions, sessionActions } from "../../language/endpoints/model.ts";
import { bareType } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import { type Contract, type Operation, wrapOf } from "../contract.ts";
import { isStated, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { aspectsOf, pathOf, plainOperations, validOptions } from "./subjects.ts";

export function bodyCases(contract: Contract): readonly Case[] {
  const operations = plainOperations(contract).filter(
    (one) => hasJsonBody(contract, one) && !sessionActions.has(one.action),
  );
  const wrapped = operations.filter(
    (one) =>
      one.endpoint.takes === undefined && !inputOnlyActions.has(one.action) && wrapOf(contract, one) !== undefined,
  );
  const needing = (some: readonly Operation[]): readonly Operation[] =>
    some.filter((one) => membersOf(contract, one).some(({ required }) => required)).slice(0, 1);
  return [
    ...operations.filter(({ endpoint }) => endpoint.nesting !== undefined).map((one) => isNested(contract, one)),
    ...(contract.places.has("endpoints/wrap")
      ? [...needing(wrapped).map(isWrapped), ...hasWrappedPages(contract)]
      : []),
    ...operations
      .filter(({ action, endpoint }) => action === "update" && endpoint.method === "PATCH")
      .map((one) => isMergePatch(contract, one)),
    ...needing(operations).flatMap((one) => [...hasMediaType(contract, one), ...isObjectOnly(contract, one)]),
  ];
}

/** Whether the operation takes members and none of them is a file. */
function hasJsonBody(contract: Contract, called: Operation): boolean {
  if (called.kind === "resource" && called.file !== undefined) return false;
  const members = membersOf(contract, called);
  return members.length > 0 && members.every(({ field }) => bareType(field.type).kind !== "file");
}

/** A body without the objects of `takes` is rejected. */
function isNested(contract: Contract, called: Operation): Case {
  const { operation, endpoint } = called;
  const names = Object.keys(endpoint.nesting ?? {});
  return {
    id: `endpoints/${operation}: without objects`,
    aspects: aspectsOf(contract, called, ["takes"], "members are inside the declared objects"),
    operation,
    run: async (trial) => {
      const { body, ...options } = await validOptions(trial, called);
      if (body === null || !names.some((name) => Object.hasOwn(body, name)))
        throw new NotTried("the test has no body with a member inside an object");
      const rawBody = { type: "application/json", bytes: JSON.stringify(body) };
      const interaction = await trial.call(operation, { ...options, rawBody });
      expectError(trial, interaction, { code: "invalid-request", status: 422 }, pathOf(called, "takes"));
    },
  };
}

/** A record that is not inside the member of `wrap` is rejected. */
function isWrapped(called: Operation): Case {
  const { operation } = called;
  return {
    id: `endpoints/${operation}: not wrapped`,
    aspects: [{ path: "endpoints/wrap", expects: `${operation} takes the record inside its member` }],
    operation,
    run: async (trial) => {
      const { body, ...options } = await validOptions(trial, called);
      const inside = await trial.call(operation, { ...options, body });
      expectAccepted(trial, called, inside);
      const rawBody = { type: "application/json", bytes: JSON.stringify(body ?? {}) };
      const interaction = await trial.call(operation, { ...options, rawBody });
      expectError(trial, interaction, { code: "invalid-request", status: 422 });
    },
  };
}

/** A page has its records in the member of `wrap`, which each response of a list is compared with. */
function hasWrappedPages(contract: Contract): readonly Case[] {
  const called = plainOperations(contract).find(
    ({ action, endpoint }) => action === "list" && endpoint.gives === undefined && endpoint.lists === undefined,
  );
  if (contract.model.endpoints.wrap?.many === undefined || called === undefined) return [];
  return [
    {
      id: `endpoints/${called.operation}: wrapped`,
      aspects: [{ path: "endpoints/wrap", expects: `the page of ${called.operation} is inside its member` }],
      operation: called.operation,
      run: async (trial) => {
        const response = trial.responseOf(await trial.call(called.operation));
        if (response.status >= 300)
          throw new NotTried(`${called.operation} answered ${statusText(contract, response)}`);
      },
    },
  ];
}

function expectAccepted(trial: Trial, called: Operation, interaction: Interaction): void {
  const response = trial.responseOf(interaction);
  if (response.status < 300) return;
  throw new Broken(`success of ${called.operation}`, statusText(trial.contract, response), interaction);
}

/** A PATCH takes a merge patch (RFC 7396). */
function isMergePatch(contract: Contract, called: Operation): Case {
  const { operation } = called;
  return {
    id: `endpoints/${operation}: merge patch`,
    aspects: aspectsOf(contract, called, [], "application/merge-patch+json is accepted (RFC 7396)"),
    operation,
    run: async (trial) => {
      const { body, ...options } = await validOptions(trial, called);
      const built = await trial.build(operation, { ...options, body });
      const bytes = typeof built.request.body === "string" ? built.request.body : JSON.stringify(body ?? {});
      const rawBody = { type: "application/merge-patch+json", bytes };
      const interaction = await trial.call(operation, { ...options, rawBody });
      const response = trial.responseOf(interaction);
      if (response.status === 415)
        throw new Broken("a merge patch to be accepted", statusText(contract, response), interaction, pathOf(called));
      if (response.status >= 300) throw new NotTried(`${operation} answered ${statusText(contract, response)}`);
    },
  };
}

/** JSON of other types than an object. */
const otherBodies: readonly Json[] = [null, [], "text", 12, true];

/** A body that is no object has none of the members that the operation needs. Whether it is readable is open: 400 or 422. */
function isObjectOnly(contract: Contract, called: Operation): readonly Case[] {
  const { operation } = called;
  const path = "errors/standard";
  if (!isStated(contract, "invalid-request") || !contract.places.has(path)) return [];
  return [
    {
      id: `endpoints/${operation}: no object`,
      aspects: [{ path, expects: `a body of ${operation} that is no object is rejected` }],
      operation,
      run: async (trial) => {
        const { body: _, ...options } = await validOptions(trial, called);
        for (const body of otherBodies) {
          const rawBody = { type: "application/json", bytes: JSON.stringify(body) };
          const interaction = await trial.call(operation, { ...options, rawBody, isInvalid: true });
          const response = trial.responseOf(interaction);
          if (response.status >= 400 && response.status < 500) continue;
          throw new Broken("400 or 422 invalid-request", statusText(contract, response), interaction, path);
        }
      },
    },
  ];
}

/** A body of another media type is rejected. */
function hasMediaType(contract: Contract, called: Operation): readonly Case[] {
  const { operation } = called;
  const path = "errors/standard";
  if (!isStated(contract, "unsupported-media") || !contract.places.has(path)) return [];
  return [
    {
      id: `endpoints/${operation}: media type`,
      aspects: [{ path, expects: "a body of another media type is 415" }],
      operation,
      run: async (trial) => {
        const { body, ...options } = await validOptions(trial, called);
        const built = await trial.build(operation, { ...options, body });
        const sent: Json = JSON.parse(String(built.request.body)) as Json;
        if (!isObject(sent)) throw new NotTried(`${operation} has no body`);
        const rawBody = { type: "text/plain", bytes: JSON.stringify(sent) };
        const interaction = await trial.call(operation, { ...options, rawBody });
        expectError(trial, interaction, { code: "unsupported-media" });
      },
    },
  ];
}
