/** What lets a service be exchanged for another between two requests, while the server runs. */
import type { Service } from "../serve/service.ts";

export interface Gate {
  /** The service that answers now; requests that come while it is exchanged wait. */
  readonly service: Service;
  /**
   * Waits until no request is under way, but not longer than `patienceMilliseconds`: a slow sender must not hold up all
   * others. Then runs `work`; what it gives answers from then on, the present service where it gives none.
   */
  exchange(patienceMilliseconds: number, work: () => Promise<Service | undefined>): Promise<void>;
}

export function createGate(first: Service): Gate {
  let current = first;
  let underWay = 0;
  let idle = (): void => {};
  let opened: Promise<void> | undefined;
  return {
    service: {
      async answer(exchange) {
        while (opened !== undefined) await opened;
        underWay += 1;
        try {
          return await current.answer(exchange);
        } finally {
          underWay -= 1;
          if (underWay === 0) idle();
        }
      },
      refuse: (code, refused) => current.refuse(code, refused),
      fail: (thrown) => current.fail(thrown),
      // While it is exchanged time stands still; the next call comes soon.
      tick: (late) => (opened === undefined ? current.tick(late) : Promise.resolve(0)),
      rest: () => current.rest(),
      drain: () => current.drain(),
      flush: () => current.flush(),
    },
    async exchange(patienceMilliseconds, work) {
      const { promise, resolve: open } = Promise.withResolvers<void>();
      opened = promise;
      try {
        if (underWay > 0) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, patienceMilliseconds);
            idle = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
        await current.rest();
        current = (await work()) ?? current;
      } finally {
        opened = undefined;
        open();
      }
    },
  };
}
