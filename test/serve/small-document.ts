/** A document of a few lines, whose operations are open to anyone. */

export interface SmallDocument {
  readonly resources: string;
  readonly rules: string;
  readonly states?: string;
  readonly endpoints: Readonly<Record<string, string>>;
  readonly errors: readonly string[];
  readonly more?: string;
}

export function smallDocument({
  endpoints,
  errors,
  more = "",
  resources,
  rules,
  states = "none",
}: SmallDocument): string {
  const names = Object.keys(endpoints).join(", ");
  const lines = Object.entries(endpoints).map(([name, at]) => `  ${name}: ${at}`);
  return `# Mini
## What the service does
\`\`\`yaml
nonet: 1
service: mini
operations: [${names}]
\`\`\`
## Resources and their fields
\`\`\`yaml
${resources.trim()}
rules:
${rules}
\`\`\`
## States and transitions
${states === "none" ? "none" : `\`\`\`yaml\n${states.trim()}\n\`\`\``}
## Endpoints
\`\`\`yaml
endpoints:
${lines.join("\n")}
\`\`\`
## Authentication
\`\`\`yaml
credentials: none
allow: { "${names}": anyone }
\`\`\`
## Events
none
## Errors
\`\`\`yaml
errors: { ${errors.map((code) => `${code}: 409 ${code}`).join(", ")} }
\`\`\`
## Limits
${more === "" ? "none" : `\`\`\`yaml\n${more.trim()}\n\`\`\``}
## Versioning
none
`;
}
