/** The values that fields and other members of bodies may have: those at the edges are accepted, those outside are rejected. */
import type { Json } from "../../base/json.ts";
import type { InputMember } from "../../language/endpoints/input.ts";
import { sessionActions } from "../../language/endpoints/model.ts";
import { fieldsOf, isNullable, lookup } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../case.ts";
import { type Contract, type Operation, rejectsUnknown, requestStyle } from "../contract.ts";
import { determinesUnique } from "../distinguishing.ts";
import { statusText } from "../errors/expected.ts";
import { seeded } from "../random.ts";
import { type EdgeValue, edgeValues, type InvalidValue, invalidValues } from "../values/boundaries.ts";
import { problemOf } from "../values/fits.ts";
import { isSame, mergePatch } from "../values/same.ts";
import { type Supply, validValue } from "../values/valid.ts";
import type { KnownRecord } from "../trial/known.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { each, untilTried } from "../attempts.ts";
import { errorsOf, inputWith } from "./inputs.ts";
import { innerPath, innerPaths } from "./paths.ts";
import { expectAccepted, expectRejected, expectUnchanged, isInvalid, outcomeOf, possibleErrors } from "./outcome.ts";
import {
  memberPath,
  nameOf,
  readField,
  fieldIn,
  sendWrite,
  settingMembers,
  supplyFor,
  acceptsFile,
  type Write,
  type Written,
  writesOf,
  makeToEdit,
} from "./writing.ts";

export function valueCases(contract: Contract): readonly Case[] {
  const writes = writesOf(contract);
  const writing = new Set(writes.map(({ called }) => called.operation));
  const others = [...contract.operations.values()].filter(
    ({ endpoint, operation }) => endpoint.wire === undefined && !writing.has(operation),
  );
  return [
    ...writes.flatMap((write) =>
      settingMembers(contract, write).flatMap((member) => [
        ...isAccepted(contract, write, member),
        ...isRejected(contract, write, member),
      ]),
    ),
    ...others.flatMap((called) =>
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
function edgesOf(contract: Contract, type: FieldType, supply: Supply): readonly EdgeValue[] {
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
  return [
    {
      id: `resources/${resource}/${name}: ${nameOf(contract, write)} accepts`,
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
            if (record === undefined) trial.startOver();
            await accepts(trial, write, member, edge, record);
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
  { what, value }: EdgeValue,
  record: KnownRecord | undefined,
): Promise<void> {
  const { contract } = trial;
  const { called, kind } = write;
  const path = memberPath(contract, called, name);
  const before = record === undefined ? undefined : await readField(trial, record, name);
  const expected = kind === "change" ? mergePatch(before, value) : value;
  if (problemOf(contract, field.type, expected, "input") !== undefined && expected !== null)
    throw new NotTried("the merged value would not be valid");
  const written = await sendWrite(trial, write, {
    ...{ values: { [name]: value }, isValid: true },
    ...(record === undefined ? {} : { record }),
  });
  // The values at the edges are the same in each case.
  if (outcomeOf(trial, written) === "conflict" && determinesUnique(contract, called.resource, name))
    throw new NotTried(`another record has ${what}`);
  expectAccepted(trial, written, `${what} for \`${name}\` to be accepted`, path);
  const isHidden = field.marks.includes("secret") || field.marks.includes("write-only");
  if (isHidden || written.record === undefined) return;
  expectSame(trial, { name, type: field.type, path, expected }, written, fieldIn(trial, written, name));
  expectSame(
    trial,
    { name, type: field.type, path, expected },
    written,
    await readField(trial, written.record, name, written.caller),
  );
}

function expectSame(
  trial: Trial,
  {
    name,
    type,
    path,
    expected,
  }: { readonly name: string; readonly type: FieldType; readonly path: string; readonly expected: Json },
  written: Written,
  got: Json | undefined,
): void {
  if (got === undefined || isSame(trial.contract.model, type, expected, got)) return;
  throw new Broken(
    `\`${name}\` with ${shortText(expected)}`,
    shortText(got),
    trial.interactions.at(-1) ?? written.interaction,
    innerPath(trial.contract, path, type, []),
  );
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
  type: FieldType,
  supply: Supply,
  {
    isPatch = false,
    mayBeAbsent = true,
    isForm = false,
    isStrict = true,
    isConverted = false,
  }: {
    readonly isPatch?: boolean;
    readonly mayBeAbsent?: boolean;
    readonly isForm?: boolean;
    /** Whether unknown members are rejected. */
    readonly isStrict?: boolean;
    /** Whether texts in place of numbers and booleans are accepted. */
    readonly isConverted?: boolean;
  } = {},
): readonly InvalidValue[] {
  const found = invalidValues(contract, type, supply).filter(
    ({ codes, stated, completeOnly, value }) =>
      (codes.includes("unknown-field") ? isStrict : stated) &&
      !(isConverted && codes.includes("wrong-type") && typeof value === "string") &&
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
    isForm: acceptsFile(contract, write.called),
    isStrict: rejectsUnknown(contract, write.called),
    isConverted: requestStyle(contract, write.called).texts === "converted",
  };
  if (mistakesOf(contract, field.type, emptySupply, kind).length === 0) return [];
  return [
    {
      id: `resources/${resource}/${name}: ${nameOf(contract, write)} rejects`,
      aspects: aspectsOf(
        contract,
        write.called,
        member,
        `invalid values of \`${name}\` are rejected and change nothing`,
      ),
      operation,
      run: async (trial) => {
        const record = write.kind === "create" ? undefined : await makeToEdit(trial, write);
        const before = record === undefined ? undefined : await readField(trial, record, name);
        const supply = await supplyFor(trial, field.type);
        await each(mistakesOf(contract, field.type, supply, kind), async (mistake) => {
          trial.startOver();
          const written = await sendWrite(trial, write, {
            ...(record === undefined ? {} : { record }),
            change: (body) => ({ ...body, [name]: mistake.value }),
            obeysRules: true,
          });
          const mistaken = mistakenOf(contract, write.called, member, mistake);
          expectRejected(trial, write.called, written.interaction, mistaken, possibleErrors(trial, written));
        });
        if (record === undefined || before === undefined) return;
        await expectUnchanged(
          trial,
          record,
          { name, type: field.type, before },
          memberPath(contract, write.called, name),
        );
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
          const interaction = await trial.call(operation, {
            caller,
            body,
            query,
            ...(record === undefined ? {} : { record }),
          });
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
  if (mistakesOf(contract, field.type, emptySupply).length === 0) return [];
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
        await each(mistakesOf(contract, field.type, supply), async (mistake) => {
          trial.startOver();
          if (isCounted) input = await inputWith(trial, called, name);
          const { caller, record, query } = input;
          const body = { ...input.body, [name]: mistake.value };
          const interaction = await trial.call(operation, {
            ...{ caller, body, query, isInvalid: true },
            ...(record === undefined ? {} : { record }),
          });
          expectRejected(
            trial,
            called,
            interaction,
            mistakenOf(contract, called, member, mistake),
            errorsOf(contract, called),
          );
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
