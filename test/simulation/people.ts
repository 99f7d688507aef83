/** The tokens of logged-in users, which they use even after these are invalid. */
import type { Asked } from "./oracle.ts";

export interface Login {
  /** Of the record. */
  readonly id: string;
  readonly token: string;
}

export class People {
  /** The newest last. */
  readonly logins: Login[] = [];
  readonly renewable: string[] = [];
  readonly #owners: Map<string, string> = new Map();

  given({ body = {}, proof }: Asked, text: string): void {
    const { refreshToken, token = "" } = JSON.parse(text) as Readonly<Record<string, string>>;
    const id = proof?.proved?.id ?? this.#owners.get(body["refreshToken"] as string);
    if (id === undefined) return;
    this.logins.push({ id, token });
    if (refreshToken === undefined) return;
    this.#owners.set(refreshToken, id);
    this.renewable.push(refreshToken);
  }
}
