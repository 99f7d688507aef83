/** What clients can observe of `size`: a body of the largest size is accepted, and one with a byte more is rejected. */
import { parseSize } from "../../base/bytes.ts";
import { lookup } from "../../language/resources/fields.ts";
import { firstResult } from "../attempts.ts";
import { Broken, type Case, NotTried, type PartCases } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { type BuiltRequest, requestFor } from "../trial/calls.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { learnMade } from "../trial/made.ts";

/** The largest body that the test sends, in bytes. */
const mostBytes = 16 * 1024 ** 2;

export function sizeCases(contract: Contract): PartCases {
  const sizes = Object.entries(contract.model.limits.size ?? {}).map(([target, written]) => ({
    ...{ target, written, path: `limits/size/${target}` },
    bytes: parseSize(written) ?? Number.NaN,
    operations: operationsFor(contract, target),
  }));
  const isTried = ({ bytes, operations }: (typeof sizes)[number]): boolean =>
    bytes < mostBytes && operations.length > 0;
  return {
    cases: sizes.filter(isTried).map((one) => isEdge(one.path, one.bytes, one.operations)),
    unobservable: sizes
      .filter((one) => !isTried(one))
      .map(({ bytes, path, written }) => ({
        path,
        expects: `a body may have at most ${written}`,
        reason:
          bytes < mostBytes ? "no operation has a body of JSON that this limit is for" : "the test sends at most 16MB",
      })),
  };
}

/** Returns the operations whose bodies of JSON the limit is for: those first that create a record. */
function operationsFor(contract: Contract, target: string): readonly Operation[] {
  const { size = {} } = contract.model.limits;
  const isFor = (called: Operation): boolean =>
    target === "request" ? lookup(size, called.operation) === undefined : called.operation === target;
  return [...contract.operations.values()]
    .filter((called) => isFor(called) && hasJson(contract, called))
    .toSorted((one, other) => Number(other.action === "create") - Number(one.action === "create"));
}

function hasJson(contract: Contract, called: Operation): boolean {
  const { action, endpoint } = called;
  const isSession = action === "login" || action === "renew" || action === "logout";
  const isFile = called.kind === "resource" && called.file !== undefined;
  return (
    endpoint.method !== "GET" &&
    endpoint.wire === undefined &&
    !isSession &&
    !isFile &&
    membersOf(contract, called).length > 0
  );
}

function isEdge(path: string, bytes: number, operations: readonly Operation[]): Case {
  return {
    id: `${path}: at the edge`,
    aspects: [{ path, expects: `a body of ${bytes} bytes is accepted, and one of ${bytes + 1} bytes is rejected` }],
    run: async (trial) => {
      const { built, called } = await buildOne(trial, operations);
      const { operation } = called;
      const { caller, request } = built;
      const text = String(request.body);
      if (lengthOf(text) > bytes) throw new NotTried("the smallest body that the test has is larger than the limit");
      const send = (length: number): Promise<Interaction> =>
        sendAfterLimits(trial, { ...request, body: text + " ".repeat(length - lengthOf(text)) }, caller, { operation });
      const rest = operations.slice(operations.indexOf(called) + 1);
      const other = await buildOne(trial, rest).catch(() => undefined);
      for (const one of [{ built, called }, ...(other === undefined ? [] : [other])])
        await expectTooLarge(trial, one, bytes);
      const fitting = await send(bytes);
      const response = trial.responseOf(fitting);
      learnMade(trial, called, caller, fitting);
      if (isError(trial.contract, response, "too-large", operation))
        throw new Broken(`a body of ${bytes} bytes is accepted`, statusText(trial.contract, response), fitting);
      if (response.status >= 300) throw new NotTried(`${operation} answered ${statusText(trial.contract, response)}`);
    },
  };
}

/** A body with one byte more than the limit is rejected. */
async function expectTooLarge(trial: Trial, { built, called }: Found, bytes: number): Promise<void> {
  const { caller, request } = built;
  const text = String(request.body);
  const body = text + " ".repeat(Math.max(0, bytes + 1 - lengthOf(text)));
  const large = await sendAfterLimits(trial, { ...request, body }, caller, { operation: called.operation });
  // A server may close the connection before the client has sent everything, and then the response is lost.
  if (!isResponse(large.response)) throw new NotTried(large.response.problem);
  expectError(trial, large, { code: "too-large" });
}

interface Found {
  readonly called: Operation;
  readonly built: BuiltRequest;
}

/** Builds a request of the first operation that the test can call. */
async function buildOne(trial: Trial, operations: readonly Operation[]): Promise<Found> {
  const build = async (called: Operation): Promise<Found | undefined> => {
    const built = await requestFor(trial, called);
    return built.request.body === undefined ? undefined : { called, built };
  };
  return firstResult(operations, build, "no operation has a body of JSON");
}

function lengthOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
