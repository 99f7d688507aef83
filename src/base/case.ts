/** Converts names between their forms: in a path, a table, a list. */

/**
 * Returns the English plural by common rules, and keeps the case of the last letter: Parcel → Parcels, Category → Categories.
 */
export function plural(name: string): string {
  const lower = name.toLowerCase();
  for (const [one, many] of irregular) {
    if (lower.endsWith(one)) return name.slice(0, name.length - one.length + 1) + many.slice(1);
  }
  if (/(?:[^aeiou]|qu)y$/.test(lower)) return `${name.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh)$/.test(lower)) return `${name}es`;
  return `${name}s`;
}

/**
 * Irregular plurals by ending, so that `Workshift` and `GrandChild` match too; only nouns that are likely names of resources.
 */
const irregular: readonly (readonly [string, string])[] = [
  ["person", "people"],
  ["child", "children"],
  ["analysis", "analyses"],
  ["shelf", "shelves"],
  ["knife", "knives"],
  ["quiz", "quizzes"],
  ["series", "series"],
  ["species", "species"],
  ["equipment", "equipment"],
  ["information", "information"],
  ["feedback", "feedback"],
];

/** Returns the words of a name in any style: `parcelLockerID`, `parcel-locker_id` → parcel, locker, id. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9\u0080-\uffff]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

export function kebabCase(name: string): string {
  return wordsOf(name).join("-");
}

export function snakeCase(name: string): string {
  return wordsOf(name).join("_");
}

export function pascalCase(name: string): string {
  return wordsOf(name).map(capital).join("");
}

export function camelCase(name: string): string {
  const [first, ...rest] = wordsOf(name);
  return (first ?? "") + rest.map(capital).join("");
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Returns a name with its indefinite article, by sound: an Item, a User, an Hour. */
export function withArticle(name: string): string {
  const vowel = /^(?:[aio]|e(?!u)|u(?!ni|s|til|ri|ra|te))/i.test(name) && !/^one/i.test(name);
  return `${vowel || /^(?:hour|heir|honou?r|html|http|sms|xml|mfa|sla|nfc|rfid)/i.test(name) ? "an" : "a"} ${name}`;
}

/** Returns the wanted name, with a number behind it if it is used already, and marks it as used. */
export function uniqueName(usedNames: Set<string>, wanted: string, before = ""): string {
  let name = wanted;
  for (let count = 2; usedNames.has(name); count += 1) name = `${wanted}${before}${count}`;
  usedNames.add(name);
  return name;
}

/** Returns a plural in English as a singular, as far as its end tells. */
export function singular(name: string): string {
  return name.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
}
