/** A preset, as files have it (docs/formats.md), and what is painted. Values: every change makes a new one. No DOM. */
import type {Controller} from 'cutis';

export type Curve = [number, number][];
export type CurveKind = 'contact' | 'bulge' | 'opening';
export interface JointRow {
  operator?: string;
  controller?: string;
  [key: string]: unknown;
}
export interface Region {
  name: string;
  vertices?: number[];
  stiffness?: number;
  contact?: boolean;
  [key: string]: unknown;
}
interface OwnController {
  name: string;
  like?: string;
  contact?: Curve;
  bulge?: Curve;
  opening?: Curve;
}
export interface PresetFile {
  all_joints?: JointRow;
  joints?: Record<string, JointRow>;
  controllers?: OwnController[];
  profiles?: {name: string}[];
  regions?: Region[];
  [section: string]: unknown;
}

export const kOperators = ['contact', 'bulge', 'blend', 'union', 'clean-union'];
const kPainted = /^painted /;
const kCurves: CurveKind[] = ['contact', 'bulge', 'opening'];

/** The curve of a controller that an operator takes. */
export function curveOf(operator: string): CurveKind {
  return operator === 'bulge' ? 'bulge' : operator === 'blend' ? 'opening' : 'contact';
}

/** A vertex each: percent of stiffness, kNotPainted; whether it touches nothing. */
export interface Painting {
  stiffness: Uint8Array;
  free: Uint8Array;
}
export const kNotPainted = 255;
export function emptyPainting(vertices: number): Painting {
  return {stiffness: new Uint8Array(vertices).fill(kNotPainted), free: new Uint8Array(vertices)};
}

export class Preset {
  static readonly none = new Preset({}, undefined);

  /** `file`: without what is painted. */
  constructor(readonly file: PresetFile, readonly painting: Painting | undefined) {}

  /** Throws with a sentence. What the library does not know of it, it says when it is bound. */
  static parse(text: string, name: string, vertices: number): Preset {
    let file: PresetFile;
    try {
      file = JSON.parse(text) as PresetFile;
    } catch (error) {
      throw new Error(`${name}: is not JSON (${error instanceof Error ? error.message : String(error)})`);
    }
    if (typeof file !== 'object' || file === null || Array.isArray(file)) throw new Error(`${name}: is no preset; one is an object, as cutis bind --write-preset writes it`);
    const regions = Array.isArray(file.regions) ? [...file.regions] : [];
    const painting = emptyPainting(vertices);
    let painted = false;
    // Only those at the end: later regions lie over earlier ones.
    const isPainted = (r: Region | undefined): boolean => !!r && kPainted.test(r.name ?? '') && Array.isArray(r.vertices) &&
      Object.keys(r).every((key) => ['name', 'vertices', 'stiffness', 'contact'].includes(key));
    let first = regions.length;
    while (first > 0 && isPainted(regions[first - 1])) --first;
    for (const region of regions.splice(first)) {
      painted = true;
      for (const v of region.vertices!) {
        if (!(v >= 0 && v < vertices)) throw new Error(`${name}: region '${region.name}' names vertex ${v}, and the character has ${vertices}`);
        painting.stiffness[v] = Math.round(100 * (region.stiffness ?? (region.contact === false ? 0 : 1)));
        painting.free[v] = region.contact === false ? 1 : 0;
      }
    }
    const {regions: _, ...rest} = file;
    return new Preset(regions.length > 0 ? {...rest, regions} : rest, painted ? painting : undefined);
  }

  /** As the program takes it. */
  toFile(): PresetFile {
    const regions = [...(this.file.regions ?? []), ...this.#paintedRegions()];
    return regions.length > 0 ? {...this.file, regions} : this.file;
  }
  #paintedRegions(): Region[] {
    const {painting} = this;
    if (!painting) return [];
    const over = (this.file.regions ?? []).length > 0;  // what is painted away of these has to be said
    const found = new Map<string, Region>();
    for (let v = 0; v < painting.stiffness.length; ++v) {
      const percent = painting.stiffness[v]!, free = painting.free[v] === 1;
      if (percent === kNotPainted || (percent === 0 && !free && !over)) continue;
      const name = `painted ${percent}%${free ? ' without contact' : ''}`;
      const region = found.get(name) ?? {name, vertices: [], stiffness: percent / 100, ...(free ? {contact: false} : {})};
      region.vertices!.push(v);
      found.set(name, region);
    }
    return [...found.values()];
  }

  /** Whether it says anything. */
  get isEmpty(): boolean { return Object.keys(this.toFile()).length === 0; }

  // ---- joints ----

  /** Whether it says something of that joint. */
  names(joint: string): boolean { return this.file.joints?.[joint] !== undefined; }
  row(joint: string): JointRow { return {...this.file.all_joints, ...this.file.joints?.[joint]}; }
  operator(joint: string): string { return this.row(joint).operator ?? 'contact'; }
  controller(joint: string): string { return this.row(joint).controller ?? 'default'; }
  get operators(): string[] { return [...kOperators, ...(this.file.profiles ?? []).map((p) => p.name)]; }

