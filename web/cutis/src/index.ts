/**
 * Cutis in a page or in node:
 *
 *   const character = await Cutis.load(bytesOfAGlb);
 *   const solver = await character.solver({method: 'tracking'});  // with contact
 *   const {positions} = await solver.solve(await character.sample('walk', 0.5));
 *
 * In a page the solver works in a worker, and what it makes is handed over, not copied. In node, and with
 * {worker: false}, it works in the calling thread.
 */
import {sentenceOf, WorkerLink} from './messages.js';
import {type Calls, type LoadResult, type Name, Server} from './server.js';
import {
  type CharacterArrays, type CharacterInfo, type ClipInfo, type Controller, CutisError, type Frame, type Measured, type OpenFile, type Options,
  type PoseKind, type Surface, type Wanted,
} from './types.js';

export * from './types.js';

export interface LoadOptions {
  /** Stands for the file in messages. */
  name?: string;
  /** BindOptions and a preset: {turn: 'skin', preset: {...}}. */
  bind?: Options;
  /** Makes the worker where a bundler needs to see it; false: no worker. */
  worker?: (() => Worker) | false;
  /** The bytes of cutis.wasm where they are at hand; else the file beside the module is loaded. */
  wasm?: Uint8Array<ArrayBuffer>;
}

interface Channel {
  ask<N extends Name>(call: N, ...args: Calls[N]['args']): Promise<Calls[N]['result']>;
  close(): void;
}

