/**
 * Starts real brokers for tests, each in a separate process: Debian's `nats-server`, and librdkafka's test cluster, which `kcat`
 * starts and reads from.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { freePort } from "../free-port.ts";

/** Why tests with this program are left out: false where it is there, and in CI, which has to have it. */
export function without(program: "nats-server" | "kcat"): string | false {
  const paths = (process.env["PATH"] ?? "").split(delimiter);
  // Debian has servers where only root's paths look.
  if ([...paths, "/usr/sbin"].some((folder) => existsSync(join(folder, program)))) return false;
  return process.env["CI"] === undefined && `there is no ${program} on this machine; Debian's package has that name`;
}

/** A message as a consumer of the broker gets it. */
export interface Kept {
  readonly id: string;
  /** NATS: the subject; Kafka: the key. */
  readonly address: string;
  readonly media: string;
  readonly body: string;
}

const patience = 30_000;

async function says(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let text = "";
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`never said ${pattern}: ${text}`)), patience);
    child.on("error", reject);
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const found = pattern.exec(text);
      if (found === null) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
}

export interface NatsServer extends AsyncDisposable {
  readonly host: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  addStream(name: string, subjects: readonly string[]): Promise<void>;
  /** All that the stream keeps, in its order. */
  messages(stream: string): Promise<readonly Kept[]>;
}

/** With JetStream, which keeps what it acknowledged when it is killed. Not started yet. */
export async function natsServer(): Promise<NatsServer> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), "nonet-nats-"));
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  };
  return {
    host,
    kill,
    async start() {
      child = spawn("nats-server", ["-js", "-sd", folder, "-a", "127.0.0.1", "-p", String(port)], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      await says(child, /Server is ready/);
    },
    async addStream(name, subjects) {
      const connection = await connect({ servers: host });
      await (await jetstreamManager(connection)).streams.add({ name, subjects: [...subjects] });
      await connection.close();
    },
    async messages(stream) {
      const connection = await connect({ servers: host });
      try {
        const { streams } = await jetstreamManager(connection);
        const { state } = await streams.info(stream);
        const kept: Kept[] = [];
        for (let seq = state.first_seq; kept.length < state.messages; seq += 1) {
          const message = await streams.getMessage(stream, { seq });
          if (message === null) continue;
          const field = (name: string): string => message.header.get(name);
          kept.push({
            id: field("Nats-Msg-Id"),
            address: message.subject,
            media: field("content-type"),
            body: message.string(),
          });
        }
        return kept;
      } finally {
        await connection.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface KafkaServer extends AsyncDisposable {
  readonly host: string;
  /** What its consumer has had, each partition in its order. */
  readonly messages: readonly Kept[];
}

interface Consumed {
  readonly headers: readonly string[];
  readonly key: string;
  readonly payload: string;
}

/** One broker with a topic of four partitions, and a consumer of it, both librdkafka's. */
export async function kafkaServer(topic: string): Promise<KafkaServer> {
  // What is consumed comes from the cluster inside of it, whatever the address says.
  const args = ["-C", "-b", "127.0.0.1:1", "-t", topic, "-J", "-u", "-d", "mock"];
  const settings = ["test.mock.num.brokers=1", "topic.metadata.refresh.interval.ms=100", "fetch.wait.max.ms=20"];
  const child = spawn("kcat", [...args, ...settings.flatMap((one) => ["-X", one])], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [, host] = await says(child, /bootstrap\.servers=(127\.0\.0\.1:\d+)/);
  assert.ok(host);
  const messages: Kept[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { headers, key, payload } = JSON.parse(line) as Consumed;
      const field = (name: string): string => headers[headers.indexOf(name) + 1] ?? "";
      messages.push({ id: field("id"), address: key, media: field("content-type"), body: payload });
    }
  });
  return {
    host,
    messages,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}
