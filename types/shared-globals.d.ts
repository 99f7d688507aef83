/**
 * The globals that browsers and Node share and the core may use. Only tsconfig.core.json includes this file: there, the
 * types of neither are loaded, so anything that is not listed here is an error.
 */
interface TextDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}
declare const TextDecoder: {
  new (encoding?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean }): TextDecoder;
};

interface TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}
declare const TextEncoder: { new (): TextEncoder };

declare const URL: { canParse(url: string, base?: string): boolean };

declare function btoa(bytes: string): string;

declare function atob(text: string): string;
