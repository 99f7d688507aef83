/** The pages of lists: each page is full but the last one, together they have each record once, also while others write. */
import { withArticle } from "../../../base/case.ts";
import { responseShape, type Shape } from "../../../language/endpoints/shape.ts";
import { type Aspect, Broken, type Case, NotTried } from "../../case.ts";
import { type Contract, deletionOf, type Operation } from "../../contract.ts";
import { expectSuccess } from "../../expect.ts";
import type { KnownRecord } from "../../trial/known.ts";
import { listStyle, pagesOf, type ReadPage, stylePath } from "../../trial/pages.ts";
import type { Trial } from "../../trial/trial.ts";
import { ifPossible, operationCase, pathOf } from "../subjects.ts";
import { hasStyle, type Listed, listed, listsOf, maximumOf } from "./listed.ts";
import { expectNoRepeats, keyOf, keysOf, mostPages, optionsOf, type Walk, walk } from "./walk.ts";

export function pagingCases(contract: Contract): readonly Case[] {
  const lists = listsOf(contract);
  return [
    ...lists.map((called) => listsNewRecords(contract, called)),
    ...lists.flatMap((called) => hasPages(contract, called)),
    ...lists.flatMap((called) => staysUnchanged(contract, called)),
    ...defaultSizes(contract, lists),
  ];
}

function stylish(called: Operation, expects: string): readonly [Aspect] {
  return [{ path: stylePath(called), expects }];
}

/** New records are in the list, all of them. */
function listsNewRecords(contract: Contract, called: Operation): Case {
  const { resource } = called;
  const expects = `a new ${resource} is in the list`;
  const members = ["of", "does", "gives", "where"].map((member) => pathOf(called, member));
  const written = members.filter((path) => contract.places.has(path)).map((path) => ({ path, expects }));
  return operationCase(called, "new", [{ path: pathOf(called), expects }, ...written], (trial) =>
    expectInList(trial, called, 2, pathOf(called)),
  );
}

/** Expects that so many new records are in the list. */
async function expectInList(trial: Trial, called: Operation, count: number, path: string): Promise<void> {
  const { contract } = trial;
  const { resource } = called;
  const list = await listed(trial, called, count);
  const missing = new Set(list.records);
  let last: ReadPage | undefined;
  for await (const page of pagesOf(trial, called, optionsOf(trial, list), mostPages)) {
    last = page;
    const keys = keysOf(contract, list, page);
    for (const record of missing) {
      const key = keyOf(contract, list, page, record);
      if (page.items.length > 0 && (key === undefined || keys === undefined))
        throw new NotTried(`nothing in the list identifies ${withArticle(resource ?? "record")}`);
      if (key !== undefined && keys?.includes(key) === true) missing.delete(record);
    }
    if (missing.size === 0) return;
  }
  if (last?.following !== undefined) throw new NotTried("the list has too many pages");
  const got = missing.size === count ? "none is on a page" : `${missing.size} are on no page`;
  throw new Broken(`${count} new records of ${resource} in the list`, got, last?.interaction, path);
}

/** How many records are made for a list, if it has no others. */
const usualRecords = 4;

function hasPages(contract: Contract, called: Operation): readonly Case[] {
  const { kind = "cursor" } = listStyle(contract, called) ?? {};
  if (!hasStyle(contract, called) || kind === "none") return [];
  return [
    operationCase(
      called,
      "pages",
      stylish(called, "pages of every size are full but the last one, and have each record once"),
      async (trial) => {
        const list = await listed(trial, called, usualRecords);
        const complete = await walk(trial, list, maximumOf(contract, called));
        expectAll(contract, list, complete);
        for (const size of sizesFor(contract, called, complete.count))
          expectPages(contract, list, size, complete, await walk(trial, list, size));
      },
      {
        // Others may write to the list as long as other cases run.
        exclusive: true,
      },
    ),
  ];
}

/** Returns the sizes of pages to try: all of them if the list is short. */
function sizesFor(contract: Contract, called: Operation, count: number): readonly number[] {
  const most = maximumOf(contract, called) ?? 1;
  const isShort = count <= usualRecords + 1;
  const all = Array.from({ length: count + 1 }, (_, index) => index + 1);
  const edges = [Math.ceil(count / 3), count - 1, count, count + 1].map((size) => Math.min(size, most));
  return [...new Set(isShort ? all : edges)].filter((size) => size >= 1 && size <= most);
}

