/** Cases that try several things: each of them, or one after the other until one can be tried. */
import { NotTried } from "../case.ts";

/** Tries each item. @throws NotTried if none can be tried */
export async function each<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  let problem: NotTried | undefined;
  let isTried = false;
  for (const item of items) {
    try {
      await run(item);
      isTried = true;
    } catch (thrown) {
      if (!(thrown instanceof NotTried)) throw thrown;
      problem ??= thrown;
    }
  }
  if (!isTried) throw problem ?? new NotTried("the test finds no value");
}

/** Tries the items until one can be tried. @throws NotTried if none can */
export async function untilTried<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  let problem = new NotTried("the test finds nothing to try");
  for (const item of items) {
    try {
      return await run(item);
    } catch (thrown) {
      if (!(thrown instanceof NotTried)) throw thrown;
      problem = thrown;
    }
  }
  throw problem;
}
