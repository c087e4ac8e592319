/** The worker's side of index.ts. */
import {type Answer, sentenceOf} from './messages.js';
import {buffersOf, type Request, Server} from './server.js';

declare const self: DedicatedWorkerGlobalScope;

const server = new Server();
self.onmessage = async ({data}: MessageEvent<Request>): Promise<void> => {
  let answer: Answer;
  let buffers: ArrayBuffer[] = [];
  try {
    const result = await server.call(data.call, data.args);
    buffers = buffersOf(data.call, result);
    answer = {id: data.id, result};
  } catch (error) {
    answer = {id: data.id, error: sentenceOf(error)};
  }
  self.postMessage(answer, buffers);
};
