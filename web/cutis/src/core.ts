/**
 * The C interface (cutis/cutis_c.h) in the thread that calls. Every call blocks until it is done: in pages use index.ts,
 * which does the same in a worker.
 */
import {characterFromArrays} from './arrays.js';
import createCutis, {type WasmModule} from './cutis.mjs';
import {fetchWasm, Heap} from './heap.js';
import {
  type CharacterArrays, type CharacterInfo, type Controller, CutisError, type Frame, type Measured, type OpenFile, type Options,
  type PoseKind, type Surface, type Wanted,
} from './types.js';

export * from './types.js';

/** Poses a second that are foreseen. */
const kForeseen = 30;
const kPoseKind: Record<PoseKind, number> = {trs: 0, local: 1, world: 2};
/** Bytes of the structures where an address has four (cutis_c.h). */
const kSize = {counts: 28, pose: 24, frame: 72, shape: 28};

let loading: Promise<Core> | undefined;

/** The library, loaded once. `wasm`: its bytes where they are at hand; else the file beside this one. */
export function loadCore(wasm?: Uint8Array<ArrayBuffer>): Promise<Core> {
  loading ??= (async () => {
    const bytes = wasm ?? (await fetchWasm(new URL('./cutis.wasm', import.meta.url)));
    try {
      return new Core(await createCutis({wasmBinary: bytes}));
    } catch (error) {
      throw new CutisError(`WebAssembly with SIMD is needed, and could not be started (${String(error)})`, 'internal');
    }
  })();
  loading.catch(() => (loading = undefined));
  return loading;
}

export class Core extends Heap {
  readonly context: number;

  /** `options`: {backend: 'simd'}; results do not depend on it. */
  constructor(module: WasmModule, options?: Options) {
    super(module);
    this.context = this.withOptions(options, (text) => this.made((to) => this.module._cutis_context_create!(text, to)));
  }

  get version(): string { return this.module.UTF8ToString(this.module._cutis_version!()); }

  /** The tables of options: names, kinds, units, ranges, defaults, help. */
  optionTables(): Record<string, unknown[]> {
    return JSON.parse(this.textFrom((to) => this.module._cutis_option_tables!(to))) as Record<string, unknown[]>;
  }

  /** The controllers that presets name. */
  controllers(): Controller[] {
    return JSON.parse(this.textFrom((to) => this.module._cutis_controllers!(to))) as Controller[];
  }
}

/** A character and the rig that was made of it. */
export class CoreCharacter {
  readonly info: CharacterInfo;
  /** What binding had to say. */
  bindReport: Record<string, unknown> = {};
  readonly #core: Core;
  readonly #character: number;
  #rig = 0;
  #metrics = 0;

  private constructor(core: Core, character: number, options: Options | undefined) {
    this.#core = core;
    this.#character = character;
    try {
      this.info = this.#describe();
      this.bind(options);
    } catch (error) {
      core.module._cutis_character_destroy!(character);
      throw error;
    }
  }

