"""Small files that rows need: GLBs with other weights, motions of one joint as BVH."""
import json
import math
import struct

COMPONENTS = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    def __init__(self, path):
        data = open(path, "rb").read()
        length, = struct.unpack_from("<I", data, 12)
        self.json = json.loads(data[20:20 + length])
        self.binary = bytearray(data[28 + length:])

    def _place(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        layout = "<" + COMPONENTS[accessor["componentType"]] * WIDTHS[accessor["type"]]
        return view.get("byteOffset", 0) + accessor.get("byteOffset", 0), view.get("byteStride", struct.calcsize(layout)), layout, accessor["count"]

    def read(self, index):
        at, stride, layout, count = self._place(index)
        return [struct.unpack_from(layout, self.binary, at + i * stride) for i in range(count)]

    def write(self, index, values):
        at, stride, layout, _ = self._place(index)
        for i, value in enumerate(values):
            struct.pack_into(layout, self.binary, at + i * stride, *value)

    def replace(self, index, values):
        """Another number of rows, at the end of the file."""
        accessor = self.json["accessors"][index]
        layout = self._place(index)[2]
        rows = b"".join(struct.pack(layout, *value) for value in values)
        self.binary += b"\0" * (-len(self.binary) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(rows)})
        self.binary += rows
        self.json["buffers"][0]["byteLength"] = len(self.binary)
        accessor.update(bufferView=len(self.json["bufferViews"]) - 1, byteOffset=0, count=len(values))

    def primitives(self):
        return [p for m in self.json["meshes"] for p in m["primitives"] if "WEIGHTS_0" in p["attributes"]]

    def save(self, path):
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as out:
            out.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(self.binary)))
            out.write(struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(self.binary), b"BIN\0") + self.binary)


def sharpened(source, target, power=None):
    """Weights to a power, and normalised again: the blend around a joint gets narrower. Without a power, the largest alone."""
    glb = Glb(source)
    for p in glb.primitives():
        index = p["attributes"]["WEIGHTS_0"]
        rows = []
        for w in glb.read(index):
            top = max(range(4), key=lambda k: w[k])
            raised = [x ** power if power else float(k == top) for k, x in enumerate(w)]
            rows.append([x / (sum(raised) or 1) for x in raised])
        glb.write(index, rows)
    glb.save(target)


def refined(source, target, vertices):
    """A closed mesh with so many vertices: its longest edges are halved, no triangle twice."""
    glb = Glb(source)
    p, = glb.primitives()
    at = p["attributes"]
    positions, normals, joints, weights = (glb.read(at[k]) for k in ("POSITION", "NORMAL", "JOINTS_0", "WEIGHTS_0"))
    corners = [i for i, in glb.read(p["indices"])]
    triangles = [corners[i:i + 3] for i in range(0, len(corners), 3)]
    sides = {}
    for t, (a, b, c) in enumerate(triangles):
        for edge in ((a, b), (b, c), (c, a)):
            sides.setdefault(tuple(sorted(edge)), []).append(t)
    cut = set()
    for (a, b), around in sorted(sides.items(), key=lambda s: -math.dist(positions[s[0][0]], positions[s[0][1]])):
        if len(positions) == vertices:
            break
        if len(around) != 2 or cut & set(around):
            continue
        middle = len(positions)
        positions.append([(x + y) / 2 for x, y in zip(positions[a], positions[b])])
        normals.append([(x + y) / (math.dist(normals[a], [-n for n in normals[b]]) or 1) for x, y in zip(normals[a], normals[b])])
        shared = {}
        for v in (a, b):
            for j, w in zip(joints[v], weights[v]):
                shared[j] = shared.get(j, 0) + w
        most = (sorted(shared.items(), key=lambda s: -s[1]) + [(0, 0)] * 3)[:4]
        joints.append([j for j, _ in most])
        weights.append([w / sum(w for _, w in most) for _, w in most])
        for t in around:
            triangles.append([middle if v == a else v for v in triangles[t]])
            triangles[t] = [middle if v == b else v for v in triangles[t]]
            cut.add(t)
    for key, rows in (("POSITION", positions), ("NORMAL", normals), ("JOINTS_0", joints), ("WEIGHTS_0", weights)):
        glb.replace(at[key], rows)
    glb.replace(p["indices"], [(v,) for t in triangles for v in t])
    glb.save(target)