class WorkerChannel implements Channel {
  readonly #link: WorkerLink;
  constructor(worker: Worker) { this.#link = new WorkerLink(worker); }
  ask<N extends Name>(call: N, ...args: Calls[N]['args']): Promise<Calls[N]['result']> {
    return this.#link.ask(call, args) as Promise<Calls[N]['result']>;
  }
  close(): void { this.#link.close(); }
}

class DirectChannel implements Channel {
  readonly #server = new Server();
  async ask<N extends Name>(call: N, ...args: Calls[N]['args']): Promise<Calls[N]['result']> {
    try {
      return (await this.#server.call(call, args)) as Calls[N]['result'];
    } catch (error) {
      const {message, code} = sentenceOf(error);
      throw new CutisError(message, code);
    }
  }
  close(): void {}
}

/** The library, started: one worker. Cutis.load() starts one by itself and shares it. */
export class Library {
  readonly #channel: Channel;
  private constructor(channel: Channel, readonly version: string) {
    this.#channel = channel;
  }

  static async start(options: Pick<LoadOptions, 'worker' | 'wasm'> = {}): Promise<Library> {
    const wanted = options.worker ?? (typeof Worker === 'undefined' ? false : undefined);
    const channel = wanted === false ? new DirectChannel()
      : new WorkerChannel(wanted ? wanted() : new Worker(new URL('./worker.js', import.meta.url), {type: 'module'}));
    const {version} = await channel.ask('start', options.wasm);
    return new Library(channel, version);
  }

  /** The tables of options: names, kinds, units, ranges, defaults, help. */
  options(): Promise<Record<string, unknown[]>> { return this.#channel.ask('options'); }

  /** The controllers that presets name: their curves. */
  controllers(): Promise<Controller[]> { return this.#channel.ask('controllers'); }

  /** The bytes of a .glb, .gltf or .vrm, builtin:NAME, or arrays. */
  async load(source: ArrayBuffer | Uint8Array | string | CharacterArrays, options: Pick<LoadOptions, 'name' | 'bind'> = {}): Promise<Cutis> {
    const file = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
    const given = file instanceof Uint8Array ? {name: options.name ?? 'memory', bytes: file as Uint8Array<ArrayBuffer>} : file;
    return new Cutis(this.#channel, await this.#channel.ask('load', given, options.bind));
  }

  /** Ends the worker, with everything in it. */
  close(): void { this.#channel.close(); }
}

let shared: Promise<Library> | undefined;

/** A character, bound: its solvers, its clips. */
export class Cutis {
  readonly info: CharacterInfo;
  bindReport: Record<string, unknown>;
  /** Of reading and binding. */
  readonly loadMilliseconds: number;
  readonly #channel: Channel;
  readonly #handle: number;

  /** Made by load(). */
  constructor(channel: Channel, made: LoadResult) {
    this.#channel = channel;
    this.#handle = made.handle;
    this.info = made.info;
    this.bindReport = made.bindReport;
    this.loadMilliseconds = made.milliseconds;
  }

  /** The bytes of a .glb, .gltf or .vrm, builtin:NAME, or arrays. */
  static async load(source: ArrayBuffer | Uint8Array | string | CharacterArrays, options: LoadOptions = {}): Promise<Cutis> {
    if (!shared) {
      shared = Library.start(options);
      shared.catch(() => (shared = undefined));
    }
    return (await shared).load(source, options);
  }

  /** SolveOptions: {method: 'tracking', contact_pass: true}. */
  async solver(options: Options = {method: 'tracking'}): Promise<Solver> {
    return new Solver(this.#channel, await this.#channel.ask('solver', this.#handle, options));
  }

  /** Binds it anew ({preset: {...}}): for solvers and fields that are made from now on. Those there are keep what they have. */
  async bind(options?: Options): Promise<Record<string, unknown>> {
    return (this.bindReport = await this.#channel.ask('bind', this.#handle, options));
  }
  /** What each vertex is of: numbers of kRoles. */
  roles(options?: Options): Promise<Uint8Array> { return this.#channel.ask('roles', this.#handle, options); }
  /** The implicit skin, at rest until it is posed. */
  async field(): Promise<Field> { return new Field(this.#channel, await this.#channel.ask('field', this.#handle)); }

  /** The pose of a clip ("": the first; random:SEED) at a time, in seconds. */
  sample(clip: string, time: number, kind: PoseKind = 'trs'): Promise<Float64Array> {
    return this.#channel.ask('sample', this.#handle, clip, time, kind);
  }
  /** A .bvh or .vrma, retargeted, as a clip; its name. */
  async addMotion(file: OpenFile, options?: Options): Promise<string> {
    const {clip, clips} = await this.#channel.ask('addMotion', this.#handle, file, options);
    this.info.clips = clips;
    return clip;
  }
  async addClip(name: string, poses: Float64Array[], times: number[]): Promise<ClipInfo[]> {
    this.info.clips = await this.#channel.ask('addClip', this.#handle, name, poses, Float64Array.from(times));
    return this.info.clips;
  }
  /** A file of the animation (.glb, .pc2, .mdd, .usda), as `cutis animate` writes it. */
  animate(file: string, clip: string, fps = 30, options: Options = {method: 'tracking'}): Promise<OpenFile> {
    return this.#channel.ask('animate', this.#handle, file, clip, fps, options);
  }
  async dispose(): Promise<void> { await this.#channel.ask('dispose', this.#handle); }
}

/** The state of one character over time: each frame goes on from the one before. */
export class Solver {
  readonly #channel: Channel;
  readonly #handle: number;

  constructor(channel: Channel, handle: number) {
    this.#channel = channel;
    this.#handle = handle;
  }

  /** From the last frame on. `pose`: ten numbers a joint (trs), or 16 (local, world; row by row). */
  solve(pose: Float64Array, kind: PoseKind = 'trs', wanted: Wanted = {}): Promise<Frame> {
    return this.#channel.ask('solve', this.#handle, pose, kind, wanted);
  }
  /** From rest along a fixed path: the result depends on the pose alone. */
  seek(pose: Float64Array, kind: PoseKind = 'trs', wanted: Wanted = {}): Promise<Frame> {
    return this.#channel.ask('seek', this.#handle, pose, kind, wanted);
  }
  /** Of the last frame. `each`: what is wanted a vertex besides: "stretch", "roughness", ... */
  measure(each?: string): Promise<Measured> { return this.#channel.ask('measure', this.#handle, each); }
  /** The clip that will be asked for: with contact, bones give way before they must. Until reset(). */
  async foresee(clip: string): Promise<void> { await this.#channel.ask('foresee', this.#handle, clip); }
  async reset(): Promise<void> { await this.#channel.ask('reset', this.#handle); }
  /** About the last frame: counts, residuals, contact, milliseconds a stage. */
  report(): Promise<Record<string, unknown>> { return this.#channel.ask('report', this.#handle); }
  async dispose(): Promise<void> { await this.#channel.ask('dispose', this.#handle); }
}

/** The implicit skin of a character in a pose. */
export class Field {
  readonly #channel: Channel;
  readonly #handle: number;

  constructor(channel: Channel, handle: number) {
    this.#channel = channel;
    this.#handle = handle;
  }

  /** Ten numbers a joint. */
  async pose(pose: Float64Array, time = 0): Promise<void> { await this.#channel.ask('fieldPose', this.#handle, pose, time); }
  /** Holds all of it: the least x, y, z, then the largest. */
  bounds(): Promise<Float64Array> { return this.#channel.ask('fieldBounds', this.#handle); }
  /** At points, three numbers each: 0 outside all supports, 0.5 on the skin, towards 1 inside. */
  evaluate(points: Float32Array): Promise<Float32Array> { return this.#channel.ask('fieldEvaluate', this.#handle, points); }
  /** Where it is `level`, from cubes of side `cell` (metres). */
  surface(cell: number, level = 0.5): Promise<Surface> { return this.#channel.ask('fieldSurface', this.#handle, cell, level); }
  async dispose(): Promise<void> { await this.#channel.ask('dispose', this.#handle); }
}

/**
 * The last pose wins: while a frame is made, of all that is asked for only the last is kept. `show` gets each frame that
 * was made; a failure goes to `failed`.
 */
export class Latest<T> {
  #wanted: T | undefined;
  #busy = false;
  constructor(private readonly make: (wanted: T) => Promise<void>, private readonly failed: (error: unknown) => void) {}
  get busy(): boolean { return this.#busy; }
  ask(wanted: T): void {
    this.#wanted = wanted;
    if (!this.#busy) void this.#work();
  }
  async #work(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#wanted !== undefined) {
        const now = this.#wanted;
        this.#wanted = undefined;
        await this.make(now);
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.#busy = false;
    }
  }
}
