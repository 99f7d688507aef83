/** Resolves the addresses of JSON Schemas: in place of `fast-uri`, by what a browser has. */
interface Parts {
  readonly scheme?: string;
  readonly path?: string;
  readonly fragment?: string;
}

export function parse(text: string): Parts {
  const [, scheme, path = "", fragment] = /^(?:([a-z][\w+.-]*):)?([^#]*)(?:#(.*))?$/is.exec(text) ?? [];
  return { path, ...(scheme !== undefined && { scheme }), ...(fragment !== undefined && { fragment }) };
}

export function serialize({ fragment, path = "", scheme }: Parts): string {
  return `${scheme === undefined ? "" : `${scheme}:`}${path}${fragment === undefined ? "" : `#${fragment}`}`;
}

export function resolve(base: string, reference: string): string {
  if (reference.startsWith("#")) return base.replace(/#.*/s, "") + reference;
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference;
}

const uri: { parse: typeof parse; resolve: typeof resolve; serialize: typeof serialize } = {
  parse,
  resolve,
  serialize,
};
export default uri;
