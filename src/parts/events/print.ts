/** Part 6, printed: the shortest form that reads back as the same. */
import type { Tree } from "../../document/print.ts";
import { printGrants } from "../authentication/grants.ts";
import { type Below, nothingBelow, printTypeTree } from "../resources/field-print.ts";
import type { Delivery, Events, EventSource, InEvent, OutEvent, Stream, Webhook } from "./model.ts";

export function printEvents({ envelope, out, in: inward, delivery }: Events, below: Below = nothingBelow): Tree {
  return {
    ...(envelope === undefined ? {} : { envelope }),
    ...(out === undefined
      ? {}
      : { out: lines(out, below("out"), (event, name) => printOut(event, below("out", name))) }),
    ...(inward === undefined ? {} : { in: lines(inward, below("in"), printIn) }),
    ...(delivery === undefined ? {} : { delivery: printDelivery(delivery, below("delivery")) }),
  };
}

/** `none` where there is nothing, unless something is `open`. */
function lines<Event>(
  events: Readonly<Record<string, Event>>,
  open: boolean,
  print: (event: Event, name: string) => Tree,
): Tree {
  const printed = Object.entries(events).map(([name, event]) => [name, print(event, name)] as const);
  return printed.length === 0 && !open ? "none" : Object.fromEntries(printed);
}

/** On one line where it carries what its resource has; with `map` always as a map. */
function printOut({ when, carries }: OutEvent, map: boolean): Tree {
  if (carries === undefined) return map ? { when: printSource(when) } : printSource(when);
  return { when: printSource(when), carries: carries.length === 0 ? "none" : carries };
}

function printSource(source: EventSource): string {
  return source.kind === "operation" ? source.operation : `${source.resource} -> ${source.state}`;
}

function printIn({ method, path, with: proof, carries, optional = [] }: InEvent): Tree {
  const types = Object.entries(carries).map(([name, type]) => {
    return [optional.includes(name) ? `${name}?` : name, printTypeTree(type)] as const;
  });
  return {
    at: `${method} ${path}`,
    with: proof,
    ...(types.length === 0 ? {} : { carries: Object.fromEntries(types) }),
  };
}

function printDelivery({ webhook, stream }: Delivery, open: boolean): Tree {
  if (!open && webhook === undefined && stream === undefined) return "none";
  return {
    ...(webhook === undefined ? {} : { webhook: printWebhook(webhook) }),
    ...(stream === undefined ? {} : { stream: printStream(stream) }),
  };
}

function printWebhook({ method, path, for: audience, retry, then, ...plain }: Webhook): Tree {
  return {
    subscribe: `${method} ${path}`,
    for: printGrants(audience),
    ...plain,
    ...(retry === undefined ? {} : { retry: retry.length === 0 ? "none" : retry.join(" ") }),
    ...(then === undefined ? {} : { then: printThen(then) }),
  };
}

function printThen({ disable, keep }: Exclude<Webhook["then"], undefined>): Tree {
  if (keep === undefined) return disable ? "disable" : { disable: "false" };
  return `${disable ? "disable and " : ""}keep ${keep}`;
}

function printStream({ method, path, for: audience, kind, ...plain }: Stream): Tree {
  return { at: `${method} ${path}`, for: printGrants(audience), kind, ...plain };
}
