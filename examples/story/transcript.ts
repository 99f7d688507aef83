/** What the story prints: chapters, requests with their answers, what was told, and two answers side by side. */
import type { Members, Reply, Request } from "./client.ts";

const width = 100;

function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** A heading with the service's time, and what the chapter is about. */
export function chapter(title: string, now: number, about: string): void {
  print();
  print(`${title} ${"─".repeat(Math.max(1, width - title.length - 21))} ${timeText(now)}`);
  for (const line of wrapped(about)) print(line);
  print();
}

/** A sentence between two requests. */
export function remark(text: string): void {
  print();
  for (const line of wrapped(text)) print(line);
  print();
}

/** What was found out without a request that is told. */
export function note(now: number, text: string): void {
  print(`       · ${timeText(now)} ${text}`);
}

/** `ann  POST /parcels`, and below it what was sent. */
export function request(who: string, line: string, { headers = {}, body }: Request): void {
  print(`${who.padEnd(8)} ${line}`);
  for (const [name, value] of Object.entries(headers)) print(`         ${name}: ${value}`);
  if (body !== undefined) print(`         ${membersText(body, Object.keys(body))}`);
}

/** The status, and those members and header fields that are to be shown. */
export function answer(reply: Reply, show: readonly string[]): void {
  const members = memberRows(reply, show);
  const [first = "nothing", ...rest] = "items" in reply.body ? members : [members.join(", ")];
  print(`   ${reply.status}   ${first}`);
  for (const row of [...rest, ...fieldRows(reply, show)]) print(`         ${row}`);
}

/** What two callers are answered to the same, with a mark where it differs. */
export function sideBySide(
  [left, one]: readonly [title: string, reply: Reply],
  [right, other]: readonly [title: string, reply: Reply],
  show: readonly string[],
): void {
  const [rows, others] = [rowsBelow(left, one, show), rowsBelow(right, other, show)];
  const column = Math.max(...rows.map((row) => row.length));
  for (let at = 0; at < Math.max(rows.length, others.length); at++) {
    const [here = "", there = ""] = [rows[at], others[at]];
    print(`         ${here.padEnd(column)} ${here === there ? "│" : "≠"} ${there}`.trimEnd());
  }
}

function rowsBelow(title: string, reply: Reply, show: readonly string[]): readonly string[] {
  return [title, String(reply.status), ...memberRows(reply, show), ...fieldRows(reply, show)];
}

/** What was told to whom: `webhook: parcel.stored, …`. */
export function told(whom: string, type: string, facts: readonly string[]): void {
  print(`       » ${whom}: ${[type, ...facts].join(", ")}`);
}

export function table(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0))) ?? [];
  for (const cells of rows) print(`  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd());
}

/** `2026-11-02 08:00:00`, in UTC. */
export function timeText(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19).replace("T", " ");
}

/** What these tell is told wherever they are. */
const headersOfInterest = ["Idempotent-Replayed", "Retry-After"];

function memberRows({ reason, status, body }: Reply, show: readonly string[]): readonly string[] {
  if (status >= 400) return [`${String(body["code"])}: ${String(body["detail"])}`];
  if ("items" in body) return (body["items"] as readonly Members[]).map((item) => membersText(item, show));
  const members = show.filter((name) => name in body);
  return members.length === 0 ? [reason] : members.map((name) => membersText(body, [name]));
}

function fieldRows({ headers }: Reply, show: readonly string[]): readonly string[] {
  return [...headersOfInterest, ...show].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
}

export function membersText(members: Members, show: readonly string[]): string {
  return show.flatMap((name) => (name in members ? [`${name} ${valueText(members[name])}`] : [])).join(", ");
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
