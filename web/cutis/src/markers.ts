/**
 * Posing a body by pulling at it:
 *
 *   const puller = await Puller.create(character.info);
 *   await puller.stand(pose, [hips, leftFoot, rightFoot]);  // pinned
 *   const {pose: next} = await puller.pull(leftHand, [0.3, 1.5, 0.2]);
 *
 * It works in a worker of its own, beside the solver's.
 */
import {arraysOf} from './arrays.js';
import type {ControlMesh, Pulled, PullAbout} from './markers_core.js';
import {WorkerLink} from './messages.js';
import type {CharacterInfo, Options} from './types.js';

export type {ControlMesh, Pulled, PullAbout} from './markers_core.js';

export interface PullerOptions {
  /** MarkerOptions: {resolution: 1000, limits: false}. */
  options?: Options;
  /** Makes the worker where a bundler needs to see it; false: no worker. */
  worker?: (() => Worker) | false;
  /** The bytes of markers.wasm where they are at hand; else the file beside the module is loaded. */
  wasm?: Uint8Array<ArrayBuffer>;
}
type Ask = (call: string, ...args: unknown[]) => Promise<unknown>;

export class Puller {
  readonly #ask: Ask;
  readonly #close: () => void;
  private constructor(ask: Ask, close: () => void, readonly about: PullAbout) {
    this.#ask = ask;
    this.#close = close;
  }

  /** Fills the body with a control mesh: takes a second or some. */
  static async create(character: CharacterInfo, {options, worker, wasm}: PullerOptions = {}): Promise<Puller> {
    const from = arraysOf(character), wanted = worker ?? (typeof Worker === 'undefined' ? false : undefined);
    if (wanted === false) {
      const {CorePuller} = await import('./markers_core.js'), core = await CorePuller.create(from, options, wasm);
      return new Puller(async (call, ...args) => (core[call as 'pull'] as (...a: unknown[]) => unknown).call(core, ...args), () => core.dispose(), core.about);
    }
    const link = new WorkerLink(wanted ? wanted() : new Worker(new URL('./markers_worker.js', import.meta.url), {type: 'module'}));
    const ask: Ask = (call, ...args) => link.ask(call, args);
    try {
      return new Puller(ask, () => link.close(), (await ask('create', from, options, wasm)) as PullAbout);
    } catch (error) {
      link.close();
      throw error;
    }
  }

  /** The body stands in that pose (ten numbers a joint), with those joints pinned; what was pulled before is forgotten. */
  stand(pose: Float64Array, pins: number[] = []): Promise<Pulled> { return this.#ask('stand', pose, pins) as Promise<Pulled>; }
  /** A joint (of about.handles) to a place, metres; without one: lets go of it. One joint at a time. */
  pull(joint: number, to?: [number, number, number]): Promise<Pulled> { return this.#ask('pull', joint, to) as Promise<Pulled>; }
  /** As it is now. */
  controlMesh(): Promise<ControlMesh> { return this.#ask('controlMesh') as Promise<ControlMesh>; }
  /** Ends its worker. */
  close(): void { this.#close(); }
}
