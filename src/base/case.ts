/** How one name is written in other places: `ParcelLocker` in a path, as a table, as a variable, and more than one of them. */

export function kebabCase(name: string): string {
  return wordsOf(name).join("-");
}

export function snakeCase(name: string): string {
  return wordsOf(name).join("_");
}

export function camelCase(name: string): string {
  const [first = "", ...rest] = wordsOf(name);
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** `HTTPRoute2` is http, route2. */
function wordsOf(name: string): string[] {
  const apart = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
  return apart.split(/[^A-Za-z0-9]+/).flatMap((word) => (word === "" ? [] : [word.toLowerCase()]));
}

/** The English plural of a noun, or of the last of several written as one: `Box`, `ParcelLocker`, `delivery-address`. */
export function plural(name: string): string {
  const [last = ""] = /[A-Z]?[a-z0-9]+$/.exec(name) ?? [];
  const word = last.toLowerCase();
  const before = name.slice(0, name.length - last.length);
  const irregular = Object.hasOwn(irregulars, word) ? irregulars[word] : undefined;
  if (irregular !== undefined) return before + last.charAt(0) + irregular.slice(1);
  if (uncounted.has(word)) return name;
  if (/[^aeiou]y$/.test(word)) return `${name.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh)$/.test(word)) return word.endsWith("sis") ? `${name.slice(0, -2)}es` : `${name}es`;
  return `${name}s`;
}

/** Those whose plural starts with the same letter as they do. */
const irregulars: Readonly<Record<string, string>> = {
  person: "people", child: "children", man: "men", woman: "women", foot: "feet", tooth: "teeth", mouse: "mice",
  goose: "geese", half: "halves", shelf: "shelves", leaf: "leaves", knife: "knives", life: "lives", wife: "wives",
  wolf: "wolves", hero: "heroes", potato: "potatoes", tomato: "tomatoes", index: "indexes", quiz: "quizzes",
  criterion: "criteria", datum: "data", medium: "media", curriculum: "curricula",
}; // biome-ignore format: a table

const uncounted: ReadonlySet<string> = new Set([
  "data", "equipment", "feedback", "fish", "information", "media", "metadata", "money", "news", "rice",
  "series", "sheep", "software", "species", "staff", "traffic", "weather",
]); // biome-ignore format: a table
