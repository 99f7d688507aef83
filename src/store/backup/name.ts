/** When a copy was made, as a part of its name: `20261122T064500Z`. */
export function timeInName(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}
