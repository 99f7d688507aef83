/** Metrics of the process: event loop, memory, CPU, open files. */
import { readdir } from "node:fs/promises";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import process from "node:process";
import { getHeapStatistics } from "node:v8";
import type { Metrics } from "./metrics.ts";

/** Starts the measurement; returns a function that stops it. */
export function watchProcess(serviceMetrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const one = (value: number) => [{ labels: [], value }];
  // The resolution of the histogram's timer is subtracted, since it is no delay.
  const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - 0.01);
  serviceMetrics.observe("nodejs.eventloop.delay.p50", () => one(seconds(delay.percentile(50))));
  serviceMetrics.observe("nodejs.eventloop.delay.p99", () => one(seconds(delay.percentile(99))));
  serviceMetrics.observe("nodejs.eventloop.delay.max", () => {
    const longest = seconds(delay.max);
    delay.reset();
    return one(longest);
  });
  let before = performance.eventLoopUtilization();
  serviceMetrics.observe("nodejs.eventloop.utilization", () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return one(utilization);
  });
  serviceMetrics.observe("v8js.memory.heap.used", () => one(getHeapStatistics().used_heap_size));
  serviceMetrics.observe("v8js.memory.heap.limit", () => one(getHeapStatistics().heap_size_limit));
  serviceMetrics.observe("process.memory.usage", () => one(process.memoryUsage.rss()));
  serviceMetrics.observe("process.cpu.time", () => {
    const { user, system } = process.cpuUsage();
    return one((user + system) / 1e6);
  });
  serviceMetrics.observe("process.uptime", () => one(process.uptime()));
  // Only Linux has this folder; on other systems the metric is omitted.
  serviceMetrics.observe("process.open_file_descriptors", async () => one((await readdir("/proc/self/fd")).length));
  return () => delay.disable();
}
