/**
 * What clients can observe of hidden records: they are not in lists, and the response to a request for one does not differ from the
 * response to a request for a record that does not exist.
 */
import { isObject, type Json } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { admits, mayEverRun, mayRun, recordVisibility } from "../permissions.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { rolesOf } from "../roles.ts";
import type { KnownRecord } from "../trial/known.ts";
import { itemOf, pagesOf } from "../trial/pages.ts";
import { creatorsOf, newId, newNames } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { callerLike, callerWith, kindId, kindText, roleText } from "./kinds.ts";

export function hiddenCases(contract: Contract): readonly Case[] {
  return [...contract.operations.values()].flatMap((called): readonly Case[] => {
    const kinds = conditionalRoles(contract, called.operation);
    const { the, where } = called.endpoint;
    // What `where` leaves out says nothing about permissions.
    if (called.kind !== "resource" || the !== undefined || where !== undefined) return [];
    switch (called.action) {
      case "list":
        return [
          ...kinds.map((roles) => lists(contract, called, roles)),
          ...kindsWithAll(contract, called.operation).map((roles) => listsAll(contract, called, roles)),
        ];
      case "read":
        return contract.model.authentication.unseen === 404 && called.key !== undefined
          ? kinds.map((roles) => isLikeMissing(contract, called, roles))
          : [];
      default:
        return [];
    }
  });
}

/** Returns the roles with which a caller may run the operation on some records, but not on others. */
export function conditionalRoles(contract: Contract, operation: string): readonly (readonly string[])[] {
  const grants = lookup(contract.model.authentication.allow, operation) ?? [];
  return rolesOf(contract).filter((roles) => {
    const own = grants.filter((grant) => admits(grant, callerLike(roles)));
    return own.length > 0 && own.every((grant) => grant.if !== undefined);
  });
}

/** Returns the kinds of callers who may run the operation on all records; undefined is a caller without a credential. */
function kindsWithAll(contract: Contract, operation: string): readonly (readonly string[] | undefined)[] {
  const grants = lookup(contract.model.authentication.allow, operation) ?? [];
  return [...rolesOf(contract), undefined].filter((roles) => {
    const kind = callerLike(roles);
    return grants.some((grant) => grant.if === undefined && admits(grant, kind));
  });
}

/** A caller whom no condition restricts finds any record in the list. */
function listsAll(contract: Contract, called: Operation, roles: readonly string[] | undefined): Case {
  const { operation, resource = "" } = called;
  const path = `authentication/allow/${operation}`;
  const who = kindText(roles);
  return {
    id: `${path}: all [${roles?.join(",") ?? "anonymous"}]`,
    aspects: [{ path, expects: `${operation} shows ${who} all records` }],
    operation,
    run: async (trial) => {
      const by = await callerWith(trial, roles);
      const creator = await otherCreator(trial, resource, by);
      const record = await trial.make(resource, creator === undefined ? {} : { creator });
      if (mayRun(contract, operation, by, trial.around(record)) !== true)
        throw new NotTried(`the test does not know whether ${by.name} may see the record`);
      const found = await findIn(trial, called, by, record, true);
      if (found.item === undefined && found.isEntire)
        throw new Broken(`the new ${resource} in the list`, "no such item", found.interaction);
    },
  };
}

/** Returns another caller who may create a record: the creator of a record may see it as its owner. */
async function otherCreator(trial: Trial, resource: string, by: Caller): Promise<Caller | undefined> {
  const others = (await trial.callers()).filter(({ name, signedIn }) => signedIn && name !== by.name);
  const creators = creatorsOf(trial, resource);
  const may = (one: Caller): boolean =>
    creators.length === 0 || creators.some(({ operation }) => mayEverRun(trial.contract, operation, one));
  return others.find(may);
}

/** How many pages of a list the test reads. */
const mostPages = 30;

/** A list has the records that its caller may see, and no others. */
function lists(contract: Contract, called: Operation, roles: readonly string[]): Case {
  const { operation, resource = "" } = called;
  const path = `authentication/allow/${operation}`;
  return {
    id: `${path}: others ${kindId(roles)}`,
    aspects: [
      {
        path,
        expects: `${operation} shows a caller with ${roleText(roles)} the records that the conditions admit alone`,
      },
    ],
    operation,
    run: async (trial) => {
      const [first, second] = [await callerWith(trial, roles, 0), await callerWith(trial, roles, 1)];
      const record = await trial.make(resource, { creator: first });
      await trial.look(record);
      let isTried = false;
      for (const one of [first, second]) {
        const may = mayRun(contract, operation, one, trial.around(record));
        if (may === undefined) continue;
        const found = await findIn(trial, called, one, record, may);
        if (found.item === "unknown") continue;
        isTried = true;
        if (may === (found.item !== undefined) || (may && !found.isEntire)) continue;
        const got = may ? "no such item" : "the record";
        throw new Broken(may ? `the record of ${one.name}` : "no record of somebody else", got, found.interaction);
      }
      if (!isTried) throw new NotTried("the test does not know which records the list shows");
    },
  };
}

