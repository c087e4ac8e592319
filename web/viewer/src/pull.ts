/** Posing by pulling at the body: it follows as a solid does, pins hold, joints keep their limits. */
import {Latest} from 'cutis';
import {type ControlMesh, Puller} from 'cutis/markers';
import {Quaternion, Vector3} from 'three';

import type {App, Part} from './app.js';
import {CageView} from './cage_view.js';
import {button, chosen, get, input, onSlide} from './dom.js';
import {markersWasm, markersWorker} from './files.js';
import type {Pose} from './pose.js';
import type {Session} from './session.js';

/** Vertices of the control mesh, about. */
const kResolution = 2000;
/** Milliseconds without a frame until the control mesh follows a pose that was not pulled. */
const kStill = 150;
/** Metres that are told. */
const kShort = 0.02;
/** What stays in its place at first, of bodies that have it. */
const kPinned = /^(.*[:_. -])?(hips?|pelvis|head|(left|right|l|r)?[_. -]?(foot|ankle)([_. -]?(left|right|l|r))?)$/i;
const kSliders = ['pull-x', 'pull-y', 'pull-z'] as const;

/** A pose from that on which a pull began: what the pull changed, on top of it. */
export function onTopOf(from: Pose, begun: Pose, now: Pose): Pose {
  const pose = from.slice(), q = (p: Pose, at: number): Quaternion => new Quaternion(p[at], p[at + 1], p[at + 2], p[at + 3]);
  for (let at = 0; at < pose.length; at += 10) {
    const turn = q(now, at + 3).multiply(q(begun, at + 3).invert()).multiply(q(from, at + 3)).normalize();
    pose.set([turn.x, turn.y, turn.z, turn.w], at + 3);
    for (let k = at; k < at + 3; ++k) pose[k] = from[k]! + now[k]! - begun[k]!;
  }
  return pose;
}

interface Body { puller: Puller; of: Session; limits: boolean }
interface Pull { joint: number; from: Pose; start: Vector3; begun: Pose | undefined; moved: boolean }

export class PullPanel implements Part {
  readonly pins = new Set<number>();
  readonly #cage = new CageView();
  /** Pulls, one after the other; of those that come meanwhile the last. */
  readonly #latest = new Latest<{pull: Pull; to: Vector3}>(({pull, to}) => this.#go(pull, to), (error) => this.app.fail(error));
  #body: Body | undefined;
  #filling: Promise<Body | undefined> | undefined;
  #pull: Pull | undefined;
  #sliding = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The pose that the control mesh is shown in. */
  #caged: Pose | undefined;
  #following = false;

