/** What lets a service be exchanged for another between two requests, while the server runs. */
import type { Responder } from "../http/message.ts";

export interface SwappableService {
  /** The service that responds now; requests that come while it is exchanged wait. */
  readonly service: Responder;
  /**
   * Waits until no request is under way, but not longer than `patienceMilliseconds`: a slow sender must not hold up all
   * others. Then runs `task`, whose result responds from then on.
   */
  swap(patienceMilliseconds: number, task: () => Promise<Responder>): Promise<void>;
}

export function createSwappableService(first: Responder): SwappableService {
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
      drain: () => current.drain(),
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
        current = await task();
      } finally {
        opened = undefined;
        open();
      }
    },
  };
}
