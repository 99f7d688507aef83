/** What clients can observe of part 1: each operation that the document lists is there. The rest of the part is for readers. */
import { ifPossible } from "../attempts.ts";
import { Broken, type Case, NotTried, type PartCases, type Unobservable } from "../case.ts";
import { type Contract, needsRecord } from "../contract.ts";
import { mayRun } from "../permissions.ts";
import { subjectFor } from "../trial/calls.ts";
import { codeIn, isByOperation, isError, isRejectedByGuard, statusText } from "../errors/expected.ts";

export function purposeCases(contract: Contract): PartCases {
  const { domain, nonet, operations, outside, purpose, service, users } = contract.model.purpose;
  const listed = Object.keys(operations);
  return {
    cases: listed.flatMap((name) => isThere(contract, name)),
    unobservable: [
      ...(nonet === undefined
        ? []
        : [prose("nonet", "the edition of the language", "it is about the document itself")]),
      ...(service === undefined ? [] : [prose("service", "the name of the service", "no response has to contain it")]),
      ...(domain === undefined ? [] : [prose("domain", "the domain", forReaders)]),
      ...(purpose === undefined ? [] : [prose("purpose", "the purpose", forReaders)]),
      ...Object.keys(users).map((name) => prose(`users/${name}`, `${name} is a kind of user`, forReaders)),
      ...(outside === undefined ? [] : [prose("outside", "what the service does not do", forReaders)]),
      ...listed
        .filter((name) => !contract.operations.has(name))
        .map((name) => prose(`operations/${name}`, `${name} is there`, "the document has no endpoint for it")),
    ],
  };
}

const forReaders = "it is written for readers";

function prose(statement: string, expects: string, reason: string): Unobservable {
  return { path: `purpose/${statement}`, expects, reason };
}

/** A request for the operation gets a response that only this operation can give. */
function isThere(contract: Contract, name: string): readonly Case[] {
  const called = contract.operations.get(name);
  if (called === undefined) return [];
  const { method, path } = called.endpoint;
  const statement = `purpose/operations/${name}`;
  return [
    {
      id: `${statement}: is there`,
      aspects: [{ path: statement, expects: `the service has the operation ${name}` }],
      operation: name,
      run: async (trial) => {
        const subject = needsRecord(called) ? await ifPossible(() => subjectFor(trial, called)) : undefined;
        const last = trial.interactions.at(-1);
        // The operation itself may make its records.
        const interaction =
          subject === undefined && last?.operation === name ? last : await trial.call(name, subject ?? {});
        const response = trial.responseOf(interaction);
        if (isByOperation(contract, response, name)) return;
        if (isRejectedByGuard(contract, response, called)) {
          if (codeIn(contract, response) !== undefined) return;
          throw new NotTried(`the guard of ${name} is false, or the service does not have the operation`);
        }
        const got = statusText(contract, response);
        // Where a record may be missing, or a caller may not see it, 404 says nothing about the operation.
        const isMissing = ["method-not-allowed", "not-implemented"].some((code) =>
          isError(contract, response, code, name),
        );
        const isFound =
          subject === undefined
            ? called.parents.length === 0
            : mayRun(contract, name, subject.caller, trial.around(subject.record)) === true;
        const isUnknown = response.status === 404 && isFound;
        if (isMissing || isUnknown) throw new Broken(`a response of ${method} ${path}`, got, interaction);
        throw new NotTried(`a request for ${name} got ${got}`);
      },
    },
  ];
}
