/** Sockets read into one buffer, as long as Node lets them; where it does not, nothing but their speed is different. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Server, Socket } from "node:net";
import { test } from "node:test";
import { createSocketServer } from "./sockets.ts";

/** What came, socket by socket, and the memory that it came in. */
interface Came {
  readonly texts: string[];
  readonly memories: Set<ArrayBufferLike>;
}

function serverThatNotes(): { readonly server: Server; readonly came: Came } {
  const came: Came = { texts: [], memories: new Set() };
  const server = createSocketServer((socket) => {
    const at = came.texts.push("") - 1;
    socket.on("end", () => socket.end(came.texts[at] ?? ""));
    return (bytes) => {
      came.texts[at] += bytes.toString("latin1");
      came.memories.add(bytes.buffer);
    };
  });
  return { server, came };
}

async function answerTo(server: Server, pieces: readonly string[]): Promise<string> {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  client.setNoDelay(true);
  for (const piece of pieces) await new Promise((written) => client.write(piece, written));
  client.end();
  let text = "";
  for await (const chunk of client) text += chunk as string;
  return text;
}

test("all sockets of a server read into one buffer", async () => {
  const { server, came } = serverThatNotes();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const sent = [["a", "b"], ["c"], ["d".repeat(200_000), "e"]];
  const answers = await Promise.all(sent.map((pieces) => answerTo(server, pieces)));
  assert.deepEqual(
    answers,
    sent.map((pieces) => pieces.join("")),
  );
  assert.equal(came.memories.size, 1);
  server.close();
  await once(server, "close");
});

test("a server is closed when its last socket is, and not before", async () => {
  const server = createSocketServer((socket) => {
    socket.on("end", () => socket.end());
    return (bytes) => socket.write(bytes.toString());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await Promise.all([once(client, "connect"), once(server, "connection")]);
  let closed = false;
  server.close(() => (closed = true));
  client.write("still here");
  const [answer] = (await once(client, "data")) as [Buffer];
  assert.deepEqual([answer.toString(), closed], ["still here", false]);
  client.end();
  await once(server, "close");
  assert.equal(closed, true);
});

test("a socket that Node has made in another way brings what comes, too", async () => {
  const texts: string[] = [];
  const server = createSocketServer(() => (bytes) => texts.push(bytes.toString()));
  const socket = new Socket();
  server.emit("connection", socket);
  const ended = once(socket, "end");
  socket.push("as it is");
  socket.push(null);
  await ended;
  assert.deepEqual(texts, ["as it is"]);
  socket.destroy();
});
