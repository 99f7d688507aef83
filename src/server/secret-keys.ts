/**
 * The keys that the service makes for itself, of cursors and of webhook secrets, are stored with the data and sealed with
 * `NONET_SECRET_KEY`: a copy of the data alone, or a backup, has none of them.
 *
 * The variable may list several, separated by blanks: the first seals, each of them opens. That is how it is rotated. `none`
 * stores the keys as they are. Where it is not set, this user's own key seals them, which is made once on this machine.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Store } from "../store/port/store.ts";
import { UsageError } from "./errors.ts";
import type { Terminal } from "./terminal.ts";

/** What seals, and what opens, first the present one; `none` is no sealing. */
export type SecretKeys = readonly [present: string, ...before: string[]];

const none = "none";
const sealed = "sealed:1:";
const nonceBytes = 12;
const tagBytes = 16;

/** @throws UsageError where none is set, and this user's key can be neither read nor made. */
export function secretKeysOf(environment: Terminal["environment"]): SecretKeys {
  const [present, ...before] = (environment["NONET_SECRET_KEY"] ?? "").split(/\s+/).filter((key) => key !== "");
  return [present ?? fileKey(keyFile(environment)), ...before];
}

/** This user's key, beside the settings of other programs and never beside the data. */
export function keyFile(environment: Terminal["environment"]): string {
  const home = environment["HOME"] ?? homedir();
  const folder = environment["XDG_CONFIG_HOME"] ?? "";
  return join(folder === "" ? join(home, ".config") : folder, "nonet", "secret.key");
}

function fileKey(file: string): string {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, { flag: "wx", mode: 0o600, flush: true });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
    const key = readFileSync(file, "utf8").trim();
    if (key !== "") return key;
    throw new Error(`${file} is empty`);
  } catch (thrown) {
    throw new UsageError(
      `NONET_SECRET_KEY is not set, and no key can be kept for this user: ${(thrown as Error).message}; set it to 32 random bytes (openssl rand -base64 32)`,
    );
  }
}

export interface ServiceKeys {
  /** What seals cursors and ids of events. */
  readonly cursor: string;
  /** What the secrets of webhook endpoints are made from. */
  readonly webhooks: string;
}

/** @throws UsageError as `secretKeysOf` and `serviceKey` do. */
export async function serviceKeys(
  store: Store,
  data: string,
  environment: Terminal["environment"],
): Promise<ServiceKeys> {
  // What is in memory is copied nowhere.
  const keys: SecretKeys = data === "memory" ? ["none"] : secretKeysOf(environment);
  const webhooks = await serviceKey(store, keys, "webhooks");
  return { webhooks, cursor: await serviceKey(store, keys, "cursor") };
}

/**
 * The service's own key of this name, made at the first start. One that was sealed with an earlier key, or not at all, is sealed
 * with the present one. @throws UsageError where none of the keys opens it.
 */
export async function serviceKey(store: Store, keys: SecretKeys, name: string): Promise<string> {
  const [present] = keys;
  const stored = await store.secret(name, () => seal(present, name, randomBytes(32).toString("base64url")));
  const { key, by } = open(keys, name, stored);
  if (by !== present) await store.replaceSecret(name, stored, seal(present, name, key));
  return key;
}

function seal(by: string, name: string, key: string): string {
  if (by === none) return key;
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", derived(by), nonce).setAAD(Buffer.from(name));
  const content = Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
  return `${sealed}${content.toString("base64url")}`;
}

function open(keys: SecretKeys, name: string, stored: string): { readonly key: string; readonly by: string } {
  if (!stored.startsWith(sealed)) return { key: stored, by: none };
  const content = Buffer.from(stored.slice(sealed.length), "base64url");
  const [nonce, tag] = [content.subarray(0, nonceBytes), content.subarray(-tagBytes)];
  for (const by of keys) {
    try {
      const cipher = createDecipheriv("aes-256-gcm", derived(by), nonce).setAAD(Buffer.from(name)).setAuthTag(tag);
      return {
        key: Buffer.concat([cipher.update(content.subarray(nonceBytes, -tagBytes)), cipher.final()]).toString(),
        by,
      };
    } catch {
      // Sealed with another one.
    }
  }
  throw new UsageError(
    "the keys in the data are sealed with another NONET_SECRET_KEY: set it to the one that the data was served with, or to a new one and that one, separated by a blank",
  );
}

function derived(by: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", by, "", "nonet service keys", 32));
}

/**
 * The environment, with what is in the files that its `_FILE` variables name: so Docker and Kubernetes give secrets.
 * @throws UsageError when one is asked for whose file cannot be read.
 */
export function withSecretFiles(
  environment: Terminal["environment"],
  read: (path: string) => string,
): Terminal["environment"] {
  const known = new Map<string, string>();
  return new Proxy(environment, {
    get(target, name): string | undefined {
      const value = typeof name === "string" ? target[name] : undefined;
      if (typeof name !== "string" || (value ?? "") !== "") return value;
      const path = target[`${name}_FILE`] ?? "";
      if (path === "") return value;
      const before = known.get(name);
      if (before !== undefined) return before;
      const text = contentOf(path, `${name}_FILE`, read);
      known.set(name, text);
      return text;
    },
  });
}

export function contentOf(path: string, variable: string, read: (path: string) => string): string {
  try {
    return read(path).trim();
  } catch (thrown) {
    throw new UsageError(`${variable}: cannot read ${path}: ${(thrown as Error).message}`);
  }
}
