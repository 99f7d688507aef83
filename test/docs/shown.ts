/**
 * Compares the output on a page with the real one. `…` matches text that differs from run to run: within a line the rest of a
 * word or more, alone on a line any lines. With a number behind it (`book_…1`) it is the same text everywhere on the page, and
 * later requests may use it.
 */
import assert from "node:assert/strict";

export type Remembered = Map<string, string>;

/** A shown text with what is remembered in place of `…1`. */
export function fill(text: string, remembered: Remembered, at: string): string {
  return text.replaceAll(/…(\d+)/g, (_, label: string) => {
    const value = remembered.get(label);
    assert(value !== undefined, `${at}: nothing shown before has given …${label} a value`);
    return value;
  });
}

/** Whether `actual` is what is shown; remembers what `…1` stands for. */
export function matches(shown: string, actual: string, remembered: Remembered): boolean {
  const labels: string[] = [];
  const pattern = shown
    .split(/(…\d*)/)
    .map((piece) => {
      if (!piece.startsWith("…")) return RegExp.escape(piece);
      const label = piece.slice(1);
      if (label === "") return ".*?";
      const known = remembered.get(label);
      if (known !== undefined) return RegExp.escape(known);
      if (labels.includes(label)) return `\\k<l${label}>`;
      labels.push(label);
      return `(?<l${label}>[\\w.:@-]+?)`;
    })
    .join("");
  const found = new RegExp(`^${pattern}$`, "su").exec(actual);
  for (const label of labels) {
    const value = found?.groups?.[`l${label}`];
    if (value !== undefined) remembered.set(label, value);
  }
  return found !== null;
}

/** What is shown lines up with what came out, or undefined where it does; else the first shown line that is not there. */
export function mismatch(shown: string, actual: string, remembered: Remembered): string | undefined {
  const lines = trimmedLines(actual);
  const wanted = trimmedLines(shown);
  let at = 0;
  let gap = false;
  for (const line of wanted) {
    if (line.trim() === "…") {
      gap = true;
      continue;
    }
    const found = lines.findIndex(
      (each, index) => index >= at && (gap || index === at) && matches(line, each, remembered),
    );
    if (found < 0) return line;
    at = found + 1;
    gap = false;
  }
  return gap || at >= lines.length ? undefined : `(nothing more, where \`${lines[at]}\` follows)`;
}

function trimmedLines(text: string): readonly string[] {
  return text
    .replace(/\s+$/, "")
    .split("\n")
    .map((line) => line.trimEnd());
}

/** JSON as it is shown: members, order and values, texts with `…`; `"…"` alone is a number as well. */
export function assertJson(shown: unknown, actual: unknown, remembered: Remembered, at: string): void {
  if (shown === "…" && typeof actual === "number") return;
  if (typeof shown === "string" && shown.includes("…")) {
    assert(typeof actual === "string" && matches(shown, actual, remembered), `${at}: ${shown} is ${String(actual)}`);
  } else if (shown !== null && typeof shown === "object" && actual !== null && typeof actual === "object") {
    assert.deepEqual(Object.keys(actual), Object.keys(shown), `${at}: the members of ${JSON.stringify(actual)}`);
    for (const [name, value] of Object.entries(shown)) {
      assertJson(value, (actual as Record<string, unknown>)[name], remembered, `${at} ${name}`);
    }
  } else assert.deepEqual(actual, shown, at);
}
