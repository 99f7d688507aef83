/** Starts a real Chromium, if installed. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

export const executable: string | undefined = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
].find((path) => path !== "" && existsSync(path));

export const reason = "there is no Chromium on this machine; CHROMIUM names one";
export const skip: string | false = executable === undefined && process.env["CI"] === undefined ? reason : false;

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
    ],
  });
}
