/** References: to records that do not exist or that the caller does not see they are rejected, and a tree has no cycles. */
import { withArticle } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { revealingOperations } from "../../language/authentication/visible.ts";
import type { InputMember } from "../../language/endpoints/input.ts";
import { fieldsOf, innermost, lookup, referenceOf } from "../../language/resources/fields.ts";
import { type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayEverRun, recordVisibility } from "../permissions.ts";
import type { Contract } from "../contract.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readId } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { validValue } from "../values/valid.ts";
import { valueAround } from "./referring.ts";
import { expectAccepted, expectRejected, possibleErrors, unchanged } from "./outcome.ts";
import {
  creationsOf,
  memberPath,
  recordToChange,
  sendWrite,
  sets,
  supplyFor,
  type Write,
  writesOf,
} from "./writing.ts";

export function referenceCases(contract: Contract): readonly Case[] {
  return writesOf(contract).flatMap((write) =>
    write.members.flatMap((member) => {
      const { of } = innermost(member.field.type);
      const resource = referenceOf(contract.model, of);
      if (resource === undefined) return [];
      return [
        missing(contract, write, member, resource),
        ...unseen(contract, write, member, resource),
        ...(member.field.marks.includes("tree") && write.kind !== "create" ? [tree(contract, write, member)] : []),
      ];
    }),
  );
}

function missing(contract: Contract, write: Write, member: InputMember, of: string): Case {
  const { operation, resource } = write.called;
  const path = memberPath(contract, write.called, member.name);
  return {
    id: `resources/${resource}/${member.name}: missing in ${write.name}`,
    aspects: [{ path, expects: `a reference to ${withArticle(of)} that does not exist is rejected` }],
    operation,
    run: async (trial) => {
      const type = lookup(fieldsOf(contract.model, of), "id")?.type;
      const id = type === undefined ? undefined : validValue(contract, type, await supplyFor(trial, type));
      if (id === undefined || trial.world.records.some(({ values }) => values.get("id") === id))
        throw new NotTried(`the test finds no unused id of ${withArticle(of)}`);
      const record = await recordToChange(trial, write);
      await expectNoReference(trial, write, member, { what: `an id that no ${of} has`, id, record, path });
    },
  };
}

interface Reference {
  readonly what: string;
  readonly id: Json;
  readonly path: string;
  readonly caller?: Caller;
  readonly record: KnownRecord | undefined;
}

async function expectNoReference(
  trial: Trial,
  write: Write,
  { name, field }: InputMember,
  { what, id, path, caller, record }: Reference,
): Promise<void> {
  const expectUnchanged = await unchanged(trial, record, [name], path);
  const value = valueAround(field, id);
  const pointer = innermost(field.type)
    .enclosing.map((kind) => (kind === "list" ? "/0" : "/name"))
    .join("");
  const change = (body: JsonObject): JsonObject => ({ ...body, [name]: value });
  const written = await sendWrite(trial, write, { caller, record, change });
  const mistaken = { what, member: name, pointer, codes: ["reference-not-found"], path };
  // A service may respond as for a missing record of the path.
  expectRejected(trial, write.called, written.interaction, mistaken, [...possibleErrors(trial, written), "not-found"]);
  await expectUnchanged();
}

/** A reference to a record that its own caller does not see is rejected like one to no record. */
function unseen(contract: Contract, write: Write, member: InputMember, of: string): readonly Case[] {
  const { model } = contract;
  const isHiding = revealingOperations(model, of).some((one) =>
    (lookup(model.authentication.allow, one.operation) ?? []).some((grant) => grant.if !== undefined),
  );
  if (!isHiding || write.kind !== "create") return [];
  const { operation, resource } = write.called;
  const path = memberPath(contract, write.called, member.name);
  return [
    {
      id: `resources/${resource}/${member.name}: unseen in ${write.name}`,
      aspects: [{ path, expects: `a reference to ${withArticle(of)} that the caller does not see is rejected` }],
      operation,
      run: async (trial) => {
        const callers = await trial.callers();
        for (const owner of callers.filter((one) =>
          creationsOf(contract, of).some(({ called }) => mayEverRun(contract, called.operation, one)),
        )) {
          const target = await trial.make(of, { creator: owner });
          await trial.look(target);
          const id = target.values.get("id");
          const caller = callers.find(
            (one) =>
              mayEverRun(contract, operation, one) &&
              recordVisibility(contract, of, one, trial.around(target)) === false,
          );
          if (caller === undefined || id === undefined) continue;
          const what = `the id of ${withArticle(of)} that ${caller.name} does not see`;
          return expectNoReference(trial, write, member, { what, id, path, caller, record: undefined });
        }
        throw new NotTried(`each caller of ${operation} sees each ${of} of the test`);
      },
    },
  ];
}

/** No record can be above itself. */
function tree(contract: Contract, write: Write, member: InputMember): Case {
  const { operation, resource } = write.called;
  const { name } = member;
  const path = memberPath(contract, write.called, name);
  return {
    id: `resources/${resource}/${name}: tree in ${write.name}`,
    aspects: [{ path, expects: `${withArticle(resource)} cannot be below itself` }],
    operation,
    run: async (trial) => {
      const top = await trial.make(resource);
      const id = await readId(trial, top);
      if (id === undefined) throw new NotTried(`no response shows the id of ${withArticle(resource)}`);
      const child = await below(trial, resource, name, id);
      const childId = await readId(trial, child);
      const expectUnchanged = await unchanged(trial, top, [name], path);
      for (const [what, value] of [
        ["its own id", id],
        ["the id of the record below it", childId],
      ] as const) {
        if (value === undefined) continue;
        const written = await sendWrite(trial, write, { record: top, change: (body) => ({ ...body, [name]: value }) });
        const mistaken = { what, member: name, codes: ["above-itself"], path };
        expectRejected(trial, write.called, written.interaction, mistaken, possibleErrors(trial, written));
      }
      await expectUnchanged();
    },
  };
}

async function below(trial: Trial, resource: string, name: string, id: Json): Promise<KnownRecord> {
  const creation = creationsOf(trial.contract, resource).find((one) => sets(one, name));
  if (creation === undefined) throw new NotTried(`no operation creates ${withArticle(resource)} below another one`);
  const written = await sendWrite(trial, creation, { values: { [name]: id }, isValid: true });
  expectAccepted(trial, written, `${withArticle(resource)} below another one to be accepted`);
  if (written.record === undefined) throw new NotTried(`the test knows no ${resource} below another one`);
  return written.record;
}
