/** The memory of a module of WebAssembly that has the C interface (cutis/cutis_c.h): what is handed over and back. */
import type {WasmModule} from './cutis.mjs';
import {CutisError, type Options} from './types.js';

const kOk = 0;

/** The file beside the script. */
export async function fetchWasm(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  if (url.protocol === 'file:' && typeof process !== 'undefined') {
    const {readFile} = await import('node:fs/promises');
    return new Uint8Array(await readFile(url));
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new CutisError(`${url}: cannot be loaded (${answer.status}); serve it beside the script`, 'io');
  return new Uint8Array(await answer.arrayBuffer());
}

export class Heap {
  constructor(readonly module: WasmModule) {}

  /** Throws the library's sentence where a call failed. */
  check(status: number): void {
    if (status === kOk) return;
    throw new CutisError(this.module.UTF8ToString(this.module._cutis_last_error!()),
                         this.module.UTF8ToString(this.module._cutis_status_name!(status)));
  }

  /** The heap moves when it grows: views of it are made when they are used. */
  view(): DataView { return new DataView(this.module.HEAPU8.buffer); }

  /** Room for the time of a call. */
  with<T>(bytes: number, use: (pointer: number) => T): T {
    const pointer = this.module._malloc(Math.max(bytes, 8));
    if (pointer === 0) throw new CutisError(`there is no memory for ${bytes} bytes`, 'no memory');
    try {
      return use(pointer);
    } finally {
      this.module._free(pointer);
    }
  }
  withBytes<T>(array: ArrayBufferView | undefined, use: (pointer: number) => T): T {
    if (!array) return use(0);
    return this.with(array.byteLength, (pointer) => {
      this.module.HEAPU8.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), pointer);
      return use(pointer);
    });
  }
  withText<T>(text: string | undefined, use: (pointer: number) => T): T {
    if (text === undefined) return use(0);
    const room = this.module.lengthBytesUTF8(text) + 1;
    return this.with(room, (pointer) => {
      this.module.stringToUTF8(text, pointer, room);
      return use(pointer);
    });
  }
  withOptions<T>(options: Options | undefined, use: (pointer: number) => T): T {
    return this.withText(options && JSON.stringify(options), use);
  }
  /** The handle that a call writes. */
  made(call: (to: number) => number): number {
    return this.with(4, (to) => {
      this.check(call(to));
      return this.view().getUint32(to, true);
    });
  }
  textFrom(call: (to: number) => number): string { return this.module.UTF8ToString(this.made(call)); }
  floats(pointer: number, count: number): Float32Array<ArrayBuffer> {
    return new Float32Array(this.module.HEAPU8.buffer as ArrayBuffer, pointer, count).slice();
  }
  doubles(pointer: number, count: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.module.HEAPU8.buffer as ArrayBuffer, pointer, count).slice();
  }
  words(pointer: number, count: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.module.HEAPU8.buffer as ArrayBuffer, pointer, count).slice();
  }
}