  withJoint(joint: string, change: JointRow): Preset {
    const row = {...this.file.joints?.[joint], ...change};
    return this.#with({joints: {...this.file.joints, [joint]: row}});
  }
  /** As if it said nothing of that joint. */
  withoutJoint(joint: string): Preset {
    const {[joint]: gone, ...joints} = this.file.joints ?? {};
    const own = gone?.controller === Preset.#own(joint);
    return this.#with({
      joints, ...(own ? {controllers: (this.file.controllers ?? []).filter((c) => c.name !== gone!.controller)} : {}),
    });
  }
  #with(change: PresetFile): Preset {
    const file = {...this.file, ...change};
    if (file.joints && Object.keys(file.joints).length === 0) delete file.joints;
    for (const list of ['controllers', 'regions'] as const) if (file[list]?.length === 0) delete file[list];
    return new Preset(file, this.painting);
  }

  // ---- curves ----

  static #own(joint: string): string { return `curve of ${joint}`; }

  /** The curves of a controller: one of the preset's own, or a named one. */
  curves(controller: string, named: Controller[]): Controller {
    const own = this.file.controllers?.find((c) => c.name === controller);
    const base = named.find((c) => c.name === (own?.like ?? (own ? 'default' : controller))) ?? named[0]!;
    const given: Partial<Record<CurveKind, Curve>> = {};
    for (const kind of kCurves) if (own?.[kind]) given[kind] = own[kind];
    return {...base, ...given, name: controller};
  }
  /** The named one that a joint's curves are like. */
  base(joint: string): string {
    const own = this.file.controllers?.find((c) => c.name === this.controller(joint));
    return own ? (own.like ?? 'default') : this.controller(joint);
  }
  /** The joint gets a controller of its own, with that curve. */
  withCurve(joint: string, kind: CurveKind, curve: Curve): Preset {
    const name = Preset.#own(joint), before = this.file.controllers?.find((c) => c.name === this.controller(joint));
    const own: OwnController = {...(before ?? {like: this.controller(joint)}), name, [kind]: curve};
    const others = (this.file.controllers ?? []).filter((c) => c.name !== name);
    return this.#with({controllers: [...others, own]}).withJoint(joint, {controller: name});
  }

  /** How much a joint bulges, 0 to 1: the highest of its curve. */
  bulge(joint: string, named: Controller[]): number {
    if (this.operator(joint) !== 'bulge') return 0;
    return Math.max(...this.curves(this.controller(joint), named).bulge.map(([, d]) => d));
  }
  /** Its curve, as high as `amount`; 0: contact. */
  withBulge(joint: string, amount: number, named: Controller[]): Preset {
    if (!(amount > 0)) return this.withJoint(joint, {operator: 'contact'});
    const curve = this.curves(this.controller(joint), named).bulge, full = this.curves(this.base(joint), named).bulge;
    const highest = Math.max(...curve.map(([, d]) => d)), from = highest > 0 ? curve : full;
    const most = Math.max(...from.map(([, d]) => d));
    return this.withCurve(joint, 'bulge', from.map(([a, d]) => [a, Number(((d * amount) / most).toFixed(3))]))
      .withJoint(joint, {operator: 'bulge'});
  }

  // ---- regions ----

  withPainting(painting: Painting | undefined): Preset { return new Preset(this.file, painting); }
  withoutRegion(name: string): Preset { return this.#with({regions: (this.file.regions ?? []).filter((r) => r.name !== name)}); }
}

/** The value at an angle, as the library takes it: rises and falls only where the points do (Fritsch and Butland). */
export function curveAt(curve: Curve, angle: number): number {
  const first = curve[0]!, last = curve[curve.length - 1]!;
  if (!(angle > first[0])) return first[1];
  if (angle >= last[0]) return last[1];
  const slope = (i: number): number => {
    if (i === 0 || i + 1 >= curve.length) return 0;
    const before = curve[i]![0] - curve[i - 1]![0], after = curve[i + 1]![0] - curve[i]![0];
    const rise0 = (curve[i]![1] - curve[i - 1]![1]) / before, rise1 = (curve[i + 1]![1] - curve[i]![1]) / after;
    if (!(rise0 * rise1 > 0)) return 0;
    const w0 = 2 * after + before, w1 = after + 2 * before;
    return (w0 + w1) / (w0 / rise0 + w1 / rise1);
  };
  let k = 1;
  while (angle >= curve[k]![0]) ++k;
  const [a0, v0] = curve[k - 1]!, [a1, v1] = curve[k]!;
  const h = a1 - a0, t = (angle - a0) / h, s = 1 - t;
  return v0 * (1 + 2 * t) * s * s + h * slope(k - 1) * t * s * s + v1 * t * t * (3 - 2 * t) - h * slope(k) * t * t * s;
}
