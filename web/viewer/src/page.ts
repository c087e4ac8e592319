/** The page: its parts, and what they share. */
import {Library, type OpenFile} from 'cutis';

import type {App, Part} from './app.js';
import type {Coloring} from './colors.js';
import {get, select} from './dom.js';
import {FieldPanel} from './field_panel.js';
import {embeddedCharacter, embeddedWasm, embeddedWorker, looksOf} from './files.js';
import {Header} from './header.js';
import {JointPanel} from './joint_panel.js';
import {wireKeys} from './keys.js';
import {applyLink, wireLink} from './link.js';
import {Numbers} from './numbers.js';
import {wireOpening} from './opening.js';
import {PaintPanel} from './paint_panel.js';
import {Player} from './player.js';
import {Pointing} from './pointing.js';
import {Poses} from './poses.js';
import {Preset} from './preset.js';
import {PresetPanel} from './preset_panel.js';
import {PullPanel} from './pull.js';
import {Session} from './session.js';
import type {Look} from './skin.js';
import {Stage} from './stage.js';
import {type Tab, Tabs} from './tabs.js';

/** What is seen first where no character is asked for: it is there soonest. */
const kFirst = 'hand';

class Page implements App {
  readonly stage = new Stage(get<HTMLCanvasElement>('canvas'));
  readonly methods = ['lbs', 'contact'];
  readonly field: FieldPanel;
  readonly pull: PullPanel;
  #library: Library | undefined;
  #session: Session | undefined;
  readonly #parts: Part[];
  readonly #header: Header;
  readonly #joint: JointPanel;
  readonly #player: Player;
  readonly #preset: PresetPanel;
  readonly #tabs: Tabs;
  /** What was seen before painting. */
  #colored: Coloring = 'material';

