/** An older version does what its own document says: each of its operations succeeds, with the bodies that it describes. */
import { Broken, type Case, NotTried } from "../case.ts";
import { type Contract, contractOf, needsRecord } from "../contract.ts";
import { isByOperation, statusText } from "../errors/expected.ts";
import { promiseOf } from "./naming.ts";
import { trialAt } from "./steps.ts";

export function olderCases(contract: Contract, version: string): readonly Case[] {
  const older = contractOf(contract.model, contract.places, version);
  return [...older.operations.values()].map((called): Case => {
    const { operation } = called;
    const { method, path } = called.endpoint;
    return {
      id: `versioning/versions/${version}: ${operation}`,
      aspects: [{ path: promiseOf(contract, version), expects: `${operation} succeeds in version ${version}` }],
      operation,
      run: async (trial) => {
        const at = trialAt(trial, version);
        const interaction = await at.call(operation);
        const response = at.responseOf(interaction);
        if (response.status < 300) return;
        const got = statusText(at.contract, response);
        const isMissing =
          response.status === 405 ||
          response.status === 501 ||
          (response.status === 404 && !needsRecord(called) && called.parents.length === 0);
        if (isMissing) throw new Broken(`success of ${method} ${path} in version ${version}`, got, interaction);
        // The guards and rules of the newest version apply, and the older one need not know them.
        const isOwn = isByOperation(at.contract, response, operation);
        throw new NotTried(`${operation} answered ${got}${isOwn ? "" : `, in version ${version}`}`);
      },
    };
  });
}
