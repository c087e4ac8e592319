#!/usr/bin/env python3
"""The Python package beside the program, and misused: test_python.py SUITE, one of the classes below."""
import ctypes
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import cutis
from cutis import _abi


def without_preload():
    """The environment of a program: what was loaded into Python for the library's sake is not for it."""
    return {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}


def program_frames(character, clip, frames, *more):
    """What `cutis animate` writes, as (frames, n, 3)."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "frames.pc2"
        subprocess.run([os.environ["CUTIS_PROGRAM"], "animate", character, "--clip", clip, "--frames", str(frames), "-q", "-o",
                        str(file), *more], check=True, env=without_preload())
        data = file.read_bytes()
    assert data[:12] == b"POINTCACHE2\0"
    points, samples = (int.from_bytes(data[k:k + 4], "little") for k in (16, 28))
    return np.frombuffer(data, np.float32, offset=32).reshape(samples, points, 3)


class Bits(unittest.TestCase):
    """Same bits as the program: built-in characters, two clips each."""

    JOBS = [(f"builtin:{name}", clip, frames) for name, clip, frames in
            [("cylinder", "bend", 4), ("cylinder", "twist", 3), ("hand", "fist", 3), ("hand", "pinch", 3),
             ("arm", "0", 3), ("arm", "random:2", 3)]]

    def check(self, jobs):
        for file, clip, frames in jobs:
            character = cutis.Character.load(file)
            rig = character.bind()
            for method in ("tracking", "lbs"):
                with self.subTest(file=file, clip=clip, method=method):
                    wanted = program_frames(file, clip, frames, "--method", method)
                    got = cutis.Solver(rig, method).play_all(clip, frames=frames)
                    self.assertEqual(got.dtype, np.float32)
                    self.assertEqual(got.shape, wanted.shape)
                    self.assertTrue(np.array_equal(got, wanted))
                    self.assertGreater(np.abs(got[1] - character.vertices).max(), 1e-4)

    def test_clips_of_builtin_characters(self):
        self.check(self.JOBS)

    def test_arrays_and_exact_poses(self):
        hand = cutis.Character.builtin("hand")
        copy = cutis.Character.from_dict(hand.to_dict())
        times = hand.times("fist", 3)
        wanted = program_frames("builtin:hand", "fist", 3, "--method", "dqs")
        solver = cutis.Solver(copy.bind(implicit_skin=False), "dqs", contact_pass=False)
        for i, pose in enumerate(hand.sample("fist", times, kind="trs")):
            self.assertTrue(np.array_equal(solver.solve(pose, kind="trs").positions, wanted[i]))


class BitsOfData(Bits):
    """Same bits as the program: four characters of the data folder, two clips each."""

    def test_clips_of_builtin_characters(self):
        data = pathlib.Path(os.environ.get("CUTIS_SHARED_DATA") or pathlib.Path(__file__).parents[2] / ".." / "shared" / "data")
        if not data.is_dir():
            self.skipTest("there is no data folder")
        files = {"makehuman_male/makehuman_male.glb": ("fist_l", "elbow_l_0_150"), "fox/fox.glb": ("0", "1"),
                 "cesium_man/cesium_man.glb": ("0", "random:1"), "hand_webxr/hand_left_poses.glb": ("0", "1")}
        self.check([(str(data / file), clip, 3) for file, clips in files.items() for clip in clips])


class Use(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.character = cutis.Character.builtin("cylinder")
        cls.rig = cls.character.bind()

    def test_buffers_of_the_caller_are_filled_whatever_their_stride(self):
        solver = cutis.Solver(self.rig, "dqs")
        pose = self.character.sample("bend", 1.0)
        plain = solver.solve(pose, normals=True)
        wide = np.full((self.rig.vertices, 8), 7, np.float32)
        frame = solver.solve(pose, out=wide[:, 0:3], normals=wide[:, 4:7])
        self.assertTrue(np.shares_memory(frame.positions, wide))
        self.assertTrue(np.array_equal(wide[:, 0:3], plain.positions))
        self.assertTrue(np.array_equal(wide[:, 4:7], plain.normals))
        self.assertTrue((wide[:, (3, 7)] == 7).all())

    def test_matrices_are_as_good_as_clips(self):
        solver = cutis.Solver(self.rig, "dqs")
        wanted = solver.solve_clip("bend", 0.8).positions
        for kind in ("world", "local", "trs"):
            got = solver.solve(self.character.sample("bend", 0.8, kind=kind), kind=kind).positions
            self.assertLess(np.abs(got - wanted).max(), 1e-6, kind)
        self.assertGreater(np.abs(wanted - self.character.vertices).max(), 0.01)

    def test_poses_are_played(self):
        times = self.character.times("bend", fps=30)[:20]
        poses = self.character.sample("bend", times)
        got = cutis.Solver(self.rig).play_all(poses, fps=30)
        wanted = cutis.Solver(self.rig).play_all("bend", times=times)
        self.assertLess(np.abs(got - wanted).max(), 2e-3 * np.ptp(wanted[0], axis=0).max())

    def test_states_and_seeking(self):
        solver = cutis.Solver(self.rig)
        pose = self.character.sample("bend", 1.0)
        first = solver.seek(pose, extra=True)
        self.assertIn(cutis.STATES.index("converged"), first.states)
        solver.solve()
        self.assertTrue(np.array_equal(solver.seek(pose).positions, first.positions))
        state = solver.save()
        wanted = solver.solve_clip("bend", 0.9).positions
        solver.reset()
        solver.restore(state)
        self.assertTrue(np.array_equal(solver.solve_clip("bend", 0.9).positions, wanted))
        self.assertEqual(solver.options["method"], "tracking")
        self.assertIn("certified", solver.report["contact"])

    def test_measuring(self):
        metrics = cutis.Metrics(self.character, per_vertex=True)
        self.assertEqual(metrics.measure()["intersecting_pairs"], 0)
        lbs, dqs = (cutis.Solver(self.rig, m).solve_clip("bend", 1.0).positions for m in ("lbs", "dqs"))
        report = metrics.measure(lbs, dqs=dqs)
        self.assertGreater(report["intersecting_pairs"], 0)
        self.assertEqual(metrics.vertices("intersects").max(), 1)
        samples = cutis.Field(self.rig).evaluate(self.character.vertices)
        self.assertLess(np.abs(samples.values - 0.5).mean(), 0.05)

    def test_weights_are_made_and_dense_ones_taken(self):
        parts = self.character.to_dict()
        dense = self.character.dense_weights
        del parts["weight_joints"]
        parts["weights"] = dense
        again = cutis.Character.from_dict(parts)
        self.assertTrue(np.allclose(again.dense_weights, dense, atol=1e-7))
        bare = cutis.Character.load("builtin:cylinder", ignore_weights=True)
        self.assertEqual(bare.to_dict().get("weights"), None)
        report = bare.make_weights("heat", max_influences=2)
        self.assertGreater(report["weighted_bones"], 1)
        self.assertLessEqual(bare.weights[0].shape[1], 2)

    def test_files_of_frames(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bend.pc2"
            times = self.character.times("bend", 3)
            frames = list(cutis.Solver(self.rig, "lbs").play("bend", frames=3, normals=True))
            with cutis.Writer(file, self.character, times) as writer:
                for frame in frames:
                    writer.add(frame.positions, frame.normals)
            wanted = np.stack([f.positions for f in frames])
            self.assertTrue(np.array_equal(np.frombuffer(file.read_bytes(), np.float32, offset=32).reshape(wanted.shape), wanted))
            other = pathlib.Path(folder) / "left.pc2"
            with self.assertRaises(RuntimeError), cutis.Writer(other, self.character, times) as writer:
                writer.add(frames[0].positions, frames[0].normals)
                raise RuntimeError
            self.assertFalse(other.exists())

    def test_rigs_in_memory(self):
        data = self.rig.to_bytes()
        again = cutis.Rig.from_bytes(data, self.character)
        pose = self.character.sample("twist", 0.5)
        self.assertTrue(np.array_equal(cutis.Solver(again).seek(pose).positions, cutis.Solver(self.rig).seek(pose).positions))
        with self.assertRaises(cutis.BadArgument):
            cutis.Rig.from_bytes(data, cutis.Character.builtin("hand"))

    def test_option_tables(self):
        names = {row["name"] for row in cutis.option_tables()["TrackingOptions"]}
        self.assertIn("history", names)

    def test_progress_is_told_and_the_log_heard(self):
        done = []
        cutis.Solver(self.rig, "lbs").play_all("bend", frames=4, progress=done.append)
        self.assertEqual(done, [0.25, 0.5, 0.75, 1.0])


class Misuse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.character = cutis.Character.builtin("cylinder")
        cls.rig = cls.character.bind()

    def refused(self, error, words, call):
        with self.assertRaises(error) as caught:
            call()
        self.assertIn(words, str(caught.exception))

    def test_wrong_shapes_and_numbers(self):
        solver, n = cutis.Solver(self.rig, "dqs"), self.rig.vertices
        pose = self.character.sample("bend", 0.5)
        bad = cutis.BadArgument
        self.refused(bad, "shape", lambda: solver.solve(pose[:-1]))
        self.refused(bad, "shape", lambda: solver.solve(pose[0]))
        self.refused(bad, "kind", lambda: solver.solve(pose, kind="euler"))
        self.refused(bad, "float32", lambda: solver.solve(pose, out=np.empty((n, 3))))
        self.refused(bad, "float32", lambda: solver.solve(pose, out=np.empty((n - 1, 3), np.float32)))
        self.refused(bad, "float32", lambda: solver.solve(pose, out=np.empty((n, 6), np.float32)[:, ::2]))
        self.refused(bad, "float32", lambda: solver.solve(pose, out=np.empty((n, 3), np.float32)[::-1]))
        nan = pose.copy()
        nan[1, 0, 3] = np.nan
        self.refused(bad, "finite", lambda: solver.solve(nan))
        sheared = pose.copy()
        sheared[1, 0, 1] += 0.4
        self.refused(bad, "shear", lambda: solver.solve(sheared))
        self.refused(bad, "moonwalk", lambda: solver.play_all("moonwalk"))
        self.refused(bad, "finite", lambda: solver.play_all("bend", times=[0, np.nan]))
        self.refused(bad, "metod", lambda: cutis.Solver(self.rig, metod="lbs"))
        self.refused(bad, "magic", lambda: cutis.Solver(self.rig, "magic"))
        self.refused(bad, "threads", lambda: cutis.Context(threads=-1))
        self.refused(bad, "shape", lambda: cutis.Metrics(self.character).measure(np.zeros((3, 3))))
        self.refused(cutis.InputOutput, "nowhere.glb", lambda: cutis.Character.load("nowhere.glb"))
        self.refused(cutis.BadFile, "junk", lambda: cutis.Character.from_bytes(b"glTF junk", "junk"))

    def test_wrong_arrays(self):
        parts = self.character.to_dict()

        def made(**changes):
            return lambda: cutis.Character.from_dict({**parts, **changes})

        bad = cutis.BadArgument
        self.refused(bad, "vertices", made(faces=parts["faces"] + 100000))
        self.refused(bad, "faces", made(faces=parts["faces"][:, :2]))
        self.refused(bad, "faces", made(faces=parts["faces"].astype(float)))
        self.refused(bad, "rest", made(rest=parts["rest"][1:]))
        self.refused(bad, "parent", made(parents=np.arange(len(parts["parents"]))))
        self.refused(bad, "weight_joints", made(weight_joints=parts["weight_joints"][1:]))
        self.refused(bad, "negative", made(weights=-parts["weights"]))
        self.refused(cutis.BadCharacter, "finite", made(vertices=parts["vertices"] * np.float32(np.nan)))
        self.refused(cutis.BadCharacter, "sum to 0", made(weights=parts["weights"] * 0))
        self.refused(bad, "hair", lambda: cutis.Character.from_dict({**parts, "hair": 1}))
        self.refused(bad, "rest", lambda: cutis.Character.from_dict({k: v for k, v in parts.items() if k != "rest"}))

    def test_what_was_closed_is_refused(self):
        solver = cutis.Solver(self.rig, "lbs")
        solver.close()
        solver.close()
        self.refused(cutis.BadHandle, "solver", lambda: solver.solve())
        with cutis.Character.builtin("cylinder") as character:
            rig = character.bind(implicit_skin=False)
        self.refused(cutis.BadHandle, "character", lambda: character.vertices)
        self.assertEqual(cutis.Solver(rig, "lbs").solve().positions.shape, (rig.vertices, 3))  # it keeps what it needs

    def test_two_threads_with_one_solver(self):
        solver, refusals, stop = cutis.Solver(self.rig), [], threading.Event()

        def work():
            while not stop.is_set():
                try:
                    solver.solve_clip("bend", random.random())
                except cutis.Busy:
                    refusals.append(1)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for t in threads:
            t.start()
        end = time.time() + 20
        while not refusals and time.time() < end:
            time.sleep(0.01)
        stop.set()
        for t in threads:
            t.join()
        self.assertTrue(refusals)

    def test_python_runs_while_the_library_works(self):
        solver, ticks = cutis.Solver(cutis.Character.builtin("hand").bind()), 0
        thread = threading.Thread(target=lambda: solver.play_all("fist", frames=12))
        thread.start()
        while thread.is_alive():
            ticks += 1
            time.sleep(0.001)
        self.assertGreater(ticks, 20)

    def test_cancelling(self):
        calls = []
        context = cutis.Context()
        character = cutis.Character.load("builtin:hand", context=context)
        context.cancelled = lambda: calls.append(1) or len(calls) > 1
        with self.assertRaises(cutis.Cancelled):
            for _ in range(50):
                character.bind()
        self.assertEqual(len(calls), 2)
        context.cancelled = None
        rig = character.bind()
        context.cancel()
        with self.assertRaises(cutis.Cancelled):
            cutis.Solver(rig).play_all("fist")
        context.cancel(False)
        cutis.Solver(rig, "lbs").solve()

    def test_exceptions_of_callbacks_come_through(self):
        def broken():
            raise ZeroDivisionError

        context = cutis.Context(cancelled=broken)
        with self.assertRaises(ZeroDivisionError):
            for _ in range(50):
                cutis.Character.builtin("hand", context=context).bind()

    def test_control_c(self):
        solver = cutis.Solver(cutis.Character.builtin("hand").bind())
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begun = time.time()
        with self.assertRaises(KeyboardInterrupt):
            while time.time() < begun + 20:
                solver.play_all("fist")
        self.assertLess(time.time() - begun, 5)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        solver.solve()

    def test_every_function_of_the_header_is_declared(self):
        source = pathlib.Path(__file__).parents[2]
        listed = set((source / "bindings/c/exported_symbols.txt").read_text().split())
        plain = {"cutis_version", "cutis_abi_version", "cutis_last_error", "cutis_status_name"}
        self.assertEqual(listed - plain, set(_abi._FUNCTIONS))

    def test_structures_are_those_of_the_header(self):
        """Sizes and members, as a C compiler sees them."""
        source = pathlib.Path(__file__).parents[2]
        pairs = {"cutis_callbacks": _abi.Callbacks, "cutis_mesh_arrays": _abi.MeshArrays,
                 "cutis_character_arrays": _abi.CharacterArrays, "cutis_counts": _abi.Counts, "cutis_pose": _abi.PoseStruct,
                 "cutis_frame": _abi.FrameStruct, "cutis_shape": _abi.Shape, "cutis_take_arrays": _abi.TakeArrays}
        code = '#include <stdio.h>\n#include <stddef.h>\n#include "cutis/cutis_c.h"\nint main(void) {\n'
        wanted = []
        for name, structure in pairs.items():
            code += f'printf("%zu\\n", sizeof({name}));\n'
            wanted.append(ctypes.sizeof(structure))
            for field in structure._fields_:
                code += f'printf("%zu\\n", offsetof({name}, {field[0]}));\n'
                wanted.append(getattr(structure, field[0]).offset)
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "sizes"
            subprocess.run(["gcc", "-x", "c", "-", "-I", str(source / "include"), "-o", str(program)], input=code + "return 0; }\n",
                           text=True, check=True, env=without_preload())
            got = subprocess.run([program], check=True, capture_output=True, text=True, env=without_preload()).stdout
        self.assertEqual([int(x) for x in got.split()], wanted)


class Wheel(unittest.TestCase):
    """Of the installed package."""

    def test_it_is_the_installed_one_and_works(self):
        self.assertTrue(cutis.__file__.startswith(os.environ["CUTIS_EXPECT_IN"]))
        maps = pathlib.Path("/proc/self/maps").read_text()
        for library in ("libcutis_c.so", "libembree3.so", "libassimp.so", "libfmt.so"):
            lines = [line for line in maps.splitlines() if library in line]
            self.assertTrue(lines and all(os.environ["CUTIS_EXPECT_IN"] in line for line in lines), library)
        frames = cutis.animate(cutis.Character.builtin("cylinder"), "bend", frames=3)
        self.assertTrue(np.array_equal(frames, program_frames("builtin:cylinder", "bend", 3)))


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(globals()[sys.argv[1]])
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    if result.skipped and result.testsRun == len(result.skipped):
        sys.exit(77)
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
