/** The callers' API keys: created, revoked by the operator, and tried after that (R5.4). */
import { hashSecret, mintSecret } from "../../src/runtime/auth/api-key.ts";
import { actors } from "./clients.ts";
import type { Actor } from "./oracle.ts";
import type { Scene } from "./scene.ts";

export class Keys {
  readonly #scene: Scene;
  readonly #good: Map<string, { readonly id: string; readonly secret: string }> = new Map();
  readonly #former: Map<string, string> = new Map();
  /** Secrets of keys that were revoked, and when, by the clock that is never set back. */
  readonly #revoked: Map<string, number> = new Map();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async giveAll(): Promise<void> {
    for (const actor of actors) if (actor.id !== null) await this.#give(actor);
  }

  /** The operator takes a key away and gives another one. */
  async change(): Promise<void> {
    const { chance, inner, machine } = this.#scene;
    const actor = chance.pick(actors.filter((one) => one.id !== null));
    const key = this.#good.get(actor.name);
    if (key === undefined) return;
    machine.note(`the key of ${actor.name} is revoked`);
    await inner().keys.revoke(key.id, machine.time);
    this.#revoked.set(key.secret, machine.uptime);
    this.#former.set(actor.name, key.secret);
    await this.#give(actor);
  }

  /** What an actor sends: now and then a key that it had before. */
  secretOf(actor: Actor): string | undefined {
    const former = this.#former.get(actor.name);
    return former !== undefined && this.#scene.chance.percent(25) ? former : this.#good.get(actor.name)?.secret;
  }

  /** Since when it has been no good any more, by the clock that is never set back. */
  revokedSince(secret: string | undefined): number | undefined {
    return this.#revoked.get(secret ?? "");
  }

  async #give(actor: Actor): Promise<void> {
    const { chance, inner, machine } = this.#scene;
    const secret = mintSecret("k_", (count) => chance.bytes(count));
    const hash = hashSecret(secret);
    const id = `key_${actor.name}_${hash.slice(0, 8)}`;
    this.#good.set(actor.name, { id, secret });
    await inner().keys.create({
      id,
      credential: "key",
      hash,
      hint: "k_…",
      user: actor.id ?? "",
      roles: actor.roles,
      created: machine.time,
    });
  }
}
