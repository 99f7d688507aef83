/** Parses the URL of a sink: `nats://host:4222/subject` or `kafka://host:9092,other:9092/topic`, with credentials. */

export interface BrokerUrl {
  readonly kind: "nats" | "kafka";
  /** The servers as `host:port`, at least one. */
  readonly servers: readonly string[];
  /** The destination: a NATS subject prefix, followed by the event's name; or a Kafka topic. */
  readonly target: string;
  /** The roles whose permissions decide which events the sink may see. */
  readonly roles: readonly string[];
  readonly tls: boolean;
  readonly credentials?: SinkCredentials;
  /** The URL without secrets, for messages and for the offset. */
  readonly name: string;
}

export interface SinkCredentials {
  readonly user: string;
  /** The password; if it is absent, `user` is a token. */
  readonly password?: string;
}

const usualPorts = { nats: 4222, kafka: 9092 };
const targets = {
  nats: { pattern: /^[\w$-]+(\.[\w$-]+)*$/, what: "a subject such as events or shop.events" },
  kafka: { pattern: /^[\w.-]{1,249}$/, what: "a topic such as events" },
};
const written = /^(nats|kafka):\/\/(?:([^@/?]*)@)?([^/?@]+)\/([^?]+)(?:\?(.*))?$/;

/** Parses a URL; returns its error as a clause that follows "--sink …". */
export function parseBrokerUrl(text: string): BrokerUrl | string {
  const found = written.exec(text);
  if (found === null) return "is written nats://HOST/SUBJECT or kafka://HOST,HOST/TOPIC, and ?as=ROLE after it";
  const [, scheme, login, hosts = "", target = "", query = ""] = found;
  const kind = scheme as BrokerUrl["kind"];
  const { pattern, what } = targets[kind];
  if (!pattern.test(target)) return `needs ${what} after its host`;
  const servers = hosts.split(",").map((host) => (/:\d+$/.test(host) ? host : `${host}:${usualPorts[kind]}`));
  const wrong = servers.find((server) => !URL.canParse(`${kind}://${server}`));
  if (wrong !== undefined) return `names the server ${wrong}, which is no host with a port`;
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((key) => key !== "as" && key !== "tls");
  if (unknown !== undefined) return `knows "as" and "tls" after its question mark, not "${unknown}"`;
  const tls = parameters.get("tls") ?? "false";
  if (tls !== "true" && tls !== "false") return "says tls=true or tls=false";
  const credentials = login === undefined ? undefined : credentialsOf(login);
  return {
    kind,
    servers,
    target,
    roles: parameters.getAll("as").flatMap((roles) => roles.split(",").filter((role) => role !== "")),
    tls: tls === "true",
    ...(credentials === undefined ? {} : { credentials }),
    name: `${kind}://${hosts}/${target}`,
  };
}

function credentialsOf(login: string): SinkCredentials {
  const colon = login.indexOf(":");
  if (colon < 0) return { user: decodeURIComponent(login) };
  return { user: decodeURIComponent(login.slice(0, colon)), password: decodeURIComponent(login.slice(colon + 1)) };
}
