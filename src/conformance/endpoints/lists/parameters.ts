/** The parameters of lists: the size and the position of a page, renamed ones, and those that a list does not have. */
import { fieldsOf } from "../../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../../case.ts";
import { type Contract, type Operation, rejectsUnknown } from "../../contract.ts";
import { expectError, expectSuccess } from "../../expect.ts";
import type { Interaction } from "../../interaction.ts";
import { listNames, pageIn } from "../../response.ts";
import { requestFor } from "../../trial/calls.ts";
import { listStyle, pagesOf, stylePath } from "../../trial/pages.ts";
import { sendAfterLimits } from "../../trial/used-up.ts";
import type { Trial } from "../../trial/trial.ts";
import { hasStyle, type Listed, listed, listsOf } from "./listed.ts";
import { ifPossible, operationCase } from "../subjects.ts";
import type { Query } from "../../trial/parameters.ts";
import { optionsOf } from "./walk.ts";

export function parameterCases(contract: Contract): readonly Case[] {
  return listsOf(contract)
    .filter((called) => hasStyle(contract, called))
    .flatMap((called) => [
      ...hasLimits(contract, called),
      ...hasPositions(contract, called),
      ...isBound(contract, called),
      // Only a document that states all standard errors states that unknown parameters are one of them.
      ...(rejectsUnknown(contract, called) ? [hasNoOthers(contract, called)] : []),
    ]);
}

/** Sends parameters that have to be rejected. */
async function expectRejected(
  trial: Trial,
  list: Listed,
  query: Query,
  expected: { readonly parameter: string; readonly codes: readonly string[] },
): Promise<void> {
  const { called } = list;
  const options = optionsOf(trial, list);
  trial.startOver();
  const interaction = await trial.call(called.operation, { ...options, query: { ...options.query, ...query } });
  expectInvalid(trial, interaction, called, expected);
}

function expectInvalid(
  trial: Trial,
  interaction: Interaction,
  called: Operation,
  { parameter, codes }: { readonly parameter: string; readonly codes: readonly string[] },
): void {
  const entries = [{ place: parameter, codes }];
  // A document that does not state all standard errors leaves open what becomes of such parameters.
  if (trial.contract.model.errors.standard !== "all") return;
  expectError(trial, interaction, { code: "invalid-request", status: 400, entries }, stylePath(called));
}

/** How many records the test makes to fill a page. */
const mostMade = 10;

/** The size of a page: the largest one is accepted, a larger one and none are rejected. */
function hasLimits(contract: Contract, called: Operation): readonly Case[] {
  const { operation } = called;
  const { clamped = false, kind, max: most } = listStyle(contract, called) ?? {};
  const { limit } = listNames(contract, called);
  if (kind === "none" || most === undefined) return [];
  return [
    operationCase(
      called,
      `${limit}`,
      [
        {
          path: stylePath(called),
          expects: `a page of ${most} is accepted; ${clamped ? `${most + 1} means ${most}` : `${most + 1} and 0 are rejected`}, and words are rejected`,
        },
      ],
      async (trial) => {
        // A short list cannot show that a larger limit is reduced.
        const list = await listed(trial, called, clamped && most <= mostMade ? most + 1 : 1);
        const largest = await trial.call(operation, optionsOf(trial, list, most));
        expectSuccess(trial, largest, stylePath(called));
        if (clamped) {
          const larger = await trial.call(operation, optionsOf(trial, list, most + 1));
          expectSuccess(trial, larger, stylePath(called));
          const { items = [] } = pageIn(contract, called, trial.responseOf(larger).json) ?? {};
          if (items.length > most)
            throw new Broken(`at most ${most} records`, `${items.length}`, larger, stylePath(called));
        }
        for (const value of clamped ? ["many"] : [most + 1, 0, "many"])
          await expectRejected(trial, list, { [limit]: String(value) }, { parameter: limit, codes: ["out-of-range"] });
      },
    ),
  ];
}

