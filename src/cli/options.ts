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

/** Help text of an option that several commands have. */
export const dataHelp = "where the data is; without it, .nonet/SERVICE.db in the current folder";

export const serveOptions: { readonly [K in keyof ServeSettings]: Option<ServeSettings[K]> } = {
  port: port(8080, "the port to listen on; 0 takes any free one"),
  host: textOr("127.0.0.1", "HOST", "the address to listen on; 0.0.0.0 for all of this machine's"),
  data: guarded(text("FILE|memory|postgres://…", `${dataHelp}; memory keeps nothing`)),
  "base-url": address("where callers reach the service, when it is not where it listens"),
  "trust-proxy": networks("a proxy whose Forwarded fields are believed"),
  "webhooks-to-loopback": flag("let webhooks go to this machine itself, by http too: for development"),
  sink: guarded(
    texts("URL", "a broker that is given every event: nats://HOST/SUBJECT?as=ROLE, kafka://HOST/TOPIC?as=ROLE"),
  ),
  handlers: text(
    "FILE",
    "a module of functions, for operations that a handler does and for what is done around others",
  ),
  limits: guarded(
    text("URL", "a Valkey or Redis in which all processes of the service count rates; else they do so in the data"),
  ),
  pages: choice(
    ["public", "signed-in", "off"],
    "who may read the pages of the service at /, /openapi.json, /asyncapi.json, /errors/{code}: they show who may do what",
  ),
  watch: flag("serve the document anew when it changes, as long as it has no errors"),
  "request-memory": maybeSize(
    "what bodies, heads and connections may hold together, beyond which requests are answered 503; a quarter of the memory there is, 64MB to 1GB, unless told",
  ),
  log: choice(
    ["warn", "off", "error", "info", "debug"],
    "how much is logged to standard error: info has a line for each request, debug for probes and deliveries too",
  ),
  "log-format": choice(
    ["auto", "json", "text"],
    "auto is text on a terminal and JSON elsewhere; with json nothing else is written",
  ),
  "log-slow": duration("500ms", "work of the store that takes longer is logged as a warning"),
  "admin-port": maybePort(
    "an operator's port with /metrics for Prometheus, and /readyz with details; 0 takes any free one",
  ),
  "admin-host": textOr("127.0.0.1", "HOST", "the address that it listens on"),
  "operator-token": secret("what an operator sends as a Bearer token to be shown /metrics, and the details of /readyz"),
  config: text("FILE", "a file of settings; without it, nonet.config.yaml in the current folder where there is one"),
};
