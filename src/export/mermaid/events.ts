/** Draws events as a `flowchart`: the resource or sender of each event, and the transitions and receivers that it leads to. */
import type { Model } from "../../language/model.ts";
import type { EventsPart, OutEventPlan } from "../../plan/events/types.ts";
import { escaped, idOf } from "./text.ts";

export function eventFlow({ events }: EventsPart, model: Model): string | undefined {
  const resources = Object.keys(model.resources.resources);
  const out = Object.entries(events.out).filter(([, { resource }]) => resources.includes(resource));
  const inbound = Object.entries(model.events.in ?? {});
  const triggered = Object.entries(model.states).flatMap(([resource, lifecycle]) =>
    lifecycle === "none"
      ? []
      : lifecycle.moves.flatMap(({ from, to, triggers }) =>
          triggers.flatMap(({ on }) =>
            on.kind === "when" ? on.events.map((event) => ({ event, resource, from, to })) : [],
          ),
        ),
  );
  const source = (event: string): string | undefined => {
    const resource = events.out[event]?.resource;
    if (resource !== undefined) return idOf("r", resource);
    const sender = inbound.find(([name]) => name === event)?.[1].with;
    return sender === undefined ? undefined : idOf("c", sender);
  };
  const arrows = [
    ...triggered.flatMap(({ event, resource, from, to }) => {
      const begin = source(event);
      const states = `${from === "any" ? "any" : from.join(" or ")} to ${to}`;
      return begin === undefined ? [] : [arrow(begin, `${event}, ${states}`, idOf("r", resource))];
    }),
    ...eventArrows(
      "webhooks",
      out.filter(([, event]) => events.webhook !== undefined && event.webhook.length > 0),
    ),
    ...eventArrows(
      "stream",
      out.filter(([, event]) => events.stream !== undefined && event.stream.length > 0),
    ),
  ];
  if (arrows.length === 0) return undefined;
  const nodes = [
    ...resources.map((name) => `${idOf("r", name)}["${escaped(name)}"]`),
    ...[...new Set(inbound.map(([, inEvent]) => inEvent.with))].map(
      (name) => `${idOf("c", name)}(["${escaped(name)}"])`,
    ),
    ...["webhooks", "stream"].map((name) => `t_${name}[/"${name}"/]`),
  ];
  const used = nodes.filter((node) => arrows.some((line) => line.split(/[ |]/).includes(/^\w+/.exec(node)?.[0] ?? "")));
  return `flowchart LR\n${[...used, ...arrows].map((line) => `  ${line}\n`).join("")}`;
}

/** Joins all events of a resource into one arrow, so that the diagram stays readable. */
function eventArrows(
  to: string,
  outEvents: readonly (readonly [name: string, event: OutEventPlan])[],
): readonly string[] {
  return [...Map.groupBy(outEvents, ([, { resource }]) => resource)].map(([resource, events]) =>
    arrow(idOf("r", resource), events.map(([name]) => name).join(", "), `t_${to}`),
  );
}

function arrow(from: string, label: string, to: string): string {
  return `${from} -->|"${escaped(label)}"| ${to}`;
}
