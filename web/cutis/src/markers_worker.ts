/** The worker's side of markers.ts: one body. */
import {CorePuller} from './markers_core.js';
import {type Answer, buffersIn, sentenceOf} from './messages.js';
import type {CharacterArrays, Options} from './types.js';

declare const self: DedicatedWorkerGlobalScope;

type Request = {id: number; call: 'create'; args: [from: CharacterArrays, options?: Options, wasm?: Uint8Array<ArrayBuffer>]}
  | {id: number; call: 'stand'; args: [pose: Float64Array, pins: number[]]}
  | {id: number; call: 'pull'; args: [joint: number, to?: [number, number, number]]}
  | {id: number; call: 'controlMesh'; args: []};

let puller: CorePuller | undefined;
async function result(request: Request): Promise<unknown> {
  if (request.call === 'create') return (puller = await CorePuller.create(...request.args)).about;
  if (request.call === 'stand') return puller!.stand(...request.args);
  return request.call === 'pull' ? puller!.pull(...request.args) : puller!.controlMesh();
}

// One after the other: 'create' waits for its module.
let last = Promise.resolve();
self.onmessage = ({data}: MessageEvent<Request>): void => {
  last = last.then(async () => {
    let answer: Answer;
    try {
      answer = {id: data.id, result: await result(data)};
    } catch (error) {
      answer = {id: data.id, error: sentenceOf(error)};
    }
    self.postMessage(answer, 'result' in answer ? buffersIn(answer.result) : []);
  });
};