/** A value that is no position of a page is rejected. */
function hasPositions(contract: Contract, called: Operation): readonly Case[] {
  const { kind = "cursor" } = listStyle(contract, called) ?? {};
  if (kind === "none") return [];
  const parameter = listNames(contract, called)[kind];
  const wrong = { cursor: ["nothing"], offset: ["-1", "many"], page: ["0", "many"] }[kind];
  const codes = kind === "cursor" ? ["bad-cursor"] : ["out-of-range"];
  return [
    operationCase(
      called,
      `${parameter}`,
      [{ path: stylePath(called), expects: `\`${parameter}\` rejects ${wrong.join(" and ")}` }],
      async (trial) => {
        const list = await listed(trial, called, 1);
        for (const value of wrong) await expectRejected(trial, list, { [parameter]: value }, { parameter, codes });
      },
    ),
  ];
}

/** A cursor belongs to one list with its filters. */
function isBound(contract: Contract, called: Operation): readonly Case[] {
  const { operation } = called;
  const { cursor } = listNames(contract, called);
  if ((listStyle(contract, called)?.kind ?? "cursor") !== "cursor") return [];
  return [
    operationCase(
      called,
      `${cursor} of another list`,
      [{ path: stylePath(called), expects: "the cursor of another list is rejected" }],
      async (trial) => {
        const list = await listed(trial, called, 2);
        let next: Query[string] | undefined;
        for await (const page of pagesOf(trial, called, optionsOf(trial, list, 1), 1)) next = page.following?.[cursor];
        if (next === undefined) throw new NotTried(`no page of ${operation} has a next one`);
        const other = await otherList(trial, list);
        const options = optionsOf(trial, other);
        const name = listNames(contract, other.called).cursor;
        const interaction = await trial.call(other.called.operation, {
          ...options,
          query: { ...options.query, [name]: next },
        });
        expectInvalid(trial, interaction, other.called, { parameter: name, codes: ["bad-cursor"] });
      },
    ),
  ];
}

/** Returns another list with cursors: that of other records, or the same one with another filter. */
async function otherList(trial: Trial, list: Listed): Promise<Listed> {
  const { contract } = trial;
  if (list.isNarrow) return listed(trial, list.called, 1);
  const others = listsOf(contract).filter(
    (one) => one !== list.called && (listStyle(contract, one)?.kind ?? "cursor") === "cursor",
  );
  for (const called of others) {
    const other = await ifPossible(() => listed(trial, called, 1));
    if (other !== undefined) return other;
  }
  throw new NotTried("the test has no other list with cursors");
}

/** A list rejects parameters that it does not have, and those that are there twice. */
function hasNoOthers(contract: Contract, called: Operation): Case {
  const { operation } = called;
  const { kind = "cursor" } = listStyle(contract, called) ?? {};
  const names = listNames(contract, called);
  const others = ["cursor", "offset", "page", "limit"] as const;
  const missing = others.filter((name) => (kind === "none" ? true : name !== "limit" && name !== kind));
  const declared = declaredNames(contract, called);
  const aspects: Case["aspects"] = [
    { path: stylePath(called), expects: "parameters that the list does not have are rejected" },
  ];
  return operationCase(called, "other parameters", aspects, async (trial) => {
    const list = await listed(trial, called, 1);
    const unknown = ["unknownParameter", ...missing.map((name) => names[name])].filter((name) => !declared.has(name));
    for (const name of unknown)
      await expectRejected(trial, list, { [name]: "1" }, { parameter: name, codes: ["unknown-parameter"] });
    if (kind === "none") return;
    trial.startOver();
    const options = optionsOf(trial, list);
    const query = { ...options.query, [names.limit]: ["1", "2"] };
    const { request, caller } = await requestFor(trial, called, { ...options, query });
    const interaction = await sendAfterLimits(trial, request, caller, { operation });
    expectInvalid(trial, interaction, called, { parameter: names.limit, codes: ["repeated-parameter"] });
  });
}

/** Returns the parameters that the list has besides those of its pages. */
function declaredNames({ model }: Contract, { endpoint, resource }: Operation): ReadonlySet<string> {
  const fields = resource === undefined ? {} : fieldsOf(model, resource);
  const filtered = Object.entries(fields).flatMap(([name, { marks }]) => (marks.includes("filter") ? [name] : []));
  return new Set([...Object.keys(endpoint.filters ?? {}), ...Object.keys(endpoint.query ?? {}), ...filtered, "state"]);
}
