"""Compares what our compiled Java and the stand-ins name with the real Android API: check_api.py STUBS CT.SYM OUTPUT, run by
scripts/check-android-api. With --kotlin and folders in place of OUTPUT, what their classes name: run by android/kotlin.sh.

Four questions: does each class and member exist in the API of level 36 with this name and descriptor (the stubs); does each have
the value and the first level that our table says (api-levels.tsv); is each member that is newer than minSdk called only where the
level is known (@RequiresApi, SDK_INT); has each number in our tables in Swift the value of its constant. Members of java.* and
javax.* must exist in Java 8, which Android 28 has: the JDK keeps a record of each release (ct.sym).
"""

import functools
import pathlib
import sys
import zipfile

import swift_numbers
from classfile import ClassFile
from stubs import Stubs

MIN_SDK = 28
TABLE = pathlib.Path(__file__).parent.parent / "api-levels.tsv"
PLATFORM = ("android/", "java/", "javax/")
# What the compiler's string and lambda factories refer to: D8 replaces it for every level.
DESUGARED = ("java/lang/invoke/",)
SDK_INT = ("android/os/Build$VERSION", "SDK_INT", "I")


def rows():
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != 5:
                raise SystemExit(f"{TABLE.name}: five columns were expected: {line}")
            yield cells


def classes(folder):
    return [ClassFile(path.read_bytes()) for path in sorted(pathlib.Path(folder).rglob("*.class"))]


def is_platform(name):
    return name.startswith(PLATFORM) and not name.startswith(DESUGARED)


def references(class_file):
    """Each platform class or member that the class refers to, with the method that does; none for its head."""
    for name in [class_file.parent, *class_file.interfaces]:
        yield (name, None, None), None
    for method in class_file.methods:
        for reference in method.references:
            yield reference, method


class JavaEight:
    """The classes of Java 8 as the JDK remembers them."""

    def __init__(self, record):
        self._archive = zipfile.ZipFile(record)
        self._entries = {}
        for entry in self._archive.namelist():
            releases, _, path = entry.partition("/")
            if "8" in releases and path.endswith(".sig"):
                self._entries[path.partition("/")[2].removesuffix(".sig")] = entry

    @functools.lru_cache(maxsize=None)
    def _find(self, name):
        return ClassFile(self._archive.read(self._entries[name])) if name in self._entries else None

    def has(self, owner, name, descriptor):
        found = self._find(owner)
        if found is None or name is None:
            return found is not None
        if any((m.name, m.descriptor) == (name, descriptor) for m in found.methods + found.fields):
            return True
        above = [found.parent or "java/lang/Object", *found.interfaces] if owner != "java/lang/Object" else []
        return name != "<init>" and any(self.has(parent, name, descriptor) for parent in above)


