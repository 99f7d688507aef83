/** Operations that the document describes and the service does not serve (`does: none`): each request is rejected with 501. */
import { anonymous } from "../caller.ts";
import { Broken, type Case } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { operationsAddress, versionSelector } from "../request.ts";
import { segmentText } from "../../language/endpoints/resolve.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import { operationCase, pathOf } from "./subjects.ts";

export function unservedCases(contract: Contract): readonly Case[] {
  return contract.unserved.map((called) => isNotImplemented(contract, called));
}

function isNotImplemented(contract: Contract, called: Operation): Case {
  const { endpoint, segments } = called;
  const path = pathOf(called, "does");
  const aspects = [{ path, expects: `${endpoint.method} ${endpoint.path} is 501, whoever calls` }] as const;
  return operationCase(called, "not served", aspects, async (trial) => {
    const written = segments.map((segment) => segmentText(segment, () => trial.random.text(8)));
    const selector = versionSelector(contract, contract.version);
    const url = `${operationsAddress(contract, trial.world.target.address)}${selector.path}/${written.join("/")}`;
    const query = new URLSearchParams(selector.query).toString();
    const { method } = endpoint;
    const request = { method, url: query === "" ? url : `${url}?${query}`, headers: selector.headers };
    for (const caller of [(await trial.callers())[0] ?? anonymous, anonymous]) {
      const interaction = await sendAfterLimits(trial, caller.authorize(request), caller);
      const response = trial.responseOf(interaction);
      // Credentials may be checked before the method.
      if (response.status === 501 || (caller === anonymous && response.status === 401)) continue;
      throw new Broken("501 for an operation that is not served", statusText(contract, response), interaction, path);
    }
  });
}
