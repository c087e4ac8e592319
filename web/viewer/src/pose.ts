/** Poses as the solver takes them: ten numbers a joint, to its parent. Forward and inverse kinematics, mirroring. */
import type {JointInfo} from 'cutis';
import {Euler, Matrix4, Quaternion, Vector3} from 'three';

export type Pose = Float64Array;

const kNumbers = 10;
/** Passes of inverse kinematics: more change nothing that one sees. */
const kPasses = 12;
/** Where feet end, of the skeleton's height. */
const kAnkle = 0.12;

export class Skeleton {
  constructor(readonly joints: JointInfo[], readonly defaultPose: Pose) {}

  rotation(pose: Pose, joint: number): Quaternion {
    const at = kNumbers * joint + 3;
    return new Quaternion(pose[at], pose[at + 1], pose[at + 2], pose[at + 3]);
  }
  /** A copy with another rotation of the joint. */
  rotated(pose: Pose, joint: number, rotation: Quaternion): Pose {
    const next = pose.slice(), q = rotation.clone().normalize();
    next.set([q.x, q.y, q.z, q.w], kNumbers * joint + 3);
    return next;
  }

  /** The frames of all joints in the scene. */
  frames(pose: Pose): Matrix4[] {
    const frames: Matrix4[] = [];
    this.joints.forEach((joint, j) => {
      const n = pose.subarray(kNumbers * j, kNumbers * (j + 1));
      const local = new Matrix4().compose(new Vector3(n[0], n[1], n[2]), this.rotation(pose, j), new Vector3(n[7], n[8], n[9]));
      frames.push(joint.parent < 0 ? local : local.premultiply(frames[joint.parent]!));
    });
    return frames;
  }

  /** Whether its feet point to -Z, as those of VRM 0.x do: it is looked at from there. */
  get facesAway(): boolean {
    const places = this.frames(this.defaultPose).map((m) => new Vector3().setFromMatrixPosition(m));
    const heights = this.joints.flatMap((joint, j) => (joint.is_bone ? [places[j]!.y] : []));
    const low = Math.min(...heights), ankle = low + kAnkle * (Math.max(...heights) - low);
    let forward = 0, total = 0;
    this.joints.forEach(({parent, is_bone}, j) => {
      if (!is_bone || parent < 0 || !this.joints[parent]!.is_bone || Math.max(places[j]!.y, places[parent]!.y) > ankle) return;
      const foot = places[j]!.clone().sub(places[parent]!);
      const along = Math.hypot(foot.x, foot.z);
      if (along < Math.abs(foot.y)) return;  // fingers of a hand point down
      forward += foot.z;
      total += along;
    });
    return forward < -0.7 * total;
  }

  /** Degrees about x, y, z from the default pose. */
  angles(pose: Pose, joint: number): [number, number, number] {
    const turn = this.rotation(this.defaultPose, joint).invert().multiply(this.rotation(pose, joint));
    const e = new Euler().setFromQuaternion(turn, 'XYZ');
    return [e.x, e.y, e.z].map((a) => Math.round((a * 1800) / Math.PI) / 10) as [number, number, number];
  }
  withAngles(pose: Pose, joint: number, degrees: [number, number, number]): Pose {
    const [x, y, z] = degrees.map((d) => (d * Math.PI) / 180) as [number, number, number];
    const turn = new Quaternion().setFromEuler(new Euler(x, y, z, 'XYZ'));
    return this.rotated(pose, joint, this.rotation(this.defaultPose, joint).multiply(turn));
  }

  /** The joint and up to `most` above it, nearest first: what inverse kinematics may turn. */
  chain(joint: number, most: number): number[] {
    const chain: number[] = [];
    for (let up = this.joints[joint]?.parent ?? -1; up >= 0 && chain.length < most; up = this.joints[up]!.parent)
      if (this.joints[up]!.parent >= 0) chain.push(up);
    return chain;
  }

  /** Turns the joints above so that this one comes to `target` (cyclic coordinate descent). */
  reached(pose: Pose, joint: number, target: Vector3, most = 2): Pose {
    let next = pose;
    const chain = this.chain(joint, most);
    for (let pass = 0; pass < kPasses; ++pass)
      for (const up of chain) {
        const frames = this.frames(next);
        const from = new Vector3().setFromMatrixPosition(frames[up]!);
        const is = new Vector3().setFromMatrixPosition(frames[joint]!).sub(from);
        const wanted = target.clone().sub(from);
        if (is.lengthSq() < 1e-12 || wanted.lengthSq() < 1e-12) continue;
        const turn = new Quaternion().setFromUnitVectors(is.normalize(), wanted.normalize());
        const world = new Quaternion().setFromRotationMatrix(new Matrix4().extractRotation(frames[up]!));
        // world' = turn world; local' = local world^-1 turn world
        const local = this.rotation(next, up).multiply(world.clone().invert()).multiply(turn).multiply(world);
        next = this.rotated(next, up, local);
      }
    return next;
  }

  /** The joint of the other side by its name; -1: none. */
  mirrorOf(joint: number): number {
    const other = otherSide(this.joints[joint]!.name);
    return other === undefined ? -1 : this.joints.findIndex((j) => j.name === other);
  }

  /** What the joint's turn is, on the other side: mirrored at x = 0. */
  mirrored(pose: Pose, joint: number): Pose {
    const other = this.mirrorOf(joint);
    if (other < 0 || other === joint) return pose;
    const rotationOf = (m: Matrix4): Quaternion => new Quaternion().setFromRotationMatrix(new Matrix4().extractRotation(m));
    const rest = this.frames(this.defaultPose), now = this.frames(pose);
    const parentOf = (j: number): number => this.joints[j]!.parent;
    const parentTurn = (j: number): Quaternion => parentOf(j) < 0 ? new Quaternion()
      : rotationOf(now[parentOf(j)]!).multiply(rotationOf(rest[parentOf(j)]!).invert());
    // The turn relative to what the parent did, in the scene's axes at rest.
    const turn = parentTurn(joint).invert().multiply(rotationOf(now[joint]!)).multiply(rotationOf(rest[joint]!).invert());
    const flipped = new Quaternion(turn.x, -turn.y, -turn.z, turn.w);
    const world = flipped.multiply(rotationOf(rest[other]!));
    const up = parentOf(other) < 0 ? new Quaternion() : rotationOf(rest[parentOf(other)]!);
    return this.rotated(pose, other, up.invert().multiply(world));
  }
}

const kSides: [RegExp, string][] = [
  [/left/i, 'right'], [/right/i, 'left'], [/(^|[._\- ])l($|[._\- ])/i, 'r'], [/(^|[._\- ])r($|[._\- ])/i, 'l'],
];

export function otherSide(name: string): string | undefined {
  for (const [pattern, other] of kSides) {
    const found = pattern.exec(name);
    if (!found) continue;
    return name.replace(pattern, found[0].replace(/left|right|l|r/i, (side) =>
      side === side.toUpperCase() ? other.toUpperCase() : side[0] === side[0]!.toUpperCase() ? other[0]!.toUpperCase() + other.slice(1) : other));
  }
  return undefined;
}
