/**
 * Merges the settings of a service, in this order of precedence: command line, environment (`NONET_PORT`), settings file
 * (`nonet.config.yaml`), defaults. Reports all errors at once, with their location.
 */
import { didYouMean } from "../base/suggest.ts";
import { createRedact } from "../observability/redact.ts";
import {
  type Command,
  type CommandOf,
  type SuppliedOption,
  type Line,
  type Option,
  type Scanned,
  lineOf,
  scan,
} from "./command-line.ts";
import { serveOptions } from "./options.ts";
import type { Terminal } from "../server/terminal.ts";
import { columns } from "../base/layout.ts";

type Options = Readonly<Record<string, Option<unknown>>>;

export interface Setting {
  readonly name: string;
  /** The value to display; undefined without a value or default. */
  readonly display: string | undefined;
  /** Where the value is from: `--port`, `NONET_PORT`, `nonet.config.yaml:3`, or `default`. */
  readonly from: string;
}

export interface ConfiguredLine<T> extends Line<T> {
  readonly settings: readonly Setting[];
}

interface ConfiguredCommand<T> extends Omit<CommandOf<T>, "run"> {
  readonly run: (line: ConfiguredLine<T>, terminal: Terminal) => Promise<number>;
}

/** The default settings file. */
export const settingsFile = "nonet.config.yaml";

/** Returns a command with settings: those of its options that `serve` has too. */
export function configured<T>(spec: ConfiguredCommand<T>): Command {
  return {
    ...spec,
    async run(args, terminal) {
      const scanned = scan(spec.options, args);
      const { layered, problems } = await layer(spec.options, /^\[?DOC\]?$/.test(spec.operand), scanned, terminal);
      const line = lineOf(spec, layered, problems);
      return spec.run({ ...line, settings: settingsOf(spec.options, layered) }, terminal);
    },
  };
}

