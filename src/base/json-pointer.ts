/** JSON Pointers (RFC 6901), and as fragments of an address (its section 6), which is how faults have them. */

export function escapeSegment(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function unescapeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function fragmentSegment(name: string): string {
  return encodeURIComponent(escapeSegment(name));
}

/** `#/size/0` of `size` and `0`. */
export function fragmentTo(path: readonly string[]): string {
  return `#/${path.map(fragmentSegment).join("/")}`;
}
