/** What lets a service be exchanged for another between two requests, while the server runs. */
import type { Service } from "../runtime/service.ts";

export interface SwappableService {
  /** The service that answers now; requests that come while it is exchanged wait. */
  readonly service: Service;
  /**
   * Waits until no request is under way, but not longer than `patienceMilliseconds`: a slow sender must not hold up all
   * others. Then runs `work`; what it gives answers from then on, the present service where it gives none.
   */
  swap(patienceMilliseconds: number, task: () => Promise<Service | undefined>): Promise<void>;
}

export function createSwappableService(first: Service): SwappableService {
  let current = first;
  let active = 0;
  let idle = (): void => {};
  let opened: Promise<void> | undefined;
  return {
    service: {
      async response(httpRequest) {
        while (opened !== undefined) await opened;
        active += 1;
        try {
          return await current.response(httpRequest);
        } finally {
          active -= 1;
          if (active === 0) idle();
        }
      },
      reject: (code, options) => current.reject(code, options),
      fail: (thrown) => current.fail(thrown),
      // While it is exchanged time stands still; the next call comes soon.
      tick: (late) => (opened === undefined ? current.tick(late) : Promise.resolve(0)),
      rest: () => current.rest(),
      drain: () => current.drain(),
      flush: () => current.flush(),
    },
    async swap(patienceMilliseconds, task) {
      const { promise, resolve: open } = Promise.withResolvers<void>();
      opened = promise;
      try {
        if (active > 0) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, patienceMilliseconds);
            idle = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
        await current.rest();
        current = (await task()) ?? current;
      } finally {
        opened = undefined;
        open();
      }
    },
  };
}
