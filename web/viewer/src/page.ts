/** The page: what its controls do. */
import {Library, type OpenFile} from 'cutis';
import {Quaternion, type Vector2} from 'three';

import {type Coloring, kColors, kLegends, strongest} from './colors.js';
import {embeddedCharacter, embeddedWasm, embeddedWorker, looksOf, readFile, save} from './files.js';
import {kMethods} from './methods.js';
import type {Pose} from './pose.js';
import {Rings} from './rings.js';
import {kMostStep, Session} from './session.js';
import type {Look} from './skin.js';
import {Stage} from './stage.js';

const get = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const select = (id: string): HTMLSelectElement => get<HTMLSelectElement>(id);
const input = (id: string): HTMLInputElement => get<HTMLInputElement>(id);
const button = (id: string): HTMLButtonElement => get<HTMLButtonElement>(id);
const kAngles = ['angle-x', 'angle-y', 'angle-z'] as const;
const kFrame = 1 / 30;

class Page {
  readonly #stage: Stage;
  #library: Library | undefined;
  #session: Session | undefined;
  #keys = ['lbs', 'contact'];
  #playing = false;
  #time = 0;
  #last = 0;
  #kept: Pose[] = [];
  #drag: {kind: 'ring' | 'reach'; panel: number; from: Pose; rotation: Quaternion} | undefined;
  #pressed: {x: number; y: number} | undefined;