  constructor(private readonly app: App) {
    app.stage.add(this.#cage.mesh);
    app.stage.pinned = this.pins;
    for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="drag"]')) radio.addEventListener('change', () => this.#turned());
    input('limits').addEventListener('change', () => void this.#fill());
    input('cage').addEventListener('change', () => {
      this.#caged = undefined;
      this.changed();
    });
    button('pin').addEventListener('click', () => {
      const joint = app.session?.joint ?? -1;
      if (joint < 0) return;
      if (!this.pins.delete(joint)) this.pins.add(joint);
      app.changed();
    });
    button('unpin').addEventListener('click', () => {
      this.pins.clear();
      app.changed();
    });
    for (const id of kSliders) onSlide(id, () => this.#slide(), () => void this.#slid());
  }

  get on(): boolean { return chosen('drag') === 'pull'; }
  /** Something is being filled, pulled or drawn. */
  get busy(): boolean { return this.#filling !== undefined || this.#latest.busy || this.#pull !== undefined || this.#following || this.#timer !== undefined; }
  /** There is a body that can be pulled at. */
  get ready(): boolean { return this.#bodyOf(this.app.session) !== undefined; }
  canPull(joint: number): boolean { return this.#bodyOf(this.app.session)?.puller.about.handles.includes(joint) ?? false; }

  opened(): void {
    this.#body?.puller.close();
    this.#body = undefined;
    this.#pull = undefined;
    this.#cage.mesh.visible = false;
    this.#caged = undefined;
    this.pins.clear();
    this.app.session!.character.info.joints.forEach((joint, j) => {
      if (joint.is_bone && kPinned.test(joint.name)) this.pins.add(j);
    });
    if (this.on) void this.#fill();
  }

  changed(): void {
    const {session} = this.app, on = this.on;
    get('pull-settings').hidden = !on;
    this.#cage.mesh.visible = on && input('cage').checked && this.#caged !== undefined;
    if (!on || !session) return;
    const {joint} = session, may = this.canPull(joint);
    button('pin').disabled = !may;
    button('pin').textContent = this.pins.has(joint) ? 'Unpin joint' : 'Pin joint';
    button('pin').setAttribute('aria-pressed', String(this.pins.has(joint)));
    button('unpin').disabled = this.pins.size === 0;
    for (const id of kSliders) {
      input(id).disabled = !may;
      if (!this.#sliding) this.#showSlider(id, 0);
    }
    if (input('cage').checked && !this.#pull && this.ready && !same(this.#caged, session.pose)) this.#followLater();
  }

  #bodyOf(session: Session | undefined): Body | undefined {
    return session && this.#body?.of === session && this.#body.limits === input('limits').checked ? this.#body : undefined;
  }
  #turned(): void {
    if (this.on) void this.#fill();
    this.app.changed();
  }

  /** Fills the body with its control mesh, where that is not done. */
  #fill(): Promise<Body | undefined> {
    this.#filling ??= (async () => {
      const {session} = this.app, limits = input('limits').checked;
      if (!session) return undefined;
      const there = this.#bodyOf(session);
      if (there) return there;
      this.app.say('Filling the body with its control mesh…');
      const puller = await Puller.create(session.character.info, {options: {resolution: kResolution, limits}, wasm: await markersWasm(), worker: markersWorker});
      if (this.app.session !== session) {
        puller.close();
        return undefined;
      }
      this.#body?.puller.close();
      this.#body = {puller, of: session, limits};
      this.#caged = undefined;
      const {vertices, tetrahedra, milliseconds} = puller.about.controlMesh;
      this.app.say(`Pull at any joint; pinned ones stay. Control mesh: ${vertices} vertices, ${tetrahedra} tetrahedra, ${(milliseconds / 1000).toFixed(1)} s`);
      return this.#body;
    })().catch((error: unknown) => {
      this.app.fail(error);
      return undefined;
    }).finally(() => {
      this.#filling = undefined;
      this.app.changed();
      // Another character came, or limits were turned, meanwhile.
      if (this.on && this.app.session && this.#body !== undefined && !this.ready) void this.#fill();
    });
    return this.#filling;
  }

  // ---- a pull ----

  begin(joint: number): void {
    const session = this.app.session!;
    this.#pull = {joint, from: session.pose.slice(), start: this.app.stage.place(joint).clone(), begun: undefined, moved: false};
  }
  move(to: Vector3): void {
    if (this.#pull) this.#latest.ask({pull: this.#pull, to});
  }
  async end(): Promise<void> {
    const pull = this.#pull, {session} = this.app;
    if (!pull || !session) return;
    while (this.#latest.busy) await new Promise((resolve) => setTimeout(resolve, 5));
    if (pull.begun && this.#body?.of === session) {
      try {
        const {unreached} = await this.#body.puller.pull(pull.joint);
        const miss = unreached.find(({handle}) => handle === pull.joint);
        const {joints} = session.character.info;
        if (miss && miss.distance > kShort) this.app.say(`${joints[pull.joint]!.name} is ${(100 * miss.distance).toFixed(0)} cm short of it: ${miss.joint ? `the ${miss.limit} of ${miss.joint} ends there` : 'bones or pins hold it'}`);
      } catch (error) {
        this.app.fail(error);
      }
    }
    this.#pull = undefined;
    if (pull.moved && this.app.session === session) session.setPose(session.pose, pull.from);
  }
  /** Where the joint that is pulled was, and is to be dragged from. */
  get start(): Vector3 | undefined { return this.#pull?.start; }

  async #go(pull: Pull, to: Vector3): Promise<void> {
    const {session} = this.app, body = this.#bodyOf(session);
    if (!session || !body || pull !== this.#pull) return;
    pull.begun ??= (await body.puller.stand(pull.from, [...this.pins].filter((j) => j !== pull.joint && this.canPull(j)))).pose;
    const {pose} = await body.puller.pull(pull.joint, [to.x, to.y, to.z]);
    if (this.app.session !== session) return;
    pull.moved = true;
    session.drag(onTopOf(pull.from, pull.begun, pose));
    if (input('cage').checked) this.#show(await body.puller.controlMesh(), session.pose);
  }

  // ---- by keys ----

  #slide(): void {
    const {session} = this.app;
    if (!session || !this.canPull(session.joint)) return;
    if (!this.#pull) {
      this.app.stop();
      this.begin(session.joint);
    }
    this.#sliding = true;
    const way = new Vector3(...kSliders.map((id) => Number(input(id).value) / 100));
    for (const id of kSliders) this.#showSlider(id, Number(input(id).value));
    this.move(this.#pull!.start.clone().add(way));
  }
  async #slid(): Promise<void> {
    await this.end();
    this.#sliding = false;
    this.app.changed();
  }
  #showSlider(id: string, centimetres: number): void {
    input(id).value = String(centimetres);
    get(`${id}-value`).textContent = `${centimetres} cm`;
  }

  // ---- the control mesh ----

  #show(cage: ControlMesh, pose: Pose): void {
    this.#cage.show(cage);
    this.#caged = pose.slice();
    this.#cage.mesh.visible = this.on && input('cage').checked;
    this.app.stage.touch();
  }
  #followLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.app.session?.busy || this.#following || this.#latest.busy) this.#followLater();
      else void this.#follow();
    }, kStill);
  }
  async #follow(): Promise<void> {
    const {session} = this.app, body = this.#bodyOf(session);
    if (!session || !body || this.#pull || !this.on || !input('cage').checked) return;
    this.#following = true;
    const pose = session.pose.slice();
    try {
      await body.puller.stand(pose, []);
      this.#show(await body.puller.controlMesh(), pose);
    } catch (error) {
      if (this.#body === body) this.app.fail(error);
    } finally {
      this.#following = false;
    }
    this.changed();
  }
}

function same(a: Pose | undefined, b: Pose): boolean { return a !== undefined && a.every((v, i) => v === b[i]); }
