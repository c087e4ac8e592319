/** What emscripten makes of bindings/wasm; only what core.ts uses. */
export interface WasmModule {
  HEAPU8: Uint8Array;
  FS: {
    writeFile(path: string, bytes: Uint8Array): void;
    readFile(path: string): Uint8Array;
    unlink(path: string): void;
  };
  UTF8ToString(pointer: number): string;
  stringToUTF8(text: string, pointer: number, room: number): void;
  lengthBytesUTF8(text: string): number;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  [function_: `_cutis_${string}`]: (...numbers: number[]) => number;
}
export default function createCutis(options: {
  wasmBinary: Uint8Array<ArrayBuffer>;
  print?: (text: string) => void;
  printErr?: (text: string) => void;
}): Promise<WasmModule>;
