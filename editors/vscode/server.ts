/** The server of the extension: one file, with the pages of the reference in a folder next to it. */
import { lsp } from "../../src/cli/lsp.ts";
import extension from "./package.json" with { type: "json" };

process.exitCode = await lsp(extension.version, new URL("reference/", import.meta.url));