  /**
   * Binds it anew, with other options or another preset: for solvers and fields that are made from now on. Operators,
   * controllers and regions take milliseconds, all else as long as loading it.
   */
  bind(options?: Options): Record<string, unknown> {
    const core = this.#core, m = core.module;
    const [rig, report] = core.withOptions(options, (text) => core.with(8, (to) => {
      core.check(this.#rig === 0 ? m._cutis_rig_bind!(core.context, this.#character, text, to, to + 4)
                                 : m._cutis_rig_bind_again!(core.context, this.#rig, text, to, to + 4));
      const view = core.view();
      return [view.getUint32(to, true),
              JSON.parse(m.UTF8ToString(view.getUint32(to + 4, true))) as Record<string, unknown>];
    }));
    if (this.#rig !== 0) m._cutis_rig_destroy!(this.#rig);
    this.#rig = rig;
    return (this.bindReport = report);
  }

  /** What each vertex is of: numbers of kRoles. */
  roles(options?: Options): Uint8Array<ArrayBuffer> {
    const core = this.#core, n = this.info.positions.length / 3;
    return core.withOptions(options, (text) => core.with(n, (at) => {
      core.check(core.module._cutis_character_roles!(core.context, this.#character, text, n, at));
      return core.module.HEAPU8.slice(at, at + n) as Uint8Array<ArrayBuffer>;
    }));
  }

  /** The bytes of a .glb, .gltf or .vrm, or builtin:NAME. */
  static load(core: Core, source: OpenFile | string, options?: Options): CoreCharacter {
    const m = core.module;
    if (typeof source === 'string') {
      const name = source.replace(/^builtin:/, '');
      return new CoreCharacter(core, core.withText(name, (text) =>
        core.made((to) => m._cutis_character_builtin!(core.context, text, to))), options);
    }
    return new CoreCharacter(core, core.withBytes(source.bytes, (bytes) => core.withText(source.name, (name) =>
      core.made((to) => m._cutis_character_from_memory!(core.context, bytes, source.bytes.byteLength, name, 0, to)))),
      options);
  }

  static fromArrays(core: Core, from: CharacterArrays, options?: Options): CoreCharacter {
    return new CoreCharacter(core, characterFromArrays(core, core.context, from), options);
  }

  get handle(): number { return this.#character; }
  get rig(): number { return this.#rig; }

  #describe(): CharacterInfo {
    const core = this.#core, m = core.module, c = this.#character;
    const about = JSON.parse(core.textFrom((to) => m._cutis_character_describe!(c, to))) as
      Pick<CharacterInfo, 'name' | 'meshes' | 'joints' | 'clips'>;
    const counts = core.with(kSize.counts, (at) => {
      core.view().setUint32(at, kSize.counts, true);
      core.check(m._cutis_character_counts!(c, at));
      return core.words(at + 4, 6);
    });
    const [vertices = 0, triangles = 0, , joints = 0, , influences = 0] = counts;
    const [positions, normals] = core.with(vertices * 24, (at) => {
      core.check(m._cutis_character_vertices!(c, vertices, at, 0, at + vertices * 12, 0));
      return [core.floats(at, vertices * 3), core.floats(at + vertices * 12, vertices * 3)];
    });
    const corners = core.with(triangles * 12, (at) => {
      core.check(m._cutis_character_triangles!(c, triangles, at));
      return core.words(at, triangles * 3);
    });
    const n = vertices * influences;
    const [skinJoints, skinWeights] = influences === 0 ? [new Uint32Array(0), new Float32Array(0)] : core.with(n * 8, (at) => {
      core.check(m._cutis_character_weights!(c, vertices, influences, at, at + n * 4));
      return [core.words(at, n), core.floats(at + n * 4, n)];
    });
    const [restFrames, defaultPose] = core.with(joints * 26 * 8, (at) => {
      core.check(m._cutis_character_joints!(c, joints, at, at + joints * 128, 0, 0));
      return [core.doubles(at, joints * 16), core.doubles(at + joints * 128, joints * 10)];
    });
    return {...about, positions, normals, triangles: corners, influences, skinJoints, skinWeights, restFrames, defaultPose};
  }

  /** The pose of a clip ("" for the first; random:SEED too) at a time. */
  sample(clip: string, time: number, kind: PoseKind = 'trs'): Float64Array<ArrayBuffer> {
    const core = this.#core, joints = this.info.joints.length, numbers = joints * (kind === 'trs' ? 10 : 16);
    return core.withText(clip, (name) => core.with(numbers * 8, (at) => {
      core.check(core.module._cutis_character_sample!(this.#character, name, time, kPoseKind[kind], joints, at));
      return core.doubles(at, numbers);
    }));
  }

  /** A .bvh or .vrma, retargeted, as a clip; its name. */
  addMotion(file: OpenFile, options?: Options): string {
    const core = this.#core, m = core.module;
    const path = `/tmp/${file.name.replace(/[^\w.-]/g, '_')}`;
    m.FS.writeFile(path, file.bytes);
    try {
      const report = core.withText(path, (name) => core.withOptions(options, (text) => core.textFrom((to) =>
        m._cutis_character_load_motion!(core.context, this.#character, name, 0, text, to))));
      const {clip} = JSON.parse(report) as {clip: string};
      this.#newClips();
      return clip;
    } finally {
      m.FS.unlink(path);
    }
  }

  /** Poses (TRS) at rising times as a clip of that name. */
  addClip(name: string, poses: Float64Array[], times: Float64Array): void {
    const core = this.#core;
    core.withText(name, (text) => core.withBytes(times, (at) => this.withPoses(poses, times, (list) =>
      core.check(core.module._cutis_character_add_clip!(this.#character, text, list, at, poses.length)))));
    this.#newClips();
  }

  /** Poses (TRS) as the interface takes them. */
  withPoses<T>(poses: Float64Array[], times: Float64Array, use: (list: number) => T): T {
    const core = this.#core, joints = this.info.joints.length, each = joints * 80;
    for (const pose of poses)
      if (pose.length !== joints * 10)
        throw new CutisError(`pose: has ${pose.length} numbers, and ${joints} joints need ${joints * 10}`, 'bad argument');
    return core.with(poses.length * each, (values) => core.with(poses.length * kSize.pose, (list) => {
      const view = core.view();
      poses.forEach((pose, i) => {
        core.module.HEAPU8.set(new Uint8Array(pose.buffer, pose.byteOffset, pose.byteLength), values + i * each);
        const to = list + i * kSize.pose;
        view.setUint32(to, kSize.pose, true);
        view.setUint32(to + 4, 0, true);
        view.setUint32(to + 8, joints, true);
        view.setUint32(to + 12, values + i * each, true);
        view.setFloat64(to + 16, times[i] ?? 0, true);
      });
      return use(list);
    }));
  }

  /** When a clip's frames are: every 1/fps from its first key on. */
  times(clip: string, fps: number): Float64Array<ArrayBuffer> {
    const core = this.#core, m = core.module;
    return core.withText(clip, (name) => core.with(4, (count) => {
      core.check(m._cutis_character_times!(this.#character, name, 0, fps, 0, 0, count));
      const n = core.view().getUint32(count, true);
      return core.with(n * 8, (at) => {
        core.check(m._cutis_character_times!(this.#character, name, 0, fps, at, n, count));
        return core.doubles(at, n);
      });
    }));
  }

  #newClips(): void {
    const text = this.#core.textFrom((to) => this.#core.module._cutis_character_describe!(this.#character, to));
    this.info.clips = (JSON.parse(text) as CharacterInfo).clips;
  }

  /** Plays a clip as `cutis animate` does, and gives the file (.glb, .pc2, .mdd, .usda) that it writes. */
  animate(fileName: string, clip: string, fps: number, options: Options): OpenFile {
    const core = this.#core, m = core.module;
    const vertices = this.info.positions.length / 3;
    const times = this.times(clip, fps);
    const path = `/tmp/out${/\.[a-z0-9]+$/.exec(fileName)?.[0] ?? ''}`;
    const solver = new CoreSolver(core, this, options);
    try {
      const writer = core.withText(path, (file) => core.withText(clip, (name) => core.withBytes(times, (at) =>
        core.made((to) => m._cutis_writer_create!(core.context, this.#character, file, name, at, times.length, to)))));
      try {
        core.withText(clip, (name) => core.withBytes(times, (at) =>
          core.check(m._cutis_solver_begin!(solver.handle, name, at, times.length))));
        for (let i = 0; i < times.length; ++i)
          solver.run((frame) => m._cutis_solver_next!(solver.handle, frame), {}, (positions, normals) =>
            core.check(m._cutis_writer_add!(writer, vertices, positions, 0, normals, 0)));
        core.check(m._cutis_writer_finish!(writer));
      } finally {
        m._cutis_writer_destroy!(writer);
      }
    } finally {
      solver.dispose();
    }
    const bytes = m.FS.readFile(path).slice();
    m.FS.unlink(path);
    return {name: fileName, bytes};
  }

  /** Counts of a shape: intersecting_pairs, folds, roughness, ... `positions` is an address. */
  measure(positions: number, each?: string): Measured {
    const start = performance.now();
    const core = this.#core, m = core.module, vertices = this.info.positions.length / 3;
    if (this.#metrics === 0)
      this.#metrics = core.withOptions({per_vertex: true}, (text) =>
        core.made((to) => m._cutis_metrics_create!(core.context, this.#character, text, to)));
    const numbers = core.with(kSize.shape, (shape) => {
      const view = core.view();
      [kSize.shape, vertices, positions, 0, 0, 0, 0].forEach((n, i) => view.setUint32(shape + 4 * i, n, true));
      return JSON.parse(core.textFrom((to) => m._cutis_metrics_measure!(this.#metrics, shape, to))) as
        Record<string, number | null>;
    });
    const result: Measured = {numbers, milliseconds: 0};
    if (each !== undefined)
      result.each = core.withText(each, (name) => core.with(vertices * 4, (at) => {
        core.check(m._cutis_metrics_vertices!(this.#metrics, name, vertices, at));
        return core.floats(at, vertices);
      }));
    result.milliseconds = performance.now() - start;
    return result;
  }

  dispose(): void {
    const m = this.#core.module;
    if (this.#metrics !== 0) m._cutis_metrics_destroy!(this.#metrics);
    m._cutis_rig_destroy!(this.#rig);
    m._cutis_character_destroy!(this.#character);
  }
}

/** The state of one character over time. */
export class CoreSolver {
  readonly handle: number;
  readonly #core: Core;
  readonly #character: CoreCharacter;
  readonly #vertices: number;
  /** Positions, normals, touch, depth, residuals: 9 floats a vertex, then a byte for its state. */
  readonly #buffers: number;
  readonly #frame: number;
  #hasFrame = false;

  /** Options: SolveOptions, e.g. {method: 'tracking', contact_pass: false}. */
  constructor(core: Core, character: CoreCharacter, options?: Options) {
    this.#core = core;
    this.#character = character;
    this.#vertices = character.info.positions.length / 3;
    this.handle = core.withOptions(options, (text) =>
      core.made((to) => core.module._cutis_solver_create!(core.context, character.rig, text, to)));
    this.#buffers = core.module._malloc(this.#vertices * 37 + 8);
    this.#frame = core.module._malloc(kSize.frame);
    if (this.#buffers === 0 || this.#frame === 0) throw new CutisError('there is no memory for a solver', 'no memory');
  }

  /** From the last frame on. */
  solve(pose: Float64Array, kind: PoseKind = 'trs', wanted: Wanted = {}): Frame {
    return this.#withPose(pose, kind, wanted.time ?? 0, (at) =>
      this.run((frame) => this.#core.module._cutis_solver_solve!(this.handle, at, frame), wanted));
  }
  /** From rest along a fixed path: the result depends on the pose alone. */
  seek(pose: Float64Array, kind: PoseKind = 'trs', wanted: Wanted = {}): Frame {
    return this.#withPose(pose, kind, wanted.time ?? 0, (at) =>
      this.run((frame) => this.#core.module._cutis_solver_seek!(this.handle, at, frame), wanted));
  }
  /** Of the last frame. `each`: what is wanted a vertex besides. */
  measure(each?: string): Measured {
    if (!this.#hasFrame) throw new CutisError('measure: there is no frame yet', 'bad argument');
    return this.#character.measure(this.#buffers, each);
  }
  /** The clip that will be asked for: with contact, bones give way before they must. */
  foresee(clip: string): void {
    const core = this.#core, times = this.#character.times(clip, kForeseen);
    const poses = Array.from(times, (time) => this.#character.sample(clip, time));
    this.#character.withPoses(poses, times, (list) =>
      core.check(core.module._cutis_solver_foresee!(this.handle, list, poses.length)));
  }
  reset(): void { this.#core.check(this.#core.module._cutis_solver_reset!(this.handle)); }
  report(): Record<string, unknown> {
    return JSON.parse(this.#core.textFrom((to) => this.#core.module._cutis_solver_report!(this.handle, to))) as
      Record<string, unknown>;
  }

  #withPose<T>(pose: Float64Array, kind: PoseKind, time: number, use: (pointer: number) => T): T {
    const core = this.#core, each = kind === 'trs' ? 10 : 16, joints = this.#character.info.joints.length;
    if (pose.length !== joints * each)
      throw new CutisError(`pose: has ${pose.length} numbers, and ${joints} joints need ${joints * each}`, 'bad argument');
    return core.withBytes(pose, (values) => core.with(kSize.pose, (at) => {
      const view = core.view();
      view.setUint32(at, kSize.pose, true);
      view.setUint32(at + 4, kPoseKind[kind], true);
      view.setUint32(at + 8, joints, true);
      view.setUint32(at + 12, values, true);
      view.setFloat64(at + 16, time, true);
      return use(at);
    }));
  }

  /** One frame by a call that takes cutis_frame; `look`: at the buffers while they are there. */
  run(call: (frame: number) => number, wanted: Wanted,
      look?: (positions: number, normals: number) => void): Frame {
    const core = this.#core, n = this.#vertices, at = this.#frame, b = this.#buffers;
    const [positions, normals, touch, depth, residuals, states] =
      [b, b + n * 12, b + n * 24, b + n * 28, b + n * 32, b + n * 36] as const;
    const view = core.view();
    [kSize.frame, n, positions, 0, normals, 0, wanted.touch ? touch : 0, wanted.depth ? depth : 0,
     wanted.residuals ? residuals : 0, wanted.states ? states : 0].forEach((v, i) => view.setUint32(at + 4 * i, v, true));
    core.check(call(at));
    this.#hasFrame = true;
    const out = core.view();  // the heap may have grown
    const frame: Frame = {
      positions: look ? new Float32Array(0) : core.floats(positions, n * 3),
      normals: look ? new Float32Array(0) : core.floats(normals, n * 3),
      time: out.getFloat64(at + 40, true), milliseconds: out.getFloat64(at + 48, true),
      nonfinite: out.getUint32(at + 56, true), certified: out.getInt32(at + 60, true) !== 0,
      outOfTime: out.getInt32(at + 64, true) !== 0,
    };
    if (wanted.touch) frame.touch = core.floats(touch, n);
    if (wanted.depth) frame.depth = core.floats(depth, n);
    if (wanted.residuals) frame.residuals = core.floats(residuals, n);
    if (wanted.states) frame.states = core.module.HEAPU8.slice(states, states + n);
    look?.(positions, normals);
    return frame;
  }

  dispose(): void {
    const m = this.#core.module;
    m._cutis_solver_destroy!(this.handle);
    m._free(this.#buffers);
    m._free(this.#frame);
  }
}

/** The implicit skin of a character in a pose. */
export class CoreField {
  readonly #core: Core;
  readonly #character: CoreCharacter;
  readonly #handle: number;

  /** Of the rig that the character has now; at rest. */
  constructor(core: Core, character: CoreCharacter) {
    this.#core = core;
    this.#character = character;
    this.#handle = core.made((to) => core.module._cutis_field_create!(core.context, character.rig, to));
  }

  pose(pose: Float64Array, time = 0): void {
    this.#character.withPoses([pose], Float64Array.of(time), (at) =>
      this.#core.check(this.#core.module._cutis_field_set_pose!(this.#handle, at)));
  }
  /** Holds all of it: the least x, y, z, then the largest. */
  bounds(): Float64Array<ArrayBuffer> {
    const core = this.#core;
    return core.with(48, (at) => {
      core.check(core.module._cutis_field_bounds!(this.#handle, at));
      return core.doubles(at, 6);
    });
  }
  /** At points: 0 outside all supports, 0.5 on the skin, towards 1 inside. */
  evaluate(points: Float32Array): Float32Array<ArrayBuffer> {
    const core = this.#core, n = Math.floor(points.length / 3);
    return core.withBytes(points, (at) => core.with(n * 4, (values) => {
      core.check(core.module._cutis_field_evaluate!(this.#handle, n, at, 0, values, 0, 0, 0));
      return core.floats(values, n);
    }));
  }
  /** Where it is `level`, from cubes of side `cell` (metres). */
  surface(cell: number, level = 0.5): Surface {
    const core = this.#core, m = core.module;
    const [vertices, triangles] = core.with(8, (at) => {
      core.check(m._cutis_field_surface!(this.#handle, cell, level, at, at + 4));
      return [core.view().getUint32(at, true), core.view().getUint32(at + 4, true)];
    });
    return core.with(vertices * 28 + triangles * 12, (at) => {
      const normals = at + vertices * 12, joints = at + vertices * 24, corners = at + vertices * 28;
      core.check(m._cutis_field_surface_arrays!(this.#handle, vertices, at, normals, joints, triangles, corners));
      return {
        positions: core.floats(at, vertices * 3), normals: core.floats(normals, vertices * 3),
        joints: Int32Array.from(core.words(joints, vertices)), triangles: core.words(corners, triangles * 3),
      };
    });
  }
  dispose(): void { this.#core.module._cutis_field_destroy!(this.#handle); }
}
