/** The page of the playground: the editor, and beside it what the engine says of the document. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic as Mark, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { count } from "../src/base/layout.ts";
import { type OfferedKey, type Received, type Sent, renderConsole, type Description } from "../src/browser/console.ts";
import type { Fix } from "../src/diagnostics/diagnostic.ts";
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
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "The document" }),
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

/** The document whose analysis runs, and whether a newer one waits. */
let running = false;
let isNewer = false;

async function analyse(): Promise<void> {
  isNewer = true;
  if (running) return;
  running = true;
  while (isNewer) {
    isNewer = false;
    const text = editor.state.doc.toString();
    const found = await engine.ask<Analysis>({ kind: "analyse", text });
    if (!isNewer) showAnalysis(found);
    if (found.unserved === undefined && !isNewer) showServed(await engine.ask<Served>({ kind: "serve" }));
  }
  running = false;
}

function showAnalysis({ diagnostics, questions, summary: { errors, gaps, warnings }, unserved }: Analysis): void {
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
    ...diagnostics.map(({ code, fix, help, message, severity, span, why }) =>
      item(span.start.line, severity, [message, why, help], code, fix),
    ),
    ...(questions.length === 0 ? [] : [heading(`Still open: ${questions.length}`)]),
    ...questions.map(({ line, part, text }) => item(line, "open", [text], part)),
  );
  const state = unserved ?? "Served.";
  say(`${count(errors, "error")}, ${count(warnings, "warning")}, ${count(gaps, "gap")}. ${state}`);
  byId("status").dataset["state"] = errors > 0 ? "wrong" : unserved === undefined ? "served" : "open";
  if (unserved === undefined) return;
  for (const id of ["page", "try-it", "openapi"]) byId(id).replaceChildren(paragraph(unserved));
}

let described = "";

function showServed({ description, keys, page }: Served): void {
  const frame = Object.assign(document.createElement("iframe"), { title: "The page of the service", srcdoc: page });
  frame.setAttribute("sandbox", "");
  byId("page").replaceChildren(frame);
  const text = JSON.stringify(description, undefined, 2);
  byId("openapi").replaceChildren(Object.assign(document.createElement("pre"), { textContent: text }));
  const offered = keys.map(({ role, secret, user }): OfferedKey => ({ label: `${user}, ${role}`, secret }));
  const known = text + JSON.stringify(offered);
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
  const whole = Object.assign(document.createElement("div"), { className: `finding ${kind}` });
  const place = line === undefined ? note : `line ${line}, ${note}`;
  const show = button("", () => {
    if (line === undefined || line > editor.state.doc.lines) return;
    const { from } = editor.state.doc.line(line);
    editor.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    editor.focus();
  });
  show.append(Object.assign(document.createElement("strong"), { textContent: kind }), ` ${place}`);
  for (const text of texts) if (text !== undefined) show.append(paragraph(text));
  whole.append(show, ...(fix === undefined ? [] : [button(fix.title, () => take(fix))]));
  return whole;
}

function take({ span, text }: Fix): void {
  editor.dispatch({ changes: { from: within(span.start.offset), to: within(span.end.offset), insert: text } });
}

/** The text may be shorter than the one in which an offset was found. */
function within(offset: number): number {
  return Math.min(offset, editor.state.doc.length);
}

function button(textContent: string, act: () => void): HTMLElement {
  const made = Object.assign(document.createElement("button"), { textContent, type: "button" });
  made.addEventListener("click", act);
  return made;
}

function paragraph(text: string): HTMLElement {
  return Object.assign(document.createElement("p"), { textContent: text });
}

function heading(text: string): HTMLElement {
  return Object.assign(document.createElement("h2"), { textContent: text });
}

function say(text: string): void {
  byId("status").textContent = text;
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
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
      const next = tabs.at((index + step) % tabs.length);
      if (step === 0 || next === undefined) return;
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
