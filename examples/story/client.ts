/** Who asks: somebody with a key or without one, and with an app of some version. */

/** A body as the story looks at it. */
export type Members = Readonly<Record<string, unknown>>;

export interface Reply {
  readonly status: number;
  readonly reason: string;
  readonly headers: Headers;
  readonly body: Members;
}

export interface Request {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Members;
}

export interface Client {
  readonly name: string;
  /** What says who asks, and which version the app was written for. */
  readonly headers: Readonly<Record<string, string>>;
  /** `GET /parcels`. */
  send(line: string, request?: Request): Promise<Reply>;
}

export function createClient(url: string, name: string, own: Readonly<Record<string, string>> = {}): Client {
  return {
    name,
    headers: own,
    async send(line, { headers = {}, body } = {}) {
      const [method = "", path = ""] = line.split(" ");
      const response = await fetch(url + path, {
        method,
        headers: {
          ...own,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        reason: response.statusText,
        headers: response.headers,
        body: text === "" ? {} : (JSON.parse(text) as Members),
      };
    },
  };
}
