/** Builds JSON Pointers (RFC 6901), also as URI fragments (section 6), the form in which violations contain them. */

export function escapeSegment(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function unescapeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function fragmentSegment(name: string): string {
  return encodeURIComponent(escapeSegment(name));
}

/** Returns `#/size/0` for the path `size`, `0`. */
export function fragmentTo(path: readonly string[]): string {
  return `#/${path.map(fragmentSegment).join("/")}`;
}

/** Returns the path of a pointer in a fragment; it is empty for `#`, the whole value. */
export function pathOf(fragment: string): readonly string[] {
  if (!fragment.startsWith("#/")) return [];
  return fragment
    .slice(2)
    .split("/")
    .map((segment) => unescapeSegment(decodeURIComponent(segment)));
}

/** Returns a path as forms and queries write it: `items[0][price]`. */
export function inBrackets([first = "", ...inner]: readonly string[]): string {
  return `${first}${inner.map((name) => `[${name}]`).join("")}`;
}

/** Returns the place of a violation with dots, `items.0.price`: of a pointer, or of a parameter's name such as `items[0][price]`. */
export function pathInDots(place: string): string {
  if (place.startsWith("#")) return pathOf(place).join(".");
  return place.replaceAll("[]", "").replaceAll(/\[([^[\]]*)\]/g, ".$1");
}
