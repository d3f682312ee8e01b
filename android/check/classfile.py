"""Reads compiled Java classes: what they declare, and what each method refers to."""

import struct

# The bytes that follow each opcode; -1 marks those of variable length.
_OPERANDS = [0] * 256
for _opcode in (0x10, 0x12, 0x15, 0x16, 0x17, 0x18, 0x19, 0x36, 0x37, 0x38, 0x39, 0x3A, 0xA9, 0xBC):
    _OPERANDS[_opcode] = 1
for _opcode in (0x11, 0x13, 0x14, 0x84, *range(0x99, 0xA9), *range(0xB2, 0xB9), 0xBB, 0xBD, 0xC0, 0xC1, 0xC6, 0xC7):
    _OPERANDS[_opcode] = 2
_OPERANDS[0xC5] = 3
for _opcode in (0xB9, 0xBA, 0xC8, 0xC9):
    _OPERANDS[_opcode] = 4
for _opcode in (0xAA, 0xAB, 0xC4):
    _OPERANDS[_opcode] = -1

_INVOKE_DYNAMIC = 0xBA
_REFERRING = {0x12, 0x13, 0x14, *range(0xB2, 0xBB), 0xBB, 0xBD, 0xC0, 0xC1, 0xC5}


class Member:
    """A field or method as declared; `value` is a constant's, `level` that of @RequiresApi."""

    def __init__(self, name, descriptor, flags):
        self.name, self.descriptor, self.flags = name, descriptor, flags
        self.value = self.level = None
        self.references = set()

    @property
    def visible(self):
        return bool(self.flags & 0x0005) and not self.flags & 0x1000


