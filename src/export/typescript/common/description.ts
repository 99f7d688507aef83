/** The types of the table that describes a service to its client. */
export type { CredentialDescription, OperationDescription, ProblemDescription, QueryForm };
export type { ServiceDescription, SignatureScheme, WaitDescription };

// ── What the part above says of the service ────────────────────────────────────────────────────────────────────────

interface ServiceDescription {
  /** The base path of the operations, relative to the service's address. */
  readonly mount: string;
  /** The API version of the types, which each request carries. */
  readonly version?: { readonly in: "header" | "query" | "accept"; readonly name: string; readonly value: string };
  readonly credentials: Readonly<Record<string, CredentialDescription>>;
  readonly operations: Readonly<Record<string, OperationDescription>>;
  /** The timeout of one request in milliseconds: the service's own time limit and some time for the network. */
  readonly timeout: number;
  /** How to read errors, if some of them do not have the standard body (RFC 9457). */
  readonly problem?: ProblemDescription;
}

interface ProblemDescription {
  /** The service's custom error bodies, with placeholders in braces. */
  readonly bodies: readonly unknown[];
  /** The codes by the external name that the body contains. */
  readonly externalCodes: Readonly<Record<string, readonly string[]>>;
  /** The fixed message of each code. */
  readonly messages: Readonly<Record<string, string>>;
}

interface CredentialDescription {
  readonly kind: "text" | "user" | "signature";
  readonly in: "header" | "cookie" | "query";
  readonly name: string;
  /** The first word of the header field, before the secret or the signature. */
  readonly scheme?: string;
  /** How requests are signed. */
  readonly signature?: SignatureScheme;
}

/** How a request is signed: the signed text, and the values of the header fields, both with placeholders in braces. */
interface SignatureScheme {
  readonly over: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly separator?: "comma" | "blank";
  readonly key?: "text" | "base64";
}

interface OperationDescription {
  readonly method: string;
  /** `{name}` marks a parameter; the method takes their values in this order. */
  readonly path: string;
  /** The media type of the request body. For a file it is a wildcard: the media type is that of its `Blob`. */
  readonly requestType?: string;
  /** The body with files is a form; the part of this name has all other members as JSON. */
  readonly form?: string;
  /** Set if the response is bytes. */
  readonly bytes?: true;
  /** Set if the operation takes query parameters. */
  readonly query?: true;
  /** How query parameters send lists and objects. A list without a form has commas, an object brackets. */
  readonly forms?: Readonly<Record<string, QueryForm>>;
  /** The header field of the idempotency key, which makes retries safe. */
  readonly key?: string;
  /** The paths of a page's items and of the value for the next page; absent if the operation is no list. */
  readonly page?: {
    readonly items: readonly string[];
    readonly next?: readonly string[];
    readonly parameter?: string;
  };
  readonly stream?: { readonly resume: string };
  /** The event that the request delivers, and the header fields that tell its kind. */
  readonly event?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The error codes by status, for bodies without a code. */
  readonly possibleErrors?: Readonly<Record<number, readonly string[]>>;
}

/**
 * `repeated`: the name once for each item of a list, each member of an object as a parameter. A separator: the items of a list,
 * or the names and values of an object in turn, are one text.
 */
type QueryForm = "repeated" | "," | " " | "|";

/** How to wait for a state: the read operation, the path of the state, and the reachable states by state. */
interface WaitDescription {
  readonly operation: string;
  readonly state: readonly string[];
  readonly reaches: Readonly<Record<string, readonly string[]>>;
  /** The operation that follows events, if this resource has events. */
  readonly follow?: string;
}
