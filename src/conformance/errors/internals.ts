/** What an error must not show: how the service works inside. */
import type { Interaction, Response } from "../interaction.ts";

const internals: readonly RegExp[] = [
  // Stack traces of JavaScript, Java, Python, Ruby, Go, PHP and .NET.
  /\bat [\w.$<>]+ ?\([^()\n"]+:\d+(?::\d+)?\)/,
  /Traceback \(most recent call last\)/,
  /File \\?"[^"\\]+\\?", line \d+/,
  /[\w/.-]+\.rb:\d+:in /,
  /goroutine \d+ \[/,
  /#\d+ [\w/.-]+\.php\(\d+\)/,
  /\bin [A-Z]:\\[^\n"]+:line \d+/,
  // Statements for databases, and their errors.
  /\b(?:SELECT|DELETE) .{0,200}\bFROM\b|\bINSERT INTO\b|\bUPDATE \S+ SET\b/,
  /\bSQLITE_[A-Z]+|SQLSTATE|\bORA-\d{5}|syntax error at or near|duplicate key value violates/,
  /\bE11000 duplicate key|MongoServerError|Sequelize\w*Error|PrismaClient\w*Error/,
  // Files.
  /(?:\/(?:usr|home|var|opt|root|app|srv|etc)\/[\w.@-]+|node_modules)\/[\w./@-]+/,
  /\b[A-Z]:\\\\?(?:Users|Windows|inetpub|Program)/,
];

/** Returns the part of an error that shows something internal, unless the request contained it itself. */
export function internalsIn({ request }: Interaction, { text }: Response): string | undefined {
  const sent = `${decoded(request.url)} ${typeof request.body === "string" ? request.body : ""}`;
  for (const pattern of internals) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined && !sent.includes(found)) return found;
  }
  return undefined;
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
