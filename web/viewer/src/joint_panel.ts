/** The joint that is chosen, and its turn. */
import type {App, Part} from './app.js';
import {button, chosen, get, input, select} from './dom.js';
import type {Pose} from './pose.js';

const kAngles = ['angle-x', 'angle-y', 'angle-z'] as const;

/** A pose with what mirroring adds, where that is wanted. */
export function mirroredToo(app: App, pose: Pose): Pose {
  const session = app.session!;
  if (!input('mirror').checked) return pose;
  let next = pose;
  const joints = chosen('drag') === 'reach' ? session.skeleton.chain(session.joint, 2).reverse() : [session.joint];
  for (const joint of joints) next = session.skeleton.mirrored(next, joint);
  return next;
}

export class JointPanel implements Part {
  constructor(private readonly app: App) {
    select('joint').addEventListener('change', () => app.choose(Number(select('joint').value)));
    let before: Pose | undefined;
    for (const id of kAngles) {
      input(id).addEventListener('input', () => {
        const {session} = app;
        if (!session || session.joint < 0) return;
        app.stop();
        before ??= session.pose.slice();
        const degrees = kAngles.map((a) => Number(input(a).value)) as [number, number, number];
        session.drag(mirroredToo(app, session.skeleton.withAngles(session.pose, session.joint, degrees)));
      });
      input(id).addEventListener('change', () => {
        if (app.session && before) app.session.setPose(app.session.pose, before);
        before = undefined;
      });
    }
    for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="drag"]'))
      radio.addEventListener('change', () => {
        if (chosen('drag') !== 'rings') app.stage.rings.hide();
        app.changed();
      });
    button('undo').addEventListener('click', () => app.session?.undo());
    button('redo').addEventListener('click', () => app.session?.redo());
    button('reset').addEventListener('click', () => this.reset());
  }

  reset(): void {
    this.app.stop();
    const {session} = this.app;
    if (session) session.setPose(session.skeleton.defaultPose.slice());
  }

  opened(): void {
    const {joints} = this.app.session!.character.info;
    select('joint').replaceChildren(new Option('–', '-1'), ...joints.map((joint, j) => new Option(joint.name, String(j))));
  }

  changed(): void {
    const {session, stage} = this.app;
    if (!session) return;
    const {joints} = session.character.info, frames = session.skeleton.frames(session.pose);
    stage.showPins = chosen('drag') === 'pull';
    stage.setSkeleton(frames, joints.map((j) => j.parent), joints.map((j) => j.is_bone), session.joint);
    if (session.joint >= 0 && !stage.rings.dragging && this.#ringsWanted()) stage.rings.place(frames[session.joint]!, stage.camera);
    const angles = session.joint < 0 ? [0, 0, 0] : session.skeleton.angles(session.pose, session.joint);
    kAngles.forEach((id, i) => {
      input(id).disabled = session.joint < 0;
      if (document.activeElement !== input(id)) input(id).value = String(angles[i]);
      get(`${id}-value`).textContent = `${angles[i]!.toFixed(0)}°`;
    });
    button('undo').disabled = !session.canUndo;
    button('redo').disabled = !session.canRedo;
  }
  #ringsWanted(): boolean { return chosen('drag') === 'rings' && get('panel-paint').hidden; }

  /** Rings keep their size on the screen. */
  tick(): void {
    const {session, stage} = this.app;
    if (!stage.rings.group.visible || !session || session.joint < 0 || stage.rings.dragging) return;
    if (this.#ringsWanted()) stage.rings.place(session.skeleton.frames(session.pose)[session.joint]!, stage.camera);
    else stage.rings.hide();
  }
}
