/** Lines of the log for people: one for each, values behind their names, a stack below. */
import type { Level, Line, Lines } from "./log.ts";

const widest = 5;
const colours: Readonly<Record<Level, number>> = { error: 31, warn: 33, info: 32, debug: 90 };

export function textLines(write: (text: string) => void, colour: boolean): Lines {
  return {
    write: (line) => write(textOf(line, colour)),
    close: () => Promise.resolve(),
  };
}

/** With the time of day alone: who reads it knows the day. */
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

/** In quotes where it would not be told from what follows; so no value makes a line of its own. */
function valueOf(value: string | number | boolean): string {
  const text = String(value);
  return /^[\w./{}:@+*-]+$/.test(text) ? text : oneLine(JSON.stringify(text));
}

/** What moves a terminal's cursor or colours it is shown as what it is. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function indented(stack: string): string {
  return stack
    .split("\n")
    .map((line) => `  ${oneLine(line)}`)
    .join("\n");
}
