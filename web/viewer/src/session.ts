/** One character being looked at: its solvers, its pose, what is shown of it. No DOM. */
import {type Cutis, type Frame, Latest, type Measured, type OpenFile, type Solver} from 'cutis';

import {type Coloring, fixedColors, frameColors, paintingColors, roleColors} from './colors.js';
import {followsPreset, kMethods, type Method} from './methods.js';
import {type Pose, Skeleton} from './pose.js';
import {type Painting, Preset} from './preset.js';
import {type Look, Skin} from './skin.js';

/** What is measured takes longer than a frame: at most this share of the time. */
const kMeasuring = 0.25;
/** Milliseconds between two countings, at least. */
const kCountEvery = 250;
const kMostUndo = 200;
/** Seconds of a clip from one frame to the next, at most: skin that is in contact goes the way, it does not jump. */
export const kMostStep = 1 / 15;
/** Steps of one jump, at most: beyond it, steps are longer. */
const kMostSteps = 24;

export interface Shown {
  method: Method;
  solver: Solver;
  /** That the solver's rig was bound with. */
  preset: Preset;
  skin: Skin;
  frame?: Frame;
  /** The clip that its solver foresees. */
  foreseen?: string;
  /** Where in that clip its last frame is. */
  time?: number | undefined;
  measured?: Measured;
  /** Of the frame that was measured. */
  substeps?: number;
}
/** What can be undone. */
interface Snapshot { pose: Pose; preset: Preset }
export type Goal = {pose: Pose; restart?: boolean} | {clip: string; time: number; restart?: boolean};

export class Session {
  readonly skeleton: Skeleton;
  shown: Shown[] = [];
  pose: Pose;
  coloring: Coloring = 'material';
  joint = -1;
  recorded: {pose: Pose; time: number}[] | undefined;
  /** What a person decided about the skin. */
  preset = Preset.none;
  /** Milliseconds that binding with the last preset took. */
  bindMilliseconds = 0;
  /** What each vertex is of; there once it was asked for. */
  #roles: Uint8Array | undefined;
  #bound = Preset.none;
  readonly #undo: Snapshot[] = [];
  readonly #redo: Snapshot[] = [];
  readonly #latest: Latest<Goal>;
  #lastCount = performance.now();
  #countCost = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #goal: Goal | undefined;
  #restart = false;

  constructor(readonly character: Cutis, readonly file: OpenFile | string, readonly looks: (Look | undefined)[],
              private readonly changed: () => void, failed: (error: unknown) => void) {
    this.skeleton = new Skeleton(character.info.joints, character.info.defaultPose);
    this.pose = character.info.defaultPose.slice();
    // What was under way when it was closed ends with its solvers.
    this.#latest = new Latest((goal) => this.#make(goal), (error) => { if (!this.#closed) failed(error); });
  }