class ClassFile:
    def __init__(self, data):
        self._data, self._at = data, 0
        if self._u4() != 0xCAFEBABE:
            raise ValueError("not a class file")
        self._u4()
        self._read_pool()
        self.flags, self.name = self._u2(), self._class(self._u2())
        parent = self._u2()
        self.parent = self._class(parent) if parent else None
        self.interfaces = [self._class(self._u2()) for _ in range(self._u2())]
        self._bootstraps = []
        self._code = []
        self.fields = [self._member() for _ in range(self._u2())]
        self.methods = [self._member() for _ in range(self._u2())]
        for name, body in self._attributes():
            if name == "BootstrapMethods":
                self._read_bootstraps(body)
            elif name == "InnerClasses":
                self._read_inner(body)
        for method, code in self._code:
            self._walk(method, code)

    def _take(self, count):
        self._at += count
        return self._data[self._at - count : self._at]

    def _u1(self):
        return self._take(1)[0]

    def _u2(self):
        return struct.unpack(">H", self._take(2))[0]

    def _u4(self):
        return struct.unpack(">I", self._take(4))[0]

    def _read_pool(self):
        count = self._u2()
        self._pool = [None] * count
        index = 1
        while index < count:
            tag = self._u1()
            if tag == 1:
                # Java writes NUL as two bytes (JVMS 4.4.7); Kotlin's metadata has it.
                entry = self._take(self._u2()).replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
            elif tag in (3, 4):
                entry = struct.unpack(">i" if tag == 3 else ">f", self._take(4))[0]
            elif tag in (5, 6):
                entry = struct.unpack(">q" if tag == 5 else ">d", self._take(8))[0]
            elif tag in (7, 8, 16, 19, 20):
                entry = self._u2()
            elif tag == 15:
                entry = (self._u1(), self._u2())
            else:
                entry = (self._u2(), self._u2())
            self._pool[index] = (tag, entry)
            index += 2 if tag in (5, 6) else 1

    def _class(self, index):
        return self._pool[self._pool[index][1]][1]

    def _attributes(self):
        for _ in range(self._u2()):
            name = self._pool[self._u2()][1]
            yield name, self._take(self._u4())

    def _member(self):
        flags = self._u2()
        member = Member(self._pool[self._u2()][1], self._pool[self._u2()][1], flags)
        for name, body in self._attributes():
            if name == "Code":
                length = struct.unpack(">I", body[4:8])[0]
                self._code.append((member, body[8 : 8 + length]))
            elif name == "ConstantValue":
                tag, entry = self._pool[struct.unpack(">H", body)[0]]
                member.value = self._pool[entry][1] if tag == 8 else entry
            elif name == "RuntimeInvisibleAnnotations":
                member.level = self._required_level(body)
        return member

    def _required_level(self, body):
        """The level of @RequiresApi: its `value` or its `api`, both an int."""
        count, at = struct.unpack(">H", body[:2])[0], 2
        for _ in range(count):
            kind, pairs = struct.unpack(">HH", body[at : at + 4])
            at += 4
            for _ in range(pairs):
                value, at = self._element(body, at + 2)
                if self._pool[kind][1] == "Landroidx/annotation/RequiresApi;":
                    return value
        return None

    def _element(self, body, at):
        """The value of an annotation's element, where it is a constant, and where the next begins (JVMS 4.7.16.1)."""
        tag, at = chr(body[at]), at + 1
        if tag == "[":
            count, at = struct.unpack(">H", body[at : at + 2])[0], at + 2
            for _ in range(count):
                _, at = self._element(body, at)
            return None, at
        if tag == "@":
            pairs, at = struct.unpack(">H", body[at + 2 : at + 4])[0], at + 4
            for _ in range(pairs):
                _, at = self._element(body, at + 2)
            return None, at
        if tag == "e":
            return None, at + 4
        return self._pool[struct.unpack(">H", body[at : at + 2])[0]][1], at + 2

    def _read_bootstraps(self, body):
        count, at = struct.unpack(">H", body[:2])[0], 2
        for _ in range(count):
            method, arguments = struct.unpack(">HH", body[at : at + 4])
            at += 4
            self._bootstraps.append((method, struct.unpack(f">{arguments}H", body[at : at + 2 * arguments])))
            at += 2 * arguments

    def _read_inner(self, body):
        """Nested classes have their own flags; those in the class file's head make protected ones public."""
        for start in range(2, len(body), 8):
            inner, _, _, flags = struct.unpack(">HHHH", body[start : start + 8])
            if self._class(inner) == self.name:
                self.flags = flags

    def _walk(self, method, code):
        at = 0
        while at < len(code):
            opcode = code[at]
            size = _OPERANDS[opcode]
            if opcode in _REFERRING:
                index = code[at + 1] if opcode == 0x12 else struct.unpack(">H", code[at + 1 : at + 3])[0]
                method.references |= self._referred(index, opcode == _INVOKE_DYNAMIC)
            if size >= 0:
                at += 1 + size
            elif opcode == 0xC4:
                at += 6 if code[at + 1] == 0x84 else 4
            else:
                table = (at + 4) & ~3
                if opcode == 0xAA:
                    low, high = struct.unpack(">ii", code[table + 4 : table + 12])
                    at = table + 12 + 4 * (high - low + 1)
                else:
                    at = table + 8 + 8 * struct.unpack(">i", code[table + 4 : table + 8])[0]

    def _referred(self, index, dynamic=False):
        """The (class, name, descriptor) that a constant names; name and descriptor are None for a class alone."""
        tag, entry = self._pool[index]
        if tag == 7:
            return {(self._pool[entry][1], None, None)}
        if tag in (9, 10, 11):
            name, descriptor = self._pool[entry[1]][1]
            return {(self._class(entry[0]), self._pool[name][1], self._pool[descriptor][1])}
        if tag == 15:
            return self._referred(entry[1])
        if dynamic:
            method, arguments = self._bootstraps[entry[0]]
            referred = self._referred(method)
            for argument in arguments:
                if self._pool[argument][0] in (7, 15):
                    referred |= self._referred(argument)
            return referred
        return set()
