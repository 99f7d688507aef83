/** Checks the machine and the network settings for `nonet doctor`. */
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";
import { type Finding, finding } from "./doctor-finding.ts";
import { oldestNode } from "../server/terminal.ts";
import type { ServeSettings } from "./options.ts";

const neededDescriptors = 4096;

export async function machineFindings(options: ServeSettings): Promise<readonly Finding[]> {
  const { node } = process.versions;
  const { "admin-port": adminPort, "admin-host": adminHost } = options;
  return [
    finding("node", "fail", isNewEnough(node), `version ${node}`, `run it with Node ${oldestNode} or later`),
    ...descriptorFindings(),
    await portFinding("port", options.host, options.port),
    ...(adminPort === undefined ? [] : [await portFinding("admin-port", adminHost, adminPort)]),
    ...reachFindings(options),
  ];
}

function isNewEnough(node: string): boolean {
  return node.localeCompare(oldestNode, "en", { numeric: true }) >= 0;
}

/** Checks the limit of file descriptors, since each connection needs one. Only Linux reports the limit. */
function descriptorFindings(): readonly Finding[] {
  let limits: string;
  try {
    limits = readFileSync("/proc/self/limits", "utf8");
  } catch {
    return [];
  }
  const [, soft = "unlimited"] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  const isEnough = soft === "unlimited" || Number(soft) >= neededDescriptors;
  return [finding("open files", "warn", isEnough, `at most ${soft}`, "ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit")]; // biome-ignore format: a row
}

async function portFinding(check: string, host: string, port: number): Promise<Finding> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once("error", reject);
      probe.listen(port, host, resolve);
    });
    await new Promise((resolve) => probe.close(resolve));
    return { check, status: "pass", found: `${host}:${port} is free` };
  } catch (thrown) {
    const { code = "", message } = thrown as NodeJS.ErrnoException;
    const fix = code === "EADDRINUSE" ? "stop the process that listens there, which may be this service, or use another port" : "use a port from 1024 on and an address of this machine"; // biome-ignore format: short
    return { check, status: code === "EADDRINUSE" ? "warn" : "fail", found: message, fix };
  }
}

const loopback = /^(?:127\.|::1$|localhost$)/;

function reachFindings(options: ServeSettings): readonly Finding[] {
  const { host, "base-url": base, "trust-proxy": proxies, "admin-host": adminHost, "admin-port": adminPort } = options;
  const isOpen = !loopback.test(host);
  const isUnset = (isOpen || proxies.length > 0) && base === undefined;
  const isPlain = base?.startsWith("http:") === true && !loopback.test(new URL(base).hostname);
  const isAdminOpen = adminPort !== undefined && !loopback.test(adminHost) && options["operator-token"] === undefined;
  const problem = (check: string, status: "warn" | "fail", found: string, fix: string): Finding => ({ check, status, found, fix }); // biome-ignore format: short
  return [
    isOpen && proxies.length === 0
      ? problem("trust-proxy", "warn", `${host} is open to others, and no proxy is trusted`, "name the proxy that terminates TLS with --trust-proxy, so that callers' addresses and https are known")
      : { check: "trust-proxy", status: "pass", found: proxies.join(", ") || "only this machine can connect" },
    ...(proxies.some((proxy) => proxy.endsWith("/0")) ? [problem("trust-proxy", "fail", "every proxy is trusted", "name only the proxies: anyone can send X-Forwarded-For")] : []),
    ...(isUnset ? [problem("base-url", "warn", "not set: links use the address that the service listens on", "--base-url https://api.example.com, where callers reach it")] : []),
    ...(base === undefined ? [] : [finding("base-url", "warn", !isPlain, isPlain ? `${base} is not https` : base, "let a proxy terminate TLS: without it, others on the network can read credentials")]),
    ...(isAdminOpen ? [problem("operator-token", "warn", "the operator's port is open to others, without a token", "set NONET_OPERATOR_TOKEN_FILE")] : []),
    ...(options["webhooks-to-loopback"] && isOpen ? [problem("webhooks-to-loopback", "fail", "webhooks could reach services that listen only on this machine", "remove it; it is for development")] : []),
    ...(options["test-clock"] ? [problem("test-clock", "warn", "anyone on this machine can move the time of the service", "remove it; it is for tests")] : []),
    ...(options.watch && isOpen ? [problem("watch", "warn", "a mistake in the document is served as soon as it is saved", "remove --watch, and restart to change the document")] : []),
  ]; // biome-ignore format: a table
}
