/**
 * Parses `multipart/form-data` strictly by RFC 7578 and RFC 2046 section 5.1.1: input that lenient parsers guess about is an
 * error. Pure: chunks in, parts out.
 */

export interface PartHead {
  readonly name: string;
  /** The file name without folders; undefined if the part has none, empty if the user chose no file. */
  readonly filename: string | undefined;
  /** The media type `type/subtype` in lower case; undefined if the part has none. */
  readonly type: string | undefined;
  /** Whether the charset in the part's head allows UTF-8. */
  readonly isUtf8: boolean;
}

export type PartEvent =
  | { readonly kind: "part"; readonly head: PartHead }
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "end" };

export interface MultipartReader {
  /** Reads a chunk and yields what it contains. @throws MultipartError */
  read(bytes: Buffer): Generator<PartEvent, void>;
  /** Ends the input. @throws MultipartError if the last boundary is missing. */
  end(): void;
}

/** Thrown for invalid multipart data; the message completes "The body is not multipart/form-data: …". */
export class MultipartError extends Error {}

const maximumHeadBytes = 8192;
const maximumFields = 20;
const nothing = Buffer.alloc(0);

/** Returns the boundary in a Content-Type field. @throws MultipartError */
export function boundaryOf(contentType: string): string {
  const boundary = parametersOf(contentType, "its Content-Type").get("boundary");
  if (boundary === undefined) throw new MultipartError("its Content-Type has no boundary");
  if (!/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw new MultipartError("its boundary is not one to 70 of the characters that RFC 2046 allows");
  return boundary;
}

export function createMultipartReader(boundary: string): MultipartReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  let state: "preamble" | "delimiter" | "head" | "body" | "over" = "preamble";
  /** Input that is not parsed yet. It starts with a line break, because a boundary on the first line has none before it. */
  let rest: Buffer = Buffer.from("\r\n");
  /** The position in `rest` up to which the end of a head has been searched. */
  let looked = 0;
  /** The number of bytes to skip in a body: the line break that ends the head may also start the next boundary. */
  let passOver = 0;

  function body(bytes: Buffer): PartEvent | undefined {
    const bodyPart = bytes.subarray(Math.min(passOver, bytes.length));
    passOver = 0;
    return state === "preamble" || bodyPart.length === 0 ? undefined : { kind: "bytes", bytes: bodyPart };
  }

  return {
    *read(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      for (;;) {
        if (state === "over") rest = nothing;
        if (rest.length === 0) return;
        if (state === "preamble" || state === "body") {
          const at = rest.indexOf(delimiter);
          const until = at === -1 ? startOf(delimiter, rest) : at;
          if (until > 0) {
            const bodyPart = body(rest.subarray(0, until));
            rest = rest.subarray(until);
            if (bodyPart !== undefined) yield bodyPart;
          }
          if (at === -1) return;
          passOver = 0;
          if (state === "body") yield { kind: "end" };
          rest = rest.subarray(delimiter.length);
          state = "delimiter";
        } else if (state === "delimiter") {
          const next = afterDelimiter(rest);
          if (next === "more") return;
          if (next === "last") state = "over";
          else {
            rest = rest.subarray(next);
            state = "head";
          }
        } else {
          // A head without fields starts with the empty line that ends it.
          const isEmpty = rest.length > 1 && rest[0] === 0x0d && rest[1] === 0x0a;
          const end = isEmpty ? 0 : rest.indexOf("\r\n\r\n", Math.max(0, looked - 3), "latin1");
          if (end > maximumHeadBytes || (end === -1 && rest.length > maximumHeadBytes))
            throw new MultipartError(`the head of a part has more than ${maximumHeadBytes} bytes`);
          looked = end === -1 ? rest.length : 0;
          if (end === -1) return;
          const head = headOf(rest.subarray(0, end));
          rest = rest.subarray(end + 2);
          passOver = 2;
          state = "body";
          yield { kind: "part", head };
        }
      }
    },
    end() {
      if (state !== "over") throw new MultipartError("it ends before its last boundary");
    },
  };
}

/** Returns the position from which the rest of `bytes` is a prefix of `wanted`; the length of `bytes` if there is none. */
function startOf(wanted: Buffer, bytes: Buffer): number {
  let at = Math.max(0, bytes.length - wanted.length + 1);
  for (at = bytes.indexOf(0x0d, at); at !== -1; at = bytes.indexOf(0x0d, at + 1))
    if (bytes.compare(wanted, 0, bytes.length - at, at) === 0) return at;
  return bytes.length;
}

