/** The members of bodies: those that are required cannot be left out, and others than the declared ones are rejected. */
import { type JsonObject, omit } from "../../base/json.ts";
import { inputShapeOf } from "../../language/endpoints/shape.ts";
import type { InputMember } from "../../language/endpoints/input.ts";
import { sessionActions } from "../../language/endpoints/model.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import type { Case } from "../case.ts";
import { type Contract, type Operation, rejectsUnknown } from "../contract.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { each } from "../attempts.ts";
import { inputWith, otherOperations } from "./inputs.ts";
import { expectAccepted, expectRejected, possibleErrors } from "./outcome.ts";
import { memberPath, sendWrite, type Write, writesOf } from "./writing.ts";

export function memberCases(contract: Contract): readonly Case[] {
  return [
    ...writesOf(contract).flatMap((write) => [
      ...isRequired(contract, write.called, write),
      ...isOptional(contract, write),
      ...isUnknown(contract, write.called, write),
    ]),
    ...otherOperations(contract).flatMap((called) => [...isRequired(contract, called), ...isUnknown(contract, called)]),
  ];
}

/** Whether the member is required even if no member beside it is sent: no object around it may be left out. */
function isAlwaysRequired({ model }: Contract, called: Operation, { name, required }: InputMember): boolean {
  const around = lookup(inputShapeOf(model, called)?.nesting ?? {}, name) ?? [];
  return required && around.every((one) => !one.endsWith("?"));
}

function isRequired(contract: Contract, called: Operation, write?: Write): readonly Case[] {
  const required = membersOf(contract, called).filter((member) => isAlwaysRequired(contract, called, member));
  const [first, ...more] = required.map(({ name }) => ({
    path: memberPath(contract, called, name),
    expects: `a body without \`${name}\` is rejected`,
  }));
  if (first === undefined || write?.kind === "change" || isOnlyFile(called)) return [];
  const { operation } = called;
  const name = write === undefined ? operation : write.name;
  return [
    {
      id: `resources/${name}: required members`,
      aspects: [first, ...more],
      operation,
      run: async (trial) => {
        await each(required, async ({ name: member }) => {
          trial.startOver();
          await expectMistake(trial, called, write, {
            ...{ what: "no value", member, codes: ["required"], path: memberPath(contract, called, member) },
            change: (body) => omit(body, [member]),
          });
        });
      },
    },
  ];
}

/** Each member that may be left out is left out of a body with all others. */
function isOptional(contract: Contract, write: Write): readonly Case[] {
  const { called, kind } = write;
  const { operation, resource } = called;
  const optional = membersOf(contract, called).filter(
    ({ name, proves, required }) =>
      // The cases of defaults leave out those that have one.
      !required && proves === undefined && lookup(fieldsOf(contract.model, resource), name)?.default === undefined,
  );
  const [first, ...more] = optional.map(({ name }) => ({
    path: memberPath(contract, called, name),
    expects: `a body without \`${name}\` is accepted`,
  }));
  if (first === undefined || kind !== "create") return [];
  return [
    {
      id: `resources/${write.name}: optional members`,
      aspects: [first, ...more],
      operation,
      run: async (trial) => {
        await each(optional, async ({ name }) => {
          trial.startOver();
          const written = await sendWrite(trial, write, { without: [name], isValid: true });
          const path = memberPath(contract, called, name);
          expectAccepted(trial, written, `a body without \`${name}\` to be accepted`, path);
        });
      },
    },
  ];
}

function isUnknown(contract: Contract, called: Operation, write?: Write): readonly Case[] {
  const { action, operation } = called;
  const members = membersOf(contract, called);
  if (!rejectsUnknown(contract, called)) return [];
  if (members.length === 0 || isOnlyFile(called) || (called.kind === "resource" && sessionActions.has(action)))
    return [];
  const path = `endpoints/endpoints/${operation}`;
  const name = write === undefined ? operation : write.name;
  let unknown = "unknownMember";
  while (members.some((one) => one.name === unknown)) unknown += "2";
  return [
    {
      id: `resources/${name}: unknown member`,
      aspects: [{ path, expects: "a member that the document does not declare is rejected" }],
      operation,
      run: async (trial) => {
        await expectMistake(trial, called, write, {
          ...{ what: "a value", member: unknown, codes: ["unknown-field"], path },
          change: (body) => ({ ...body, [unknown]: "x" }),
        });
      },
    },
  ];
}

/** Whether the body is a file and has no members. */
function isOnlyFile(called: Operation): boolean {
  return called.kind === "resource" && called.file !== undefined;
}

interface Mistake {
  readonly what: string;
  readonly member: string;
  readonly codes: readonly string[];
  readonly path: string;
  readonly change: (body: JsonObject) => JsonObject;
}

/** Sends a valid request with one mistake, which has to be rejected. */
async function expectMistake(
  trial: Trial,
  called: Operation,
  write: Write | undefined,
  { change, ...mistaken }: Mistake,
): Promise<void> {
  if (write !== undefined) {
    const written = await sendWrite(trial, write, { change, obeysRules: true });
    return expectRejected(trial, called, written.interaction, mistaken, possibleErrors(trial, written));
  }
  const { body, caller, query, record } = await inputWith(trial, called);
  const interaction = await trial.call(called.operation, {
    ...{ caller, query, record, body: change(body), isInvalid: true },
  });
  const { else: guarded } = called.endpoint;
  expectRejected(trial, called, interaction, mistaken, guarded === undefined ? [] : [guarded]);
}
