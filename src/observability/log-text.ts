/** Writes log lines for people: one line each with `name=value` pairs, then the stack. */
import type { Level, Line, Lines } from "./log.ts";

const widest = 5;
const colours: Readonly<Record<Level, number>> = { error: 31, warn: 33, info: 32, debug: 90 };

export function textLines(write: (text: string) => void, colour: boolean): Lines {
  return {
    write: (line) => write(textOf(line, colour)),
    close: () => Promise.resolve(),
  };
}

/** Returns the text of a line; it shows the time without the date. */
export function textOf({ level, at, message, members }: Line, colour: boolean): string {
  const { stack, ...others } = members;
  const name = level.padEnd(widest);
  const pairs = Object.entries(others).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${valueOf(value)}`],
  );
  const time = new Date(at).toISOString().slice(11, 23);
  const head = [time, colour ? `\u001b[${colours[level]}m${name}\u001b[39m` : name, oneLine(message), ...pairs];
  return `${head.join(" ")}\n${stack === undefined ? "" : `${indented(String(stack))}\n`}`;
}

/** Quotes values with spaces or special characters, so that they stay on one line. */
function valueOf(value: string | number | boolean): string {
  const text = String(value);
  return /^[\w./{}:@+*-]+$/.test(text) ? text : oneLine(JSON.stringify(text));
}

/** Escapes control characters, which could move the cursor or change colours. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function indented(stack: string): string {
  return stack
    .split("\n")
    .map((line) => `  ${oneLine(line)}`)
    .join("\n");
}
