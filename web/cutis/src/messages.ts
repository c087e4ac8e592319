/** Messages to workers, and their answers. */
import {CutisError} from './types.js';

export type Answer = {id: number; result: unknown} | {id: number; error: {message: string; code: string}};

export function sentenceOf(error: unknown): {message: string; code: string} {
  if (error instanceof CutisError) return {message: error.message, code: error.code};
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
    return {message: `the solver stopped (${error.message}); the file may need more memory than a page may have`, code: 'no memory'};
  return {message: error instanceof Error ? error.message : String(error), code: 'internal'};
}

/** The buffers of a result: they are handed over, not copied. */
export function buffersIn(result: unknown): ArrayBuffer[] {
  if (typeof result !== 'object' || result === null) return [];
  const values: unknown[] = ArrayBuffer.isView(result) ? [result] : Object.values(result);
  return values.filter((v): v is ArrayBufferView<ArrayBuffer> => ArrayBuffer.isView(v)).map((v) => v.buffer);
}

/** The page's side. */
export class WorkerLink {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, {resolve: (result: unknown) => void; reject: (error: Error) => void}>();
  #next = 1;
  #failed: CutisError | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({data}: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('error' in data) waiting?.reject(new CutisError(data.error.message, data.error.code));
      else waiting?.resolve(data.result);
    };
    worker.onerror = (event) => this.#fail(new CutisError(`the worker failed (${event.message || 'it could not be loaded'})`, 'internal'));
  }

  #fail(error: CutisError): void {
    this.#failed = error;
    for (const {reject} of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  ask(call: string, args: unknown[]): Promise<unknown> {
    if (this.#failed) return Promise.reject(this.#failed);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#worker.postMessage({id, call, args});
    });
  }
  close(): void {
    this.#worker.terminate();
    this.#fail(new CutisError('the library was closed', 'cancelled'));
  }
}
