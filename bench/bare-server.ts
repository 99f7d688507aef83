/** A socket server that parses nothing and answers ready-made bytes: the ceiling for `run.ts --self-check`. */
import { createServer } from "node:net";

const body = `{"id":"${"x".repeat(370)}"}`;
const answer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\nrequest-id: req_0123456789\r\netag: "1c"\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`,
);
createServer({ noDelay: true }, (socket) => {
  socket.on("data", () => socket.write(answer));
  socket.on("error", () => socket.destroy());
}).listen(Number(process.argv[2]), "127.0.0.1");
