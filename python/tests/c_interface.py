"""libwarploom.so by ctypes alone: sessions, questions, steps and answers."""

import ctypes
import json

SIZE = 1000  # bytes of a message
OK, BAD_INPUT, IO_ERROR, UNSUPPORTED, FAILED = range(5)


class Refused(ValueError):
    """What a function of the interface said; `status` as warploom.h numbers it."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Watch(ctypes.Structure):
    """struct warploom_watch, of which the words on the way are followed."""

    SAID = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
    _fields_ = (("progress", ctypes.c_void_p), ("said", SAID), ("user", ctypes.c_void_p))


class CInterface:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        self.library.warploom_open.argtypes = [text, ctypes.POINTER(pointer), text, size]
        self.library.warploom_close.argtypes = [pointer]
        self.library.warploom_answer.argtypes = [
            pointer, text, text, pointer, ctypes.POINTER(pointer), text, size,
        ]  # fmt: skip
        self.library.warploom_free_text.argtypes = [pointer]
        self.session = self.opened()

    def opened(self, predictor=None):
        session, message = ctypes.c_void_p(), ctypes.create_string_buffer(SIZE)
        status = self.library.warploom_open(predictor, ctypes.byref(session), message, SIZE)
        if status:
            raise Refused(status, message.value.decode())
        return session

    def answer_text(self, request, fields, session=None, said=None):
        """As bytes are given, as text comes back. `said` takes the words on the way."""
        watch = Watch(None, Watch.SAID(lambda _, line: said(line.decode()))) if said else None
        text, message = ctypes.c_void_p(), ctypes.create_string_buffer(SIZE)
        status = self.library.warploom_answer(
            session or self.session,
            request,
            fields,
            ctypes.byref(watch) if watch else None,
            ctypes.byref(text),
            message,
            SIZE,
        )
        if status:
            raise Refused(status, message.value.decode())
        found = ctypes.string_at(text).decode()
        self.library.warploom_free_text(text)
        return found

    def answer(self, request, fields, said=None):
        return json.loads(self.answer_text(request.encode(), json.dumps(fields).encode(), said=said))
