/**
 * Stores the keys that the service generates (for cursors and webhook secrets) with the data, encrypted with
 * `NONET_SECRET_KEY`, so that a copy of the data or a backup does not reveal them.
 *
 * For rotation, the variable may have several keys separated by spaces: the first one encrypts, all of them decrypt. `none`
 * stores the keys unencrypted. Without the variable, a key in the user's configuration folder is used, which is generated
 * once.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { getOrMake } from "../base/once.ts";
import type { Store } from "../store/port/store.ts";
import { UsageError } from "./errors.ts";
import type { Terminal } from "./terminal.ts";

/** The keys for encryption, the current one first; `none` disables encryption. */
export type SecretKeys = readonly [present: string, ...before: string[]];

const none = "none";
const sealed = "sealed:1:";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Returns the keys for encryption. @throws UsageError if there is no key, and the user's key can be neither read nor created.
 */
export function secretKeysOf(environment: Terminal["environment"]): SecretKeys {
  const [present, ...before] = (environment["NONET_SECRET_KEY"] ?? "").split(/\s+/).filter((key) => key !== "");
  return [present ?? fileKey(keyFile(environment)), ...before];
}

/** Returns the user's key file, which is in the configuration folder and never next to the data. */
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
  /** The key for cursors and event ids. */
  readonly cursor: string;
  /** The key from which the secrets of webhook endpoints are derived. */
  readonly webhooks: string;
}

/** Returns the service's keys. @throws UsageError like `secretKeysOf` and `serviceKey`. */
export async function serviceKeys(
  store: Store,
  data: string,
  environment: Terminal["environment"],
): Promise<ServiceKeys> {
  // Keys of data in memory are not encrypted, since such data is never copied.
  const keys: SecretKeys = data === "memory" ? ["none"] : secretKeysOf(environment);
  const webhooks = await serviceKey(store, keys, "webhooks");
  return { webhooks, cursor: await serviceKey(store, keys, "cursor") };
}

/**
 * Returns the service's key with this name, which is generated at the first start. A key that was encrypted with an earlier
 * secret, or not at all, is encrypted with the current one. @throws UsageError if no secret decrypts it.
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
      // The key is encrypted with another secret: the next one is tried.
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
 * Returns the environment, with the contents of the files that `_FILE` variables name (Docker and Kubernetes secrets). @throws
 * UsageError if such a file cannot be read.
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
      return getOrMake(known, name, () => contentOf(path, `${name}_FILE`, read));
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
