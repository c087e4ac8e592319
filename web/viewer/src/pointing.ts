/** The pointer on the picture: joints are chosen, turned, dragged; skin is painted. */
import type {Quaternion} from 'three';

import type {App} from './app.js';
import {strongest} from './colors.js';
import {chosen} from './dom.js';
import {mirroredToo} from './joint_panel.js';
import type {PaintPanel} from './paint_panel.js';
import type {Pose} from './pose.js';
import type {PullPanel} from './pull.js';
import {Rings} from './rings.js';
import type {Tabs} from './tabs.js';

/** Pixels that a pointer may move in a click. */
const kClick = 4;

interface Drag {
  kind: 'ring' | 'reach' | 'pull' | 'paint';
  panel: number;
  from: Pose;
  rotation: Quaternion | undefined;
  moved: boolean;
}

export class Pointing {
  #drag: Drag | undefined;
  #pressed: {x: number; y: number} | undefined;

  constructor(private readonly app: App, private readonly tabs: Tabs, private readonly paint: PaintPanel, private readonly pull: PullPanel) {
    const {canvas} = app.stage;
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      app.stage.lost = true;
      app.fail(new Error('The graphics card was lost; the picture comes back when the browser gives it again'));
    });
    canvas.addEventListener('webglcontextrestored', () => {
      app.stage.lost = false;
      app.stage.touch();
      app.say('The picture is back');
    });
    // Before the camera's own controls, which listen to the same element.
    canvas.addEventListener('pointerdown', (event) => this.#press(event), {capture: true});
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#release(event));
    canvas.addEventListener('pointercancel', () => this.#end());
    canvas.addEventListener('pointerleave', () => paint.hide());
  }

  #press(event: PointerEvent): void {
    const {session, stage} = this.app, found = stage.locate(event);
    this.#pressed = {x: event.clientX, y: event.clientY};
    if (!session || !found || event.button !== 0) return;
    const begin = (kind: Drag['kind']): void => {
      if (kind !== 'paint') this.app.stop();
      stage.orbiting = false;
      this.#drag = {kind, panel: found.panel, from: session.pose.slice(), rotation: session.joint < 0 ? undefined : session.skeleton.rotation(session.pose, session.joint), moved: false};
      capture(stage.canvas, event.pointerId);
    };
    if (this.tabs.shown === 'paint') {
      if (this.paint.begin(event)) begin('paint');
      return;
    }
    if (chosen('drag') === 'rings') {
      if (stage.rings.begin(found.at, stage.camera)) begin('ring');
      return;
    }
    const pulls = this.pull.on;
    const picked = stage.pick(found, (j) => (pulls ? this.pull.canPull(j) : session.skeleton.chain(j, 1).length > 0));
    if (picked && 'joint' in picked) {
      this.app.choose(picked.joint);
      begin(pulls ? 'pull' : 'reach');
      if (pulls) this.pull.begin(picked.joint);
    }
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag, {session, stage} = this.app;
    if (session && this.tabs.shown === 'paint') this.paint.move(event);
    if (!drag || !session || drag.kind === 'paint') return;
    const {x, y} = this.#pressed ?? {x: 0, y: 0};
    // A click that trembles chooses, and poses nothing.
    if (!drag.moved && Math.hypot(event.clientX - x, event.clientY - y) <= (drag.kind === 'ring' ? 0 : kClick)) return;
    drag.moved = true;
    const at = stage.inPanel(drag.panel, event);
    if (drag.kind === 'ring') {
      const turned = stage.rings.move(at, stage.camera);
      if (turned && drag.rotation)
        session.drag(mirroredToo(this.app, session.skeleton.rotated(session.pose, session.joint, drag.rotation.clone().multiply(Rings.turn(turned.axis, turned.angle)))));
    } else if (drag.kind === 'pull') {
      if (this.pull.start) this.pull.move(stage.pointAt(at, this.pull.start));
    } else {
      const target = stage.pointAt(at, stage.place(session.joint));
      session.drag(mirroredToo(this.app, session.skeleton.reached(session.pose, session.joint, target)));
    }
  }

  #release(event: PointerEvent): void {
    const {session, stage} = this.app, pressed = this.#pressed;
    if (this.#drag) return this.#end();
    if (!session || !pressed || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > kClick) return;
    const found = stage.locate(event);
    const picked = found && stage.pick(found, (j) => session.character.info.joints[j]!.is_bone);
    if (picked) this.app.choose('joint' in picked ? picked.joint : strongest(session.character.info, picked.vertex));
  }

  #end(): void {
    const drag = this.#drag, {session, stage} = this.app;
    this.#drag = undefined;
    stage.rings.end();
    stage.orbiting = true;
    if (drag?.kind === 'paint') this.paint.end();
    else if (drag?.kind === 'pull') void this.pull.end();
    else if (drag?.moved && session) session.setPose(session.pose, drag.from);
  }
}

function capture(canvas: HTMLCanvasElement, pointer: number): void {
  try {
    canvas.setPointerCapture(pointer);
  } catch {
    // A pointer that is gone already: the drag ends with its next event.
  }
}
