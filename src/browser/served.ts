/** Shows the console on the page of a service: requests go to the service itself, with what the reader types. */
import { type Description, type Received, type Sent, renderConsole } from "./console.ts";

const place = document.querySelector<HTMLElement>("#try-it");
if (place !== null) void show(place);

async function show(section: HTMLElement): Promise<void> {
  const response = await fetch("openapi.json");
  if (!response.ok) return;
  const description = (await response.json()) as Description;
  const form = document.createElement("div");
  section.append(form);
  renderConsole(form, { description, keys: [], send });
  for (const one of document.querySelectorAll<HTMLElement>("[data-try-it]")) one.hidden = false;
}

async function send({ body, headers, method, url }: Sent): Promise<Received> {
  // The page may have another address than the description names, such as 127.0.0.1 for localhost.
  const { pathname, search } = new URL(url, location.href);
  const response = await fetch(pathname + search, {
    method,
    headers: headers.map((one) => [...one]),
    ...(body !== undefined && { body }),
  });
  return { status: response.status, headers: [...response.headers], body: await response.text() };
}
