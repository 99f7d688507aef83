/** Puts a document into the address of the page, and takes it out again: the part after `#`, which no server receives. */
const name = "document=";

export async function addressWith(text: string): Promise<string> {
  const bytes = new Uint8Array(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text)));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const packed = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${location.href.replace(/#.*/, "")}#${name}${packed}`;
}

/** Returns the document of an address; undefined if it has none, or one that was cut off. */
export async function documentIn(hash: string): Promise<string | undefined> {
  if (!hash.startsWith(`#${name}`)) return undefined;
  try {
    const binary = atob(
      hash
        .slice(name.length + 1)
        .replaceAll("-", "+")
        .replaceAll("_", "/"),
    );
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
  } catch {
    return undefined;
  }
}

function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();
}
