/** Who may set a field (`set`): each kind of caller that may create, change or replace a record sends the field with another value. */
import { defaultValue } from "../../language/resources/default-value.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import type { Field } from "../../language/resources/model.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import { type Contract, requestStyle } from "../contract.ts";
import { expectSuccess } from "../expect.ts";
import { mayEverRun, mayRun, maySet } from "../permissions.ts";
import { otherValue, sets, type Write, writesOf } from "../resources/writing.ts";
import { rolesOf } from "../roles.ts";
import { callerLike, callerWith, kindId, kindText } from "./kinds.ts";

export function settingCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.authentication.set ?? {}).flatMap((field) => settings(contract, field));
}

function settings(contract: Contract, subject: string): readonly Case[] {
  const { model } = contract;
  const [resource = "", name = ""] = subject.split(".");
  const path = `authentication/set/${subject}`;
  const field = lookup(fieldsOf(model, resource), name);
  if (field === undefined) return [];
  const isCreateOnly = field.marks.includes("create-only");
  return writesOf(contract, resource)
    .filter((write) => sets(write, name) && (write.kind === "create" || !isCreateOnly))
    .filter(({ kind, called }) => kind !== "create" || called.action === "create")
    .flatMap((write) => settingsBy(contract, write, { resource, name, field, path }));
}

interface Subject {
  readonly resource: string;
  readonly name: string;
  readonly field: Field;
  readonly path: string;
}

function settingsBy(
  contract: Contract,
  { called, kind }: Write,
  { resource, name, field, path }: Subject,
): readonly Case[] {
  const { model } = contract;
  const isIgnored = requestStyle(contract, called).unknown === "ignored";
  const kinds = [...rolesOf(contract), undefined].filter((roles) =>
    mayEverRun(contract, called.operation, callerLike(roles)),
  );
  return kinds.map((roles): Case => {
    const who = kindText(roles);
    return {
      id: `${path}: ${called.operation} by ${kindId(roles)}`,
      aspects: [{ path, expects: `who may set \`${name}\`: ${who}` }],
      operation: called.operation,
      run: async (trial) => {
        const caller = await callerWith(trial, roles);
        const record = kind === "create" ? undefined : await trial.make(resource, { creator: caller });
        if (record !== undefined) {
          await trial.look(record);
          if (mayRun(contract, called.operation, caller, trial.around(record)) !== true)
            throw new NotTried(`the test has no ${resource} that ${who} may change by ${called.operation}`);
        }
        const may = maySet(contract, resource, name, caller, trial.scope(caller, record));
        if (may === undefined) throw new NotTried(`whether ${who} may set \`${name}\` depends on the record`);
        const value = await otherValue(trial, field.type, [defaultValue(model, field), record?.values.get(name)]);
        if (value === undefined) throw new NotTried(`the test finds no other value of \`${name}\``);
        const { body = {}, query } = await trial.inputFor(called.operation, caller, record);
        const interaction = await trial.call(called.operation, {
          ...{ caller, record, query, body: { ...body, [name]: value } },
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
