/** Three rings around a joint; dragging one turns it about that axis. */
import {
  Group, Matrix4, Mesh, MeshBasicMaterial, type PerspectiveCamera, Plane, Quaternion, Raycaster, TorusGeometry, Vector2, Vector3,
} from 'three';

const kAxes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
const kColors = [0xe5484d, 0x46a758, 0x3e63dd];
/** Of the height of the picture. */
const kRadius = 0.11;
/** A ring seen this much from its edge is turned by the way of the pointer instead. */
const kEdgeOn = 0.12;
/** Radians a height of the picture. */
const kSweep = 2 * Math.PI;

export interface RingDrag {
  axis: number;
  angle: number;
}

export class Rings {
  readonly group = new Group();
  #drag: {axis: number; world: Vector3; plane: Plane; from: Vector3 | undefined; start: Vector2; tangent: Vector2} | undefined;

  constructor() {
    kAxes.forEach((axis, i) => {
      const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis);
      const thin = new Mesh(new TorusGeometry(1, 0.022, 8, 64), new MeshBasicMaterial({color: kColors[i]!, depthTest: false, transparent: true, opacity: 0.95}));
      const thick = new Mesh(new TorusGeometry(1, 0.1, 6, 48), new MeshBasicMaterial({visible: false}));
      for (const mesh of [thin, thick]) {
        mesh.quaternion.copy(turn);
        mesh.renderOrder = 10;
        mesh.userData.axis = i;
        this.group.add(mesh);
      }
    });
    this.group.visible = false;
  }

  get dragging(): boolean { return this.#drag !== undefined; }

  place(frame: Matrix4, camera: PerspectiveCamera): void {
    frame.decompose(this.group.position, this.group.quaternion, this.group.scale);
    const distance = camera.position.distanceTo(this.group.position);
    this.group.scale.setScalar(kRadius * 2 * distance * Math.tan((camera.fov * Math.PI) / 360));
    this.group.visible = true;
    this.group.updateMatrixWorld(true);
  }
  hide(): void { this.group.visible = false; }

  /** `at`: where the pointer is in the panel, -1 to 1. */
  begin(at: Vector2, camera: PerspectiveCamera): boolean {
    if (!this.group.visible) return false;
    const ray = new Raycaster();
    ray.setFromCamera(at, camera);
    const hit = ray.intersectObjects(this.group.children, false)[0];
    if (!hit) return false;
    const axis = hit.object.userData.axis as number;
    const center = this.group.position.clone();
    const world = kAxes[axis]!.clone().applyQuaternion(this.group.quaternion).normalize();
    const plane = new Plane().setFromNormalAndCoplanarPoint(world, center);
    const edgeOn = Math.abs(world.dot(ray.ray.direction)) < kEdgeOn;
    const from = edgeOn ? null : ray.ray.intersectPlane(plane, new Vector3());
    // The way a point of the ring goes on the screen.
    const outward = hit.point.clone().sub(center);
    const next = hit.point.clone().add(world.clone().cross(outward).multiplyScalar(0.05)).project(camera);
    const tangent = new Vector2(next.x, next.y).sub(at).normalize();
    this.#drag = {axis, world, plane, from: from ? from.sub(center) : undefined, start: at.clone(), tangent};
    return true;
  }

  move(at: Vector2, camera: PerspectiveCamera): RingDrag | undefined {
    const drag = this.#drag;
    if (!drag) return undefined;
    if (!drag.from) return {axis: drag.axis, angle: at.clone().sub(drag.start).dot(drag.tangent) * 0.5 * kSweep};
    const ray = new Raycaster();
    ray.setFromCamera(at, camera);
    const to = ray.ray.intersectPlane(drag.plane, new Vector3())?.sub(this.group.position);
    if (!to) return undefined;
    return {axis: drag.axis, angle: Math.atan2(drag.world.dot(drag.from.clone().cross(to)), drag.from.dot(to))};
  }
  end(): void { this.#drag = undefined; }

  static turn(axis: number, angle: number): Quaternion { return new Quaternion().setFromAxisAngle(kAxes[axis]!, angle); }
}
