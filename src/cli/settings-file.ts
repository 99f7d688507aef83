/** Reads a settings file: a mapping of names to values or lists, in YAML or JSON. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

export interface SettingsEntry {
  readonly name: string;
  /** The file and line of the entry. */
  readonly from: string;
  readonly texts: readonly string[];
}

export interface SettingsRead {
  readonly entries: readonly SettingsEntry[];
  readonly problems: readonly string[];
}

export function readSettings(file: string, text: string): SettingsRead {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number): string => `${file}:${lines.linePos(offset).line}`;
  const problems = document.errors.map(({ message, pos }) => `${at(pos[0])}: ${message.split("\n", 1)[0] ?? ""}`);
  const { contents } = document;
  if (problems.length > 0 || contents === null) return { entries: [], problems };
  if (!isMap(contents)) return { entries: [], problems: [`${file}:1: settings have to be lines of \`name: value\``] };
  const entries: SettingsEntry[] = [];
  for (const { key, value } of contents.items) {
    if (!isScalar(key)) continue;
    const from = at(key.range?.[0] ?? 0);
    const name = String(key.value);
    const texts = textsOf(value);
    if (texts === undefined) problems.push(`${from}: ${name} has to be a value or a list of values`);
    else if (texts.length > 0) entries.push({ name, from, texts });
  }
  return { entries, problems };
}

/** Returns the values as text; empty for null. */
function textsOf(node: unknown): readonly string[] | undefined {
  if (node === null) return [];
  if (isSeq(node)) {
    const texts = node.items.map(textsOf);
    return texts.every((one) => one !== undefined) ? texts.flat() : undefined;
  }
  if (!isScalar(node)) return undefined;
  const { source, value } = node;
  if (value === null) return [];
  if (typeof value === "string") return [value];
  // Numbers keep their spelling, such as `007` and `1e3`.
  return [source ?? JSON.stringify(value)];
}
