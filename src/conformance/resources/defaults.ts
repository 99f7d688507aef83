/** The values that fields get by themselves: defaults, and the times of the creation and of the last change. */
import { withArticle } from "../../base/case.ts";
import { isObject, type Json } from "../../base/json.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { fieldsOf, isNeverReturned, lookup } from "../../language/resources/fields.ts";
import type { Default, Field } from "../../language/resources/model.ts";
import { type Broken, type Case, NotTried, shortText } from "../case.ts";
import { type Contract } from "../contract.ts";
import { brokenBy } from "../expect.ts";
import { maySetAgain, setAtCreation, startOf, transitionsOf, type TriggeredTransition } from "../effects.ts";
import type { Trial } from "../trial/trial.ts";
import { type KnownRecord, millisecondsOf, textOf } from "../trial/known.ts";
import { presentOf } from "../trial/world.ts";
import { untilTried } from "../attempts.ts";
import { expectAccepted, expectValue } from "./outcome.ts";
import {
  creationsOf,
  fieldIn,
  otherValue,
  readField,
  sendWrite,
  type Write,
  type Written,
  writesOf,
  makeToEdit,
} from "./writing.ts";

export function defaultCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.resources.resources).flatMap((resource) =>
    Object.entries(fieldsOf(contract.model, resource)).flatMap(([name, field]) => [
      ...creationsOf(contract, resource).flatMap((write) => isDefault(write, name, field)),
      ...(field.default?.kind === "now-on-change" ? changes(contract, resource, name) : []),
      ...(field.default?.kind === "now" ? stays(contract, resource, name) : []),
    ]),
  );
}

// ── Values of new records ──────────────────────────────────────────────────────────────────────────────────────────

interface Made {
  readonly value: Json;
  readonly written: Written;
}

function isDefault(write: Write, name: string, field: Field): readonly Case[] {
  const { default: chosen } = field;
  const { operation, resource } = write.called;
  if (chosen === undefined) return [];
  const path = `resources/${resource}/${name}`;
  return [
    {
      id: `${path}: default in ${write.name}`,
      aspects: [{ path, expects: `a new ${resource} gets ${described(chosen)} as \`${name}\`` }],
      operation,
      run: async (trial) => {
        const { contract } = trial;
        if (maySetAgain(contract, write.called, name) || setAtCreation(contract, write.called).has(name))
          throw new NotTried(`${operation} may change the new ${resource} again`);
        const first = await without(trial, write, name);
        expectDefault(trial, path, name, field, chosen, first);
        if (!isDifferentEachTime(chosen)) return;
        trial.startOver();
        const second = await without(trial, write, name);
        expectLater(trial, path, name, chosen, first, second);
      },
    },
  ];
}

/** Creates a record with a body that lacks the member, and returns the field's value. */
async function without(trial: Trial, write: Write, name: string): Promise<Made> {
  const written = await sendWrite(trial, write, { without: [name], isValid: true });
  expectAccepted(trial, written, `a body without \`${name}\` to be accepted`);
  const { caller, record } = written;
  const observed = fieldIn(trial, written, name);
  const value = observed ?? (record === undefined ? undefined : await readField(trial, record, name, caller));
  if (value === undefined) throw new NotTried(`no response shows \`${name}\``);
  return { value, written };
}

function described(chosen: Default): string {
  switch (chosen.kind) {
    case "literal":
      return chosen.text === "" ? "an empty text" : chosen.text;
    case "now":
    case "now-on-change":
      return "the current time";
    case "caller":
      return "the caller";
    case "digits":
      return `${chosen.length} digits`;
    case "token":
      return `a token of ${chosen.length} characters`;
    case "counter":
      return "the next number";
    case "counter-per":
      return `the next number for its \`${chosen.per}\``;
    case "uuid":
      return "a UUID";
  }
}

/** How far the clocks of the test and of the implementation may differ, in milliseconds. */
const clockTolerance = 5 * 60_000;

function expectDefault(
  trial: Trial,
  path: string,
  name: string,
  field: Field,
  chosen: Default,
  { value, written }: Made,
): void {
  const { caller } = written;
  const text = typeof value === "string" ? value : "";
  const unlike = (expected: string): Broken => brokenBy(trial, `\`${name}\` with ${expected}`, shortText(value), path);
  switch (chosen.kind) {
    case "literal": {
      const expected = defaultValue(trial.contract.model, field);
      if (expected !== undefined) expectValue(trial, { name, type: field.type, path }, expected, value);
      return;
    }
    case "now":
    case "now-on-change":
      if (!(Math.abs(millisecondsOf(field.type, value) - presentOf(trial.world)) <= clockTolerance))
        throw unlike("the current time");
      return;
    case "caller":
      if (!caller.signedIn && value !== null) throw unlike("no value, since the caller is anonymous");
      if (caller.signedIn && caller.id !== undefined && textOf(value) !== caller.id) throw unlike(caller.id);
      return;
    case "counter":
    case "counter-per":
      if (!Number.isSafeInteger(value) || Number(value) < 1) throw unlike("a number from 1");
      return;
    case "digits":
    case "token":
      if (text.length !== chosen.length || !forms[chosen.kind].test(text)) throw unlike(described(chosen));
      return;
    case "uuid":
      if (!forms.uuid.test(text)) throw unlike("a UUID");
  }
}

const forms = { digits: /^[0-9]+$/, token: /^[\w.~-]+$/, uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i };

