/** The values that fields and other members of bodies may have: those at the edges are accepted, those outside are rejected. */
import type { InputMember } from "../../language/endpoints/input.ts";
import { sessionActions } from "../../language/endpoints/model.ts";
import { fieldsOf, isNeverReturned, isNullable, lookup } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../case.ts";
import { type Contract, type Operation, rejectsUnknown, requestStyle } from "../contract.ts";
import { determinesUnique } from "../distinguishing.ts";
import { setAtCreation } from "../effects.ts";
import { statusText } from "../errors/expected.ts";
import { seeded } from "../random.ts";
import { edgeValues, type InvalidValue, invalidValues } from "../values/boundaries.ts";
import type { Edge } from "../values/edges.ts";
import { problemOf } from "../values/fits.ts";
import { mergePatch } from "../values/same.ts";
import { type Supply, validValue } from "../values/valid.ts";
import type { KnownRecord } from "../trial/known.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { each, untilTried } from "../attempts.ts";
import { errorsOf, inputWith, otherOperations } from "./inputs.ts";
import { innerPath, innerPaths } from "./paths.ts";
import {
  expectAccepted,
  expectRejected,
  expectValue,
  isInvalid,
  outcomeOf,
  possibleErrors,
  unchanged,
} from "./outcome.ts";
import {
  memberPath,
  readField,
  fieldIn,
  sendWrite,
  supplyFor,
  acceptsFile,
  isOnlyCreated,
  type Write,
  writesOf,
  makeToEdit,
  recordToChange,
} from "./writing.ts";

export function valueCases(contract: Contract): readonly Case[] {
  return [
    ...writesOf(contract).flatMap((write) =>
      write.members.flatMap((member) => [
        ...isAccepted(contract, write, member),
        ...isRejected(contract, write, member),
      ]),
    ),
    ...otherOperations(contract).flatMap((called) =>
      inputMembers(contract, called).flatMap((member) => [
        ...isInputAccepted(contract, called, member),
        ...isInputRejected(contract, called, member),
      ]),
    ),
  ];
}

/** Members of operations that set no fields: transitions, links, handlers, logins. */
function inputMembers(contract: Contract, called: Operation): readonly InputMember[] {
  if (called.kind === "resource" && called.file !== undefined) return [];
  return membersOf(contract, called).filter(({ proves }) => proves === undefined);
}

// ── Values that are accepted ───────────────────────────────────────────────────────────────────────────────────────

/** Returns the values at the edges that the document writes; a usual value if it writes none. */
function edgesOf(contract: Contract, type: FieldType, supply: Supply): readonly Edge[] {
  const edges = edgeValues(contract, type, supply).filter(({ stated }) => stated);
  if (edges.length > 0) return edges;
  const usual = validValue(contract, type, supply, "all");
  return usual === undefined ? [] : [{ what: shortText(usual), value: usual, stated: true }];
}

function isAccepted(contract: Contract, write: Write, member: InputMember): readonly Case[] {
  const { name, field } = member;
  const { operation, resource } = write.called;
  // A new secret would lock the test's own users out.
  if (field.marks.includes("secret") && write.kind !== "create") return [];
  // The record keeps the value that its creation set.
  if (isOnlyCreated(contract, resource, member) && write.kind !== "create") return [];
  return [
    {
      id: `resources/${resource}/${name}: ${write.name} accepts`,
      aspects: [
        ...aspectsOf(contract, write.called, member, `valid values of \`${name}\` are accepted and come back`),
        { path: `resources/${resource}/${name}`, expects: `${operation} sets \`${name}\`` },
      ],
      operation,
      run: async (trial) => {
        const supply = await supplyFor(trial, field.type);
        // Rules may forbid all values for one record, and allow them for another one.
        const records = write.kind === "create" ? [undefined] : [1, 2, 3];
        await untilTried(records, async (number) => {
          const record = number === undefined ? undefined : await makeToEdit(trial, write);
          await each(edgesOf(contract, field.type, supply), async (edge) => {
            trial.startOver();
            const isNew = record !== undefined && trial.world.isAgain === true;
            await accepts(trial, write, member, edge, isNew ? await makeToEdit(trial, write) : record);
          });
        });
      },
    },
  ];
}

