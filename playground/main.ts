/** The page of the playground: the editor, and beside it what the engine says of the document. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic as Mark, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import type { JsonObject } from "../src/base/json.ts";
import { count } from "../src/base/layout.ts";
import { type OfferedKey, type Received, type Sent, renderConsole, type Description } from "../src/browser/console.ts";
import type { Fix } from "../src/diagnostics/diagnostic.ts";
import type { Completions } from "../src/editor/complete.ts";
import type { Analysis, Served } from "./engine.ts";
import { highlighting } from "./highlighting.ts";
import { addressWith, documentIn } from "./share.ts";
import type { Answer, Message } from "./worker.ts";

const byId = <Kind extends HTMLElement = HTMLElement>(id: string): Kind => document.getElementById(id) as Kind;
const textIn = (id: string): string => byId(id)?.textContent ?? "";

const engine = startEngine(textIn("engine"));
const examples = JSON.parse(textIn("examples")) as readonly { readonly name: string; readonly text: string }[];

const editor = new EditorView({
  parent: byId("editor"),
  state: EditorState.create({
    extensions: [
      ...[lineNumbers(), lintGutter(), history(), bracketMatching(), highlightActiveLine(), highlighting],
      autocompletion({ override: [completionsAt], icons: false }),
      keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "The document", "aria-describedby": "keys" }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) void analyse();
      }),
    ],
  }),
});

const opened = await documentIn(location.hash);
if (location.hash !== "" && opened === undefined)
  say("The document in the address cannot be read: the link may be cut off.");
write(opened ?? ((JSON.parse(textIn("document")) as string) || (examples[0]?.text ?? "")));

showExamples();
showTabs();
byId("share").addEventListener("click", () => void share());

function write(text: string): void {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
}

/** Whether an analysis runs, and whether a newer document waits. */
let running = false;
let isNewer = false;
/** How long one stops typing before the open tab shows the document: what it shows takes longer than the findings. */
const pauseMilliseconds = 300;
let pause: ReturnType<typeof setTimeout> | undefined;
/** The number of the document that was analysed last, and why it is not served. */
let analysed = 0;
let unserved: string | undefined = "Starting…";

async function analyse(): Promise<void> {
  isNewer = true;
  if (running) return;
  running = true;
  while (isNewer) {
    isNewer = false;
    const text = editor.state.doc.toString();
    const found = await engine.ask<Analysis>({ kind: "analyse", text });
    if (isNewer) continue;
    analysed += 1;
    unserved = found.unserved;
    showAnalysis(found);
    clearTimeout(pause);
    pause = setTimeout(() => void showOpenPanel(), pauseMilliseconds);
  }
  running = false;
}

/** What a tab shows of the document besides findings; it is made only while the tab is open. */
const panels: Readonly<Record<string, () => Promise<void>>> = {
  "try-it": async () => showConsole(await engine.ask<Served>({ kind: "serve" })),
  page: async () => showPage(await engine.ask<string>({ kind: "page" })),
  openapi: async () => showDescription(await engine.ask<JsonObject>({ kind: "description" })),
};
/** The number of the document that each panel shows. */
const shown = new Map<string, number>();

async function showOpenPanel(): Promise<void> {
  const id = document.querySelector("[role=tabpanel]:not([hidden])")?.id ?? "";
  const show = panels[id];
  if (show === undefined || shown.get(id) === analysed) return;
  shown.set(id, analysed);
  if (unserved !== undefined) return byId(id).replaceChildren(paragraph(unserved));
  // One may have typed a mistake since the last analysis.
  await show().catch(({ message }: Error) => byId(id).replaceChildren(paragraph(message)));
}