/** Returns what follows a boundary: the position of the next line, or "last" for the end of the form. */
function afterDelimiter(bytes: Buffer): number | "more" | "last" {
  if (bytes[0] === 0x2d && bytes.length < 2) return "more";
  if (bytes[0] === 0x2d && bytes[1] === 0x2d) return "last";
  let at = 0;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1;
  const isEnd = at >= bytes.length || (bytes[at] === 0x0d && (at + 1 >= bytes.length || bytes[at + 1] === 0x0a));
  if (!isEnd || at > maximumHeadBytes) throw new MultipartError("a boundary line has text after the boundary");
  return at + 1 < bytes.length ? at + 2 : "more";
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decoded(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new MultipartError(`${what} is not UTF-8`);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const control = /[\0-\x08\x0a-\x1f\x7f]/;

function headOf(bytes: Buffer): PartHead {
  const fields = fieldsOf(decoded(bytes, "the head of a part"));
  const disposition = fields.get("content-disposition");
  if (disposition === undefined) throw new MultipartError("a part has no Content-Disposition");
  if (!/^form-data *(?:;|$)/i.test(disposition))
    throw new MultipartError("the Content-Disposition of a part is not form-data");
  const parameters = parametersOf(disposition, "the Content-Disposition of a part");
  const name = parameters.get("name");
  if (name === undefined) throw new MultipartError("a part has no name");
  const filename = parameters.get("filename");
  const coding = fields.get("content-transfer-encoding") ?? "binary";
  if (!/^(?:7bit|8bit|binary)$/i.test(coding))
    throw new MultipartError("a part has a Content-Transfer-Encoding; parts are sent without encoding");
  const { charset, type } = typeOf(fields.get("content-type"));
  return {
    name,
    filename: filename === undefined ? undefined : baseOf(filename),
    type,
    isUtf8: charset === undefined || /^(?:utf-8|us-ascii)$/i.test(charset),
  };
}

function fieldsOf(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const lines = text === "" ? [] : text.split("\r\n");
  if (lines.length > maximumFields)
    throw new MultipartError(`the head of a part has more than ${maximumFields} fields`);
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined || control.test(value))
      throw new MultipartError("the head of a part has a line that is not a header field");
    const known = name.toLowerCase();
    if (fields.has(known) && known.startsWith("content-")) throw new MultipartError(`a part has two ${name}`);
    fields.set(known, value.trimEnd());
  }
  return fields;
}

function typeOf(field: string | undefined): {
  readonly type: string | undefined;
  readonly charset?: string | undefined;
} {
  if (field === undefined) return { type: undefined };
  const [essence] = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?=[ \t]*(?:;|$))/.exec(field) ?? [];
  if (essence === undefined) throw new MultipartError("the Content-Type of a part is not a media type");
  const charset = parametersOf(field, "the Content-Type of a part").get("charset");
  return { type: essence.toLowerCase(), charset };
}

/**
 * A regular expression for `; name=token`, `; name="text"` and `; name*=UTF-8''text` (RFC 8187); the last form has precedence.
 */
const parameter =
  /[ \t]*;[ \t]*(?:([\w!#$%&'+.^`|~-]+)(?:=(?:([\w!#$%&'*+.^`|~{}/:?@()<>,=[\]-]+)|"((?:[^"\\]|\\.)*)")|\*=([^;]*)))?(?=[ \t]*(?:;|$))/sy;

function parametersOf(field: string, what: string): ReadonlyMap<string, string> {
  const plain = new Map<string, string>();
  const extended = new Map<string, string>();
  const start = field.indexOf(";");
  parameter.lastIndex = start === -1 ? field.length : start;
  while (parameter.lastIndex < field.trimEnd().length) {
    const found = parameter.exec(field);
    if (found === null) throw new MultipartError(`${what} does not follow RFC 7578`);
    const [, written, token, quoted, encoded] = found;
    if (written === undefined) continue;
    const name = written.toLowerCase();
    const known = encoded === undefined ? plain : extended;
    if (known.has(name)) throw new MultipartError(`${what} has two ${name}`);
    // A backslash escapes only quotes and backslashes; other backslashes separate folders.
    const value =
      encoded === undefined ? (token ?? quoted?.replaceAll(/\\(["\\])/g, "$1") ?? "") : extendedOf(encoded, what);
    if (control.test(value)) throw new MultipartError(`${what} has a control character in its ${name}`);
    known.set(name, value);
  }
  return new Map([...plain, ...extended]);
}

function extendedOf(encoded: string, what: string): string {
  const [, escaped] = /^utf-8'[\w-]*'((?:[\w!#$&+.^`|~-]|%[\da-f]{2})*)[ \t]*$/i.exec(encoded) ?? [];
  if (escaped === undefined) throw new MultipartError(`${what} has an encoded text that does not follow RFC 8187`);
  return decoded(
    Buffer.from(
      escaped.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      "latin1",
    ),
    what,
  );
}

/** Returns a file name without its folder, which some clients send. */
function baseOf(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
  return name === "." || name === ".." ? "" : name;
}
