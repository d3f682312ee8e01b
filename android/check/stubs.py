"""Reads the Python type stubs of the Android API and answers whether a class has a member with a given JVM descriptor."""

import ast
import functools
import pathlib

_PRIMITIVES = {
    "java.jint": "I", "java.jlong": "J", "java.jboolean": "Z", "java.jbyte": "B",
    "java.jshort": "S", "java.jchar": "C", "java.jfloat": "F", "java.jdouble": "D",
}
_ARRAYS = {
    "JavaArrayJByte": "[B", "JavaArrayJInt": "[I", "JavaArrayJLong": "[J", "JavaArrayJChar": "[C", "JavaArrayJBoolean": "[Z",
    "JavaArrayJShort": "[S", "JavaArrayJFloat": "[F", "JavaArrayJDouble": "[D",
}
# What a return type of the stubs may be: it tells neither the width nor a box. The table of levels gives the whole descriptor.
_RETURNED = {
    "int": {"I", "J", "S", "B", "Ljava/lang/Integer;", "Ljava/lang/Long;"},
    "bool": {"Z", "Ljava/lang/Boolean;"},
    "float": {"F", "D"},
    "None": {"V"},
    "str": {"Ljava/lang/String;", "C"},
}
_ANY_OBJECT = object()


class StubClass:
    def __init__(self, name, node, module):
        self.name, self._module = name, module
        self.methods, self.fields = {}, {}
        self.bases = [module.resolve(base, self) for base in node.bases]
        for item in node.body:
            if isinstance(item, ast.FunctionDef):
                self.methods.setdefault(item.name, []).append(item)
            elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                self.fields[item.target.id] = item.annotation

    def parameters(self, function):
        arguments = function.args
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
        positional = (arguments.posonlyargs + arguments.args)[0 if static else 1 :]
        types = [self._module.descriptors(argument.annotation, self, parameter=True) for argument in positional]
        if arguments.vararg:
            inner = self._module.descriptors(arguments.vararg.annotation, self, parameter=True)
            types.append({"[" + d if isinstance(d, str) else d for d in inner})
        return types

    def returns(self, function):
        return self._module.descriptors(function.returns, self, parameter=False)

    def field(self, name):
        return self._module.descriptors(self.fields[name], self, parameter=False)


class _Module:
    def __init__(self, path, package, stubs):
        self.package, self.classes, self._stubs = package, {}, stubs
        self._walk(ast.parse(path.read_text()).body, package.replace(".", "/") + "/")

    def _walk(self, body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                self.classes[prefix + node.name] = node
                self._walk(node.body, prefix + node.name + "$")

    def resolve(self, node, inside):
        """The internal name of the class that an annotation names, without its type arguments, or None."""
        if isinstance(node, ast.Subscript):
            node = node.value
        dotted = ast.unparse(node)
        if dotted.startswith("typing.") or "__" in dotted:
            return None
        if "." not in dotted or self.package + "." not in dotted + ".":
            for candidate in self._nested(dotted.replace(".", "$")):
                return candidate
        return self._stubs.internal(dotted)

    def _nested(self, name):
        own = self.package.replace(".", "/") + "/" + name
        if own in self.classes:
            yield own

    def descriptors(self, node, inside, parameter):
        """The JVM descriptors that an annotation allows."""
        if isinstance(node, ast.BinOp):
            parts = []
            while isinstance(node, ast.BinOp):
                parts.insert(0, node.right)
                node = node.left
            parts.insert(0, node)
            names = [ast.unparse(part) for part in parts]
            for name in names:
                if name in _PRIMITIVES:
                    return {_PRIMITIVES[name]}
            if "java.lang.Object" in names:
                return {"Ljava/lang/Object;"}
            if "java.lang.String" in names:
                return {"Ljava/lang/String;"}
            kept = [part for part, name in zip(parts, names) if name != "None"]
            return set().union(*(self.descriptors(part, inside, parameter) for part in kept))
        text = ast.unparse(node)
        if text.startswith("typing.ClassVar["):
            return self.descriptors(node.slice, inside, parameter)
        if text.startswith("typing.Type") or text.startswith("type["):
            return {"Ljava/lang/Class;"}
        if text.startswith("java.chaquopy.JavaArray["):
            return {"[" + d if isinstance(d, str) else d for d in self.descriptors(node.slice, inside, parameter)}
        if text.startswith("java.chaquopy."):
            return {_ARRAYS[text.rpartition(".")[2]]}
        if text in _RETURNED:
            return _RETURNED[text]
        name = self.resolve(node, inside)
        return {f"L{name};"} if name else {_ANY_OBJECT}


class Stubs:
    def __init__(self, folder):
        self._folder = pathlib.Path(folder)

    @functools.lru_cache(maxsize=None)
    def _module(self, package):
        first, *rest = package.split(".")
        path = self._folder.joinpath(first + "-stubs", *rest, "__init__.pyi")
        return _Module(path, package, self) if path.exists() else None

    def internal(self, dotted):
        """android.app.Application.ActivityLifecycleCallbacks as android/app/Application$ActivityLifecycleCallbacks."""
        parts = dotted.split(".")
        split = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts))
        return "/".join(parts[:split]) + "/" + "$".join(parts[split:])

    @functools.lru_cache(maxsize=None)
    def find(self, name):
        """The class of this internal name, or None."""
        module = self._module(name.rpartition("/")[0].replace("/", "."))
        node = module.classes.get(name) if module else None
        return StubClass(name, node, module) if node else None

    def ancestry(self, name):
        """The class, its bases, and Object for interfaces too."""
        seen, queue = set(), [name]
        while queue:
            current = queue.pop(0)
            if current in seen or current is None:
                continue
            seen.add(current)
            stub = self.find(current)
            if stub:
                yield stub
                queue += stub.bases
        if "java/lang/Object" not in seen:
            yield self.find("java/lang/Object")

    def has(self, owner, name, descriptor, inherited=True):
        """Whether the class has the member; with `inherited` also in a class above it."""
        for stub in self.ancestry(owner) if inherited and name != "<init>" else [self.find(owner)]:
            if "(" not in descriptor:
                if name in stub.fields and _fits(descriptor, stub.field(name)):
                    return True
                continue
            parameters, result = split(descriptor)
            for function in stub.methods.get("__init__" if name == "<init>" else name, []):
                types = stub.parameters(function)
                if len(types) != len(parameters) or not all(map(_fits, parameters, types)):
                    continue
                if name == "<init>" or _fits(result, stub.returns(function)):
                    return True
        return False


def split(descriptor):
    """The parameters' descriptors and the result's."""
    inside, _, result = descriptor[1:].partition(")")
    parameters = []
    while inside:
        end = len(inside) - len(inside.lstrip("["))
        end = inside.index(";") + 1 if inside[end] == "L" else end + 1
        parameters.append(inside[:end])
        inside = inside[end:]
    return parameters, result


def _fits(descriptor, allowed):
    return descriptor in allowed or _ANY_OBJECT in allowed and descriptor[0] in "L["