/** Whether two records hardly ever get the same value. */
function isDifferentEachTime(chosen: Default): boolean {
  if (chosen.kind === "digits" || chosen.kind === "token") return chosen.length >= 6;
  return chosen.kind === "counter" || chosen.kind === "uuid";
}

function expectLater(trial: Trial, path: string, name: string, chosen: Default, first: Made, second: Made): void {
  const isRight = chosen.kind === "counter" ? Number(second.value) > Number(first.value) : first.value !== second.value;
  if (isRight) return;
  throw brokenBy(
    trial,
    `\`${name}\` of the next record ${chosen.kind === "counter" ? "greater than" : "other than"} ${shortText(first.value)}`,
    shortText(second.value),
    path,
  );
}

// ── The time of the last change ────────────────────────────────────────────────────────────────────────────────────

/** How long the test waits until a later time shows, in milliseconds: some implementations store seconds. */
const untilLater = 1100;

function changes(contract: Contract, resource: string, name: string): readonly Case[] {
  const path = `resources/${resource}/${name}`;
  const edits = writesOf(contract, resource).filter(({ kind }) => kind !== "create");
  if (edits.length === 0) return [];
  return [
    {
      id: `${path}: at a change`,
      aspects: [
        { path, expects: `a change sets \`${name}\` to the current time, and a request that changes nothing does not` },
      ],
      // The clock moves.
      exclusive: true,
      run: async (trial) => {
        await untilTried(edits, async (write) => {
          const record = await makeToEdit(trial, write);
          const before = await readTime(trial, record, name);
          await untilSecond(trial);
          const body = await otherBody(trial, write, record);
          const changed = await sendWrite(trial, write, { record, ...body });
          expectAccepted(trial, changed, "a change to be accepted");
          const after = await readTime(trial, record, name);
          if (!(after > before)) throw brokenBy(trial, `a later \`${name}\` after a change`, timeText(after), path);
          if (Math.abs(after - presentOf(trial.world)) > clockTolerance)
            throw brokenBy(trial, `\`${name}\` with the current time`, timeText(after), path);
          await untilSecond(trial);
          const again = await sendWrite(trial, write, { record, ...body, change: () => changed.body });
          if (again.response.status >= 300) return;
          const still = await readTime(trial, record, name);
          if (still !== after)
            throw brokenBy(trial, `the same \`${name}\` after a request that changes nothing`, timeText(still), path);
        });
      },
    },
  ];
}

/** The time of the creation stays, whatever happens to the record. */
function stays(contract: Contract, resource: string, name: string): readonly Case[] {
  const path = `resources/${resource}/${name}`;
  const edits = writesOf(contract, resource).filter(({ kind }) => kind !== "create");
  const start = startOf(contract, resource);
  const transitions = transitionsOf(contract).filter(
    (one) =>
      one.resource === resource && one.trigger.on.kind === "by" && start !== undefined && one.from.includes(start),
  );
  const marks = lookup(fieldsOf(contract.model, resource), name)?.marks ?? [];
  if (!marks.includes("read-only") || (edits.length === 0 && transitions.length === 0)) return [];
  return [
    {
      id: `${path}: after a change`,
      aspects: [{ path, expects: `a change leaves \`${name}\`, the time of the creation` }],
      // The clock moves.
      exclusive: true,
      run: async (trial) => {
        const change = async (record: KnownRecord, one: Write | TriggeredTransition): Promise<boolean> => {
          if (!("called" in one))
            return trial.responseOf((await trial.makeTransition(record, one)).interaction).status < 300;
          const written = await sendWrite(trial, one, { record, ...(await otherBody(trial, one, record)) });
          return written.response.status < 300;
        };
        await untilTried([...edits, ...transitions], async (one) => {
          const record = "called" in one ? await makeToEdit(trial, one) : await trial.make(resource);
          const before = await readTime(trial, record, name);
          await untilSecond(trial);
          if (!(await change(record, one))) throw new NotTried(`no change of the ${resource} succeeds`);
          const after = await readTime(trial, record, name);
          if (after !== before)
            throw brokenBy(trial, `\`${name}\` with ${timeText(before)} as before`, timeText(after), path);
        });
      },
    },
  ];
}

async function readTime(trial: Trial, record: NonNullable<Written["record"]>, name: string): Promise<number> {
  const value = await readField(trial, record, name);
  const field = lookup(fieldsOf(trial.contract.model, record.resource), name);
  const time = millisecondsOf(field?.type, value);
  if (Number.isNaN(time)) throw new NotTried(`no response shows \`${name}\``);
  return time;
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

async function untilSecond(trial: Trial): Promise<void> {
  const { target } = trial.world;
  if (target.clock === undefined) await target.wait(untilLater);
  else await trial.pass(untilLater);
}

/** Returns a body that changes the record: another value of a member that may change. */
export async function otherBody(
  trial: Trial,
  write: Write,
  record: NonNullable<Written["record"]>,
): Promise<{ readonly values: Readonly<Record<string, Json>>; readonly isValid: true }> {
  const fields = fieldsOf(trial.contract.model, write.called.resource);
  for (const { name, field } of write.members) {
    const marks = fields[name]?.marks ?? [];
    if (isNeverReturned({ marks }) || marks.includes("create-only")) continue;
    const before = await readField(trial, record, name);
    if (before === undefined || isObject(before)) continue;
    const value = await otherValue(trial, field.type, [before]);
    if (value !== undefined) return { values: { [name]: value }, isValid: true };
  }
  throw new NotTried(`the test finds no change of ${withArticle(write.called.resource)}`);
}
