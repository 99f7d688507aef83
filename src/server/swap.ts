/** Replaces the service between two requests while the server runs (reload). */
import type { Responder } from "../http/message.ts";

export interface SwappableService {
  /** The current service; requests during a replacement wait. */
  readonly service: Responder;
  /**
   * Replaces the service. Waits until no request is active, at most `patienceMilliseconds`, so that a slow client does not
   * block others. Then runs `task`, which returns the new service.
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
