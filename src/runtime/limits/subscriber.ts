/** Whom an address stands for: one IPv6 subscriber holds a /64 (R8.4). */
export function subscriberOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = ""] = address.split("::");
  const groups = (
    address.includes("::") ? [...head.split(":").filter(Boolean), "0", "0", "0", "0"] : address.split(":")
  ).slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}
