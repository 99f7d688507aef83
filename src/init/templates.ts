/** The documents with which a service can begin, in `templates/`. */

export const templates = ["records", "states", "accounts", "blank"] as const;
export type Template = (typeof templates)[number];

/** What each template is, for people. */
export const templateTexts: Readonly<Record<Template, string>> = {
  records: "records that clients create, find and change, with keys",
  states: "records that move through states, with timers, webhooks and a stream",
  accounts: "people who register and log in, in teams that see only their own records",
  blank: "nine open parts, for a service that is still to be decided",
};

/** Returns a document with another title, and the name of the service that follows from it. */
export function renamed(document: string, title: string, service: string): string {
  return document.replace(/^# .*$/m, () => `# ${title}`).replace(/^service: .*$/m, () => `service: ${service}`);
}

/** Returns the name of a service by its title: small letters, digits and hyphens; empty if it has none of them. */
export function serviceName(title: string): string {
  return title
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[^a-z]+|-$/g, "");
}

/** Returns a title by the name of a folder: `my-shop_api` → My shop api. */
export function titleOf(folder: string): string {
  const words = folder.replaceAll(/[-_.\s]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
