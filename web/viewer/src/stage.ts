/** What is seen: one picture with a panel a method, all with the same camera. */
import {
  AmbientLight, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, HemisphereLight, LineBasicMaterial, LineSegments,
  type Material, type Matrix4, type Mesh, MeshStandardMaterial, type Object3D, PerspectiveCamera, PMREMGenerator, Points, PointsMaterial, Raycaster,
  Scene, type Texture, Vector2, Vector3, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {RoomEnvironment} from 'three/examples/jsm/environments/RoomEnvironment.js';

import {Rings} from './rings.js';
import type {Skin} from './skin.js';

export type Layout = 'side' | 'split';
/** The panel under the pointer, and where in it, -1 to 1. */
export interface Found { panel: number; at: Vector2; rect: Rect }
export interface Rect { x: number; y: number; width: number; height: number }

/** What is longer from front to back than wide by this (animals, flat hands) is seen from its side, a little from the front. */
const kDeep = 1.5;
/** Pixels of a panel's label, with its margin. */
const kLabel = 52;
/** Pixels that a click may miss a joint by. */
const kNear = 14;

export class Stage {
  readonly camera = new PerspectiveCamera(30, 1, 0.01, 100);
  readonly rings = new Rings();
  layout: Layout = 'side';
  /** Where the two halves meet, of the width. */
  split = 0.5;
  showSkeleton = true;
  /** Joints that stay in their place. */
  pinned: ReadonlySet<number> = new Set();
  /** Pins are shown. */
  showPins = false;
  /** How the skin is seen over its field. */
  over: 'shown' | 'ghost' | 'hidden' = 'shown';
  skins: Skin[] = [];
  lost = false;
  /** The camera is where frame() put it: nobody has turned it since. */
  framed = false;

  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #orbit: OrbitControls;
  readonly #bones = new LineSegments(new BufferGeometry(), new LineBasicMaterial({color: 0xffd28a, depthTest: false, transparent: true, opacity: 0.55}));
  readonly #points = new Points(new BufferGeometry(), new PointsMaterial({size: 6, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true}));
  readonly #key = new DirectionalLight(0xffffff, 2.2);
  readonly #fill = new DirectionalLight(0xbfd4ff, 0.8);
  #dirty = true;
  #room: Texture | undefined;
  #places: Vector3[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {
    this.#renderer = new WebGLRenderer({canvas, antialias: true});
    this.#renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.#renderer.autoClear = false;
    this.#orbit = new OrbitControls(this.camera, canvas);
    this.#orbit.addEventListener('change', () => this.touch());
    this.#orbit.addEventListener('start', () => (this.framed = false));
    this.#light(1);
    this.#scene.add(this.#key, this.#fill, new HemisphereLight(0xffffff, 0x80756a, 0.9), new AmbientLight(0xffffff, 0.25));
    for (const object of [this.#bones, this.#points]) {
      object.frustumCulled = false;
      object.renderOrder = 5;
      this.#scene.add(object);
    }
    this.#scene.add(this.rings.group);
  }

  /** Something changed: the next tick draws. */
  touch(): void { this.#dirty = true; }
  set orbiting(on: boolean) { this.#orbit.enabled = on; }
  set background(color: string) {
    this.#scene.background = new Color(color);
    this.#renderer.setClearColor(color);
    this.touch();
  }

  /** Is seen in every panel. */
  add(object: Object3D): void { this.#scene.add(object); }

  setSkins(skins: Skin[]): void {
    for (const skin of this.skins) this.#scene.remove(skin.group);
    this.skins = skins;
    for (const skin of skins) {
      this.#scene.add(skin.group);
      skin.group.traverse((object) => this.#reflect((object as Mesh).material));
    }
    this.touch();
  }

  /** Metal shows what is around it: a room, where the file brings nothing. */
  #reflect(material: Material | Material[] | undefined): void {
    for (const one of [material ?? []].flat()) {
      if (!(one instanceof MeshStandardMaterial) || one.metalness === 0 || one.envMap) continue;
      if (!this.#room) {
        const maker = new PMREMGenerator(this.#renderer);
        this.#room = maker.fromScene(new RoomEnvironment(), 0.04).texture;
        maker.dispose();
      }
      one.envMap = this.#room;
      one.envMapIntensity = 0.7;
      one.needsUpdate = true;
    }
  }

  /** From the side of the camera: +Z (1) or -Z (-1). */
  #light(side: number): void {
    this.#key.position.set(side * 1.5, 2.5, side * 2);
    this.#fill.position.set(side * -2, 1, side * -1.5);
  }

  /** Moves the camera so that the character is seen, from +Z or, where it faces away, from -Z. */
  frame(box: Box3, facesAway: boolean): void {
    const side = facesAway ? -1 : 1;
    this.#light(side);
    const center = box.getCenter(new Vector3()), size = box.getSize(new Vector3());
    const rect = this.rects()[0] ?? {width: 1, height: 1};
    const aspect = rect.width / Math.max(rect.height, 1), tan = Math.tan((this.camera.fov * Math.PI) / 360);
    // Below the label of its panel.
    const label = Math.min(kLabel / Math.max(rect.height, 1), 0.3);
    const seen = 1.08 * Math.max(size.y / (1 - label), Math.hypot(size.x, size.z) / aspect);
    const distance = seen / (2 * tan) + size.z / 2;
    center.y += (seen * label) / 2;
    this.camera.position.copy(center).add(new Vector3(side * (size.z > kDeep * size.x ? 1.2 : 0.35), 0.15, side).normalize().multiplyScalar(distance));
    this.camera.near = distance / 50;
    this.camera.far = distance * 20;
    this.#orbit.target.copy(center);
    this.#orbit.update();
    this.framed = true;
    this.touch();
  }

  setSkeleton(frames: Matrix4[], parents: number[], isBone: boolean[], chosen: number): void {
    this.#places = frames.map((m) => new Vector3().setFromMatrixPosition(m));
    const lines: number[] = [], points: number[] = [], colors: number[] = [];
    this.#places.forEach((p, j) => {
      const parent = parents[j]!;
      if (isBone[j] && parent >= 0 && isBone[parent]) lines.push(...this.#places[parent]!.toArray(), ...p.toArray());
      points.push(...p.toArray());
      colors.push(...(j === chosen ? [1, 0.3, 0.2] : this.showPins && this.pinned.has(j) ? [0.25, 0.6, 1] : isBone[j] ? [1, 0.85, 0.55] : [0.5, 0.5, 0.5]));
    });
    const set = (object: LineSegments | Points, name: string, values: number[]): void => {
      object.geometry.setAttribute(name, new BufferAttribute(new Float32Array(values), 3));
    };
    set(this.#bones, 'position', lines);
    set(this.#points, 'position', points);
    set(this.#points, 'color', colors);
    this.touch();
  }

  /** Where each skin is drawn, in CSS pixels from the top left. */
  rects(): Rect[] {
    const {clientWidth: w, clientHeight: h} = this.canvas, n = this.skins.length;
    if (this.layout === 'split' && n >= 2)
      return [{x: 0, y: 0, width: w, height: h}, {x: 0, y: 0, width: w, height: h}];
    // The number of columns that gives figures (taller than wide) the most room.
    let columns = 1, best = 0;
    for (let c = 1; c <= n; ++c) {
      const size = Math.min(w / c, (0.75 * h) / Math.ceil(n / c));
      if (size > best) [columns, best] = [c, size];
    }
    const rows = Math.ceil(n / columns);
    return this.skins.map((_, i) => ({
      x: Math.round(((i % columns) * w) / columns), y: Math.round((Math.floor(i / columns) * h) / rows),
      width: Math.floor(w / columns), height: Math.floor(h / rows),
    }));
  }

  /** The part of the picture that shows the i-th skin. */
  clip(i: number): Rect {
    const rect = this.rects()[i]!;
    if (this.layout !== 'split' || this.skins.length < 2) return rect;
    const at = Math.round(this.split * rect.width);
    return i === 0 ? {...rect, width: at} : {...rect, x: at, width: rect.width - at};
  }

  draw(force = false): void {
    const {clientWidth: w, clientHeight: h} = this.canvas;
    const size = this.#renderer.getSize(new Vector2());
    if (size.x !== w || size.y !== h) {
      this.#renderer.setSize(w, h, false);
      this.#dirty = true;
    }
    if (this.lost || w === 0 || h === 0 || !(this.#dirty || force)) return;
    this.#dirty = false;
    this.#bones.visible = this.#points.visible = this.showSkeleton;
    // Widths that do not go by the number of panels leave columns between them.
    this.#renderer.setScissorTest(false);
    this.#renderer.clear();
    this.#renderer.setScissorTest(true);
    const rects = this.rects();
    rects.forEach((rect, i) => {
      const clip = this.clip(i);
      this.skins.forEach((skin, k) => (skin.group.visible = k === i && this.over !== 'hidden'));
      this.skins[i]!.ghostly = this.over === 'ghost';
      this.camera.aspect = rect.width / Math.max(rect.height, 1);
      this.camera.updateProjectionMatrix();
      this.#renderer.setViewport(rect.x, h - rect.y - rect.height, rect.width, rect.height);
      this.#points.material.size = Math.min(Math.max(rect.height / 90, 3), 6) * this.#renderer.getPixelRatio();
      this.#renderer.setScissor(clip.x, h - clip.y - clip.height, clip.width, clip.height);
      this.#renderer.clear();
      this.#renderer.render(this.#scene, this.camera);
    });
  }

  /** Which panel is under the pointer, and where in it, -1 to 1. The camera is set for it. */
  locate(event: {clientX: number; clientY: number}): Found | undefined {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    for (let i = 0; i < Math.min(this.rects().length, this.skins.length); ++i) {
      const clip = this.clip(i), rect = this.rects()[i]!;
      if (x < clip.x || x >= clip.x + clip.width || y < clip.y || y >= clip.y + clip.height) continue;
      return {panel: i, rect, at: this.#within(rect, x, y)};
    }
    return undefined;
  }
  #within(rect: Rect, x: number, y: number): Vector2 {
    this.camera.aspect = rect.width / Math.max(rect.height, 1);
    this.camera.updateProjectionMatrix();
    return new Vector2((2 * (x - rect.x)) / rect.width - 1, 1 - (2 * (y - rect.y)) / rect.height);
  }
  /** As locate(), in a panel that is known: a drag may leave it. */
  inPanel(panel: number, event: {clientX: number; clientY: number}): Vector2 {
    const box = this.canvas.getBoundingClientRect();
    return this.#within(this.rects()[panel]!, event.clientX - box.left, event.clientY - box.top);
  }
  /** Where a point of the scene is in the window. */
  toWindow(panel: number, point: Vector3): {x: number; y: number} {
    const rect = this.rects()[panel]!, box = this.canvas.getBoundingClientRect();
    this.#within(rect, 0, 0);
    this.camera.updateMatrixWorld();
    const p = point.clone().project(this.camera);
    return {x: box.left + rect.x + ((p.x + 1) / 2) * rect.width, y: box.top + rect.y + ((1 - p.y) / 2) * rect.height};
  }

  /** The joint under the pointer, or the vertex of the skin: {joint} or {vertex}. */
  pick(found: Found, mayChoose: (joint: number) => boolean): {joint: number} | {vertex: number} | undefined {
    let best = -1, nearest = kNear;
    this.camera.updateMatrixWorld();
    this.#places.forEach((place, j) => {
      const p = place.clone().project(this.camera);
      const miss = Math.hypot(((p.x - found.at.x) / 2) * found.rect.width, ((p.y - found.at.y) / 2) * found.rect.height);
      if (p.z < 1 && miss < nearest && mayChoose(j)) [best, nearest] = [j, miss];
    });
    if (best >= 0 && this.showSkeleton) return {joint: best};
    const hit = this.hit(found);
    return hit && {vertex: hit.vertex};
  }

  /** The skin under the pointer: the point, the normal there, a vertex beside it. */
  hit(found: Found): {vertex: number; point: Vector3; normal: Vector3 | undefined} | undefined {
    const ray = new Raycaster();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(found.at, this.camera);
    const skin = this.skins[found.panel]!;
    for (const mesh of skin.group.children) (mesh as unknown as {geometry: BufferGeometry}).geometry.computeBoundingSphere();
    const hit = ray.intersectObject(skin.group, true)[0];
    return hit?.face ? {vertex: skin.vertexOf(hit.object, hit.face.a), point: hit.point, normal: hit.face.normal} : undefined;
  }

  /** The point at the depth of `near` under the pointer. */
  pointAt(at: Vector2, near: Vector3): Vector3 {
    const depth = near.clone().project(this.camera).z;
    return new Vector3(at.x, at.y, depth).unproject(this.camera);
  }
  place(joint: number): Vector3 { return this.#places[joint] ?? new Vector3(); }
}
