/** Brushes on the skin. No DOM, no picture. */
import type {CharacterInfo} from 'cutis';

import {emptyPainting, kNotPainted, type Painting} from './preset.js';

export type Brush = 'stiff' | 'slide' | 'free' | 'contact';
/** Where a brush reaches, a vertex: how much of it, 0 to 1. */
export type Reached = Map<number, number>;

/** Within this share of its radius a brush acts fully; from there on less and less. */
const kCore = 0.5;

/** Which vertices lie beside each other; vertices at one place (at the seams of textures) are one. */
export class SkinGraph {
  /** The place of a vertex, and the vertices of a place. */
  readonly #placeOf: Uint32Array;
  readonly #at: number[][] = [];
  readonly #beside: Set<number>[] = [];

  constructor(info: CharacterInfo) {
    const {positions, triangles} = info, n = positions.length / 3;
    this.#placeOf = new Uint32Array(n);
    const known = new Map<string, number>();
    for (let v = 0; v < n; ++v) {
      const key = `${positions[3 * v]},${positions[3 * v + 1]},${positions[3 * v + 2]}`;
      let place = known.get(key);
      if (place === undefined) {
        place = this.#at.length;
        known.set(key, place);
        this.#at.push([]);
        this.#beside.push(new Set());
      }
      this.#placeOf[v] = place;
      this.#at[place]!.push(v);
    }
    for (let i = 0; i < triangles.length; i += 3)
      for (let k = 0; k < 3; ++k) {
        const a = this.#placeOf[triangles[i + k]!]!, b = this.#placeOf[triangles[i + ((k + 1) % 3)]!]!;
        this.#beside[a]!.add(b);
        this.#beside[b]!.add(a);
      }
  }

  /**
   * The vertices that a brush around a point of the skin, near a vertex, reaches along the skin: not those of other skin
   * that lies beside it. `positions`: as the skin is now.
   */
  reach(positions: Float32Array, vertex: number, point: ArrayLike<number>, radius: number): Reached {
    const start = this.#placeOf[vertex];
    const reached: Reached = new Map();
    if (start === undefined || !(radius > 0)) return reached;
    const away = (place: number): number => {
      const v = 3 * this.#at[place]![0]!;
      return Math.hypot(positions[v]! - point[0]!, positions[v + 1]! - point[1]!, positions[v + 2]! - point[2]!);
    };
    const queue = [start], seen = new Set(queue);
    for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
      const far = away(place);
      if (far > radius && place !== start) continue;
      const t = Math.min(Math.max((far / radius - kCore) / (1 - kCore), 0), 1), share = 1 - t * t * (3 - 2 * t);
      for (const v of this.#at[place]!) reached.set(v, share);
      for (const next of this.#beside[place]!)
        if (!seen.has(next)) {
          seen.add(next);
          queue.push(next);
        }
    }
    return reached;
  }
}

/** A stroke: what it went over, each vertex as far as it was reached most. Over what was there before it began. */
export class Stroke {
  readonly #before: Painting;
  readonly #most: Reached = new Map();

  /** `strength`: of 'stiff', 0 to 1. */
  constructor(before: Painting | undefined, vertices: number, readonly brush: Brush, readonly strength: number) {
    this.#before = before ?? emptyPainting(vertices);
  }

  over(reached: Reached): void {
    for (const [v, share] of reached) this.#most.set(v, Math.max(share, this.#most.get(v) ?? 0));
  }

  /** With the stroke so far. */
  painting(): Painting {
    const stiffness = this.#before.stiffness.slice(), free = this.#before.free.slice();
    for (const [v, share] of this.#most) {
      const old = stiffness[v] === kNotPainted ? 0 : stiffness[v]!;
      if (this.brush === 'stiff' || this.brush === 'slide') {
        const to = this.brush === 'stiff' ? 100 * this.strength : 0;
        // In steps of 5%: each is a region of the preset.
        stiffness[v] = Math.round((old + (to - old) * share) / 5) * 5;
      } else if (share >= 0.5) {
        free[v] = this.brush === 'free' ? 1 : 0;
        stiffness[v] = old;
      }
    }
    return {stiffness, free};
  }
}

/** All vertices that a joint moves most. */
export function partOf(info: CharacterInfo, joint: number): Reached {
  const reached: Reached = new Map();
  for (let v = 0; v < info.positions.length / 3; ++v)
    if (info.influences > 0 && info.skinJoints[v * info.influences] === joint) reached.set(v, 1);
  return reached;
}
