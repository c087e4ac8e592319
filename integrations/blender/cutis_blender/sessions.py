"""What is kept of bound objects in memory, by name: it is made anew when it does not fit the object any more (undo, another
file, an edited mesh)."""
from . import bridge

_sessions = {}
messages = []


class Session:
    def __init__(self, obj):
        from .package import cutis
        self.bridge = bridge.Bridge(obj)
        self.context = cutis.Context(log=lambda text: messages.append(text))
        self.character = self.bridge.character(obj, self.context)
        self.rig = self.character.bind(self.bridge.preset(obj))
        self.solvers = {}
        self.last_frame = None
        self.stale = True
        self.is_undoing, self.undone = False, None  # whether the shape was just brought back; the pose it was brought back with

    def solver(self, settings, history=None):
        """One for each choice of options."""
        from .package import cutis
        key = (settings.method, settings.contact, history)
        if key not in self.solvers:
            options = {"contact_pass": bool(settings.contact)}
            if history is not None and settings.method == "tracking":
                options["tracking"] = {"history": history}
                if history == "stateless":
                    options["contact_pass"] = None
            self.solvers[key] = cutis.Solver(self.rig, settings.method, **options)
        return self.solvers[key]


def bind(obj):
    """A new session; raises bridge.Problem or cutis.Error."""
    session = Session(obj)
    _sessions[obj.name_full] = session
    return session


def of(obj, make=True):
    """The object's session; a new one where there is none that fits."""
    session = _sessions.get(obj.name_full)
    if session is not None and session.bridge.fits(obj):
        return session
    _sessions.pop(obj.name_full, None)
    return bind(obj) if make else None


def forget(obj=None):
    if obj is None:
        _sessions.clear()
    else:
        _sessions.pop(obj.name_full, None)
