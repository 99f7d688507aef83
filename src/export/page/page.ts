/** Renders the frame of every page: head, navigation and content. One stylesheet, at most one script, nothing from elsewhere. */
import { type Content, html, type Html } from "../../base/html.ts";

export interface PageContent {
  readonly title: string;
  readonly description: string;
  /** The relative path from this page to the service's root, with a trailing slash. */
  readonly root: string;
  readonly navigation: Content;
  /** The address of the page's script, relative to the service's root. */
  readonly script?: string;
  /** The stylesheet to put into the page, which then needs nothing from a server. */
  readonly style?: string;
}

/** Returns the page around its content, in pieces. */
export function* page(frame: PageContent, main: Iterable<Html>): Iterable<string> {
  yield opening(frame).html;
  for (const piece of main) yield piece.html;
  yield "\n</main>\n</body>\n</html>\n";
}

function opening({ title, description, root, navigation, script, style }: PageContent): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="${icon}">
${style === undefined ? html`<link rel="stylesheet" href="${root}${stylePath}">` : html`<meta http-equiv="Content-Security-Policy" content="${filePolicy}">\n<style>${style}</style>`}
${script === undefined ? undefined : html`<script type="module" src="${root}${script}"></script>`}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Sections">
${navigation}
</nav>
<main id="content" tabindex="-1">
`;
}

/** The policy of a page in a file: the browser loads nothing, and runs no script. */
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export const stylePath = "assets/style.css";

/** The program of the console, which needs JavaScript; without it, the page has no console. */
export const consolePath = "assets/served.js";

/** The icon of the pages: nine squares, one for each part. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#2b6a94">${[1, 6.25, 11.5]
    .flatMap((y) => [1, 6.25, 11.5].map((x) => `<rect x="${x}" y="${y}" width="3.5" height="3.5" rx=".8"/>`))
    .join("")}</svg>`,
)}`;