  get busy(): boolean { return this.#latest.busy; }

  /** The methods to show, in their order. Solvers that stay keep their state. */
  async show(keys: string[]): Promise<void> {
    const next: Shown[] = [];
    for (const method of kMethods.filter(({key}) => keys.includes(key))) {
      const old = this.shown.find((s) => s.method === method);
      const preset = this.#bound;
      next.push(old ?? {method, preset, solver: await this.character.solver(method.options), skin: new Skin(this.character.info, this.looks)});
    }
    for (const old of this.shown)
      if (!next.includes(old)) {
        old.skin.dispose();
        void old.solver.dispose();
      }
    this.shown = next;
    this.paint();
    this.refresh();
  }

  ask(goal: Goal): void {
    this.#goal = goal;
    // Goals are dropped while a frame is made; that the solvers must begin anew is not.
    this.#restart ||= goal.restart === true;
    this.#latest.ask(goal);
  }
  /** The same once more: something about how it is shown changed. */
  refresh(): void { this.ask(this.#goal ? {...this.#goal, restart: false} : {pose: this.pose}); }

  /** A pose that a person made: can be undone. `from`: the pose before, where a drag made many. */
  setPose(pose: Pose, from?: Pose): void {
    this.#keep({pose: (from ?? this.pose).slice(), preset: this.preset});
    this.pose = pose;
    this.ask({pose});
  }
  /** A preset that a person made: can be undone. `from`: the preset before, where a slider made many; null: no more to undo. */
  setPreset(preset: Preset, from: Preset | null = this.preset): void {
    if (from) this.#keep({pose: this.pose.slice(), preset: from});
    this.preset = preset;
    if (this.coloring === 'painting') this.paint();
    this.refresh();
    this.changed();
  }
  #keep(snapshot: Snapshot): void {
    this.#undo.push(snapshot);
    if (this.#undo.length > kMostUndo) this.#undo.shift();
    this.#redo.length = 0;
  }
  get canUndo(): boolean { return this.#undo.length > 0; }
  get canRedo(): boolean { return this.#redo.length > 0; }
  /** While it is dragged. */
  drag(pose: Pose): void {
    this.pose = pose;
    this.ask({pose});
  }
  undo(): void { this.#swap(this.#undo, this.#redo); }
  redo(): void { this.#swap(this.#redo, this.#undo); }
  #swap(from: Snapshot[], to: Snapshot[]): void {
    const snapshot = from.pop();
    if (!snapshot) return;
    to.push({pose: this.pose.slice(), preset: this.preset});
    this.preset = snapshot.preset;
    this.drag(snapshot.pose);
    if (this.coloring === 'painting') this.paint();
  }

  /** Binds with the preset, where that is another one. What the library refuses is taken back, and said. */
  async #bind(): Promise<void> {
    const preset = this.preset;
    if (preset === this.#bound) return;
    const start = performance.now();
    try {
      await this.character.bind({preset: preset.toFile()});
    } catch (error) {
      if (this.preset === preset) this.preset = this.#bound;
      throw error;
    }
    this.#bound = preset;
    this.#roles = undefined;
    this.bindMilliseconds = performance.now() - start;
  }
  /** With which preset the character is bound. */
  get bound(): Preset { return this.#bound; }
  /** The solver begins anew where the character was bound anew. */
  async #renew(shown: Shown): Promise<void> {
    if (shown.preset === this.#bound) return;
    shown.preset = this.#bound;
    if (!followsPreset(shown.method)) return;
    const old = shown.solver;
    shown.solver = await this.character.solver(shown.method.options);
    shown.foreseen = '';
    shown.time = undefined;
    await old.dispose();
  }

  async #make(goal: Goal): Promise<void> {
    if (this.#closed) return;
    clearTimeout(this.#idle);
    await this.#bind();
    const pose = 'pose' in goal ? goal.pose : await this.character.sample(goal.clip, goal.time);
    if ('clip' in goal) this.pose = pose;
    const now = performance.now();
    this.recorded?.push({pose: pose.slice(), time: now / 1000});
    const count = now - this.#lastCount > Math.max(kCountEvery, this.#countCost / kMeasuring);
    if (count) this.#lastCount = now;
    let cost = 0;
    const restart = this.#restart;
    this.#restart = false;
    for (const shown of [...this.shown]) {
      try {
        if (this.shown.includes(shown)) cost += await this.#makeOne(shown, goal, pose, restart, count);
      } catch (error) {
        if (this.shown.includes(shown)) throw error;  // otherwise its solver was disposed of meanwhile
      }
    }
    if (count) this.#countCost = cost;
    else this.#idle = setTimeout(() => void this.#countNow(), 120);
    this.changed();
  }

  /** A frame of one method; milliseconds of counting. */
  async #makeOne(shown: Shown, goal: Goal, pose: Pose, restart: boolean, count: boolean): Promise<number> {
    await this.#renew(shown);
    if (restart) {
      await shown.solver.reset();
      shown.foreseen = '';
      shown.time = undefined;
    }
    if ('clip' in goal && shown.foreseen !== goal.clip) {
      await shown.solver.foresee(goal.clip);
      shown.foreseen = goal.clip;
      shown.time = undefined;
    }
    if ('clip' in goal) {
      await this.#goThere(shown, goal.clip, goal.time);
      shown.time = goal.time;
    } else {
      shown.time = undefined;
    }
    shown.frame = await shown.solver.solve(pose, 'trs', {
      touch: this.coloring === 'contact', residuals: this.coloring === 'residual', time: 'clip' in goal ? goal.time : 0,
    });
    shown.skin.show(shown.frame);
    const cost = count ? await this.#count(shown) : 0;
    this.#paintOne(shown);
    return cost;
  }

  /** The frames between the last one and that at `time`, where they are far apart. */
  async #goThere(shown: Shown, clip: string, time: number): Promise<void> {
    if (shown.method.key === 'lbs' || shown.method.key === 'dqs') return;
    const from = shown.time;
    if (from === undefined) return;
    const steps = Math.min(Math.ceil(Math.abs(time - from) / kMostStep - 1e-9), kMostSteps);
    for (let i = 1; i < steps; ++i) {
      const between = from + ((time - from) * i) / steps;
      await shown.solver.solve(await this.character.sample(clip, between), 'trs', {time: between});
    }
  }
  /** Where in the clip the slowest method is; undefined: in no clip. */
  get shownTime(): number | undefined { return this.shown[this.shown.length - 1]?.time; }

  async #count(shown: Shown): Promise<number> {
    const each = this.coloring === 'stretch' || this.coloring === 'roughness' ? this.coloring : undefined;
    shown.measured = await shown.solver.measure(each);
    if (shown.method.key === 'tracking' || shown.method.key === 'contact') shown.substeps = (await shown.solver.report()).substeps as number;
    return shown.measured.milliseconds;
  }
  async #countNow(): Promise<void> {
    if (this.#closed || this.#latest.busy) return;
    for (const shown of [...this.shown]) {
      if (!shown.frame || this.#latest.busy) return;
      try {
        await this.#count(shown);
      } catch (error) {
        if (this.#closed || !this.shown.includes(shown)) return;  // its solver was disposed of meanwhile
        throw error;
      }
      this.#paintOne(shown);
    }
    this.changed();
  }

  /** Colours anew, after another colouring or joint was chosen. */
  paint(): void {
    for (const shown of this.shown) this.#paintOne(shown, true);
    this.changed();
  }
  /** As a stroke goes on. */
  showPainting(painting: Painting): void {
    if (this.coloring !== 'painting') return;
    const colors = paintingColors(this.character.info, painting);
    for (const shown of this.shown) shown.skin.paint(colors.slice());
  }
  #paintOne(shown: Shown, all = false): void {
    const {coloring} = this;
    if (coloring === 'material' || coloring === 'clay') {
      if (all) shown.skin.paint(coloring === 'clay' ? 'clay' : undefined);
    } else if (coloring === 'parts' || coloring === 'weights') {
      if (all) shown.skin.paint(fixedColors(this.character.info, coloring, this.joint));
    } else if (coloring === 'painting') {
      if (all) shown.skin.paint(paintingColors(this.character.info, this.preset.painting));
    } else if (coloring === 'roles') {
      if (this.#roles) {
        if (all) shown.skin.paint(roleColors(this.#roles));
      } else {
        if (all) shown.skin.paint('clay');
        void this.#findRoles();
      }
    } else {
      const values = coloring === 'contact' ? shown.frame?.touch : coloring === 'residual' ? shown.frame?.residuals : shown.measured?.each;
      if (values) shown.skin.paint(frameColors(coloring, values));
      else if (all) shown.skin.paint('clay');
    }
  }

  #finding: Preset | undefined;
  async #findRoles(): Promise<void> {
    const preset = this.#bound;
    if (this.#finding === preset) return;
    this.#finding = preset;
    try {
      this.#roles = await this.character.roles({preset: preset.toFile()});
    } catch (error) {
      if (!this.#closed) throw error;
      return;
    }
    if (this.coloring === 'roles') this.paint();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#idle);
    for (const shown of this.shown) {
      shown.skin.dispose();
      void shown.solver.dispose();
    }
    void this.character.dispose();
  }
}
