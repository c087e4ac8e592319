/** Clips: played, scrubbed, stepped. */
import type {ClipInfo} from 'cutis';

import type {App, Part} from './app.js';
import {button, get, input, select} from './dom.js';
import {kMostStep} from './session.js';

const kFrame = 1 / 30;

export class Player implements Part {
  #playing = false;
  #time = 0;
  #last = 0;

  constructor(private readonly app: App) {
    button('play').addEventListener('click', () => this.toggle());
    button('back').addEventListener('click', () => this.step(-1));
    button('forth').addEventListener('click', () => this.step(1));
    select('clip').addEventListener('change', () => {
      this.stop();
      this.#choose();
    });
    input('time').addEventListener('input', () => {
      this.stop();
      this.#goTo(Number(input('time').value));
    });
  }

  opened(clip: string): void { this.list(clip); }

  /** The character's clips, with that one chosen. */
  list(chosen: string): void {
    const {clips} = this.app.session!.character.info;
    select('clip').replaceChildren(new Option(clips.length === 0 ? 'none' : '–', ''), ...clips.map((c) => new Option(c.name, c.name)));
    if (chosen && clips.some((c) => c.name === chosen)) select('clip').value = chosen;
    this.#choose();
  }

  stop(): void {
    this.#playing = false;
    button('play').textContent = '▶';
    button('play').setAttribute('aria-label', 'Play');
  }
  toggle(): void {
    if (this.#playing || !this.#clip()) return this.stop();
    this.#playing = true;
    this.#last = 0;
    button('play').textContent = '❚❚';
    button('play').setAttribute('aria-label', 'Stop');
  }
  step(frames: number): void {
    this.stop();
    this.#goTo(this.#time + frames * kFrame);
  }

  tick(now: number): void {
    const clip = this.#clip();
    if (this.#playing && clip) {
      const passed = this.#last === 0 ? 0 : ((now - this.#last) / 1000) * Number(select('speed').value);
      // Where the solver is too slow for the clip, the clip waits: what is shown goes every step of the way.
      const shown = this.app.session?.shownTime ?? this.#time;
      const next = Math.min(this.#time + passed, shown + kMostStep);
      if (next <= clip.end - 1e-6) this.#goTo(next);
      else if (shown >= clip.end - kMostStep) this.#goTo(clip.start, true);
    }
    this.#last = now;
  }

  #clip(): ClipInfo | undefined { return this.app.session?.character.info.clips.find((c) => c.name === select('clip').value); }
  #choose(): void {
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
    if (!clip || !this.app.session) return;
    this.#time = Math.min(Math.max(time, clip.start), clip.end);
    input('time').value = String(this.#time);
    get('time-value').textContent = `${this.#time.toFixed(2)} s`;
    this.app.session.ask({clip: clip.name, time: this.#time, ...(restart ? {restart} : {})});
  }
}
