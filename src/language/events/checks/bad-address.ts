/** Reports an address of part 6 with a method or a path that does not suit its purpose. */
import { pathSegments } from "../../endpoints/resolve.ts";
import type { Method } from "../../endpoints/model.ts";
import type { Check } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";

export const check: Check = {
  code: "events/bad-address",
  severity: "error",
  why: "Clients register webhooks below the webhook address, read the stream with GET, and send events in a request body.",
  *run({ model }) {
    for (const { name, at, path, method, methods, isAbove } of addressesOf(model)) {
      const [first = "POST"] = methods;
      if (!methods.includes(method)) {
        yield { at, message: `${name} cannot use the method \`${method}\``, help: `write \`${first} ${path}\`` };
      } else if (path.endsWith("/") && path !== "/" && isAbove) {
        const message = `${name} is at \`${path}\`, but it needs addresses below its own`;
        yield { at, message, help: `write \`${path.replace(/\/$/, "")}\`` };
      } else if (path === "/" || pathSegments(path).some(({ kind }) => kind !== "literal")) {
        const message = `${name} is at \`${path}\`, which is not a separate path`;
        yield { at, message, help: "write a path of fixed segments, as in `/webhooks`" };
      }
    }
  },
};

interface Addressed {
  readonly name: string;
  readonly at: string;
  readonly method: Method;
  readonly path: string;
  /** The allowed methods; the first is the usual one. */
  readonly methods: readonly Method[];
  /** Whether the service adds other addresses below this one. */
  readonly isAbove: boolean;
}

function addressesOf({ events }: Model): readonly Addressed[] {
  const { webhook, stream } = events.delivery ?? {};
  const at = "events/delivery";
  return [
    ...(webhook === undefined
      ? []
      : [{ ...webhook, name: "`webhook`", at: `${at}/webhook/subscribe`, methods: ["POST"] as const, isAbove: true }]),
    ...(stream === undefined
      ? []
      : [{ ...stream, name: "`stream`", at: `${at}/stream/at`, methods: ["GET"] as const, isAbove: true }]),
    ...Object.entries(events.in ?? {}).map(([name, event]) => {
      return {
        ...event,
        name: `\`${name}\``,
        at: `events/in/${name}/at`,
        methods: ["POST", "PUT"] as const,
        isAbove: false,
      };
    }),
  ];
}
