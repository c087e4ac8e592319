/** The panels at the side, one at a time. */
import {get} from './dom.js';

export type Tab = 'pose' | 'skin' | 'paint' | 'field';
export const kTabs: Tab[] = ['pose', 'skin', 'paint', 'field'];

export class Tabs {
  #shown: Tab = 'pose';

  constructor(private readonly changed: (now: Tab, before: Tab) => void) {
    for (const tab of kTabs) {
      const control = get(`tab-${tab}`);
      control.addEventListener('click', () => this.show(tab));
      control.addEventListener('keydown', (event) => {
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        if (step === 0) return;
        event.preventDefault();
        event.stopPropagation();
        const next = kTabs[(kTabs.indexOf(tab) + step + kTabs.length) % kTabs.length]!;
        this.show(next);
        get(`tab-${next}`).focus();
      });
    }
  }

  get shown(): Tab { return this.#shown; }

  show(tab: Tab): void {
    const before = this.#shown;
    this.#shown = tab;
    for (const other of kTabs) {
      get(`tab-${other}`).setAttribute('aria-selected', String(other === tab));
      get(`tab-${other}`).tabIndex = other === tab ? 0 : -1;
      get(`panel-${other}`).hidden = other !== tab;
    }
    if (before !== tab) this.changed(tab, before);
  }
}