/** Returns the environment variable of an option. */
export function variableOf(name: string): string {
  return `NONET_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** Whether the value may be in a separate file, such as a container secret. */
export function hasFile({ secret }: Option<unknown>): boolean {
  return secret !== undefined;
}

interface Layered {
  readonly layered: Scanned;
  readonly problems: readonly string[];
}

async function layer(options: Options, hasDocument: boolean, scanned: Scanned, terminal: Terminal): Promise<Layered> {
  const problems: string[] = [...unknownVariables(terminal)];
  const fromEnvironment = await environmentLayer(terminal, problems);
  const config = scanned.supplied.get("config") ?? fromEnvironment.get("config");
  const fromFile = await fileLayer(config?.texts.at(-1), terminal, problems);
  const supplied = new Map<string, SuppliedOption>();
  for (const name of Object.keys(options)) {
    const found = scanned.supplied.get(name) ?? fromEnvironment.get(name) ?? fromFile.get(name);
    if (found !== undefined) supplied.set(name, found);
  }
  const [document] = (fromEnvironment.get(operand) ?? fromFile.get(operand))?.texts ?? [];
  const isMissing = hasDocument && scanned.documents.length === 0 && document !== undefined;
  const documents = isMissing ? [document] : scanned.documents;
  return { layered: { documents, supplied }, problems };
}

/** The name of the document's setting, which containers use. */
const operand = "document";

const names = Object.keys(serveOptions);

function optionOf(name: string): Option<unknown> | undefined {
  return Object.hasOwn(serveOptions, name) ? (serveOptions as Options)[name] : undefined;
}

async function environmentLayer(terminal: Terminal, problems: string[]): Promise<ReadonlyMap<string, SuppliedOption>> {
  const supplied = new Map<string, SuppliedOption>();
  for (const name of [operand, ...names]) {
    const variable = variableOf(name);
    const value = terminal.environment[variable] ?? "";
    const option = optionOf(name);
    const path = option !== undefined && hasFile(option) ? (terminal.environment[`${variable}_FILE`] ?? "") : "";
    if (value !== "" && path !== "") problems.push(`${variable} and ${variable}_FILE are both set: set one`);
    else if (path !== "") await readFileSetting(supplied, name, path, `${variable}_FILE`, terminal, problems);
    // An empty variable counts as not set: compose files pass unset variables as empty ones.
    else if (value !== "")
      applySetting(supplied, name, option?.repeats === true ? value.split(/[\s,]+/) : [value], variable, problems);
  }
  return supplied;
}

/** Converts a setting to command line values. */
function applySetting(
  supplied: Map<string, SuppliedOption>,
  name: string,
  texts: readonly string[],
  from: string,
  problems: string[],
): void {
  const option = optionOf(name);
  if (name === operand || option?.value !== undefined) {
    supplied.set(name, { texts: texts.filter((text) => text !== ""), name: from });
    return;
  }
  const [value = ""] = texts;
  if (/^(?:true|1|yes|on)$/i.test(value)) supplied.set(name, { texts: [""], name: from });
  else if (/^(?:false|0|no|off)$/i.test(value)) supplied.set(name, { texts: [], name: from });
  else problems.push(`${from} is true or false, not ${value}`);
}

async function readFileSetting(
  supplied: Map<string, SuppliedOption>,
  name: string,
  path: string,
  from: string,
  terminal: Terminal,
  problems: string[],
): Promise<void> {
  try {
    const text = Buffer.from(await terminal.read(path))
      .toString("utf8")
      .trim();
    if (text === "") problems.push(`${from}: ${path} is empty`);
    else applySetting(supplied, name, [text], from, problems);
  } catch (thrown) {
    problems.push(`${from}: cannot read ${path}: ${(thrown as Error).message}`);
  }
}

/** Returns misspelled variables of Nonet; other `NONET_` variables are ignored. */
function unknownVariables({ environment }: Terminal): readonly string[] {
  const known = [operand, ...names].map(variableOf);
  const all = [...known, ...known.map((name) => `${name}_FILE`), "NONET_SECRET_KEY", "NONET_SECRET_KEY_FILE"];
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith("NONET_") || all.includes(name)) return [];
    const near = didYouMean(name, all);
    return near === undefined ? [] : [`there is no setting ${name}; did you mean ${near}?`];
  });
}

async function fileLayer(
  path: string | undefined,
  terminal: Terminal,
  problems: string[],
): Promise<ReadonlyMap<string, SuppliedOption>> {
  const file = path ?? settingsFile;
  const supplied = new Map<string, SuppliedOption>();
  let text: string;
  try {
    text = Buffer.from(await terminal.read(file)).toString("utf8");
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (path !== undefined || code !== "ENOENT") problems.push(`cannot read the settings in ${file}: ${message}`);
    return supplied;
  }
  const { readSettings } = await import("./settings-file.ts");
  const { entries, problems: wrong } = readSettings(file, text);
  problems.push(...wrong);
  for (const { name, from, texts } of entries) {
    const bare = name.endsWith("-file") ? name.slice(0, -"-file".length) : name;
    const option = optionOf(bare);
    if (name !== bare && option !== undefined && hasFile(option)) {
      await readFileSetting(supplied, bare, texts[0] ?? "", `${from}: ${name}`, terminal, problems);
    } else if (name === "config" || (name !== operand && optionOf(name) === undefined)) {
      const near = didYouMean(name, [operand, ...names.filter((one) => one !== "config")]);
      problems.push(`${from}: there is no setting ${name}${near === undefined ? "" : `; did you mean ${near}?`}`);
    } else if (optionOf(name)?.secret === "value") {
      problems.push(`${from}: ${name} is a secret and not allowed here: name a file that contains it as ${name}-file`);
    } else if (texts.length > 1 && optionOf(name)?.repeats !== true) {
      problems.push(`${from}: ${name} has one value`);
    } else applySetting(supplied, name, texts, `${from}: ${name}`, problems);
  }
  return supplied;
}

function settingsOf(options: Options, { documents, supplied }: Scanned): readonly Setting[] {
  const redact = createRedact([]);
  const [document] = documents;
  return [
    { name: operand, display: document, from: document === undefined ? "not set" : "given" },
    ...Object.entries(options).map(([name, option]): Setting => {
      const found = supplied.get(name);
      if (found === undefined) {
        const display = option.default ?? (option.value === undefined ? "false" : undefined);
        return { name, display, from: display === undefined ? "not set" : "default" };
      }
      const text = option.value === undefined ? String(found.texts.length > 0) : found.texts.join(", ");
      const display = option.secret === "value" ? "[set]" : option.secret === "part" ? redact(text) : text;
      // The row already has the setting's name, so it is removed from `from`.
      return {
        name,
        display,
        from: found.name.endsWith(`: ${name}`) ? found.name.slice(0, -name.length - 2) : found.name,
      };
    }),
  ];
}

export function config(settings: readonly Setting[], format: "text" | "json", terminal: Terminal): Promise<number> {
  const listed = settings.filter(({ name }) => name !== "format");
  if (format === "json") {
    const rows = listed.map(({ name, display = null, from }) => ({ setting: name, value: display, from }));
    terminal.out(`${JSON.stringify({ settings: rows }, null, 2)}\n`);
  } else {
    const rows = listed.map(({ name, display = "", from }) => [name, display === "" ? "-" : display, from]);
    terminal.out(
      columns(rows)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
  return Promise.resolve(0);
}
