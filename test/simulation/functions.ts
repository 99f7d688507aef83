/**
 * A simulated handler: a function that performs the steps in its request. It reads and writes records, waits, fails, throws, or
 * takes longer than any caller waits.
 */
import type { FunctionContext, ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import type { Machine } from "./machine.ts";
import { detail } from "./store.ts";

/** A function that has begun. */
interface Begun {
  readonly signal: AbortSignal;
  ended: boolean;
}

/** The functions of one process. */
export class Functions {
  readonly #machine: Machine;
  readonly #life: number;
  readonly #found: (what: string) => void;
  readonly #begun: Map<string, Begun> = new Map();

  constructor(machine: Machine, life: number, found: (what: string) => void) {
    this.#machine = machine;
    this.#life = life;
    this.#found = found;
  }

  get named(): ServiceFunctions {
    return { workJob: (context) => this.#work(context) };
  }

  /** What is wrong with the function of a request that has been answered: nobody waits for it any more, and it has to know. */
  answered(request: string): string | undefined {
    const begun = this.#begun.get(request);
    return begun === undefined || begun.ended || begun.signal.aborted
      ? undefined
      : "its function goes on, and nobody has told it that nobody waits";
  }

  async #work(context: FunctionContext): Promise<unknown> {
    const { input, record, request, signal } = context;
    if (this.#begun.has(request.id)) this.#found(`the function of ${request.id} is begun again`);
    const begun: Begun = { signal, ended: false };
    this.#begun.set(request.id, begun);
    const id = record?.["id"] as string;
    try {
      for (const step of stepsOf(input["plan"])) await this.#do(step, id, context);
    } finally {
      begun.ended = true;
    }
    return id;
  }

  async #do(step: string, id: string, { fail, records }: FunctionContext): Promise<void> {
    const [what = "", which = ""] = step.split(" ");
    switch (what) {
      case "see":
        await records["Job"]?.get(id);
        break;
      case "title":
        await records.system["Job"]?.update(id, { title: which });
        break;
      case "move":
        await records.system["Job"]?.move[which]?.(id);
        break;
      case "wait":
        await this.#machine.pass("elsewhere", this.#life);
        await this.#machine.pass("elsewhere", this.#life);
        break;
      case "slow":
        await new Promise((resolve) => setTimeout(resolve, 20_000));
        break;
      case "fail":
        fail(which);
        break;
      case "throw":
        throw new Error(detail);
    }
  }
}

export function stepsOf(plan: unknown): readonly string[] {
  return String(plan).split(", ");
}
