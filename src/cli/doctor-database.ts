/** What `nonet doctor` finds of the machine and of how a service would be reached. */
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";
import type { Finding } from "./doctor-finding.ts";
import type { ServeSettings } from "./options.ts";

const neededNode = 24;
const neededDescriptors = 4096;

export async function databaseFindings(options: ServeSettings): Promise<readonly Finding[]> {
  const { "admin-port": adminPort, "admin-host": adminHost } = options;
  return [
    nodeFinding(process.versions.node),
    ...descriptorFindings(),
    await portFinding("port", options.host, options.port),
    ...(adminPort === undefined ? [] : [await portFinding("admin-port", adminHost, adminPort)]),
    ...reachFindings(options),
  ];
}

function nodeFinding(version: string): Finding {
  const check = "node";
  const found = `version ${version}`;
  if (Number(version.split(".")[0]) >= neededNode) return { check, status: "pass", found };
  return { check, status: "fail", found, fix: `run it with Node ${neededNode} or later` };
}

/** A connection is a descriptor. Only Linux says how many there may be. */
function descriptorFindings(): readonly Finding[] {
  let limits: string;
  try {
    limits = readFileSync("/proc/self/limits", "utf8");
  } catch {
    return [];
  }
  const [, soft = "unlimited"] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  const check = "open files";
  const found = `at most ${soft}`;
  if (soft === "unlimited" || Number(soft) >= neededDescriptors) return [{ check, status: "pass", found }];
  return [{ check, status: "warn", found, fix: "ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit" }];
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
    const fix = code === "EADDRINUSE" ? "stop what listens there, which may be this service; or take another port" : "take a port from 1024 on, and an address of this machine"; // biome-ignore format: short
    return { check, status: code === "EADDRINUSE" ? "warn" : "fail", found: message, fix };
  }
}

const loopback = /^(?:127\.|::1$|localhost$)/;

function reachFindings(options: ServeSettings): readonly Finding[] {
  const { host, "base-url": base, "trust-proxy": proxies } = options;
  const findings: Finding[] = [];
  const isOpen = !loopback.test(host);
  if (isOpen && proxies.length === 0)
    findings.push({ check: "trust-proxy", status: "warn", found: `${host} is open to others, and no proxy is trusted`, fix: "name the proxy that ends TLS with --trust-proxy, so that callers' addresses and https are known" }); // biome-ignore format: a row
  else
    findings.push({
      check: "trust-proxy",
      status: "pass",
      found: proxies.join(", ") || "nobody but this machine calls",
    });
  if (proxies.some((proxy) => proxy.endsWith("/0")))
    findings.push({ check: "trust-proxy", status: "fail", found: "every address is believed", fix: "name the proxies alone: anybody may write X-Forwarded-For" }); // biome-ignore format: a row
  if ((isOpen || proxies.length > 0) && base === undefined)
    findings.push({ check: "base-url", status: "warn", found: "not set: links name the address that is listened on", fix: "--base-url https://api.example.com, where callers reach it" }); // biome-ignore format: a row
  else if (base?.startsWith("http:") === true && !loopback.test(new URL(base).hostname))
    findings.push({ check: "base-url", status: "warn", found: `${base} is not https`, fix: "let a proxy end TLS: credentials are read by whoever is between" }); // biome-ignore format: a row
  else if (base !== undefined) findings.push({ check: "base-url", status: "pass", found: base });
  if (options["admin-port"] !== undefined && !loopback.test(options["admin-host"]) && options["operator-token"] === undefined)
    findings.push({ check: "operator-token", status: "warn", found: "the operator's port is open to others, without a token", fix: "set NONET_OPERATOR_TOKEN_FILE" }); // biome-ignore format: a row
  if (options["webhooks-to-loopback"] && isOpen)
    findings.push({ check: "webhooks-to-loopback", status: "fail", found: "others could reach what listens on this machine alone", fix: "leave it out; it is for development" }); // biome-ignore format: a row
  if (options.watch && isOpen)
    findings.push({ check: "watch", status: "warn", found: "a slip in the document is served as soon as it is saved", fix: "leave --watch out, and restart" }); // biome-ignore format: a row
  return findings;
}
