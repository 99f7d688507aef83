/**
 * Interactions as lines for a POSIX shell, with curl: they send the same requests again. Values that came from earlier responses
 * are written as found. The lines have no control character but line feeds between arguments, so that they can be indented, and
 * printed on a terminal.
 */
import type { Interaction, Request } from "../interaction.ts";
import { outcomeOf } from "./summary.ts";

export interface CurlOptions {
  /** Writes `$TOKEN_<CALLER>`, a variable of the shell, in place of a credential. */
  readonly redact?: boolean;
  /** Further header fields that carry credentials, besides `Authorization` and `Cookie`. */
  readonly credentialHeaders?: readonly string[];
  /** The query parameters that carry credentials. */
  readonly credentialParameters?: readonly string[];
}

/** Returns the URL to print: with `redact`, without the values of credentials in its query. */
export function urlText(url: string, { redact, credentialParameters = [] }: CurlOptions): string {
  if (redact !== true || credentialParameters.length === 0) return url;
  const [path = "", query] = url.split("?", 2);
  if (query === undefined) return url;
  const parts = query.split("&").map((part) => {
    const name = credentialParameters.find((one) => part.startsWith(`${one}=`));
    return name === undefined ? part : `${name}=TOKEN`;
  });
  return `${path}?${parts.join("&")}`;
}

/** Returns a comment and a command for each interaction, each ended by a line feed. */
export function curlLines(interactions: readonly Interaction[], options: CurlOptions = {}): string {
  return interactions.map((interaction) => `${commentOf(interaction)}\n${commandOf(interaction, options)}\n`).join("");
}

/** Returns the value of a header field to print: the credential itself, or `$TOKEN_<CALLER>` with the scheme before it. */
export function headerValue(
  { caller, request }: Pick<Interaction, "caller" | "request">,
  name: string,
  options: CurlOptions,
): { readonly text: string; readonly variable?: string } {
  const value = request.headers[name] ?? "";
  if (options.redact !== true || !isCredential(name, options)) return { text: value };
  const scheme = /^authorization$/i.test(name) ? (/^\S+ +/.exec(value)?.[0] ?? "") : "";
  return { text: scheme, variable: `$TOKEN_${caller.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}` };
}

function isCredential(name: string, { credentialHeaders = [] }: CurlOptions): boolean {
  const all = ["authorization", "cookie", ...credentialHeaders.map((one) => one.toLowerCase())];
  return all.includes(name.toLowerCase());
}

function commentOf(interaction: Interaction): string {
  const { caller, operation } = interaction;
  const text = `${operation ?? "no operation"} as ${caller}: ${outcomeOf(interaction)}`;
  return `# ${text.replaceAll(unprintable, " ")}`;
}

function commandOf(interaction: Interaction, options: CurlOptions): string {
  const { request } = interaction;
  const input = inputOf(request);
  const names = Object.keys(request.headers);
  const has = (name: string): boolean => names.some((one) => one.toLowerCase() === name);
  const flags = [
    methodOf(request),
    // `[1-3]` and `{a,b}` in a URL would be several URLs, and `/../` would be shortened.
    ...(/[[\]{}]/.test(request.url) ? ["--globoff"] : []),
    ...(/\/\./.test(request.url) ? ["--path-as-is"] : []),
    ...(has("accept-encoding") ? ["--compressed"] : []),
    quoted(encodedUrl(urlText(request.url, options))),
  ];
  const rest = [
    ...names.map((name) => `-H ${headerOf(name, headerValue(interaction, name, options))}`),
    // curl would say that a body is a form.
    ...(input !== undefined && !has("content-type") ? ["-H 'Content-Type:'"] : []),
    ...(input === undefined ? [] : [input.argument]),
  ];
  const command = [`curl -i ${flags.filter((flag) => flag !== "").join(" ")}`, ...rest].join(" \\\n  ");
  return input?.pipe === undefined ? command : `${input.pipe} |\n${command}`;
}

function methodOf({ method, body }: Request): string {
  if (method === "GET" && body === undefined) return "";
  // With `-X HEAD` curl waits for a body.
  return method === "HEAD" && body === undefined ? "-I" : `-X ${quoted(method)}`;
}

