"""Calls Slang's library for data that `-reflection-json` omits.

Input: a source and slangc's arguments. Output: the layout of the program. The JSON has neither the buffer of loose globals
nor the place of an entry point's parameters. Source: Slang user guide, Using the Reflection API; the C functions of slang.h.
"""

import ctypes
import threading

KINDS = {1: "struct", 2: "array", 6: "constant-buffer", 9: "texture-buffer", 11: "parameter-block"}
UNBOUNDED = ctypes.c_size_t(-1).value
# Numbers of SlangParameterCategory by the names of units; some differ on Metal.
CATEGORIES = {
    2: "b",
    3: "t",
    4: "u",
    5: "location-in",
    6: "location-out",
    7: "s",
    9: "binding",
    10: "constant-id",
    11: "push-constant",
    17: "shader-record",
    20: "space",
    21: "input-attachment",
    22: "metal-argument",
}
METAL = {"b": "metal-buffer", "t": "metal-texture", "s": "metal-sampler"}
REGISTER_SPACE = 12

POINTERS = (
    "spCreateSession spCreateCompileRequest spGetReflection spReflection_getGlobalParamsVarLayout "
    "spReflection_getEntryPointByIndex spReflectionEntryPoint_getVarLayout spReflectionEntryPoint_getResultVarLayout "
    "spReflectionVariableLayout_GetVariable spReflectionVariableLayout_GetTypeLayout spReflectionTypeLayout_GetType "
    "spReflectionTypeLayout_GetFieldByIndex spReflectionTypeLayout_GetElementTypeLayout "
    "spReflectionTypeLayout_GetElementVarLayout spReflectionTypeLayout_getContainerVarLayout"
)
NAMES = "spReflectionVariable_GetName spReflectionEntryPoint_getName spGetDiagnosticOutput"
SIZES = (
    "spReflectionVariableLayout_GetOffset spReflectionVariableLayout_GetSpace spReflectionTypeLayout_GetSize "
    "spReflectionType_GetElementCount spReflectionTypeLayout_getKind spReflectionTypeLayout_GetFieldCount "
    "spReflectionTypeLayout_GetCategoryCount spReflectionTypeLayout_GetCategoryByIndex "
    "spReflection_getEntryPointCount"
)
NUMBERED = {"GetOffset", "GetSpace", "GetSize", "GetFieldByIndex", "GetCategoryByIndex", "getEntryPointByIndex"}


class Refused(Exception):
    """A compiler refuses the source; the text is its message."""


def first_error(lines):
    """The first line of a compiler's output that describes the error; DXC puts a heading over its validator's."""
    errors = (line for line in lines if "error" in line.lower() and line != "error: validation errors")
    return next(errors, lines[0])


class Library:
    """The functions of the library next to slangc, with one session for all programs."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        for names, result in ((POINTERS, ctypes.c_void_p), (NAMES, ctypes.c_char_p), (SIZES, ctypes.c_size_t)):
            for name in names.split():
                function = getattr(self.library, name)
                function.restype = result
                numbered = name.rsplit("_", 1)[-1] in NUMBERED
                function.argtypes = [ctypes.c_void_p, ctypes.c_size_t] if numbered else [ctypes.c_void_p]
        for name in ("getKind", "GetFieldCount", "GetCategoryCount", "GetCategoryByIndex"):
            getattr(self.library, f"spReflectionTypeLayout_{name}").restype = ctypes.c_uint
        arguments = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int]
        self.library.spProcessCommandLineArguments.argtypes = arguments
        for name in ("spCompile", "spDestroyCompileRequest"):
            getattr(self.library, name).argtypes = [ctypes.c_void_p]
        self.lock = threading.Lock()
        self.session = self.library.spCreateSession(None)

    def __getattr__(self, name):
        return getattr(self.library, name)

    def program(self, arguments, read):
        """The result of `read` for a program's reflection, with the compiler's messages."""
        with self.lock:
            request = self.library.spCreateCompileRequest(self.session)
            try:
                words = (ctypes.c_char_p * len(arguments))(*(word.encode() for word in arguments))
                good = self.library.spProcessCommandLineArguments(request, words, len(arguments)) >= 0
                good = good and self.library.spCompile(request) >= 0
                said = (self.library.spGetDiagnosticOutput(request) or b"").decode()
                if not good:
                    raise Refused(next((line for line in said.splitlines() if "error" in line), said))
                return read(Program(self, self.library.spGetReflection(request))), said
            finally:
                self.library.spDestroyCompileRequest(request)


class Program:
    """A program's reflection."""

    def __init__(self, library, pointer):
        self.library, self.pointer = library, pointer

    def scope(self):
        return Variable(self.library, self.library.spReflection_getGlobalParamsVarLayout(self.pointer))

    def entries(self):
        """Name, scope and result of every entry point."""
        for index in range(self.library.spReflection_getEntryPointCount(self.pointer)):
            entry = self.library.spReflection_getEntryPointByIndex(self.pointer, index)
            name = self.library.spReflectionEntryPoint_getName(entry).decode()
            scope = Variable(self.library, self.library.spReflectionEntryPoint_getVarLayout(entry))
            result = self.library.spReflectionEntryPoint_getResultVarLayout(entry)
            yield name, scope, Variable(self.library, result) if result else None


class Variable:
    """A variable in its surroundings."""

    def __init__(self, library, pointer):
        self.library, self.pointer = library, pointer
        variable = library.spReflectionVariableLayout_GetVariable(pointer)
        name = library.spReflectionVariable_GetName(variable) if variable else None
        self.name = name.decode() if name else ""
        self.type = Type(library, library.spReflectionVariableLayout_GetTypeLayout(pointer))

    def offset(self, category):
        return self.library.spReflectionVariableLayout_GetOffset(self.pointer, category)

    def space(self, category):
        return self.library.spReflectionVariableLayout_GetSpace(self.pointer, category)


class Type:
    """The layout of a type."""

    def __init__(self, library, pointer):
        self.library, self.pointer = library, pointer
        self.kind = KINDS.get(library.spReflectionTypeLayout_getKind(pointer), "other")

    def categories(self):
        count = self.library.spReflectionTypeLayout_GetCategoryCount(self.pointer)
        return [self.library.spReflectionTypeLayout_GetCategoryByIndex(self.pointer, n) for n in range(count)]

    def size(self, category):
        return self.library.spReflectionTypeLayout_GetSize(self.pointer, category)

    def fields(self):
        for index in range(self.library.spReflectionTypeLayout_GetFieldCount(self.pointer)):
            yield Variable(self.library, self.library.spReflectionTypeLayout_GetFieldByIndex(self.pointer, index))

    def element(self):
        """The type of an array's elements."""
        return Type(self.library, self.library.spReflectionTypeLayout_GetElementTypeLayout(self.pointer))

    def count(self):
        """Elements of an array; 0 if it is unsized."""
        count = self.library.spReflectionType_GetElementCount(self.library.spReflectionTypeLayout_GetType(self.pointer))
        return 0 if count == UNBOUNDED else count

    def container(self):
        """The space that a buffer or block itself takes."""
        return Variable(self.library, self.library.spReflectionTypeLayout_getContainerVarLayout(self.pointer))

    def held(self):
        """The contents of a buffer or block."""
        return Variable(self.library, self.library.spReflectionTypeLayout_GetElementVarLayout(self.pointer))