  constructor() {
    this.#stage = new Stage(get<HTMLCanvasElement>('canvas'));
    this.#setTheme(matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
    this.#wireHeader();
    this.#wirePose();
    this.#wireTime();
    this.#wireStage();
    this.#wireFiles();
    this.#wireKeys();
    requestAnimationFrame((now) => this.#tick(now));
  }

  async start(): Promise<void> {
    try {
      this.#library = await Library.start({wasm: await embeddedWasm(), worker: embeddedWorker});
    } catch (error) {
      this.fail(error);
      return;
    }
    const inside = embeddedCharacter(), wanted = new URLSearchParams(location.hash.slice(1));
    const builtin = wanted.get('builtin');
    await this.open(inside?.file ?? `builtin:${builtin ?? 'human'}`, inside?.clip);
    this.#applyLink(wanted.get('pose'));
  }

  say(text: string): void {
    const message = get('message');
    message.textContent = text;
    message.classList.remove('failed');
  }
  readonly fail = (error: unknown): void => {
    const message = get('message');
    message.textContent = error instanceof Error ? error.message : String(error);
    message.classList.add('failed');
  };

  /** Opens a character, or a motion for the one that is open. What was open stays when it fails. */
  async open(source: OpenFile | string, clip = ''): Promise<void> {
    const name = typeof source === 'string' ? source : source.name;
    if (!this.#library) return;
    try {
      if (typeof source !== 'string' && /\.(bvh|vrma)$/i.test(name)) {
        if (!this.#session) throw new Error(`${name}: is a motion; open a character first`);
        this.say(`Reading ${name}…`);
        const added = await this.#session.character.addMotion(source);
        this.#listClips(added);
        this.say(`${name}: clip '${added}'`);
        return;
      }
      this.say(`Opening ${name}…`);
      this.#stop();
      const start = performance.now();
      const character = await this.#library.load(typeof source === 'string' ? source : source.bytes.slice(), {name});
      let looks: (Look | undefined)[] = [], plain = '';
      if (typeof source !== 'string') looks = await looksOf(source, character.info).catch((error: unknown) => {
        plain = ` (without its materials: ${error instanceof Error ? error.message : String(error)})`;
        return [];
      });
      const session = new Session(character, source, looks, () => this.#changed(), this.fail);
      await session.countAtRest();
      await session.show(this.#keys);
      this.#session?.close();
      this.#session = session;
      session.coloring = select('coloring').value as Coloring;
      session.paint();
      this.#kept = [];
      this.#listJoints();
      this.#listClips(clip);
      this.#listKept();
      this.#stage.setSkins(session.shown.map((s) => s.skin));
      this.#stage.rings.hide();
      this.#fit();
      const {info} = character;
      get('about').textContent = `${info.name}: ${info.positions.length / 3} vertices, ${info.joints.length} joints`;
      this.say(`${info.name}: ready in ${((performance.now() - start) / 1000).toFixed(2)} s${plain}`);
    } catch (error) {
      this.fail(error);
    }
  }

  #fit(): void {
    const session = this.#session, skin = session?.shown[0]?.skin;
    if (session && skin) this.#stage.frame(skin.box(), session.skeleton.facesAway);
  }

  // ---- what is shown ----

  #changed(): void {
    const session = this.#session;
    if (!session) return;
    const frames = session.skeleton.frames(session.pose);
    const {joints} = session.character.info;
    this.#stage.setSkeleton(frames, joints.map((j) => j.parent), joints.map((j) => j.is_bone), session.joint);
    if (session.joint >= 0 && !this.#stage.rings.dragging && this.#dragKind() === 'rings') this.#stage.rings.place(frames[session.joint]!, this.#stage.camera);
    this.#showNumbers();
    this.#showAngles();
    this.#stage.touch();
  }

  #showNumbers(): void {
    const session = this.#session!;
    const body = get('numbers').querySelector('tbody')!;
    const labels = get('labels');
    body.replaceChildren();
    const number = (value: number | null | undefined, digits = 0): string => (value === null || value === undefined ? '–' : value.toFixed(digits));
    session.shown.forEach(({method, frame, measured}, i) => {
      const n = measured?.numbers ?? {};
      const row = document.createElement('tr');
      for (const text of [method.label, number(n.intersecting_pairs), number(n.folds), number(n.roughness, 2), number(frame?.milliseconds, 1)]) {
        const cell = document.createElement('td');
        cell.textContent = text;
        row.append(cell);
      }
      row.dataset.method = method.key;
      body.append(row);
      let label = labels.children[i] as HTMLElement | undefined;
      if (!label) {
        label = document.createElement('div');
        label.className = 'label';
        label.append(document.createElement('strong'), document.createElement('span'));
        labels.append(label);
      }
      const clip = this.#stage.skins.length === session.shown.length ? this.#stage.clip(i) : undefined;
      const right = this.#stage.layout === 'split' && i === 1;
      if (clip) {
        label.style.left = `${clip.x}px`;
        label.style.top = `${clip.y}px`;
        label.style.transform = right ? 'translateX(12px)' : '';
      }
      label.children[0]!.textContent = method.label;
      const rest = session.restPairs > 0 ? ` (${session.restPairs} at rest)` : '';
      label.children[1]!.textContent = `${number(n.intersecting_pairs)} pairs${rest}, ${number(n.folds)} folds, ${number(frame?.milliseconds, 1)} ms${frame?.outOfTime ? ', late' : ''}`;
      label.classList.toggle('bad', (n.intersecting_pairs ?? 0) > session.restPairs);
    });
    while (labels.children.length > session.shown.length) labels.lastElementChild!.remove();
  }

  #wireHeader(): void {
    const box = get('methods');
    for (const method of kMethods) {
      const label = document.createElement('label'), check = document.createElement('input');
      check.type = 'checkbox';
      check.value = method.key;
      check.checked = this.#keys.includes(method.key);
      check.addEventListener('change', () => void this.#showMethods());
      label.append(check, ` ${method.label}`);
      box.append(label);
    }
    for (const name of kColors) select('coloring').append(new Option(name, name));
    select('coloring').addEventListener('change', () => {
      const coloring = select('coloring').value as Coloring;
      get('legend').textContent = kLegends[coloring] ?? '';
      if (!this.#session) return;
      this.#session.coloring = coloring;
      this.#session.paint();
      this.#session.refresh();
    });
    select('layout').addEventListener('change', () => {
      this.#stage.layout = select('layout').value as 'side' | 'split';
      get('divider').hidden = this.#stage.layout !== 'split';
      this.#placeDivider();
      this.#changed();
    });
    input('skeleton').addEventListener('change', () => {
      this.#stage.showSkeleton = input('skeleton').checked;
      this.#stage.touch();
    });
    button('theme').addEventListener('click', () => this.#setTheme(document.documentElement.dataset.theme === 'light' ? 'dark' : 'light'));
    button('picture').addEventListener('click', () => {
      this.#stage.draw(true);
      this.#stage.canvas.toBlob((blob) => blob && save('cutis.png', blob, 'image/png'));
    });
    button('help-button').addEventListener('click', () => {
      get('help').hidden = !get('help').hidden;
      button('help-button').setAttribute('aria-expanded', String(!get('help').hidden));
    });
    select('builtin').addEventListener('change', () => {
      if (select('builtin').value) void this.open(`builtin:${select('builtin').value}`);
    });
    const divider = get('divider');
    const moveTo = (split: number): void => {
      this.#stage.split = Math.min(Math.max(split, 0.02), 0.98);
      this.#placeDivider();
      this.#changed();
    };
    divider.addEventListener('pointerdown', (event) => divider.setPointerCapture(event.pointerId));
    divider.addEventListener('pointermove', (event) => {
      if (!divider.hasPointerCapture(event.pointerId)) return;
      const box2 = this.#stage.canvas.getBoundingClientRect();
      moveTo((event.clientX - box2.left) / box2.width);
    });
    divider.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowLeft' ? -0.02 : event.key === 'ArrowRight' ? 0.02 : 0;
      if (step === 0) return;
      event.stopPropagation();
      event.preventDefault();
      moveTo(this.#stage.split + step);
    });
    new ResizeObserver(() => this.#changed()).observe(this.#stage.canvas);
  }
  #placeDivider(): void {
    get('divider').style.left = `${this.#stage.split * 100}%`;
    get('divider').setAttribute('aria-valuenow', String(Math.round(this.#stage.split * 100)));
  }
  async #showMethods(): Promise<void> {
    const checks = [...get('methods').querySelectorAll('input')];
    this.#keys = checks.filter((c) => c.checked).map((c) => c.value);
    if (this.#keys.length === 0) {
      this.#keys = ['contact'];
      for (const check of checks) check.checked = check.value === 'contact';
    }
    try {
      await this.#session?.show(this.#keys);
      if (this.#session) this.#stage.setSkins(this.#session.shown.map((s) => s.skin));
      this.#changed();
    } catch (error) {
      this.fail(error);
    }
  }
  #setTheme(theme: 'light' | 'dark'): void {
    document.documentElement.dataset.theme = theme;
    button('theme').textContent = theme === 'light' ? 'Dark' : 'Light';
    this.#stage.background = getComputedStyle(document.documentElement).getPropertyValue('--stage').trim();
  }

  // ---- posing ----

  #dragKind(): string { return document.querySelector<HTMLInputElement>('input[name="drag"]:checked')!.value; }

  #listJoints(): void {
    const list = select('joint');
    list.replaceChildren(new Option('–', '-1'), ...this.#session!.character.info.joints.map((joint, j) => new Option(joint.name, String(j))));
  }
  #choose(joint: number): void {
    const session = this.#session;
    if (!session) return;
    session.joint = joint;
    select('joint').value = String(joint);
    if (joint < 0) this.#stage.rings.hide();
    if (session.coloring === 'weights') session.paint();
    this.#changed();
  }
  #showAngles(): void {
    const session = this.#session!;
    const angles = session.joint < 0 ? [0, 0, 0] : session.skeleton.angles(session.pose, session.joint);
    kAngles.forEach((id, i) => {
      input(id).disabled = session.joint < 0;
      if (document.activeElement !== input(id)) input(id).value = String(angles[i]);
      get(`${id}-value`).textContent = `${angles[i]!.toFixed(0)}°`;
    });
  }
  /** A pose with what mirroring adds. */
  #both(pose: Pose): Pose {
    const session = this.#session!;
    if (!input('mirror').checked) return pose;
    let next = pose;
    const joints = this.#dragKind() === 'reach' ? session.skeleton.chain(session.joint, 2).reverse() : [session.joint];
    for (const joint of joints) next = session.skeleton.mirrored(next, joint);
    return next;
  }

  #wirePose(): void {
    select('joint').addEventListener('change', () => this.#choose(Number(select('joint').value)));
    let before: Pose | undefined;
    for (const id of kAngles) {
      input(id).addEventListener('input', () => {
        const session = this.#session;
        if (!session || session.joint < 0) return;
        this.#stop();
        before ??= session.pose.slice();
        const degrees = kAngles.map((a) => Number(input(a).value)) as [number, number, number];
        session.drag(this.#both(session.skeleton.withAngles(session.pose, session.joint, degrees)));
      });
      input(id).addEventListener('change', () => {
        if (this.#session && before) this.#session.setPose(this.#session.pose, before);
        before = undefined;
      });
    }
    for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="drag"]'))
      radio.addEventListener('change', () => {
        if (this.#dragKind() !== 'rings') this.#stage.rings.hide();
        this.#changed();
      });
    button('undo').addEventListener('click', () => this.#session?.undo());
    button('redo').addEventListener('click', () => this.#session?.redo());
    button('reset').addEventListener('click', () => this.#resetPose());
    button('keep').addEventListener('click', () => {
      if (!this.#session) return;
      this.#kept.push(this.#session.pose.slice());
      this.#listKept();
      select('poses').value = String(this.#kept.length - 1);
    });
    select('poses').addEventListener('change', () => {
      const pose = this.#kept[Number(select('poses').value)];
      this.#stop();
      if (pose && select('poses').value !== '') this.#session?.setPose(pose.slice());
    });
    button('record').addEventListener('click', () => void this.#record());
    button('link').addEventListener('click', () => void this.#copyLink());
    button('export').addEventListener('click', () => void this.#export());
  }
  #resetPose(): void {
    this.#stop();
    const session = this.#session;
    if (session) session.setPose(session.skeleton.defaultPose.slice());
  }
  #listKept(): void { select('poses').replaceChildren(new Option('–', ''), ...this.#kept.map((_, i) => new Option(`Pose ${i + 1}`, String(i)))); }

  async #record(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const on = !session.recorded;
    button('record').setAttribute('aria-pressed', String(on));
    button('record').textContent = on ? 'Stop' : 'Record';
    if (on) {
      session.recorded = [];
      this.say('Recording what is posed…');
      return;
    }
    const taken = session.recorded ?? [];
    session.recorded = undefined;
    const rising = taken.filter(({time}, i) => i === 0 || time > taken[i - 1]!.time);
    if (rising.length < 2) {
      this.fail(new Error('The recording has no motion; pose something while it runs'));
      return;
    }
    const start = rising[0]!.time, name = `recorded ${session.character.info.clips.length + 1}`;
    try {
      await session.character.addClip(name, rising.map((r) => r.pose), rising.map((r) => r.time - start));
      this.#listClips(name);
      this.say(`Clip '${name}': ${rising.length} poses`);
    } catch (error) {
      this.fail(error);
    }
  }

  async #export(): Promise<void> {
    const session = this.#session, clip = select('clip').value;
    if (!session) return;
    if (!clip) {
      this.fail(new Error('There is no clip to export; open a motion or record one'));
      return;
    }
    this.#stop();
    button('export').disabled = true;
    const method = session.shown.at(-1)!.method, start = performance.now();
    try {
      const name = `${session.character.info.name.replace(/^builtin:|\.\w+$/g, '')}_${clip}.${select('export-format').value}`.replace(/[^\w.-]+/g, '_');
      this.say(`Writing ${name} with ${method.label}…`);
      const file = await session.character.animate(name, clip, 30, method.options);
      save(file.name, file.bytes);
      this.say(`${file.name}: ${(file.bytes.byteLength / 1e6).toFixed(1)} MB in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    } catch (error) {
      this.fail(error);
    } finally {
      button('export').disabled = false;
    }
  }

  async #copyLink(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const changed: Record<string, number[]> = {};
    session.character.info.joints.forEach((joint, j) => {
      const now = session.pose.subarray(10 * j + 3, 10 * j + 7), rest = session.skeleton.defaultPose.subarray(10 * j + 3, 10 * j + 7);
      if (now.some((v, i) => Math.abs(v - rest[i]!) > 1e-6)) changed[joint.name] = [...now].map((v) => Number(v.toFixed(5)));
    });
    const parts = new URLSearchParams({pose: JSON.stringify(changed)});
    if (typeof session.file === 'string') parts.set('builtin', session.file.replace('builtin:', ''));
    location.hash = parts.toString();
    try {
      await navigator.clipboard.writeText(location.href);
      this.say('The link to this pose is in the clipboard');
    } catch {
      this.say('The link to this pose is in the address bar');
    }
  }
  #applyLink(text: string | null): void {
    const session = this.#session;
    if (!session || !text) return;
    try {
      let pose = session.pose;
      for (const [name, q] of Object.entries(JSON.parse(text) as Record<string, number[]>)) {
        const joint = session.character.info.joints.findIndex((j) => j.name === name);
        if (joint < 0 || !Array.isArray(q) || q.length !== 4 || !q.every(Number.isFinite)) throw new Error('its pose is not of this character');
        pose = session.skeleton.rotated(pose, joint, new Quaternion(...(q as [number, number, number, number])));
      }
      session.setPose(pose);
    } catch (error) {
      this.fail(new Error(`The link cannot be used: ${error instanceof Error ? error.message : String(error)}`));
    }
  }

  // ---- time ----

  #listClips(chosen: string): void {
    const {clips} = this.#session!.character.info;
    select('clip').replaceChildren(new Option(clips.length === 0 ? 'none' : '–', ''), ...clips.map((c) => new Option(c.name, c.name)));
    if (chosen && clips.some((c) => c.name === chosen)) select('clip').value = chosen;
    this.#chooseClip();
  }
  #clip(): {name: string; start: number; end: number} | undefined {
    return this.#session?.character.info.clips.find((c) => c.name === select('clip').value);
  }
  #chooseClip(): void {
    const clip = this.#clip();
    for (const id of ['play', 'back', 'forth']) button(id).disabled = !clip;
    input('time').disabled = !clip;
    if (!clip) return;
    input('time').min = String(clip.start);
    input('time').max = String(clip.end);
    this.#goTo(clip.start, true);
  }
  #goTo(time: number, restart = false): void {
    const clip = this.#clip();
    if (!clip || !this.#session) return;
    this.#time = Math.min(Math.max(time, clip.start), clip.end);
    input('time').value = String(this.#time);
    get('time-value').textContent = `${this.#time.toFixed(2)} s`;
    this.#session.ask({clip: clip.name, time: this.#time, ...(restart ? {restart} : {})});
  }
  #stop(): void {
    this.#playing = false;
    button('play').textContent = '▶';
    button('play').setAttribute('aria-label', 'Play');
  }
  #toggle(): void {
    if (this.#playing || !this.#clip()) return this.#stop();
    this.#playing = true;
    this.#last = 0;
    button('play').textContent = '❚❚';
    button('play').setAttribute('aria-label', 'Stop');
  }
  #wireTime(): void {
    button('play').addEventListener('click', () => this.#toggle());
    button('back').addEventListener('click', () => this.#step(-1));
    button('forth').addEventListener('click', () => this.#step(1));
    select('clip').addEventListener('change', () => {
      this.#stop();
      this.#chooseClip();
    });
    input('time').addEventListener('input', () => {
      this.#stop();
      this.#goTo(Number(input('time').value));
    });
  }
  #step(frames: number): void {
    this.#stop();
    this.#goTo(this.#time + frames * kFrame);
  }

  #tick(now: number): void {
    const clip = this.#clip();
    if (this.#playing && clip) {
      const passed = this.#last === 0 ? 0 : ((now - this.#last) / 1000) * Number(select('speed').value);
      // Where the solver is too slow for the clip, the clip waits: what is shown goes every step of the way.
      const shown = this.#session?.shownTime ?? this.#time;
      const next = Math.min(this.#time + passed, shown + kMostStep);
      if (next <= clip.end - 1e-6) this.#goTo(next);
      else if (shown >= clip.end - kMostStep) this.#goTo(clip.start, true);
    }
    this.#last = now;
    if (this.#stage.rings.group.visible && this.#session && this.#session.joint >= 0 && !this.#stage.rings.dragging)
      this.#stage.rings.place(this.#session.skeleton.frames(this.#session.pose)[this.#session.joint]!, this.#stage.camera);
    this.#stage.draw();
    requestAnimationFrame((next) => this.#tick(next));
  }

  // ---- the picture ----

  #wireStage(): void {
    const {canvas} = this.#stage;
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.#stage.lost = true;
      this.fail(new Error('The graphics card was lost; the picture comes back when the browser gives it again'));
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.#stage.lost = false;
      this.#stage.touch();
      this.say('The picture is back');
    });
    // Before the camera's own controls, which listen to the same element.
    canvas.addEventListener('pointerdown', (event) => this.#press(event), {capture: true});
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#release(event));
    canvas.addEventListener('pointercancel', () => this.#endDrag());
  }
  #press(event: PointerEvent): void {
    const session = this.#session, found = this.#stage.locate(event);
    this.#pressed = {x: event.clientX, y: event.clientY};
    if (!session || !found || event.button !== 0) return;
    const begin = (kind: 'ring' | 'reach'): void => {
      this.#stop();
      this.#stage.orbiting = false;
      this.#drag = {kind, panel: found.panel, from: session.pose.slice(), rotation: session.skeleton.rotation(session.pose, session.joint)};
      canvasCapture(this.#stage.canvas, event.pointerId);
    };
    if (this.#dragKind() === 'rings') {
      if (this.#stage.rings.begin(found.at, this.#stage.camera)) begin('ring');
      return;
    }
    const picked = this.#stage.pick(found, (j) => session.skeleton.chain(j, 1).length > 0);
    if (picked && 'joint' in picked) {
      this.#choose(picked.joint);
      begin('reach');
    }
  }
  #move(event: PointerEvent): void {
    const drag = this.#drag, session = this.#session;
    if (!drag || !session) return;
    const at: Vector2 = this.#stage.inPanel(drag.panel, event);
    if (drag.kind === 'ring') {
      const turned = this.#stage.rings.move(at, this.#stage.camera);
      if (turned) session.drag(this.#both(session.skeleton.rotated(session.pose, session.joint, drag.rotation.clone().multiply(Rings.turn(turned.axis, turned.angle)))));
    } else {
      const target = this.#stage.pointAt(at, this.#stage.place(session.joint));
      session.drag(this.#both(session.skeleton.reached(session.pose, session.joint, target)));
    }
  }
  #release(event: PointerEvent): void {
    const session = this.#session, pressed = this.#pressed;
    if (this.#drag) return this.#endDrag();
    if (!session || !pressed || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) return;
    const found = this.#stage.locate(event);
    const picked = found && this.#stage.pick(found, (j) => session.character.info.joints[j]!.is_bone);
    if (picked) this.#choose('joint' in picked ? picked.joint : strongest(session.character.info, picked.vertex));
  }
  #endDrag(): void {
    const drag = this.#drag;
    this.#drag = undefined;
    this.#stage.rings.end();
    this.#stage.orbiting = true;
    if (drag && this.#session) this.#session.setPose(this.#session.pose, drag.from);
  }

  // ---- files and keys ----

  #wireFiles(): void {
    button('open').addEventListener('click', () => input('file').click());
    input('file').addEventListener('change', () => {
      const file = input('file').files?.[0];
      if (file) void this.#openFile(file);
      input('file').value = '';
    });
    const drop = get('drop');
    window.addEventListener('dragover', (event) => {
      event.preventDefault();
      drop.hidden = false;
    });
    window.addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) drop.hidden = true;
    });
    window.addEventListener('drop', (event) => {
      event.preventDefault();
      drop.hidden = true;
      const file = event.dataTransfer?.files[0];
      if (file) void this.#openFile(file);
    });
  }
  async #openFile(file: File): Promise<void> {
    try {
      await this.open(await readFile(file));
    } catch (error) {
      this.fail(error);
    }
  }

  #wireKeys(): void {
    window.addEventListener('keydown', (event) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey) {
        const key = event.key.toLowerCase();
        if (key === 'z' || key === 'y') {
          event.preventDefault();
          if (key === 'y' || event.shiftKey) this.#session?.redo();
          else this.#session?.undo();
        }
        return;
      }
      if (target.matches('input, select, button') && event.key !== 'Escape') return;
      const digit = Number(event.key);
      if (event.key === ' ') this.#toggle();
      else if (event.key === 'ArrowLeft') this.#step(-1);
      else if (event.key === 'ArrowRight') this.#step(1);
      else if (event.key === 'r') this.#resetPose();
      else if (event.key === 'f') this.#fit();
      else if (event.key === 'i') document.querySelector<HTMLInputElement>('input[name="drag"]:not(:checked)')!.click();
      else if (event.key === 'Escape') this.#choose(-1);
      else if (digit >= 1 && digit <= kMethods.length) get('methods').querySelectorAll('input')[digit - 1]!.click();
      else return;
      event.preventDefault();
    });
  }

  // ---- for tests ----

  /** Where a joint is in the window, and its rings' radius there. */
  jointInWindow(name: string, panel = 0): {x: number; y: number} {
    const joint = this.#session!.character.info.joints.findIndex((j) => j.name === name);
    return this.#stage.toWindow(panel, this.#stage.place(joint));
  }
  /** A point of a ring of the chosen joint in the window, at an angle about its axis. */
  ringInWindow(axis: number, angle: number, panel = 0): {x: number; y: number} {
    const {group} = this.#stage.rings, ring = group.children[2 * axis]!;
    return this.#stage.toWindow(panel, ring.localToWorld(group.position.clone().set(Math.cos(angle), Math.sin(angle), 0)));
  }
  get session(): Session | undefined { return this.#session; }
}

function canvasCapture(canvas: HTMLCanvasElement, pointer: number): void {
  try {
    canvas.setPointerCapture(pointer);
  } catch {
    // A pointer that is gone already: the drag ends with its next event.
  }
}

try {
  const page = new Page();
  (window as unknown as {cutis: Page}).cutis = page;
  void page.start();
} catch (error) {
  const message = get('message');
  message.classList.add('failed');
  message.textContent = `The viewer needs WebGL 2, and could not start (${error instanceof Error ? error.message : String(error)})`;
}
