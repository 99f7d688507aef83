/** In place of the metaschemas of the JSON Schema library, which the service does not use. */
export default function none(): never {
  throw new Error("a page has no metaschemas");
}
