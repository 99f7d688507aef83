/** The form of bodies: the objects around members, and merge patches. */
import { inputOnlyActions, sessionActions } from "../../language/endpoints/model.ts";
import { bareType, fieldsOf, isServerSet } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import { type Contract, type Operation, rejectsUnknown, wrapOf } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { expectError, expectSuccess, neededSuccess } from "../expect.ts";
import { pointerOf } from "../request.ts";
import { supplyFor } from "../resources/writing.ts";
import { membersOf } from "../trial/learning.ts";
import { validValue } from "../values/valid.ts";
import { aspectsOf, operationCase, pathOf, plainOperations, validOptions } from "./subjects.ts";

export function bodyCases(contract: Contract): readonly Case[] {
  const operations = plainOperations(contract).filter(
    (one) => hasJsonBody(contract, one) && !sessionActions.has(one.action),
  );
  const wrapped = operations.filter(
    (one) =>
      one.endpoint.takes === undefined && !inputOnlyActions.has(one.action) && wrapOf(contract, one) !== undefined,
  );
  const needing = wrapped.filter((one) => membersOf(contract, one).some(({ required }) => required)).slice(0, 1);
  return [
    ...operations.filter(({ endpoint }) => endpoint.nesting !== undefined).map((one) => isNested(contract, one)),
    ...operations.filter(({ endpoint }) => endpoint.takesView !== undefined).flatMap((one) => isView(contract, one)),
    ...(contract.places.has("endpoints/wrap") ? [...needing.map(isWrapped), ...hasWrappedPages(contract)] : []),
    ...operations
      .filter(({ action, endpoint }) => action === "update" && endpoint.method === "PATCH")
      .map((one) => isMergePatch(contract, one)),
  ];
}

/** Whether the operation takes members and none of them is a file. */
export function hasJsonBody(contract: Contract, called: Operation): boolean {
  if (called.kind === "resource" && called.file !== undefined) return false;
  const members = membersOf(contract, called);
  return members.length > 0 && members.every(({ field }) => bareType(field.type).kind !== "file");
}

/** A body without the objects of `takes` is rejected. */
function isNested(contract: Contract, called: Operation): Case {
  const { operation, endpoint } = called;
  const names = Object.keys(endpoint.nesting ?? {});
  const aspects = aspectsOf(contract, called, ["takes"], "members are inside the declared objects");
  return operationCase(called, "without objects", aspects, async (trial) => {
    const { body, ...options } = await validOptions(trial, called);
    if (body === null || !names.some((name) => Object.hasOwn(body, name)))
      throw new NotTried("the test has no body with a member inside an object");
    const rawBody = { type: "application/json", bytes: JSON.stringify(body) };
    const interaction = await trial.call(operation, { ...options, rawBody });
    expectError(trial, interaction, { code: "invalid-request", status: 422 }, pathOf(called, "takes"));
  });
}

/** A field that the view of `takes` does not have is rejected. */
function isView(contract: Contract, called: Operation): readonly Case[] {
  const names = new Set(membersOf(contract, called).map(({ name }) => name));
  const found = Object.entries(fieldsOf(contract.model, called.resource ?? "")).find(
    ([name, field]) => !names.has(name) && !isServerSet(field) && bareType(field.type).kind !== "file",
  );
  if (found === undefined || !rejectsUnknown(contract, called)) return [];
  const [name, { type }] = found;
  const expects = `a body with \`${name}\`, which the view does not have, is rejected`;
  return [
    operationCase(called, "outside the view", aspectsOf(contract, called, ["takes"], expects), async (trial) => {
      const { body, ...options } = await validOptions(trial, called);
      const value = validValue(contract, type, await supplyFor(trial, type)) ?? "x";
      const changed = { ...body, [name]: value };
      const interaction = await trial.call(called.operation, { ...options, body: changed, isInvalid: true });
      const entries = [{ place: pointerOf(contract, called, name), codes: [] }];
      expectError(trial, interaction, { code: "invalid-request", status: 422, entries }, pathOf(called, "takes"));
    }),
  ];
}

/** A record that is not inside the member of `wrap` is rejected. */
function isWrapped(called: Operation): Case {
  const { operation } = called;
  const aspects: Case["aspects"] = [
    { path: "endpoints/wrap", expects: `${operation} takes the record inside its member` },
  ];
  return operationCase(called, "not wrapped", aspects, async (trial) => {
    const { body, ...options } = await validOptions(trial, called);
    const inside = await trial.call(operation, { ...options, body });
    expectSuccess(trial, inside);
    const rawBody = { type: "application/json", bytes: JSON.stringify(body ?? {}) };
    const interaction = await trial.call(operation, { ...options, rawBody });
    expectError(trial, interaction, { code: "invalid-request", status: 422 });
  });
}

/** A page has its records in the member of `wrap`, which each response of a list is compared with. */
function hasWrappedPages(contract: Contract): readonly Case[] {
  const called = plainOperations(contract).find(
    ({ action, endpoint }) => action === "list" && endpoint.gives === undefined && endpoint.lists === undefined,
  );
  if (contract.model.endpoints.wrap?.many === undefined || called === undefined) return [];
  return [
    operationCase(
      called,
      "wrapped",
      [{ path: "endpoints/wrap", expects: `the page of ${called.operation} is inside its member` }],
      async (trial) => {
        neededSuccess(trial, await trial.call(called.operation));
      },
    ),
  ];
}

/** A PATCH takes a merge patch (RFC 7396). */
function isMergePatch(contract: Contract, called: Operation): Case {
  const { operation } = called;
  const aspects = aspectsOf(contract, called, [], "application/merge-patch+json is accepted (RFC 7396)");
  return operationCase(called, "merge patch", aspects, async (trial) => {
    const { body, ...options } = await validOptions(trial, called);
    const built = await trial.build(operation, { ...options, body });
    const bytes = typeof built.request.body === "string" ? built.request.body : JSON.stringify(body ?? {});
    const rawBody = { type: "application/merge-patch+json", bytes };
    const interaction = await trial.call(operation, { ...options, rawBody });
    const response = trial.responseOf(interaction);
    if (response.status === 415)
      throw new Broken("a merge patch to be accepted", statusText(contract, response), interaction, pathOf(called));
    neededSuccess(trial, interaction);
  });
}