def ply_points(path):
    """Positions of a binary PLY file."""
    data = open(path, "rb").read()
    head, _, body = data.partition(b"end_header\n")
    lines = head.decode().splitlines()
    count = next(int(x.split()[2]) for x in lines if x.startswith("element vertex"))
    vertex = lines[next(i for i, x in enumerate(lines) if x.startswith("element vertex")) + 1:]
    floats = 0
    for line in vertex:
        if not line.startswith("property float"):
            break
        floats += 1
    return [struct.unpack_from("<3f", body, 4 * floats * i) for i in range(count)]


def write_pc2(path, frames):
    with open(path, "wb") as out:
        out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(frames[0]), 0, 1, len(frames)))
        for points in frames:
            out.write(b"".join(struct.pack("<3f", *p) for p in points))


def mirrored(source, target):
    """The mirror image (x) of a character, without its clips."""
    glb = Glb(source)
    for p in glb.primitives():
        for name in ("POSITION", "NORMAL"):
            index = p["attributes"][name]
            glb.write(index, [(-x, y, z) for x, y, z in glb.read(index)])
        bounds = glb.json["accessors"][p["attributes"]["POSITION"]]
        bounds["min"][0], bounds["max"][0] = -bounds["max"][0], -bounds["min"][0]
        corners = glb.read(p["indices"])
        corners[1::3], corners[2::3] = corners[2::3], corners[1::3]  # the other way round, or faces would look inwards
        glb.write(p["indices"], corners)
    for skin in glb.json["skins"]:
        index = skin["inverseBindMatrices"]
        glb.write(index, [[-x if (k % 4 == 0) != (k < 4) else x for k, x in enumerate(m)] for m in glb.read(index)])
    for node in glb.json["nodes"]:
        if "translation" in node:
            node["translation"][0] *= -1
        if "rotation" in node:
            node["rotation"][1:3] = [-v for v in node["rotation"][1:3]]
    glb.json.pop("animations", None)
    glb.save(target)


# A person as BVH draws one, standing as the built-in human does: name, parent, offset in metres.
BODY = [("Hips", None, (0, 0.95, 0)), ("Spine", "Hips", (0, 0.12, 0)), ("Spine1", "Spine", (0, 0.16, 0)), ("Neck", "Spine1", (0, 0.26, 0)),
        ("Head", "Neck", (0, 0.1, 0.01))]
for side, x in (("Left", 1), ("Right", -1)):
    BODY += [(f"{side}Shoulder", "Spine1", (0.04 * x, 0.2, 0)), (f"{side}Arm", f"{side}Shoulder", (0.14 * x, 0, 0)),
             (f"{side}ForeArm", f"{side}Arm", (0.19 * x, -0.19, 0)), (f"{side}Hand", f"{side}ForeArm", (0.17 * x, -0.17, 0.03)),
             (f"{side}UpLeg", "Hips", (0.09 * x, -0.03, 0)), (f"{side}Leg", f"{side}UpLeg", (0.02 * x, -0.43, 0)),
             (f"{side}Foot", f"{side}Leg", (0.01 * x, -0.41, 0))]