async function accepts(
  trial: Trial,
  write: Write,
  { name, field }: InputMember,
  { what, value }: Edge,
  record: KnownRecord | undefined,
): Promise<void> {
  const { contract } = trial;
  const { called, kind } = write;
  const path = memberPath(contract, called, name);
  const before = record === undefined ? undefined : await readField(trial, record, name);
  const expected = kind === "change" ? mergePatch(before, value) : value;
  if (problemOf(contract, field.type, expected, "input") !== undefined && expected !== null)
    throw new NotTried("the value after the merge patch would be invalid");
  const written = await sendWrite(trial, write, { record, values: { [name]: value }, isValid: true });
  // The values at the edges are the same in each case.
  if (outcomeOf(trial, written) === "conflict" && determinesUnique(contract, called.resource, name))
    throw new NotTried(`another record has ${what}`);
  const isReplaced = kind === "create" && setAtCreation(contract, called).has(name);
  if (isReplaced && outcomeOf(trial, written) === "invalid")
    throw new NotTried(`the creation sets \`${name}\` itself, and may compute an invalid value`);
  expectAccepted(trial, written, `${what} for \`${name}\` to be accepted`, path);
  if (isReplaced || isNeverReturned(field) || written.record === undefined) return;
  const compared = { name, type: field.type, path: innerPath(contract, path, field.type, []) };
  expectValue(trial, compared, expected, fieldIn(trial, written, name));
  expectValue(trial, compared, expected, await readField(trial, written.record, name, written.caller));
}

// ── Values that are rejected ───────────────────────────────────────────────────────────────────────────────────────

/** Null, with which a merge patch removes a field. */
const removal: InvalidValue = {
  ...{ what: "null", value: null, codes: ["required", "wrong-type"], pointer: "" },
  ...{ stated: true, completeOnly: false },
};

/** Returns the values outside what the document writes, of those that an operation can take. */
function mistakesOf(
  contract: Contract,
  called: Operation,
  type: FieldType,
  supply: Supply,
  { isPatch = false, mayBeAbsent = true }: { readonly isPatch?: boolean; readonly mayBeAbsent?: boolean } = {},
): readonly InvalidValue[] {
  const isForm = acceptsFile(contract, called);
  const isStrict = rejectsUnknown(contract, called);
  const { empty, texts } = requestStyle(contract, called);
  const isConverted = texts === "converted";
  const found = invalidValues(contract, type, supply).filter(
    ({ codes, stated, completeOnly, value }) =>
      (codes.includes("unknown-field") ? isStrict : stated) &&
      // A converted text is a number or a boolean.
      !(isConverted && codes.includes("wrong-type") && typeof value === "string") &&
      // An empty text is no value.
      !(empty === "removes" && mayBeAbsent && value === "") &&
      !(isPatch && completeOnly) &&
      // The values of a form are texts, so a number there is a text, too.
      !(isForm && codes.includes("wrong-type")),
  );
  return isPatch && !mayBeAbsent ? [...found, removal] : found;
}

function isRejected(contract: Contract, write: Write, member: InputMember): readonly Case[] {
  const { name, field } = member;
  const { operation, resource } = write.called;
  const stored = lookup(fieldsOf(contract.model, resource), name) ?? field;
  const kind = {
    isPatch: write.kind === "change",
    mayBeAbsent: isNullable(field) || isNullable(stored),
  };
  if (mistakesOf(contract, write.called, field.type, emptySupply, kind).length === 0) return [];
  return [
    {
      id: `resources/${resource}/${name}: ${write.name} rejects`,
      aspects: aspectsOf(
        contract,
        write.called,
        member,
        `invalid values of \`${name}\` are rejected and change nothing`,
      ),
      operation,
      run: async (trial) => {
        const record = await recordToChange(trial, write);
        const expectUnchanged = await unchanged(trial, record, [name], memberPath(contract, write.called, name));
        const supply = await supplyFor(trial, field.type);
        await each(mistakesOf(contract, write.called, field.type, supply, kind), async (mistake) => {
          trial.startOver();
          const written = await sendWrite(trial, write, {
            record,
            change: (body) => ({ ...body, [name]: mistake.value }),
            obeysRules: true,
          });
          const mistaken = mistakenOf(contract, write.called, member, mistake);
          expectRejected(trial, write.called, written.interaction, mistaken, possibleErrors(trial, written));
        });
        await expectUnchanged();
      },
    },
  ];
}

