/** What a case tries although it may be impossible: each of several things, one after the other, or one that may fail. */
import { NotTried } from "./case.ts";
import { stopped, timeIsOver } from "./trial/world.ts";

/** Whether the test cannot make what a case needs; false if the case only has to wait, or if the test is over. */
export function isImpossible(thrown: unknown): thrown is NotTried {
  return thrown instanceof NotTried && thrown.reason !== stopped && thrown.reason !== timeIsOver;
}

/** Tries each item. @throws NotTried if none can be tried */
export async function each<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  let problem: NotTried | undefined;
  let isTried = false;
  for (const item of items) {
    try {
      await run(item);
      isTried = true;
    } catch (thrown) {
      if (!isImpossible(thrown)) throw thrown;
      problem ??= thrown;
    }
  }
  if (!isTried) throw problem ?? new NotTried("the test finds no value to try");
}

/** Tries the items until one can be tried. @throws NotTried if none can */
export async function untilTried<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const attempt = async (item: Item): Promise<true> => {
    await run(item);
    return true;
  };
  await firstResult(items, attempt, "the test finds nothing to try");
}

/** Returns the first result that is not undefined. @throws NotTried with the last reason if there is none, by default `none` and `remedy` */
export async function firstResult<Item, Result>(
  items: Iterable<Item>,
  attempt: (item: Item) => Promise<Result | undefined>,
  none: string,
  remedy?: string,
): Promise<Result> {
  let problem = new NotTried(none, remedy);
  for (const item of items) {
    try {
      const result = await attempt(item);
      if (result !== undefined) return result;
    } catch (thrown) {
      if (!isImpossible(thrown)) throw thrown;
      problem = thrown;
    }
  }
  throw problem;
}

/** Returns the result of an attempt; undefined if the test cannot make what it needs. */
export async function ifPossible<Result>(attempt: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await attempt();
  } catch (thrown) {
    if (isImpossible(thrown)) return undefined;
    throw thrown;
  }
}