/** Asks the engine when a word or a member begins, or when the reader asks: a blank alone would open the list at each line. */
async function completionsAt({ explicit, pos, state }: CompletionContext): Promise<CompletionResult | null> {
  if (!explicit && !/[\w.'-]/.test(state.sliceDoc(pos - 1, pos))) return null;
  const text = state.doc.toString();
  const { end, items, start } = await engine.ask<Completions>({ kind: "complete", text, offset: pos });
  const options = items.map(({ detail, insert, label }, index): Completion => {
    return {
      label,
      boost: -index,
      ...(insert !== undefined && { apply: insert }),
      ...(detail !== undefined && { detail }),
    };
  });
  return items.length === 0 ? null : { from: start, to: end, options, validFor: /^[\w-]*$/ };
}

function showAnalysis({ diagnostics, questions, summary: { errors, gaps, warnings } }: Analysis): void {
  const marks = diagnostics.map(({ code, fix, help, message, severity, span, why }): Mark => {
    return {
      from: within(span.start.offset),
      to: within(span.end.offset),
      severity: severity === "hint" ? "info" : severity,
      source: code,
      message: [message, why, help].filter((one) => one !== undefined).join("\n"),
      ...(fix !== undefined && { actions: [{ name: fix.title, apply: () => take(fix) }] }),
    };
  });
  editor.dispatch(setDiagnostics(editor.state, marks));
  byId("findings").replaceChildren(
    ...(marks.length === 0 ? [paragraph("Nothing is wrong.")] : []),
    list(
      diagnostics.map(({ code, fix, help, message, severity, span, why }) =>
        item(span.start.line, severity, [message, why, help], code, fix),
      ),
    ),
    ...(questions.length === 0 ? [] : [heading(`Still open: ${questions.length}`)]),
    list(questions.map(({ line, part, text }) => item(line, "open", [text], part))),
  );
  byId("findings-count").textContent = diagnostics.length === 0 ? "" : ` ${diagnostics.length}`;
  const found = [count(errors, "error"), count(warnings, "warning"), count(gaps, "gap")];
  say(`${found.join(", ")}. ${unserved ?? "Served."}`);
  byId("status").dataset["state"] = errors > 0 ? "wrong" : unserved === undefined ? "served" : "open";
}

function showPage(text: string): void {
  // Without it, links to sections of the page would lead to those of the playground.
  const srcdoc = text.replace("<head>", '<head><base href="about:srcdoc">');
  const frame = made("iframe", { title: "The page of the service", srcdoc });
  frame.setAttribute("sandbox", "");
  byId("page").replaceChildren(frame);
}

function showDescription(description: JsonObject): void {
  const text = JSON.stringify(description, undefined, 2);
  byId("openapi").replaceChildren(made("pre", { textContent: text }));
}

let described = "";

function showConsole({ description, keys }: Served): void {
  const offered = keys.map(({ role, secret, user }): OfferedKey => ({ label: `${user}, ${role}`, secret }));
  const known = JSON.stringify([description, offered]);
  // What the reader has typed into the form stays, unless the operations change.
  if (known === described && byId("try-it").querySelector("form") !== null) return;
  described = known;
  renderConsole(byId("try-it"), {
    description: description as unknown as Description,
    keys: offered,
    send: (request: Sent) => engine.ask<Received>({ kind: "send", request }),
  });
}

function item(
  line: number | undefined,
  kind: string,
  texts: readonly (string | undefined)[],
  note: string,
  fix?: Fix,
): HTMLElement {
  const whole = made("li", { className: `finding ${kind}` });
  const place = line === undefined ? note : `line ${line}, ${note}`;
  const show = button("", () => {
    if (line === undefined || line > editor.state.doc.lines) return;
    const { from } = editor.state.doc.line(line);
    editor.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    editor.focus();
  });
  show.replaceChildren(made("strong", { textContent: kind }), ` ${place}`);
  for (const [index, text] of texts.entries())
    if (text !== undefined) show.append(sentence(text, index === 1 ? "why" : ""));
  whole.append(show);
  if (fix !== undefined) whole.append(button(fix.title, () => take(fix), "fix"));
  return whole;
}

function take({ span, text }: Fix): void {
  editor.dispatch({ changes: { from: within(span.start.offset), to: within(span.end.offset), insert: text } });
}

/** The text may be shorter than the one in which an offset was found. */
function within(offset: number): number {
  return Math.min(offset, editor.state.doc.length);
}

/** A sentence whose names in backticks are code. */
function sentence(text: string, className: string): HTMLElement {
  const whole = made("span", { className });
  const pieces = text.split("`");
  whole.append(...pieces.map((piece, at) => (at % 2 === 0 ? piece : made("code", { textContent: piece }))));
  return whole;
}

function button(title: string, act: () => void, className = ""): HTMLElement {
  const pressed = made("button", { className, type: "button" });
  pressed.append(sentence(title, ""));
  pressed.addEventListener("click", act);
  return pressed;
}

function paragraph(textContent: string): HTMLElement {
  return made("p", { textContent });
}

function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}

function list(items: readonly HTMLElement[]): HTMLElement {
  const whole = made("ul");
  whole.append(...items);
  return whole;
}

function heading(textContent: string): HTMLElement {
  return made("h2", { textContent });
}

/** Shows a sentence that screen readers read, once. */
function say(text: string): void {
  if (byId("status").textContent !== text) byId("status").textContent = text;
}

function showExamples(): void {
  const select = byId<HTMLSelectElement>("example");
  select.append(...examples.map(({ name }, index) => new Option(name, String(index))));
  select.addEventListener("change", () => {
    const chosen = examples[Number(select.value)];
    if (select.value !== "" && chosen !== undefined) write(chosen.text);
  });
}

function showTabs(): void {
  const tabs = [...document.querySelectorAll<HTMLElement>("[role=tab]")];
  const choose = (chosen: HTMLElement): void => {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.ariaSelected = String(isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls") ?? "").hidden = !isChosen;
    }
    void showOpenPanel();
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const places: Readonly<Record<string, number>> = {
        ArrowRight: (index + 1) % tabs.length,
        ArrowLeft: index - 1,
        Home: 0,
        End: -1,
      };
      const place = places[key];
      const next = place === undefined ? undefined : tabs.at(place);
      if (next === undefined) return;
      choose(next);
      next.focus();
    });
  }
}

async function share(): Promise<void> {
  const address = await addressWith(editor.state.doc.toString());
  window.history.replaceState(undefined, "", address);
  await navigator.clipboard?.writeText(address).then(
    () => say("The link is in the clipboard, and in the address."),
    () => say("The link is in the address."),
  );
}

interface RunningEngine {
  ask<Value>(message: Message): Promise<Value>;
}

/** Starts the engine from its text, so that the page is one file. */
function startEngine(text: string): RunningEngine {
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    if ("notice" in data) return console.warn(data.notice);
    const { number } = data;
    if ("failure" in data) waiting.get(number)?.reject(new Error(data.failure));
    else waiting.get(number)?.resolve(data.value);
    waiting.delete(number);
  });
  return {
    ask<Value>(message: Message) {
      last += 1;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(last, answer);
      worker.postMessage({ number: last, message });
      return answer.promise as Promise<Value>;
    },
  };
}
