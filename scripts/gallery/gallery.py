"""Rows of the reproduction gallery: a claim of a paper, pictures, numbers, and a verdict that follows from the numbers.

A row is a function with the decorator @row. It draws with Row.picture(), measures with Row.measure() and Row.frames(), and
states what a paper claims with Row.expect(): the sentence on the page is made from the number that was measured, and the verdict
is "shown" when all of them hold, "partly" when the row says what is missing (Row.partly), "not" when one fails, "given" when a row
(a table of times, a schema) states nothing that could fail.
"""
import array
import concurrent.futures
import html
import json
import math
import operator
import os
import pathlib
import shlex
import struct
import subprocess
import tempfile
import threading

ROWS = []
spent = threading.local()  # .seconds: processor time of the program, of the rows that this thread has made
RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}


def row(paper, figure, title, claim, quick=False):
    """quick: its numbers are held by the tests."""
    def add(function):
        ROWS.append(Recipe(paper, figure, title, claim, quick, function))
        return function
    return add


class Recipe:
    def __init__(self, paper, figure, title, claim, quick, function):
        self.paper, self.figure, self.title, self.claim = paper, figure, title, claim
        self.quick, self.function = quick, function

    @property
    def name(self):
        return f"{self.paper}-{self.figure}".lower().replace(" ", "-").replace(",", "").replace(":", "")


class Studio:
    """Where programs, data and results are."""
    def __init__(self, program, out, data, pictures, builtin_only):
        self.program, self.out, self.pictures = program, pathlib.Path(out), pictures
        self.data = None if builtin_only else data
        self.work = self.out / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.making, self.done, self.lock = {}, set(), threading.Lock()
        self.root = pathlib.Path(__file__).resolve().parents[2]

    def shared(self, name):
        """The path of a file of the data folder, or nothing."""
        path = self.data / name if self.data else None
        return str(path) if path and path.exists() else None

    def run(self, arguments):
        command = [str(self.program), *map(str, arguments)]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            _, status, used = os.wait4(child.pid, 0)  # subprocess.run does not tell one child's time
            child.returncode = os.waitstatus_to_exitcode(status)
            spent.seconds = getattr(spent, "seconds", 0) + used.ru_utime + used.ru_stime
            text = [f.seek(0) or f.read().decode(errors="replace") for f in (out, err)]
        if child.returncode != 0:
            raise RuntimeError(f"{self.shown(arguments)}: {text[1].strip() or child.returncode}")
        return text[0]

    def once(self, path, make):
        """A file that several rows use, made by the first."""
        with self.lock:
            lock = self.making.setdefault(path, threading.Lock())
        with lock:
            if path not in self.done:
                make()
                self.done.add(path)
        return str(path)

    def shown(self, arguments):
        """A command line as people would write it: without our folders."""
        text = "cutis " + " ".join(shlex.quote(str(a)) for a in arguments)
        for folder in (self.work, self.out, self.data, self.root):
            if folder:
                text = text.replace(f"{folder}/", "")
        return text


class Measured:
    """A report of `cutis measure`."""
    def __init__(self, report):
        self.report = report
        self.methods = list(report["methods"])

    def worst(self, method, metric):
        return self.report["methods"][method]["summary"][metric]["worst"]

    def mean(self, method, metric):
        return self.report["methods"][method]["summary"][metric]["mean"]

    def frame(self, method, metric, index):
        return self.report["methods"][method]["frames"][index][metric]

    def ms(self, method):
        return self.report["methods"][method]["summary"]["ms"]["median"]


class Frames:
    """Positions of all vertices, frame by frame, of a PC2 file."""
    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        self.points, = struct.unpack_from("<i", data, 16)
        self.count, = struct.unpack_from("<i", data, 28)
        self.numbers = array.array("f")
        self.numbers.frombytes(data[32:])

    def __getitem__(self, frame):
        at = 3 * self.points * frame
        n = self.numbers
        return [(n[i], n[i + 1], n[i + 2]) for i in range(at, at + 3 * self.points, 3)]


def farthest(a, b):
    return max(math.dist(p, q) for p, q in zip(a, b))


def text_of(value):
    if isinstance(value, str):
        return value
    if value is None:
        return "-"
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return f"{int(value)}"


