/** What a worker does with messages: calls on characters and solvers by number, one after the other. */
import {
  type CharacterArrays, type Controller, CoreCharacter, CoreField, CoreSolver, CutisError, type Frame, loadCore, type Measured, type OpenFile,
  type Options, type PoseKind, type Surface, type Wanted,
} from './core.js';
import {buffersIn} from './messages.js';

export interface Calls {
  start: {args: [wasm?: Uint8Array<ArrayBuffer>]; result: {version: string}};
  options: {args: []; result: Record<string, unknown[]>};
  load: {args: [source: OpenFile | string | CharacterArrays, options?: Options]; result: LoadResult};
  sample: {args: [character: number, clip: string, time: number, kind?: PoseKind]; result: Float64Array};
  addMotion: {args: [character: number, file: OpenFile, options?: Options]; result: {clip: string; clips: LoadResult['info']['clips']}};
  addClip: {args: [character: number, name: string, poses: Float64Array[], times: Float64Array]; result: LoadResult['info']['clips']};
  animate: {args: [character: number, file: string, clip: string, fps: number, options: Options]; result: OpenFile};
  solver: {args: [character: number, options?: Options]; result: number};
  solve: {args: [solver: number, pose: Float64Array, kind?: PoseKind, wanted?: Wanted]; result: Frame};
  seek: {args: [solver: number, pose: Float64Array, kind?: PoseKind, wanted?: Wanted]; result: Frame};
  measure: {args: [solver: number, each?: string]; result: Measured};
  foresee: {args: [solver: number, clip: string]; result: null};
  reset: {args: [solver: number]; result: null};
  report: {args: [solver: number]; result: Record<string, unknown>};
  controllers: {args: []; result: Controller[]};
  bind: {args: [character: number, options?: Options]; result: Record<string, unknown>};
  roles: {args: [character: number, options?: Options]; result: Uint8Array};
  field: {args: [character: number]; result: number};
  fieldPose: {args: [field: number, pose: Float64Array, time?: number]; result: null};
  fieldBounds: {args: [field: number]; result: Float64Array};
  fieldEvaluate: {args: [field: number, points: Float32Array]; result: Float32Array};
  fieldSurface: {args: [field: number, cell: number, level?: number]; result: Surface};
  dispose: {args: [handle: number]; result: null};
}
export interface LoadResult {
  handle: number;
  info: CoreCharacter['info'];
  bindReport: Record<string, unknown>;
  /** Of reading and binding. */
  milliseconds: number;
}
export type Name = keyof Calls;
export interface Request {
  id: number;
  call: Name;
  args: unknown[];
}

export class Server {
  #next = 1;
  readonly #characters = new Map<number, CoreCharacter>();
  readonly #solvers = new Map<number, CoreSolver>();
  readonly #fields = new Map<number, CoreField>();
  #wasm: Uint8Array<ArrayBuffer> | undefined;

  async call(name: Name, args: unknown[]): Promise<unknown> {
    const call = this.#calls[name] as (...a: unknown[]) => unknown;
    return await call(...args);
  }

  #character(handle: number): CoreCharacter {
    const found = this.#characters.get(handle);
    if (!found) throw new CutisError('the character was disposed of; load it again', 'bad handle');
    return found;
  }
  #solver(handle: number): CoreSolver {
    const found = this.#solvers.get(handle);
    if (!found) throw new CutisError('the solver was disposed of; make a new one', 'bad handle');
    return found;
  }
  #field(handle: number): CoreField {
    const found = this.#fields.get(handle);
    if (!found) throw new CutisError('the field was disposed of; make a new one', 'bad handle');
    return found;
  }

  readonly #calls: {[N in Name]: (...args: Calls[N]['args']) => Calls[N]['result'] | Promise<Calls[N]['result']>} = {
    start: async (wasm) => {
      this.#wasm = wasm;
      return {version: (await loadCore(wasm)).version};
    },
    options: async () => (await loadCore(this.#wasm)).optionTables(),
    load: async (source, options) => {
      const core = await loadCore(this.#wasm);
      const start = performance.now();
      const made = typeof source === 'string' || 'bytes' in source ? CoreCharacter.load(core, source, options)
                                                                   : CoreCharacter.fromArrays(core, source, options);
      const handle = this.#next++;
      this.#characters.set(handle, made);
      return {handle, info: made.info, bindReport: made.bindReport, milliseconds: performance.now() - start};
    },
    sample: (character, clip, time, kind) => this.#character(character).sample(clip, time, kind),
    addMotion: (character, file, options) => {
      const c = this.#character(character);
      return {clip: c.addMotion(file, options), clips: c.info.clips};
    },
    addClip: (character, name, poses, times) => {
      const c = this.#character(character);
      c.addClip(name, poses, times);
      return c.info.clips;
    },
    animate: (character, file, clip, fps, options) => this.#character(character).animate(file, clip, fps, options),
    solver: async (character, options) => {
      const handle = this.#next++;
      this.#solvers.set(handle, new CoreSolver(await loadCore(this.#wasm), this.#character(character), options));
      return handle;
    },
    solve: (solver, pose, kind, wanted) => this.#solver(solver).solve(pose, kind, wanted),
    seek: (solver, pose, kind, wanted) => this.#solver(solver).seek(pose, kind, wanted),
    measure: (solver, each) => this.#solver(solver).measure(each),
    foresee: (solver, clip) => (this.#solver(solver).foresee(clip), null),
    reset: (solver) => (this.#solver(solver).reset(), null),
    report: (solver) => this.#solver(solver).report(),
    controllers: async () => (await loadCore(this.#wasm)).controllers(),
    bind: (character, options) => this.#character(character).bind(options),
    roles: (character, options) => this.#character(character).roles(options),
    field: async (character) => {
      const handle = this.#next++;
      this.#fields.set(handle, new CoreField(await loadCore(this.#wasm), this.#character(character)));
      return handle;
    },
    fieldPose: (field, pose, time) => (this.#field(field).pose(pose, time), null),
    fieldBounds: (field) => this.#field(field).bounds(),
    fieldEvaluate: (field, points) => this.#field(field).evaluate(points),
    fieldSurface: (field, cell, level) => this.#field(field).surface(cell, level),
    dispose: (handle) => {
      const found = this.#characters.get(handle) ?? this.#solvers.get(handle) ?? this.#fields.get(handle);
      this.#characters.delete(handle);
      this.#solvers.delete(handle);
      this.#fields.delete(handle);
      found?.dispose();
      return null;
    },
  };
}

/** The buffers of a result: they are handed over, not copied. Those of a character stay, since its solvers read them. */
export function buffersOf(call: Name, result: unknown): ArrayBuffer[] {
  return call === 'load' ? [] : buffersIn(result);
}
