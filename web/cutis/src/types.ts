/** Options as docs/options.md lists them; those that are not named keep their defaults. */
export type Options = Record<string, unknown>;

export type Method = 'lbs' | 'dqs' | 'implicit' | 'tracking';

export interface MeshInfo {
  name: string;
  first_vertex: number;
  vertices: number;
  first_triangle: number;
  triangles: number;
}
export interface JointInfo {
  name: string;
  /** Before its children; -1: none. */
  parent: number;
  is_bone: boolean;
}
export interface ClipInfo {
  name: string;
  /** Seconds. */
  start: number;
  end: number;
}

/** What is in a character, at rest. Metres, +Y up, +Z forward. Vertices of all meshes, in the file's order. */
export interface CharacterInfo {
  name: string;
  meshes: MeshInfo[];
  joints: JointInfo[];
  clips: ClipInfo[];
  positions: Float32Array;
  normals: Float32Array;
  /** Three corners a triangle. */
  triangles: Uint32Array;
  /** Influences a vertex; 0: no weights. */
  influences: number;
  skinJoints: Uint32Array;
  skinWeights: Float32Array;
  /** A matrix a joint, 16 numbers row by row: its frame in the scene. */
  restFrames: Float64Array;
  /** Ten numbers a joint, to its parent: translation, quaternion (x y z w), scale. */
  defaultPose: Float64Array;
}

/** A character from arrays, as three.js has them. */
export interface CharacterArrays {
  name?: string;
  meshes: {
    name?: string;
    positions: Float32Array;
    normals?: Float32Array;
    triangles: Uint32Array;
    influences: number;
    joints: Uint32Array;
    weights: Float32Array;
  }[];
  joints: {name: string; parent: number}[];
  /** A matrix a joint, 16 numbers row by row: its frame in the scene at rest. */
  restFrames: Float64Array;
  /** Ten numbers a joint, as poses; else the rest pose. */
  defaultPose?: Float64Array;
  /** A joint: 0, it carries transforms only; else all move skin. */
  isBone?: Uint8Array;
}

export type PoseKind = 'trs' | 'local' | 'world';

/** What a frame should bring besides positions and normals. */
export interface Wanted {
  /** Of the pose, in seconds: where it is in the clip that was foreseen, and for what is key-framed besides the skeleton. */
  time?: number;
  touch?: boolean;
  depth?: boolean;
  residuals?: boolean;
  states?: boolean;
}

export interface Frame {
  positions: Float32Array;
  normals: Float32Array;
  touch?: Float32Array;
  depth?: Float32Array;
  residuals?: Float32Array;
  states?: Uint8Array;
  /** Seconds. */
  time: number;
  /** The solver's own. */
  milliseconds: number;
  nonfinite: number;
  /** With contact: no intersections but those at rest and between parts that were let go. */
  certified: boolean;
  outOfTime: boolean;
}

/** Of the last frame, as `cutis measure` has it; what has no meaning for the mesh is null. */
export interface Measured {
  /** intersecting_pairs, folds, roughness, stretch_p95, ... */
  numbers: Record<string, number | null>;
  /** What was asked for, a vertex: "stretch", "roughness" (degrees), "intersects", "overlaps", ... */
  each?: Float32Array;
  milliseconds: number;
}

/** The curves of one kind of joint, as presets have them: pairs of degrees and d, or degrees and degrees. */
export interface Controller {
  name: string;
  contact: [number, number][];
  bulge: [number, number][];
  opening: [number, number][];
}

/** What a vertex is of, in the order of the numbers that roles() gives. */
export const kRoles = ['body', 'garment', 'hair', 'inner', 'rigid'] as const;

/** Where the field has a level. */
export interface Surface {
  positions: Float32Array;
  /** Outward. */
  normals: Float32Array;
  /** Whose part is felt most, a vertex. */
  joints: Int32Array;
  triangles: Uint32Array;
}

/** A file that the library wrote or is to read. */
export interface OpenFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The library's own sentence: place, what is wrong, what to do. */
export class CutisError extends Error {
  override name = 'CutisError';
  constructor(message: string, readonly code: string) {
    super(message);
  }
}