function expectAll(contract: Contract, list: Listed, complete: Walk): void {
  const [first] = complete.pages;
  const { keys } = complete;
  if (first === undefined || keys === undefined) return;
  for (const record of list.records) {
    const key = keyOf(contract, list, first, record);
    if (key === undefined || keys.includes(key)) continue;
    throw new Broken(
      "all records on the pages",
      "one is missing",
      complete.pages.at(-1)?.interaction,
      pathOf(list.called),
    );
  }
  expectNoRepeats(complete, stylePath(list.called));
}

function expectPages(
  contract: Contract,
  { called }: Listed,
  size: number,
  complete: Walk,
  { keys, pages }: Walk,
): void {
  const fail = (expected: string, got: string, page: ReadPage | undefined): never => {
    throw new Broken(expected, got, page?.interaction, stylePath(called));
  };
  let rest = complete.count;
  const name = nextName(contract, called);
  for (const [index, page] of pages.entries()) {
    const expected = Math.min(size, rest);
    // A list that does not say that it continues is read until a page is empty.
    if (expected === 0 && index > 0 && pages[index - 1]?.isAnnounced === false) continue;
    if (name !== undefined && page.next === undefined) fail(`the member \`${name}\``, "no such member", page);
    if (page.items.length !== expected) fail(`${expected} records on a page of ${size}`, `${page.items.length}`, page);
    rest -= expected;
    if (rest === 0 && page.isAnnounced) fail("no next page after the last one", "a next page", page);
    if (rest > 0 && announces(contract, called) && !page.isAnnounced) fail("a next page", "none", page);
  }
  if (rest > 0) fail(`${complete.count} records on all pages`, `${complete.count - rest}`, pages.at(-1));
  expectNoRepeats({ keys, pages }, stylePath(called));
  const missing = complete.keys?.find((key) => keys?.includes(key) === false);
  if (missing !== undefined) fail("each record on some page", `${missing} on none`, pages.at(-1));
}

/** Returns the member of a page that says where the next one starts, if the document writes its name. */
function nextName({ model }: Contract, called: Operation): string | undefined {
  const { lists } = called.endpoint;
  if (responseShape(model, called).page !== undefined || (lists ?? model.endpoints.lists)?.bare === true)
    return undefined;
  return lists?.names?.next ?? model.endpoints.lists?.names?.next;
}

/** Whether the document says that a page says where the next one starts. */
function announces({ model }: Contract, called: Operation): boolean {
  const { page } = responseShape(model, called);
  return page === undefined || hasNext(page);
}

function hasNext(shape: Shape): boolean {
  if (shape.kind === "object") return Object.values(shape.members).some(hasNext);
  return shape.kind === "next";
}

/** Who reads all pages while others write gets each record that existed during the whole time exactly once. */
function staysUnchanged(contract: Contract, called: Operation): readonly Case[] {
  const { resource } = called;
  const { kind = "cursor" } = listStyle(contract, called) ?? {};
  if (!hasStyle(contract, called) || kind !== "cursor") return [];
  return [
    operationCase(
      called,
      "pages while others write",
      stylish(called, "the pages have each record once while others are created and deleted"),
      async (trial) => {
        const list = await listed(trial, called, usualRecords);
        const { count: total } = await walk(trial, list, maximumOf(contract, called));
        const limit = Math.min(Math.max(1, Math.ceil(total / 3)), maximumOf(contract, called) ?? 1);
        const pages: ReadPage[] = [];
        const lost = new Set<KnownRecord>();
        for await (const page of pagesOf(trial, called, optionsOf(trial, list, limit), mostPages)) {
          pages.push(page);
          if (pages.length === 1) await writeBetween(trial, list, page, lost);
        }
        const [first] = pages;
        const keys = pages.map((page) => keysOf(contract, list, page));
        if (first === undefined || keys.includes(undefined))
          throw new NotTried(`nothing in the list identifies ${withArticle(resource ?? "record")}`);
        if (pages.at(-1)?.following !== undefined) throw new NotTried("the list has too many pages");
        const all = keys.flatMap((some) => some ?? []);
        expectNoRepeats({ keys: all, pages }, stylePath(called));
        for (const record of list.records) {
          if (lost.has(record) || all.includes(keyOf(contract, list, first, record) ?? "")) continue;
          throw new Broken("each record that existed all the time", "one is missing", pages.at(-1)?.interaction);
        }
      },
      {
        exclusive: true,
      },
    ),
  ];
}

