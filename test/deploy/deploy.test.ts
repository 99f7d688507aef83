/** Deployment files name only settings, ports, paths and metrics that exist, although no test runs these files. */
import assert from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import type { Option } from "../../src/cli/command-line.ts";
import { serveOptions } from "../../src/cli/options.ts";
import { hasFile, variableOf } from "../../src/cli/settings.ts";
import { prometheusName } from "../../src/observability/metrics-prometheus.ts";
import { metricDefinitions } from "../../src/observability/metric-definitions.ts";
import { root } from "../docs/fences.ts";

const read = (path: string): string => readFileSync(join(root, "deploy", path), "utf8");
const yaml = (path: string): Tree => parse(read(path), { merge: true }) as Tree;

type Tree = Readonly<Record<string, unknown>>;

/** What stands below these keys. */
function at(tree: unknown, ...path: readonly string[]): unknown {
  return path.reduce((below: unknown, key) => (below as Tree | undefined)?.[key], tree);
}

const options: Readonly<Record<string, Option<unknown>>> = serveOptions;
const variables = new Set([
  ...["NONET_DOCUMENT", "NONET_SECRET_KEY", "NONET_SECRET_KEY_FILE"],
  ...Object.keys(options).map(variableOf),
  ...Object.entries(options).flatMap(([name, option]) => (hasFile(option) ? [`${variableOf(name)}_FILE`] : [])),
]);
/** Longer than requests may take that are under way when a service is told to stop. */
const graceSeconds = 31;

test("every variable is one that is read", () => {
  const files = globSync("**/*", { cwd: join(root, "deploy") }).filter((path) =>
    /\.\w+$|Dockerfile|Caddyfile/.test(path),
  );
  assert(files.length >= 9, files.join(", "));
  const unknown = files.flatMap((path) => {
    return [...read(path).matchAll(/NONET_[A-Z_]+/g)].map(([name]) => name).filter((name) => name !== "NONET_" && !variables.has(name)); // biome-ignore format: short
  });
  assert.deepEqual(unknown, []);
});

test("every option of a proxy's first line is one of serve", () => {
  for (const path of ["proxies/nginx.conf", "proxies/Caddyfile"]) {
    const named = [...read(path).matchAll(/ --([a-z-]+)/g)].map(([, name = ""]) => name);
    assert.deepEqual(named, ["port", "base-url", "trust-proxy"]);
    assert(named.every((name) => Object.hasOwn(options, name)));
    assert.match(read(path), /127\.0\.0\.1:8080/);
    assert.match(read(path), /403/, "R1.7 refused, not redirected");
  }
  assert.match(read("proxies/nginx.conf"), /proxy_buffering off;/);
  assert.match(read("proxies/nginx.conf"), /X-Forwarded-Proto \$scheme;/);
  assert.match(read("proxies/Caddyfile"), /flush_interval -1/);
});

