/** An HTTP server of one test, which answers as the test says. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** Starts a server that closes at the end of the test, and returns its URL. */
export async function httpServer(t: TestContext, respond: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, respond);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
