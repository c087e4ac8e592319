/** What the parts of the page share. */
import type {OpenFile} from 'cutis';

import type {Session} from './session.js';
import type {Stage} from './stage.js';

export interface App {
  readonly stage: Stage;
  /** The character that is open. */
  readonly session: Session | undefined;
  say(text: string): void;
  fail(error: unknown): void;
  /** What is shown is not what was shown: every part looks again. */
  changed(): void;
  /** All of the character is seen. */
  fit(): void;
  /** The clip stands still. */
  stop(): void;
  /** Opens a character, or a motion or a preset for the one that is open. What was open stays when it fails. */
  open(source: OpenFile | string, clip?: string): Promise<void>;
  /** Of a joint; -1: none. */
  choose(joint: number): void;
  /** The methods that are to be shown, by their keys. */
  readonly methods: string[];
}

/** A part of the page: some of its controls. */
export interface Part {
  /** A character was opened. */
  opened?(clip: string): void;
  /** A frame came, another joint was chosen, ... */
  changed?(): void;
  /** Of drawing. */
  tick?(now: number): void;
}