/** Returns the item of a list that is the record. A list below a hidden parent is hidden, too. */
async function findIn(trial: Trial, called: Operation, by: Caller, record: KnownRecord, may: boolean) {
  let last: Interaction | undefined;
  let count = 0;
  try {
    for await (const page of pagesOf(trial, called, { caller: by, record: parentless(called, record) }, mostPages)) {
      last = page.interaction;
      count += 1;
      const item = itemOf(trial.contract, called, page, record);
      if (item !== undefined) return { item, interaction: last, isEntire: false };
    }
  } catch (thrown) {
    const response = trial.interactions.at(-1)?.response;
    const isHidden = response !== undefined && isResponse(response) && /^40[34]$/.test(String(response.status));
    if (!(thrown instanceof NotTried) || may || !isHidden) throw thrown;
  }
  return { item: undefined, interaction: last, isEntire: count < mostPages };
}

/** The record names the parents of a nested list; a list of all has no record. */
function parentless({ parents }: Operation, record: KnownRecord): KnownRecord | null {
  return parents.length === 0 ? null : record;
}

/** A hidden record and one that does not exist get the same response. */
function isLikeMissing(contract: Contract, called: Operation, roles: readonly string[]): Case {
  const { operation, resource = "", key } = called;
  const aspects: readonly [Aspect] = [
    {
      path: "authentication/unseen",
      expects: `${operation} responds to a caller with ${roleText(roles)} as if a record of somebody else did not exist`,
    },
  ];
  return {
    id: `authentication/unseen: ${operation} ${kindId(roles)}`,
    aspects,
    operation,
    run: async (trial) => {
      const [owner, other] = [await callerWith(trial, roles, 0), await callerWith(trial, roles, 1)];
      const record = await trial.make(resource, { creator: owner });
      await trial.look(record);
      const around = trial.around(record);
      if (
        mayRun(contract, operation, other, around) !== false ||
        recordVisibility(contract, resource, other, around) !== false
      )
        throw new NotTried(`the test has no record that is hidden from ${other.name}`);
      const missing = async (): Promise<Interaction> => {
        const id = called.kind === "resource" ? newId(trial, called) : undefined;
        if (id === undefined || key === undefined) throw new NotTried(`the test has no id that no ${resource} has`);
        return trial.call(operation, {
          caller: other,
          record,
          path: newNames(trial, called.resource as string, key, id),
        });
      };
      const [one, another] = [await missing(), await missing()];
      const hidden = await trial.call(operation, { caller: other, record });
      const [expected, same, got] = [one, another, hidden].map((each) => shapeOf(trial, each));
      // What differs between two records that do not exist is no sign of a hidden one.
      const names = Object.keys({ ...expected, ...got }).filter((name) => expected?.[name] === same?.[name]);
      const different = names.find((name) => expected?.[name] !== got?.[name]);
      if (different === undefined) return;
      throw new Broken(
        `the same response as for a record that does not exist: ${different} ${expected?.[different] ?? "is absent"}`,
        `${statusText(contract, trial.responseOf(hidden))}: ${different} ${got?.[different] ?? "is absent"}`,
        hidden,
      );
    },
  };
}

/** Returns what a client sees of an error: its status and the texts of its body, without what is about this request alone. */
function shapeOf(trial: Trial, interaction: Interaction): Readonly<Record<string, string>> {
  const { status, json, headers } = trial.responseOf(interaction);
  const last = decodeURIComponent(new URL(interaction.request.url).pathname.split("/").at(-1) ?? "");
  const members: readonly (readonly [string, Json])[] = isObject(json) ? Object.entries(json) : [];
  return {
    "the status": String(status),
    "the media type": headers["content-type"] ?? "",
    ...Object.fromEntries(
      members
        .filter(([name]) => !/^(?:instance|request.?id|trace.?id|timestamp)$/i.test(name))
        .map(([name, value]) => [`\`${name}\``, withoutId(JSON.stringify(value), last)]),
    ),
  };
}

/** Returns a text without the id, where it is a word: a short one may also be a part of an address. */
function withoutId(text: string, id: string): string {
  const pattern = id.replaceAll(/[^\w]/g, "\\$&");
  return text.replaceAll(new RegExp(`(?<!\\w)${pattern}(?!\\w)`, "g"), "…");
}
