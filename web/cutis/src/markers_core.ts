/**
 * Posing by pulling at joints, in the thread that calls: the body's volume follows as rigidly as it can, pins hold, joints
 * keep their limits (docs/algorithms/markers.md). A module of WebAssembly of its own, with a character of its own: pages
 * that do not pull do not load it.
 */
import {characterFromArrays} from './arrays.js';
import {fetchWasm, Heap} from './heap.js';
import createMarkers from './markers.mjs';
import type {CharacterArrays, Options} from './types.js';

const kPose = 24;  // bytes of cutis_pose where an address has four

/** What a body is that can be pulled at. */
export interface PullAbout {
  /** Joints that can be pulled and pinned. */
  handles: number[];
  controlMesh: {vertices: number; tetrahedra: number; boundary_triangles: number; uncovered_vertices: number; boundary_intersections: number; milliseconds: number};
}
/** How a body stands after a pull. */
export interface Pulled {
  /** Ten numbers a joint. */
  pose: Float64Array<ArrayBuffer>;
  milliseconds: number;
  /** Handles that are not where they should be, metres off; `joint`: whose limit keeps them away, or "". */
  unreached: {handle: number; distance: number; joint: string; limit: string}[];
}
/** The surface of the control mesh. */
export interface ControlMesh {
  positions: Float32Array<ArrayBuffer>;
  /** Three corners a triangle. */
  triangles: Uint32Array<ArrayBuffer>;
}

let loading: Promise<Heap> | undefined;
function loadMarkers(wasm?: Uint8Array<ArrayBuffer>): Promise<Heap> {
  loading ??= (async () => new Heap(await createMarkers({wasmBinary: wasm ?? (await fetchWasm(new URL('./markers.wasm', import.meta.url)))})))();
  loading.catch(() => (loading = undefined));
  return loading;
}

export class CorePuller {
  readonly about: PullAbout;
  readonly #heap: Heap;
  readonly #joints: number;
  readonly #context: number;
  readonly #editor: number;

  private constructor(heap: Heap, from: CharacterArrays, options: Options | undefined) {
    const m = heap.module;
    this.#heap = heap;
    this.#joints = from.joints.length;
    this.#context = heap.made((to) => m._cutis_context_create!(0, to));
    try {
      const character = characterFromArrays(heap, this.#context, from);
      try {
        const [editor, report] = heap.withOptions(options, (text) => heap.with(8, (to) => {
          heap.check(m._cutis_editor_create!(this.#context, character, text, to, to + 4));
          const view = heap.view();
          return [view.getUint32(to, true), JSON.parse(m.UTF8ToString(view.getUint32(to + 4, true))) as {handles: number[]; control_mesh: PullAbout['controlMesh']}];
        }));
        this.#editor = editor;
        this.about = {handles: report.handles, controlMesh: report.control_mesh};
      } finally {
        m._cutis_character_destroy!(character);
      }
    } catch (error) {
      m._cutis_context_destroy!(this.#context);
      throw error;
    }
  }

  /** `options`: MarkerOptions: {resolution: 1000, limits: false}. */
  static async create(from: CharacterArrays, options?: Options, wasm?: Uint8Array<ArrayBuffer>): Promise<CorePuller> {
    return new CorePuller(await loadMarkers(wasm), from, options);
  }

  /** Stands in that pose (ten numbers a joint), with those joints pinned; what was pulled before is forgotten. */
  stand(pose: Float64Array, pins: number[]): Pulled {
    const heap = this.#heap, m = heap.module;
    heap.withBytes(pose, (values) => heap.with(kPose, (at) => {
      const view = heap.view();
      view.setUint32(at, kPose, true);
      view.setUint32(at + 4, 0, true);
      view.setUint32(at + 8, pose.length / 10, true);
      view.setUint32(at + 12, values, true);
      view.setFloat64(at + 16, 0, true);
      heap.check(m._cutis_editor_stand!(this.#editor, at));
    }));
    for (const joint of pins) heap.check(m._cutis_editor_pin!(this.#editor, joint, 1));
    return this.pulled();
  }

  /** `to`: metres; undefined: lets go. */
  pull(joint: number, to?: [number, number, number]): Pulled {
    const heap = this.#heap;
    heap.withBytes(to && Float64Array.from(to), (at) => heap.check(heap.module._cutis_editor_pull!(this.#editor, joint, at)));
    return this.pulled();
  }

  pulled(): Pulled {
    const heap = this.#heap, bytes = this.#joints * 80;
    return heap.with(bytes + 8, (at) => {
      heap.check(heap.module._cutis_editor_pose!(this.#editor, this.#joints, at, at + bytes));
      const report = JSON.parse(heap.module.UTF8ToString(heap.view().getUint32(at + bytes, true))) as Omit<Pulled, 'pose'>;
      return {pose: heap.doubles(at, this.#joints * 10), milliseconds: report.milliseconds, unreached: report.unreached};
    });
  }

  controlMesh(): ControlMesh {
    const heap = this.#heap, m = heap.module;
    return heap.with(8, (sizes) => {
      heap.check(m._cutis_editor_control_mesh!(this.#editor, sizes, 0, sizes + 4, 0));
      const vertices = heap.view().getUint32(sizes, true), triangles = heap.view().getUint32(sizes + 4, true);
      return heap.with(12 * (vertices + triangles), (at) => {
        heap.check(m._cutis_editor_control_mesh!(this.#editor, sizes, at, sizes + 4, at + 12 * vertices));
        return {positions: heap.floats(at, 3 * vertices), triangles: heap.words(at + 12 * vertices, 3 * triangles)};
      });
    });
  }

  dispose(): void {
    this.#heap.module._cutis_editor_destroy!(this.#editor);
    this.#heap.module._cutis_context_destroy!(this.#context);
  }
}
