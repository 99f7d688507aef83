/**
 * Defines the options of `serve` in one table for the command line, the environment and settings files; help and
 * docs/reference/configuration.md are generated from it.
 */
import {
  type Option,
  address,
  choice,
  duration,
  flag,
  guarded,
  maybePort,
  maybeSize,
  networks,
  port,
  secret,
  text,
  textOr,
  texts,
} from "./command-line.ts";
import type { ServeOptions } from "../server/serve.ts";

export interface ServeSettings extends ServeOptions {
  /** The path of a settings file. */
  readonly config: string | undefined;
}

/** The help text of an option that several commands have. */
export const dataHelp = "where the data is; without it, .nonet/SERVICE.db in the current folder";

export const serveOptions: { readonly [K in keyof ServeSettings]: Option<ServeSettings[K]> } = {
  port: port(8080, "the port to listen on; 0 takes any free one"),
  host: textOr("127.0.0.1", "HOST", "the address to listen on; 0.0.0.0 for all of this machine's"),
  data: guarded(text("FILE|memory|postgres://…", `${dataHelp}; memory stores nothing`)),
  "base-url": address("the public address of the service, if it is not the address that it listens on"),
  "trust-proxy": networks("a trusted proxy, whose Forwarded fields are used"),
  "webhooks-to-loopback": flag("allow webhooks to this machine, and by http: for development"),
  "test-clock": flag("let requests move the time of the service forward, at /.well-known/test-clock: for tests"),
  sink: guarded(
    texts("URL", "a broker that receives every event: nats://HOST/SUBJECT?as=ROLE, kafka://HOST/TOPIC?as=ROLE"),
  ),
  handlers: text("FILE", "a module of functions: handlers of operations, and hooks around others"),
  limits: guarded(text("URL", "a Valkey or Redis for the rate limits of all processes; default: the database")),
  pages: choice(
    ["public", "signed-in", "off"],
    "who may read the pages of the service at /, /openapi.json, /asyncapi.json, /errors/{code}, which show all permissions",
  ),
  watch: flag("reload the document when it changes, if it has no errors"),
  "request-memory": maybeSize(
    "memory for bodies, heads and connections, beyond which the service responds 503; default: a quarter of the memory, 64MB to 1GB",
  ),
  log: choice(
    ["warn", "off", "error", "info", "debug"],
    "the log level of standard error: info has a line for each request, debug for probes and deliveries too",
  ),
  "log-format": choice(
    ["auto", "json", "text"],
    "auto is text on a terminal and JSON otherwise; json writes nothing but JSON",
  ),
  "log-slow": duration("500ms", "log a warning for store operations that take longer"),
  "admin-port": maybePort(
    "an operator's port with /metrics for Prometheus, and /readyz with details; 0 takes any free one",
  ),
  "admin-host": textOr("127.0.0.1", "HOST", "the address that it listens on"),
  "operator-token": secret("the operator's Bearer token for /metrics and the details of /readyz"),
  config: text("FILE", "a file of settings; default: nonet.config.yaml in the current folder, if it exists"),
};