class Row:
    def __init__(self, recipe, studio):
        self.recipe, self.studio = recipe, studio
        self.parts, self.expected, self.missing, self.numbers = [], [], [], {}
        self.seconds = 0.0  # of processor time

    # ---- what is drawn ----

    def picture(self, name, caption, *arguments):
        """Draws with the program (`-o` is added); the caption may be a function that is called when numbers are there."""
        file = f"{self.recipe.name}-{name}.png"
        self.commands(caption, file, [*arguments, "-o", self.studio.out / file])

    def drawn(self, name, caption, flag, arguments, look=()):
        """The JSON document of a verb that also draws, as `flag` asks it to; `look`: arguments that only the picture needs."""
        if not self.studio.pictures:
            return self.answer(*arguments)
        file = f"{self.recipe.name}-{name}.png"
        arguments = [*arguments, *look, flag, self.studio.out / file]
        self.parts.append(("picture", caption, file, self.studio.shown(arguments)))
        return self.answer(*arguments)

    def commands(self, caption, file, arguments):
        if not self.studio.pictures:
            return
        self.studio.run([*arguments, "--quiet", "--threads", 1])
        self.parts.append(("picture", caption, file, self.studio.shown(arguments)))

    def svg(self, caption, text):
        if self.studio.pictures:
            self.parts.append(("svg", caption, text, ""))

    def table(self, title, header, rows):
        self.parts.append(("table", title, header, rows))

    # ---- what is measured ----

    def measure(self, character, *arguments, methods="lbs,dqs,implicit,tracking"):
        command = ["measure", character, *arguments, "--methods", methods, "--json", "--quiet", "--threads", 1]
        return Measured(json.loads(self.studio.run(command)))

    def answer(self, *arguments):
        """The JSON document of any verb."""
        return json.loads(self.studio.run([*arguments, "--json", "--quiet", "--threads", 1]))

    def frames(self, character, *arguments, method="tracking"):
        key = abs(hash((character, arguments, method)))
        path = self.studio.work / f"{self.recipe.name}-{key:x}.pc2"
        self.studio.run(["animate", character, *arguments, "--method", method, "-o", path, "--quiet", "--threads", 1])
        frames = Frames(path)
        path.unlink()
        return frames

    def compare(self, title, measured, metrics, labels=None):
        """A table of the worst frames, a row a method."""
        names = {"intersecting_pairs": "pairs", "stretch_max": "longest edge", "volume_change": "volume, %", "roughness": "roughness, °"}
        rows = []
        for method in measured.methods:
            values = []
            for metric in metrics:
                value = measured.worst(method, metric)
                values.append(100 * value if metric == "volume_change" else value)
                self.numbers[f"{title}: {method} {metric}"] = values[-1]
            rows.append([method, *values])
        self.table(f"{title}, worst frame", ["", *[names.get(m, m.replace("_", " ")) for m in metrics]], rows)

    # ---- what follows from it ----

    def say(self, sentence):
        self.parts.append(("say", sentence))

    def number(self, what, value, unit=""):
        """A number that nothing is asked of."""
        self.numbers[what] = value
        self.say(f"{what}: {text_of(value)}{unit}.")

    def expect(self, what, value, relation, bound, unit="", than=""):
        """States a claim. `than`: what the bound is a number of; it is then part of the sentence."""
        holds = RELATIONS[relation](value, bound)
        self.numbers[what] = value
        asked = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least", "=": "exactly"}[relation]
        sentence = f"{what}: {text_of(value)}{unit} ({asked} {text_of(bound)}{unit}{f', {than}' if than else ''})"
        self.expected.append((holds, sentence))

    def partly(self, reason):
        self.missing.append(reason)

    @property
    def failed(self):
        return [sentence for holds, sentence in self.expected if not holds]

    @property
    def verdict(self):
        return "not" if self.failed else "partly" if self.missing else "shown" if self.expected else "given"


def make_rows(studio, recipes, workers, tell):
    """All rows, several at a time; in the order of the recipes."""
    def make(recipe):
        made = Row(recipe, studio)
        spent.seconds = 0.0
        try:
            recipe.function(made)
        except Exception as fault:  # of any kind: it is this row's, and the page says so
            made.expected.append((False, f"it could not be made: {type(fault).__name__} {fault}"))
        made.seconds = spent.seconds
        tell(made)
        return made
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(make, recipes))