/** A URL holds no blanks and no letters beyond ASCII; they are sent as a client for browsers sends them. */
function encodedUrl(url: string): string {
  return url.toWellFormed().replaceAll(/[^!-~]/gu, (character) => encodeURIComponent(character));
}

function headerOf(name: string, { text, variable }: ReturnType<typeof headerValue>): string {
  if (variable !== undefined) return `${quoted(`${name}: ${text}`)}"${variable}"`;
  // curl sends a field without a value only if a semicolon is in place of the colon.
  if (text.trim() === "") return quoted(`${name};`);
  const field = `${name}: ${text}`;
  if (/^[ -~]*$/.test(field)) return quoted(field);
  // A header field is sent as ISO 8859-1, not as UTF-8.
  const isLatin = /^[\0-\xff]*$/.test(field);
  const bytes = isLatin ? Uint8Array.from(field, (one) => one.charCodeAt(0)) : new TextEncoder().encode(field);
  return `"$(printf ${quoted(printfFormat(bytes))})"`;
}

// ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Input {
  readonly argument: string;
  /** The command whose output is the body. */
  readonly pipe?: string;
}

/** In characters: Linux passes at most 131,072 bytes in one argument. The builtin printf has no such limit. */
const longestArgument = 40_000;
/** A run of one character that is at least so long is written as a command: a text that is too long by design. */
const shortestRun = 256;

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function inputOf({ body }: Request): Input | undefined {
  if (body === undefined) return undefined;
  const text = typeof body === "string" ? body.toWellFormed() : asText(body);
  const isPlain = text !== undefined && text.search(unprintable) < 0;
  const runs = text === undefined ? [] : runsOf(text);
  if (isPlain && runs.length === 0 && text.length <= longestArgument) return { argument: `--data-raw ${quoted(text)}` };
  const pieces = text === undefined ? [printfOf(body as Uint8Array)] : piecesOf(text, runs);
  const pipe = pieces.length === 1 ? (pieces[0] as string) : `{ ${pieces.join("; ")}; }`;
  return { argument: "--data-binary @-", pipe };
}

/** Returns the bytes as text; undefined if they are not UTF-8. */
function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

interface Run {
  readonly character: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the long runs of one character of ASCII. */
function runsOf(text: string): readonly Run[] {
  const found: Run[] = [];
  let from = 0;
  for (let at = 1; at <= text.length; at += 1) {
    if (at < text.length && text[at] === text[from]) continue;
    const character = text[from] ?? "";
    if (at - from >= shortestRun && /[ -~]/.test(character)) found.push({ character, from, to: at });
    from = at;
  }
  return found;
}

function piecesOf(text: string, runs: readonly Run[]): readonly string[] {
  const pieces: string[] = [];
  let done = 0;
  const addText = (to: number): void => {
    const piece = text.slice(done, to);
    if (piece !== "") pieces.push(printfOf(piece));
  };
  for (const { character, from, to } of runs) {
    addText(from);
    pieces.push(
      `printf '%${to - from}s' ''${character === " " ? "" : ` | tr ' ' ${quoted(octal(character.charCodeAt(0)))}`}`,
    );
    done = to;
  }
  addText(text.length);
  return pieces;
}

function printfOf(piece: string | Uint8Array): string {
  if (typeof piece === "string" && piece.search(unprintable) < 0) return `printf '%s' ${quoted(piece)}`;
  return `printf ${quoted(printfFormat(typeof piece === "string" ? new TextEncoder().encode(piece) : piece))}`;
}

/** Returns a format of printf that writes the bytes. */
function printfFormat(bytes: Uint8Array): string {
  return Array.from(bytes, (byte, index) => {
    const character = String.fromCharCode(byte);
    // A format that begins with a hyphen would be read as an option.
    if (character === "-" && index === 0) return octal(byte);
    if (character === "%") return "%%";
    if (character === "\\") return "\\\\";
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return /[ -~]/.test(character) ? character : octal(byte);
  }).join("");
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, "0")}`;
}

/** Returns one word of the shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