test("the image runs as nobody in particular, and says where it listens", () => {
  const text = read("Dockerfile");
  const set = new Map([...text.matchAll(/(NONET_[A-Z_]+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]));
  const exposed = /^EXPOSE (.+)$/m.exec(text)?.[1]?.split(" ");
  assert.deepEqual(exposed, [set.get("NONET_PORT"), set.get("NONET_ADMIN_PORT")]);
  assert.equal(set.get("NONET_LOG_FORMAT"), "json");
  assert.match(text, /^USER node$/m);
  assert.match(text, /^HEALTHCHECK [^]*\/readyz/m);
  assert.equal(text.match(/^FROM /gm)?.length, 2);
  const { engines, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: object; version: string }; // biome-ignore format: short
  assert(engines);
  const manifest = readFileSync(join(root, "package-lock.json"), "utf8");
  const pinned = /"node": "(\d+)\./.exec(manifest)?.[1];
  for (const [, major] of text.matchAll(/^FROM node:(\d+)/gm)) assert.equal(major, pinned);
  assert.match(read("kubernetes/nonet.yaml"), new RegExp(`image: nonet:${RegExp.escape(version)}`));
  // `nonet` in a container (`exec SERVICE nonet key create`) is the file itself, which git has to keep executable.
  const [, command = ""] = /ln -s \/opt\/nonet\/(\S+) \/usr\/local\/bin\/nonet/.exec(text) ?? [];
  assert.equal(command, "src/cli.mjs");
  for (const path of process.platform === "win32" ? [] : [command, "scripts/packaged/cli.mjs"])
    assert.notEqual(statSync(join(root, path)).mode & 0o001, 0, path);
  // What is copied exists, and is let through.
  const ignored = read("Dockerfile.dockerignore");
  for (const [, source = ""] of text.matchAll(/^COPY ((?!--)[^\n]+) \S+$/gm)) {
    for (const path of source.split(" ")) {
      assert(readOrList(path.replace("./", "")), path);
      assert(ignored.includes(`!${path.replace("./", "")}`), path);
    }
  }
});

function readOrList(path: string): boolean {
  return globSync(path, { cwd: root }).length === 1;
}

test("containers are stopped patiently, write nowhere but to their data, and have their secrets from files", () => {
  const { services = {}, secrets = {} } = yaml("compose.yaml") as { services?: Record<string, Tree>; secrets?: Tree };
  for (const name of ["sqlite", "postgres", "postgres-2"]) {
    const service = services[name] as Tree;
    assert.equal(service["read_only"], true);
    assert(Number.parseInt(String(service["stop_grace_period"]), 10) >= graceSeconds);
    assert.deepEqual(service["cap_drop"], ["ALL"]);
    const files = Object.entries(service["environment"] as Tree).filter(([key]) => key.endsWith("_FILE"));
    const given = service["secrets"] as readonly string[];
    assert.deepEqual(new Set(files.map(([, path]) => String(path).replace("/run/secrets/", ""))), new Set(given));
    for (const secret of given) assert(Object.hasOwn(secrets, secret), secret);
    for (const port of service["ports"] as readonly string[]) assert.match(port, /^127\.0\.0\.1:[\d-]+:(8080|9090)$/);
  }
  const database = services["database"] as Tree;
  assert.deepEqual(Object.keys(database["environment"] as Tree), ["POSTGRES_DB", "POSTGRES_PASSWORD_FILE"]);
  const [, script = ""] = /^\.\/(\S+):\/docker-entrypoint-initdb\.d\/\w+\.sql:ro$/.exec((database["volumes"] as readonly string[])[1] ?? "") ?? []; // biome-ignore format: short
  assert.match(read(script), /CREATE ROLE nonet LOGIN/);
});

test("probes, ports, grace and labels of the manifests belong together", () => {
  const documents = parseAllDocuments(read("kubernetes/nonet.yaml"));
  for (const one of documents) assert.deepEqual([one.errors, one.warnings], [[], []]);
  const all = documents.map((one) => one.toJS() as Tree);
  assert.deepEqual(all.map(({ kind }) => kind), ["Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler"]); // biome-ignore format: short
  const [deployment, service, budget, scaler] = all as [Tree, Tree, Tree, Tree];
  const template = at(deployment, "spec", "template");
  const pod = at(template, "spec") as Tree;
  const [container] = pod["containers"] as [Tree];
  const ports = container["ports"] as readonly { name: string; containerPort: number }[];
  assert.deepEqual(ports, [{ name: "http", containerPort: 8080 }, { name: "admin", containerPort: 9090 }]); // biome-ignore format: short
  const probes = { startupProbe: "/readyz", readinessProbe: "/readyz", livenessProbe: "/livez" };
  for (const [probe, path] of Object.entries(probes)) {
    assert.partialDeepStrictEqual(at(container, probe), { httpGet: { path, port: "http" } });
    assert((at(container, probe, "timeoutSeconds") as number) >= 2, "readyz may take 0.9 s");
  }
  const { sleep } = at(container, "lifecycle", "preStop") as { sleep: { seconds: number } };
  assert((pod["terminationGracePeriodSeconds"] as number) >= sleep.seconds + graceSeconds);
  assert.equal(pod["enableServiceLinks"], false, "else NONET_PORT is an address");
  assert.partialDeepStrictEqual(container["securityContext"], { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false }); // biome-ignore format: short
  const labels = at(template, "metadata", "labels");
  for (const selector of [at(deployment, "spec", "selector", "matchLabels"), at(service, "spec", "selector"), at(budget, "spec", "selector", "matchLabels")]) // biome-ignore format: short
    assert.deepEqual(selector, labels);
  assert.equal(at(scaler, "spec", "scaleTargetRef", "name"), at(deployment, "metadata", "name"));
  assert.partialDeepStrictEqual(at(template, "metadata", "annotations"), { "prometheus.io/port": "9090" });
  const { runAsGroup, fsGroup } = pod["securityContext"] as { runAsGroup: number; fsGroup?: number };
  assert.equal(fsGroup, runAsGroup, "else the secrets, which only root and their group may read, are not read");
  const mounted = (container["volumeMounts"] as readonly { name: string }[]).map(({ name }) => name);
  assert.deepEqual(
    mounted,
    (pod["volumes"] as readonly { name: string }[]).map(({ name }) => name),
  );
});

test("the unit stops as patiently, and its directives come once in a form that systemd reads", () => {
  const lines = read("systemd/nonet.service")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  for (const line of lines) assert.match(line, /^(?:\[(?:Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*)$/);
  const value = (name: string) => lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
  assert(Number(value("TimeoutStopSec")) >= graceSeconds);
  assert.equal(value("NoNewPrivileges"), "yes");
  assert.match(value("ExecStart") ?? "", /cli\.mjs serve$/);
});

test("alerts ask for figures and labels that there are, and lead to what to do", () => {
  const known = new Map<string, readonly string[]>(
    metricDefinitions.flatMap(([name, figure]): (readonly [string, readonly string[]])[] => {
      const own = prometheusName(name, figure);
      const labels = ["job", "instance", ...(figure.labels ?? [])];
      if (figure.kind !== "histogram") return [[own, labels]];
      return ["_bucket", "_sum", "_count"].map((suffix) => [own + suffix, [...labels, "le"]]);
    }),
  );
  const { groups } = yaml("prometheus/alerts.yaml") as { groups: readonly { rules: readonly Rule[] }[] };
  const headings = [...readFileSync(join(root, "docs", "operations.md"), "utf8").matchAll(/^#+ (.+)$/gm)];
  const anchors = headings.map(([, text = ""]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
  const rules = groups.flatMap((group) => group.rules);
  assert(rules.length > 10);
  for (const { alert, annotations, expr, labels } of rules) {
    assert(["page", "ticket"].includes(labels.severity), alert);
    const [page, anchor = ""] = annotations.runbook.split("#");
    assert.equal(page, "docs/operations.md");
    assert(anchors.includes(anchor), `${alert} leads to ${anchor}`);
    for (const [, name = "", selector = ""] of expr.matchAll(/([a-z][a-z0-9_]+)\{([^}]*)\}/g)) {
      const own = name === "up" ? ["job", "instance"] : known.get(name);
      assert(own !== undefined, `${alert} asks for ${name}`);
      // The first of a thing that happens seldom is growth only where there was a 0 before it.
      if (expr.includes("increase(")) assert(isKnown(name, selector), `${alert}: ${name} does not begin with 0`);
      for (const [, label = ""] of selector.matchAll(/([a-z_]+)=~?"/g))
        assert(own.includes(label), `${alert}: ${label}`);
    }
  }
});

function isKnown(own: string, selector: string): boolean {
  const [, figure] = metricDefinitions.find(([name, kind]) => prometheusName(name, kind) === own) ?? [];
  const wanted = figure?.labels?.map((label) => new RegExp(`${label}="([^"]*)"`).exec(selector)?.[1]) ?? [];
  return figure?.known?.some((labels) => labels.join() === wanted.join()) === true;
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook: string };
}