function mistakenOf(contract: Contract, called: Operation, { name, field }: InputMember, mistake: InvalidValue) {
  const { codes, error, pointer, what } = mistake;
  const path = innerPath(contract, memberPath(contract, called, name), field.type, pointer.split("/").slice(1));
  return { what, member: name, pointer, codes, path, error };
}

// ── Members that set no field ──────────────────────────────────────────────────────────────────────────────────────

function isInputAccepted(contract: Contract, called: Operation, member: InputMember): readonly Case[] {
  const { name, field } = member;
  const { operation } = called;
  if (called.kind === "resource" && sessionActions.has(called.action)) return [];
  return [
    {
      id: `endpoints/endpoints/${operation}/takes/${name}: accepts`,
      aspects: aspectsOf(contract, called, member, `valid values of \`${name}\` are accepted`),
      operation,
      run: async (trial) => {
        const supply = await supplyFor(trial, field.type);
        // A guard may allow one value alone, which is known to be valid.
        const edges = [
          ...edgesOf(contract, field.type, supply),
          { what: "a value that the guard allows", value: undefined },
        ];
        await each(edges, async ({ what, value }) => {
          trial.startOver();
          const { body, query, record, caller } = await inputWith(trial, called, name, value);
          const interaction = await trial.call(operation, { caller, body, query, record });
          const response = trial.responseOf(interaction);
          if (response.status < 300) return;
          const got = `${statusText(contract, response)} ${shortText(response.json)}`;
          if (isInvalid(contract, called, response, errorsOf(contract, called)))
            throw new Broken(
              `${what} for \`${name}\` to be accepted`,
              got,
              interaction,
              memberPath(contract, called, name),
            );
          throw new NotTried(`${operation} answered ${got}`);
        });
      },
    },
  ];
}

function isInputRejected(contract: Contract, called: Operation, member: InputMember): readonly Case[] {
  const { name, field } = member;
  const { operation } = called;
  if (mistakesOf(contract, called, field.type, emptySupply).length === 0) return [];
  return [
    {
      id: `endpoints/endpoints/${operation}/takes/${name}: rejects`,
      aspects: aspectsOf(contract, called, member, `invalid values of \`${name}\` are rejected`),
      operation,
      run: async (trial) => {
        const supply = await supplyFor(trial, field.type);
        const isCounted = Object.values(contract.model.limits.rate ?? {})
          .flat()
          .some(({ per }) => per === called.resource);
        let input = await inputWith(trial, called, name);
        await each(mistakesOf(contract, called, field.type, supply), async (mistake) => {
          trial.startOver();
          if (isCounted) input = await inputWith(trial, called, name);
          const { caller, record, query } = input;
          const body = { ...input.body, [name]: mistake.value };
          const interaction = await trial.call(operation, { caller, body, query, record, isInvalid: true });
          const mistaken = mistakenOf(contract, called, member, mistake);
          expectRejected(trial, called, interaction, mistaken, errorsOf(contract, called));
        });
      },
    },
  ];
}

// ── All of them ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Values for a decision about which cases there are, before any request. */
const emptySupply: Supply = {
  random: seeded(0),
  now: Date.parse("2026-01-01"),
  reference: () => "1",
  user: () => "user",
};

function aspectsOf(
  contract: Contract,
  called: Operation,
  { name, field }: InputMember,
  expects: string,
): readonly [Aspect, ...Aspect[]] {
  const path = memberPath(contract, called, name);
  const inner = innerPaths(contract, field.type).map((one) => ({ path: one, expects }));
  return [{ path, expects }, ...inner];
}