# ---- the page ----

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:1300px;margin:2rem auto;padding:0 1rem;color:#222;background:#fbfaf8}
h2{margin-top:3rem;border-bottom:1px solid #ddd}h3{margin:2.2rem 0 .3rem}figure{margin:1rem 0}img{max-width:100%;border-radius:6px;box-shadow:0 1px 5px #0002}
figcaption{color:#555;font-size:.92rem}code{background:#f0ece6;padding:.1rem .3rem;border-radius:3px;font-size:.85rem}
table{border-collapse:collapse;margin:.6rem 0;font-size:.92rem}td,th{padding:.15rem .7rem;border-bottom:1px solid #e6e1d8;text-align:right}
td:first-child,th:first-child{text-align:left}.claim{color:#444}.shown,.partly,.given,.not{padding:.05rem .5rem;border-radius:9px;font-size:.85rem;color:#fff}
.shown{background:#3c8a4b}.partly{background:#b07a1e}.given{background:#6b7684}.not{background:#b8342a}li.fault{color:#b8342a}ul{margin:.3rem 0}"""


def page_of(rows, links):
    escape = html.escape
    lines = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8"><title>Cutis: reproduction gallery</title>',
             f"<style>{STYLE}</style></head><body>", "<h1>Reproduction gallery</h1>",
             "<p>Figure by figure: what the paper claims, in our words; our picture; our numbers; whether they bear the claim out; the "
             "command. Sentences with numbers are made from the numbers when this page is.</p>"]
    counts = {v: sum(r.verdict == v for r in rows) for v in ("shown", "partly", "given", "not")}
    lines.append(f"<p>{counts['shown']} shown, {counts['partly']} partly, {counts['given']} given (tables of times and schemas, of which nothing is asked), {counts['not']} not.</p>")
    lines += [f'<p><a href="{escape(link)}">{escape(text)}</a></p>' for link, text in links]
    papers = list(dict.fromkeys(r.recipe.paper for r in rows))
    for paper in papers:
        lines.append(f"<table><tr><th>{escape(paper)}</th><th></th><th></th></tr>")
        for r in rows:
            if r.recipe.paper == paper:
                why = "; ".join(r.failed or r.missing)
                lines.append(f'<tr><td><a href="#{r.recipe.name}">{escape(r.recipe.figure)}</a> {escape(r.recipe.title)}</td>'
                             f'<td><span class="{r.verdict}">{r.verdict}</span></td><td style="text-align:left">{escape(why)}</td></tr>')
        lines.append("</table>")
    for paper in papers:
        lines.append(f"<h2>{escape(paper)}</h2>")
        for r in (r for r in rows if r.recipe.paper == paper):
            lines.append(f'<h3 id="{r.recipe.name}">{escape(r.recipe.figure)}: {escape(r.recipe.title)} '
                         f'<span class="{r.verdict}">{r.verdict}</span></h3>')
            lines.append(f'<p class="claim">{escape(r.recipe.claim)}</p>')
            if r.expected:
                lines.append("<ul>" + "".join(f'<li{"" if holds else " class=fault"}>{escape(sentence)}</li>'
                                              for holds, sentence in r.expected) + "</ul>")
            lines += [f"<p>Not shown: {escape(reason)}</p>" for reason in r.missing]
            for kind, *part in r.parts:
                if kind == "say":
                    lines.append(f"<p>{escape(part[0])}</p>")
                elif kind == "picture":
                    caption, file, command = part
                    lines.append(f'<figure><img src="{escape(file)}" alt="{escape(caption)}" loading="lazy"><figcaption>{escape(caption)}'
                                 f"<br><code>{escape(command)}</code></figcaption></figure>")
                elif kind == "svg":
                    lines.append(f"<figure>{part[1]}<figcaption>{escape(part[0])}</figcaption></figure>")
                elif kind == "table":
                    title, header, body = part
                    lines.append(f"<p>{escape(title)}</p><table><tr>" + "".join(f"<th>{escape(h)}</th>" for h in header) + "</tr>" +
                                 "".join("<tr>" + "".join(f"<td>{escape(text_of(c))}</td>" for c in cells) + "</tr>" for cells in body) +
                                 "</table>")
    lines.append("</body></html>")
    return "\n".join(lines) + "\n"