class Check:
    def __init__(self, stubs, record):
        self._stubs, self._java = Stubs(stubs), JavaEight(record)
        self.problems, self.symbols, self.values, self.numbers = [], set(), 0, 0
        self._levels, self._table_values, self._used = {}, {}, set()
        for owner, member, value, level, _source in rows():
            if level != "-":
                self._levels[owner, member] = int(level)
            if value != "-":
                self._table_values[owner, member] = value

    def exists(self, owner, name, descriptor, where, inherited=True):
        if self._stubs.find(owner) is None:
            self.problems.append(f"{where}: there is no class {owner}")
        elif name and not self._stubs.has(owner, name, descriptor, inherited):
            self.problems.append(f"{where}: {owner} has no member {name} {descriptor}")
        self.symbols.add((owner, name, descriptor))

    def level(self, owner, name, descriptor, where):
        """The first level of a class or member; a member's row may stand under a class above the owner."""
        if not owner.startswith("android/"):
            if not self._java.has(owner, name, descriptor):
                self.problems.append(f"{where}: Java 8 has no {owner} {name or ''} {descriptor or ''}")
            return MIN_SDK
        member = "-" if name is None else name if "(" not in descriptor else name + descriptor
        ancestors = [stub.name for stub in self._stubs.ancestry(owner)]
        for candidate in [owner] + ancestors:
            if (candidate, member) in self._levels:
                self._used.add((candidate, member))
                return self._levels[candidate, member]
        # Inherited from Java, as length() of CharSequence: as old as the class.
        if name not in (None, "<init>") and any(self._java.has(a, name, descriptor) for a in ancestors if a.startswith("java/")):
            return self.level(owner, None, None, where)
        self.problems.append(f"{where}: api-levels.tsv has no row for {owner} {member}")
        return MIN_SDK

    def stand_ins(self, folder):
        for class_file in classes(folder):
            if not is_platform(class_file.name) or not class_file.flags & 0x0005:
                continue
            owner = class_file.name
            self.exists(owner, None, None, "stand-in")
            self.level(owner, None, None, "stand-in")
            for member in class_file.fields + class_file.methods:
                if not member.visible or member.name == "<clinit>":
                    continue
                self.exists(owner, member.name, member.descriptor, "stand-in")
                self.level(owner, member.name, member.descriptor, "stand-in")
                if member.value is not None:
                    self._value(owner, member)
            self._parents(class_file)

    def _value(self, owner, member):
        expected = self._table_values.get((owner, member.name))
        self.values += 1
        if expected != str(member.value):
            self.problems.append(f"stand-in: {owner} {member.name} is {member.value}, the table says {expected}")

    def _parents(self, class_file):
        """A stand-in's parents are ancestors of the real class."""
        ancestors = {stub.name for stub in self._stubs.ancestry(class_file.name)} | {"java/lang/Enum", "java/lang/Record"}
        for parent in [class_file.parent, *class_file.interfaces]:
            if parent not in ancestors:
                self.problems.append(f"stand-in: {class_file.name} is no {parent}")

    def ours(self, folder):
        files = classes(folder)
        marked = {(c.name, m.name, m.descriptor): m.level for c in files for m in c.methods if m.level}
        for class_file in files:
            for (owner, name, descriptor), method in references(class_file):
                caller = f"{class_file.name}.{method.name}" if method else class_file.name
                known = (method.level if method else None) or MIN_SDK
                # Of an array's class, the class of its elements.
                owner = owner.lstrip("[").removeprefix("L").removesuffix(";") if owner.startswith("[") else owner
                if is_platform(owner):
                    self.exists(owner, name, descriptor, caller)
                    needed = self.level(owner, name, descriptor, caller)
                    if needed > known:
                        self.problems.append(f"{caller}: {owner} {name or ''} is new in {needed}, the caller is for {known}")
                needed = marked.get((owner, name, descriptor), MIN_SDK)
                if needed > known and SDK_INT not in method.references:
                    self.problems.append(f"{caller}: calls {owner}.{name}, which is for {needed}, and does not read SDK_INT")

    def swift(self):
        """The numbers that Swift's tables have, public or not."""
        for where, constants, number in swift_numbers.numbers():
            known = [constant for constant in constants if constant in self._table_values]
            if not known:
                self.problems.append(f"{where}: api-levels.tsv has no value for {' or '.join(map('.'.join, constants))}")
                continue
            self._used.add(known[0])
            self.numbers += 1
            if self._table_values[known[0]] != str(number):
                self.problems.append(f"{where} is {number}, the table says {self._table_values[known[0]]} for {'.'.join(known[0])}")

    def unused(self):
        for owner, member in (self._levels.keys() | self._table_values.keys()) - self._used:
            self.problems.append(f"api-levels.tsv: nothing names {owner} {member}")


def main():
    stubs, record, *folders = sys.argv[1:]
    check = Check(stubs, record)
    if folders[0] == "--kotlin":
        for folder in folders[1:]:
            check.ours(folder)
        said = f"android: the Kotlin, the sample and the bridges name {len(check.symbols)} symbols of the real API"
    else:
        output = pathlib.Path(folders[0])
        check.stand_ins(output / "stand-ins")
        check.ours(output / "main")
        check.swift()
        check.unused()
        print(f"android: {check.numbers} numbers of Swift's tables and of Prompt.java compared with Android's constants")
        said = f"android: {len(check.symbols)} symbols and {check.values} values checked against the real API"
    for problem in sorted(set(check.problems)):
        print(problem, file=sys.stderr)
    print(f"{said}, {len(set(check.problems))} problems")
    sys.exit(1 if check.problems else 0)


if __name__ == "__main__":
    main()