/** Creates a record, and deletes one that is on the first page and one that is not. */
async function writeBetween(trial: Trial, list: Listed, page: ReadPage, lost: Set<KnownRecord>): Promise<void> {
  const { contract } = trial;
  const keys = keysOf(contract, list, page) ?? [];
  const isRead = (record: KnownRecord): boolean => keys.includes(keyOf(contract, list, page, record) ?? "");
  await list.add();
  const remove = deletionOf(contract, list.called.resource as string);
  if (remove === undefined) return;
  for (const record of [list.records.find(isRead), list.records.find((one) => !isRead(one))]) {
    if (record === undefined) continue;
    lost.add(record);
    await ifPossible(async () => {
      const interaction = await trial.call(remove.operation, { record });
      expectSuccess(trial, interaction, pathOf(remove));
    });
  }
}

// ── The usual size of a page ───────────────────────────────────────────────────────────────────────────────────────

/** The largest usual page for which the test makes enough records. */
const largestDefault = 100;

/** For each statement about pages, one list shows how long a page is if the request names no size. */
function defaultSizes(contract: Contract, lists: readonly Operation[]): readonly Case[] {
  const byStyle = Map.groupBy(
    lists.filter((called) => hasStyle(contract, called)),
    stylePath,
  );
  return [...byStyle].flatMap(([path, some]): readonly Case[] => {
    const [called] = some.toSorted((one, other) => costOf(contract, one) - costOf(contract, other));
    const { kind, size } = called === undefined ? {} : (listStyle(contract, called) ?? {});
    if (called === undefined) return [];
    if (kind === "none") return [hasNoPages(called, path)];
    if (size === undefined) return [];
    return [
      {
        id: `${path}: usual size`,
        aspects: [{ path, expects: `a page has ${size} records if the request names no size` }],
        operation: called.operation,
        exclusive: true,
        run: async (trial) => {
          if (size > largestDefault) throw new NotTried(`the test does not make ${size + 1} records`);
          await expectDefaultSize(trial, called, size);
        },
      },
    ];
  });
}

/** More records than services usually have on a page. */
const morePages = 60;

/** A list without pages has all records, however many there are. */
function hasNoPages(called: Operation, path: string): Case {
  return {
    id: `${path}: no pages`,
    aspects: [{ path, expects: "a response has all records" }],
    operation: called.operation,
    exclusive: true,
    run: (trial) => expectInList(trial, called, morePages, path),
  };
}

/** How many records each record of the list needs. */
function costOf({ model }: Contract, { parents, resource, endpoint }: Operation): number {
  const fields = Object.values(model.resources.resources[resource ?? ""]?.fields ?? {});
  const references = fields.filter(({ type, optional }) => type.kind === "named" && !optional);
  const isLogin = Object.values(model.authentication.credentials).some(({ of }) => of === resource);
  return parents.length + references.length + (endpoint.where === undefined ? 0 : 5) + (isLogin ? 10 : 0);
}

async function expectDefaultSize(trial: Trial, called: Operation, size: number): Promise<void> {
  // A quota may allow the first reader fewer records than a page has.
  for (const count of [1, size + 1]) {
    trial.startOver();
    const list = await listed(trial, called, count);
    if ((await ifPossible(() => hasDefaultSize(trial, list, size))) === true) return;
  }
  throw new NotTried("the test cannot make enough records, or others delete them");
}

/** Returns whether the list has more records than a page, which is full. */
async function hasDefaultSize(trial: Trial, list: Listed, size: number): Promise<boolean> {
  const records = [...list.records];
  for (let round = 1; ; round += 1) {
    for await (const page of pagesOf(trial, list.called, optionsOf(trial, list), 1)) {
      const count = page.items.length;
      const fail = (expected: string, got: string): never => {
        throw new Broken(expected, got, page.interaction, stylePath(list.called));
      };
      if (count > size) fail(`at most ${size} records on a page`, String(count));
      if (page.isAnnounced && count < size) fail(`${size} records on a page with a next one`, String(count));
      const isEnough = page.isAnnounced || records.filter(({ isDeleted }) => !isDeleted).length > size;
      if (round > 1 || isEnough) return count === size && isEnough;
      for (let missing = size + 1 - count; missing > 0; missing -= 1) records.push(await list.add());
    }
  }
}
