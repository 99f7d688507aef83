/** Who may set a field (`set`): each kind of caller that may create a record sends the field with another value than its default. */
import { defaultValue } from "../../language/resources/default-value.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import { anonymous } from "../caller.ts";
import { type Contract, requestStyle } from "../contract.ts";
import { expectSuccess } from "../expect.ts";
import { mayEverRun, maySet } from "../permissions.ts";
import { otherValue } from "../resources/writing.ts";
import { rolesOf } from "../roles.ts";
import { membersOf } from "../trial/learning.ts";
import { callerWith, kindText } from "./kinds.ts";

export function settingCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.authentication.set ?? {}).flatMap((field) => settings(contract, field));
}

function settings(contract: Contract, subject: string): readonly Case[] {
  const { model } = contract;
  const [resource = "", name = ""] = subject.split(".");
  const path = `authentication/set/${subject}`;
  const called = [...contract.operations.values()].find(
    (one) =>
      one.action === "create" &&
      one.resource === resource &&
      membersOf(contract, one).some((member) => member.sets && member.name === name),
  );
  const field = lookup(fieldsOf(model, resource), name);
  if (called === undefined || field === undefined) return [];
  const isIgnored = requestStyle(contract, called).unknown === "ignored";
  const kinds = [...rolesOf(contract), undefined].filter((roles) =>
    mayEverRun(contract, called.operation, { ...anonymous, roles: roles ?? [], signedIn: roles !== undefined }),
  );
  return kinds.map((roles): Case => {
    const who = kindText(roles);
    return {
      id: `${path}: ${roles === undefined ? "anonymous" : `[${roles.join(",")}]`}`,
      aspects: [{ path, expects: `who may set \`${name}\`: ${who}` }],
      operation: called.operation,
      run: async (trial) => {
        const caller = await callerWith(trial, roles);
        const may = maySet(contract, resource, name, caller, trial.scope(caller));
        if (may === undefined) throw new NotTried(`whether ${who} may set \`${name}\` depends on the record`);
        const value = await otherValue(trial, field.type, [defaultValue(model, field)]);
        if (value === undefined) throw new NotTried(`the test finds no other value of \`${name}\``);
        const { body = {}, query } = await trial.inputFor(called.operation, caller);
        const interaction = await trial.call(called.operation, {
          ...{ caller, query, body: { ...body, [name]: value } },
          isInvalid: !may,
        });
        if (may || isIgnored) {
          expectSuccess(trial, interaction, path);
          return;
        }
        const { status } = trial.responseOf(interaction);
        const expected = `an error, since ${who} may not set \`${name}\``;
        if (status < 300) throw new Broken(expected, String(status), interaction, path);
      },
    };
  });
}
