/**
 * Loads `nonet.cjs`, the command in one file, with the bytecode of the functions that ran the last time. Node's own cache
 * (`enableCompileCache`) has what V8 compiles before a module runs, which is no function in it: each is compiled at its first
 * call, at every start anew, and that is more than a third of a start. So a copy is taken once a process has run for a moment,
 * and kept beside the file: whoever can write there could as well change the file itself. Where nobody can, or
 * `NODE_DISABLE_COMPILE_CACHE` says so, it works without.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { constants, Script } from "node:vm";
import zlib from "node:zlib";

/** One line that says which Node is needed, if this one is too old; nothing below works there. */
export const unsupportedNode = problemOf(process.versions.node);

const file = fileURLToPath(new URL("./nonet.cjs", import.meta.url));

/** By then a service has started, has compiled its schemas and has answered somebody. */
const quietMilliseconds = 5000;

let loaded;

/** What the one file exports. `use`: what it is loaded for, since other commands run other functions. */
export function load(use) {
  if (unsupportedNode !== undefined) throw new Error(unsupportedNode);
  loaded ??= loadNow(use);
  return loaded;
}

function problemOf(version) {
  const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const needed = engines.node.replace(">=", "");
  const [have, want] = [version, needed].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  const at = want.findIndex((part, index) => have[index] !== part);
  if (at === -1 || have[at] > want[at]) return undefined;
  return `nonet needs Node.js ${needed} or later, and this is ${version} (${process.execPath}): install a newer one, from https://nodejs.org or with your version manager`;
}

function loadNow(use) {
  const text = readFileSync(file);
  const sum = zlib.crc32(text);
  const kept = `${file}.${use}.cache`;
  const cachedData = keptData(kept, sum);
  const script = new Script(text.latin1Slice(), {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected === true) keepLater(script, kept, sum);
  const module = { exports: {} };
  const at = (path) => new URL(`../${path}`, import.meta.url);
  script.runInThisContext()(module, createRequire(import.meta.url), at);
  return module.exports;
}

/** V8 itself compares its version, its flags and the length of the text. */
function keptData(kept, sum) {
  if (isDisabled()) return undefined;
  try {
    const bytes = readFileSync(kept);
    const data = bytes.subarray(head);
    return bytes.length > head && bytes.subarray(0, head).equals(headOf(sum, data)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function keepLater(script, kept, sum) {
  if (isDisabled()) return;
  let isKept = false;
  const keep = () => {
    if (isKept) return;
    isKept = true;
    const own = `${kept}.${process.pid}`;
    try {
      const data = script.createCachedData();
      writeFileSync(own, Buffer.concat([headOf(sum, data), data]), { flag: "wx" });
      renameSync(own, kept);
    } catch {
      rmSync(own, { force: true });
    }
  };
  process.once("exit", keep);
  setTimeout(keep, quietMilliseconds).unref();
}

const head = 8;

/** Of which text it is, and that it was written down whole. */
function headOf(sum, data) {
  const bytes = Buffer.alloc(head);
  bytes.writeUInt32LE(sum, 0);
  bytes.writeUInt32LE(zlib.crc32(data), 4);
  return bytes;
}

function isDisabled() {
  return (process.env["NODE_DISABLE_COMPILE_CACHE"] ?? "") !== "";
}