  constructor() {
    this.#player = new Player(this);
    this.#header = new Header(this);
    this.#joint = new JointPanel(this);
    this.#preset = new PresetPanel(this);
    this.field = new FieldPanel(this);
    this.pull = new PullPanel(this);
    const paint = new PaintPanel(this);
    this.#parts = [
      this.#header, this.#joint, new Poses(this, (clip) => this.#player.list(clip)), this.#player, this.#preset, paint, this.field, this.pull,
      new Numbers(this),
    ];
    this.#tabs = new Tabs((now, before) => this.#turnTo(now, before));
    new Pointing(this, this.#tabs, paint, this.pull);
    wireLink(this);
    wireOpening(this);
    this.#wireKeys();
    requestAnimationFrame((now) => this.#tick(now));
  }

  async start(): Promise<void> {
    try {
      this.#library = await Library.start({wasm: await embeddedWasm(), worker: embeddedWorker});
      this.#preset.named = await this.#library.controllers();
    } catch (error) {
      this.fail(error);
      return;
    }
    const inside = embeddedCharacter(), wanted = new URLSearchParams(location.hash.slice(1));
    const builtin = wanted.get('builtin');
    await this.open(inside?.file ?? `builtin:${builtin ?? kFirst}`, inside?.clip);
    if (inside?.preset && this.#session) {
      const {name, bytes} = inside.preset;
      this.#session.setPreset(Preset.parse(new TextDecoder().decode(bytes), name, this.#session.character.info.positions.length / 3), null);
    }
    applyLink(this, wanted.get('pose'));
  }

  get session(): Session | undefined { return this.#session; }

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

  changed(): void {
    if (!this.#session) return;
    for (const part of this.#parts) part.changed?.();
    this.stage.touch();
  }
  stop(): void { this.#player.stop(); }

  choose(joint: number): void {
    const session = this.#session;
    if (!session) return;
    session.joint = joint;
    select('joint').value = String(joint);
    if (joint < 0) this.stage.rings.hide();
    if (session.coloring === 'weights') session.paint();
    this.changed();
  }

  async open(source: OpenFile | string, clip = ''): Promise<void> {
    const name = typeof source === 'string' ? source : source.name;
    if (!this.#library) return;
    try {
      if (typeof source !== 'string' && /\.(bvh|vrma|json)$/i.test(name)) await this.#add(source);
      else await this.#openCharacter(this.#library, source, name, clip);
    } catch (error) {
      this.fail(error);
    }
  }

  /** A motion or a preset, for the character that is open. */
  async #add(file: OpenFile): Promise<void> {
    const session = this.#session, isPreset = /\.json$/i.test(file.name);
    if (!session) throw new Error(`${file.name}: is a ${isPreset ? 'preset' : 'motion'}; open a character first`);
    if (isPreset) {
      session.setPreset(Preset.parse(new TextDecoder().decode(file.bytes), file.name, session.character.info.positions.length / 3));
      this.say(`${file.name}: is the preset of ${session.character.info.name}`);
      return;
    }
    this.say(`Reading ${file.name}…`);
    const added = await session.character.addMotion(file);
    this.#player.list(added);
    this.say(`${file.name}: clip '${added}'`);
  }

  async #openCharacter(library: Library, source: OpenFile | string, name: string, clip: string): Promise<void> {
    this.say(`Opening ${name}…`);
    this.stop();
    const start = performance.now();
    const character = await library.load(typeof source === 'string' ? source : source.bytes.slice(), {name});
    let looks: (Look | undefined)[] = [], plain = '';
    if (typeof source !== 'string') looks = await looksOf(source, character.info).catch((error: unknown) => {
      plain = ` (without its materials: ${error instanceof Error ? error.message : String(error)})`;
      return [];
    });
    const session = new Session(character, source, looks, () => this.changed(), (error) => {
      this.fail(error);
      this.changed();
    });
    await session.show(this.methods);
    this.#session?.close();
    this.#session = session;
    this.stage.setSkins(session.shown.map((s) => s.skin));
    this.stage.rings.hide();
    for (const part of this.#parts) part.opened?.(clip);
    this.fit();
    const {info} = character;
    get('about').textContent = `${info.name}: ${info.positions.length / 3} vertices, ${info.joints.length} joints`;
    this.say(`${info.name}: ready in ${((performance.now() - start) / 1000).toFixed(2)} s${plain}`);
  }

  fit(): void {
    const session = this.#session, skin = session?.shown[0]?.skin;
    if (session && skin) this.stage.frame(skin.box(), session.skeleton.facesAway);
  }

  #turnTo(now: Tab, before: Tab): void {
    if (now === 'paint') {
      this.#colored = select('coloring').value as Coloring;
      this.#header.color('painting');
    } else if (before === 'paint' && select('coloring').value === 'painting') {
      this.#header.color(this.#colored);
    }
    this.changed();
  }

  #wireKeys(): void {
    wireKeys({
      undo: () => this.#session?.undo(),
      redo: () => this.#session?.redo(),
      does: {
        ' ': () => this.#player.toggle(),
        ArrowLeft: () => this.#player.step(-1),
        ArrowRight: () => this.#player.step(1),
        r: () => this.#joint.reset(),
        f: () => this.fit(),
        i: () => {
          const kinds = [...document.querySelectorAll<HTMLInputElement>('input[name="drag"]')];
          kinds[(kinds.findIndex((k) => k.checked) + 1) % kinds.length]!.click();
        },
        p: () => this.#tabs.show(this.#tabs.shown === 'paint' ? 'pose' : 'paint'),
        Escape: () => this.choose(-1),
      },
      method: (number) => {
        const check = get('methods').querySelectorAll('input')[number - 1];
        check?.click();
        return check !== undefined;
      },
    });
  }

  #tick(now: number): void {
    for (const part of this.#parts) part.tick?.(now);
    this.stage.draw();
    requestAnimationFrame((next) => this.#tick(next));
  }

  // ---- for tests ----

  /** Where a joint is in the window. */
  jointInWindow(name: string, panel = 0): {x: number; y: number} {
    const joint = this.#session!.character.info.joints.findIndex((j) => j.name === name);
    return this.stage.toWindow(panel, this.stage.place(joint));
  }
  /** A point of a ring of the chosen joint in the window, at an angle about its axis. */
  ringInWindow(axis: number, angle: number, panel = 0): {x: number; y: number} {
    const {group} = this.stage.rings, ring = group.children[2 * axis]!;
    return this.stage.toWindow(panel, ring.localToWorld(group.position.clone().set(Math.cos(angle), Math.sin(angle), 0)));
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