def write_motion(path, turns, frames=31, eased=True):
    """To full turns in so many frames, 30 a second: {joint: (x, y, z) degrees}, applied z, then x, then y."""
    children = {name: [c for c, p, _ in BODY if p == name] for name, _, _ in BODY}
    offset = {name: o for name, _, o in BODY}
    order, lines = [], ["HIERARCHY"]

    def joint(name, depth):
        pad = "  " * depth
        order.append(name)
        lines.extend([f"{pad}{'ROOT' if depth == 0 else 'JOINT'} {name}", pad + "{", f"{pad}  OFFSET {' '.join(map(str, offset[name]))}"])
        lines.append(f"{pad}  CHANNELS " + ("6 Xposition Yposition Zposition " if depth == 0 else "3 ") + "Zrotation Xrotation Yrotation")
        for child in children[name]:
            joint(child, depth + 1)
        if not children[name]:
            lines.extend([f"{pad}  End Site", pad + "  {", f"{pad}    OFFSET {'0 -0.05 0.12' if name.endswith('Foot') else '0 0.08 0'}", pad + "  }"])
        lines.append(pad + "}")

    joint("Hips", 0)
    lines += ["MOTION", f"Frames: {frames}", "Frame Time: 0.033333"]
    for f in range(frames):
        s = 0.5 - 0.5 * math.cos(math.pi * f / (frames - 1)) if eased else f / (frames - 1)
        values = [*offset["Hips"]]
        for name in order:
            x, y, z = turns.get(name, (0, 0, 0))
            values += [z * s, x * s, y * s]
        lines.append(" ".join(f"{v:.5f}" for v in values))
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n")


MOTIONS = {
    "torso-twist": {"Spine": (0, 35, 0), "Spine1": (0, 45, 0), "Neck": (0, -30, 0)},
    "shoulders": {"LeftArm": (0, 0, 95), "LeftShoulder": (0, 0, 20), "RightArm": (0, 0, -95), "RightShoulder": (0, 0, -20)},
    "knee": {"LeftLeg": (150, 0, 0), "LeftUpLeg": (-60, 0, 0)},
    "chin": {"Spine1": (10, 0, 0), "Neck": (40, 0, 0), "Head": (30, 0, 0)},
}


def motion(studio, name):
    path = studio.work / f"{name}.bvh"
    return studio.once(path, lambda: write_motion(path, MOTIONS[name]))


def all_joints(studio, step, frames=12):
    """Every joint of the body turns, by `step` radians from frame to frame."""
    path = studio.work / f"all-joints-{step}.bvh"
    turn = math.degrees(step) * (frames - 1)
    return studio.once(path, lambda: write_motion(path, {name: (turn, 0, 0) for name, parent, _ in BODY if parent}, frames, eased=False))


def weighted(studio, name, character, *arguments):
    """The character with automatic weights, as a GLB."""
    path = studio.work / f"{name}.glb"
    return studio.once(path, lambda: studio.run(["weights", character, *arguments, "-o", path, "--quiet"]))


def narrow(studio, name, character, power=6):
    """The character with automatic weights that blend near the joints alone."""
    smooth, path = weighted(studio, f"{name}-heat", character), studio.work / f"{name}-narrow-{power}.glb"
    return studio.once(path, lambda: sharpened(smooth, path, power))


def rigid(studio, name, character):
    """The character with each vertex on one bone."""
    smooth, path = weighted(studio, f"{name}-heat", character), studio.work / f"{name}-rigid.glb"
    return studio.once(path, lambda: sharpened(smooth, path))


def index_bends(studio):
    """Arguments of a motion in which the index finger of a built-in hand alone bends: the fist's spheres, those of all else held where they are at rest."""
    path = studio.work / "index-track.json"

    def make():
        studio.run(["spheres", "builtin:hand:3000", "--clip", "fist", "--frames", 21, "--make-track", path, "--quiet"])
        track = json.loads(path.read_text())
        rest = track["frames"][0]["centers"]
        for frame in track["frames"]:
            frame["centers"] = [c if s["joint"].startswith("index_") else rest[i] for i, (s, c) in enumerate(zip(track["spheres"], frame["centers"]))]
        path.write_text(json.dumps(track))
    return ["--spheres", studio.once(path, make)]
