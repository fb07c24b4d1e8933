"""Looks a configuration up in a table that `warploom tune fit` or `tune_fit` wrote."""
import ctypes

from warploom.program import built_file


MOST_KNOWN = 65536  # shapes that a table remembers


class _Config(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ("tile_m", "tile_n", "tile_k", "warps", "stages")]
    _fields_ += [("split_k", ctypes.c_int32), ("predicted_us", ctypes.c_float),
                 ("is_default", ctypes.c_int32)]


def find_library():
    """WARPLOOM_LIBRARY, or build/*/lib/libwarploom.so of the source tree. Raises FileNotFoundError."""
    found = built_file("WARPLOOM_LIBRARY", "build/*/lib/libwarploom.so")
    if found:
        return found
    raise FileNotFoundError("libwarploom.so: build the target warploom_shared or set WARPLOOM_LIBRARY")


class _LibraryTable:
    """The same through libwarploom.so, for source trees without the compiled part."""

    def __init__(self, path, gpu=None, kernel=None):
        # Calls of nanoseconds: letting go of the interpreter's lock would cost more.
        library = ctypes.PyDLL(find_library())
        library.warploom_tune_pick.argtypes = [ctypes.c_void_p] + [ctypes.c_int64] * 3 + [ctypes.c_void_p]
        library.warploom_tune_pick.restype = None
        library.warploom_tune_best.argtypes = [ctypes.c_void_p] + [ctypes.c_int64] * 3 + [ctypes.c_void_p,
                                                                                         ctypes.c_size_t]
        library.warploom_tune_best.restype = ctypes.c_size_t
        library.warploom_tune_pick_index.argtypes = [ctypes.c_void_p] + [ctypes.c_int64] * 3
        library.warploom_tune_pick_index.restype = ctypes.c_int32
        library.warploom_tune_configs.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        library.warploom_tune_configs.restype = ctypes.c_size_t
        library.warploom_tune_close.argtypes = [ctypes.c_void_p]
        handle, message = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        names = [None if name is None else name.encode() for name in (gpu, kernel)]
        status = library.warploom_tune_open(str(path).encode(), *names, ctypes.byref(handle), message, 512)
        if status:
            raise (OSError if status == 2 else ValueError)(message.value.decode())
        self._library, self._handle = library, handle
        self._pick_index, self._address = library.warploom_tune_pick_index, handle.value

    def pick(self, m, n, k):
        config = _Config()
        self._library.warploom_tune_pick(self._handle, m, n, k, ctypes.byref(config))
        return (config.tile_m, config.tile_n, config.tile_k, config.warps, config.stages, config.split_k)

    def index(self, m, n, k):
        return self._pick_index(self._address, m, n, k)

    def configs(self):
        count = self._library.warploom_tune_configs(self._handle, None, 0)
        configs = (_Config * count)()
        self._library.warploom_tune_configs(self._handle, configs, count)
        return [(c.tile_m, c.tile_n, c.tile_k, c.warps, c.stages, c.split_k) for c in configs]

    def best(self, m, n, k, count):
        configs = (_Config * count)()
        found = self._library.warploom_tune_best(self._handle, m, n, k, configs, count)
        return [(c.tile_m, c.tile_n, c.tile_k, c.warps, c.stages, c.split_k) for c in configs[:found]]

    def timed(self, m, n, k, count):
        configs = (_Config * count)()
        found = self._library.warploom_tune_best(self._handle, m, n, k, configs, count)
        return [((c.tile_m, c.tile_n, c.tile_k, c.warps, c.stages, c.split_k), c.predicted_us)
                for c in configs[:found]]

    def close(self):
        if self._handle:
            self._library.warploom_tune_close(self._handle)
            self._handle = self._address = None

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()


def _opened(path, gpu, kernel):
    """By the compiled part of the package; in a source tree without it by libwarploom.so."""
    try:
        from warploom._core import TuneTable
    except ImportError:
        return _LibraryTable(path, gpu, kernel)
    return TuneTable(str(path), gpu or "", kernel or "")


class Table:
    """Raises ValueError on a damaged or foreign table, OSError on one that cannot be read."""

    def __init__(self, path, gpu=None, kernel=None):
        self._table, self._known = _opened(path, gpu, kernel), {}
        self.index = self._table.index  # (m, n, k): pick(m, n, k) as its place in configs()

    def pick(self, m, n, k):
        """(tile_m, tile_n, tile_k, warps, stages, split_k), remembered for shapes seen before."""
        shape = (m, n, k)
        found = self._known.get(shape)
        if found is None:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            found = self._known[shape] = self._table.pick(m, n, k)
        return found

    def configs(self):
        """All configurations of the table, as pick() gives them."""
        return self._table.configs()

    def best(self, m, n, k, count):
        """The `count` configurations of the least predicted times, best first, as pick() gives them."""
        return self._table.best(m, n, k, count)

    def timed(self, m, n, k, count):
        """[(configuration, predicted microseconds)] of the `count` best, best first."""
        return self._table.timed(m, n, k, count)

    def close(self):
        """Lets go of the file."""
        if isinstance(self._table, _LibraryTable):
            self._table.close()
