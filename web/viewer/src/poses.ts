/** Poses that are kept, recorded, exported. */
import type {App, Part} from './app.js';
import {button, select} from './dom.js';
import {save} from './files.js';
import type {Pose} from './pose.js';

const kFramesPerSecond = 30;

export class Poses implements Part {
  #kept: Pose[] = [];

  /** `recorded`: a clip was made. */
  constructor(private readonly app: App, private readonly recorded: (name: string) => void) {
    button('keep').addEventListener('click', () => {
      if (!app.session) return;
      this.#kept.push(app.session.pose.slice());
      this.#list();
      select('poses').value = String(this.#kept.length - 1);
    });
    select('poses').addEventListener('change', () => {
      const pose = this.#kept[Number(select('poses').value)];
      app.stop();
      if (pose && select('poses').value !== '') app.session?.setPose(pose.slice());
    });
    button('record').addEventListener('click', () => void this.#record());
    button('export').addEventListener('click', () => void this.#export());
  }

  opened(): void {
    this.#kept = [];
    this.#list();
    this.#showRecording(false);
  }
  #list(): void {
    select('poses').replaceChildren(new Option('–', ''), ...this.#kept.map((_, i) => new Option(`Pose ${i + 1}`, String(i))));
  }
  #showRecording(on: boolean): void {
    button('record').setAttribute('aria-pressed', String(on));
    button('record').textContent = on ? 'Stop' : 'Record';
  }

  async #record(): Promise<void> {
    const {app} = this, {session} = app;
    if (!session) return;
    this.#showRecording(!session.recorded);
    if (!session.recorded) {
      session.recorded = [];
      app.say('Recording what is posed…');
      return;
    }
    const taken = session.recorded;
    session.recorded = undefined;
    const rising = taken.filter(({time}, i) => i === 0 || time > taken[i - 1]!.time);
    if (rising.length < 2) {
      app.fail(new Error('The recording has no motion; pose something while it runs'));
      return;
    }
    const start = rising[0]!.time, name = `recorded ${session.character.info.clips.length + 1}`;
    try {
      await session.character.addClip(name, rising.map((r) => r.pose), rising.map((r) => r.time - start));
      this.recorded(name);
      app.say(`Clip '${name}': ${rising.length} poses`);
    } catch (error) {
      app.fail(error);
    }
  }

  async #export(): Promise<void> {
    const {app} = this, {session} = app, clip = select('clip').value;
    if (!session) return;
    if (!clip) {
      app.fail(new Error('There is no clip to export; open a motion or record one'));
      return;
    }
    app.stop();
    button('export').disabled = true;
    const method = session.shown.at(-1)!.method, start = performance.now();
    try {
      const name = `${session.character.info.name.replace(/^builtin:|\.\w+$/g, '')}_${clip}.${select('export-format').value}`.replace(/[^\w.-]+/g, '_');
      app.say(`Writing ${name} with ${method.label}…`);
      const file = await session.character.animate(name, clip, kFramesPerSecond, method.options);
      save(file.name, file.bytes);
      app.say(`${file.name}: ${(file.bytes.byteLength / 1e6).toFixed(1)} MB in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    } catch (error) {
      app.fail(error);
    } finally {
      button('export').disabled = false;
    }
  }
}
