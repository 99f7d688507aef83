/** A proxy between a service and its database that a test can redirect, cut off, or silently drop. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Way extends AsyncDisposable {
  readonly port: number;
  /** Where what is connected from now on goes to. */
  lead(port: number): void;
  /**
   * What is connected hears nothing any more and is not told so, as when a machine or what stands before it is gone; nor does what
   * is connected from now on, until it is found again. What was lost stays so.
   */
  lose(): void;
  find(): void;
  /** Ends all that is connected. */
  cut(): void;
}

export async function openWay(to: number): Promise<Way> {
  let target = to;
  let lost = false;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    open.add(near);
    near.on("close", () => open.delete(near)).on("error", () => undefined);
    if (lost) return void near.pause();
    const far = connect(target, "127.0.0.1");
    open.add(far);
    far.on("close", () => open.delete(far)).on("error", () => near.destroy());
    near.on("error", () => far.destroy());
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead: (port) => {
      target = port;
    },
    lose: () => {
      lost = true;
      for (const socket of open) socket.unpipe().pause();
    },
    find: () => {
      lost = false;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
