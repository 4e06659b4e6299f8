// What both compilers have in common: a source in, an object with its listing or diagnostics out.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <windows.h>

struct Source {
    // As diagnostics call it.
    std::string name;
    std::string text;
    std::string profile;
    std::string entry;
    std::vector<std::string> options;
};

struct Compilation {
    bool succeeded = false;
    // Why the library gave no answer at all, such as an error that it did not expect; empty otherwise.
    std::string problem;
    // The container, DXBC with SHEX or DXIL inside, or SPIR-V.
    std::string object;
    // The library's own disassembly of a container.
    std::string listing;
    std::string diagnostics;
};

class Compiler {
  public:
    virtual ~Compiler() = default;
    virtual std::string version() const = 0;
    virtual Compilation compile(const Source &source) = 0;
};

// Null where the library cannot be loaded; `problem` then says why.
std::unique_ptr<Compiler> open_fxc(std::string &problem);
std::unique_ptr<Compiler> open_dxc(std::string &problem);

// With a drive: DXC takes `/folder`, which Wine knows, for a relative path.
std::string full_path(const std::string &path);

// Replaces `text` by the file's; false where it cannot be read.
bool read_file(const std::string &path, std::string &text);

// Opens a library in the folder of this program.
HMODULE open_library(const char *name, std::string &problem);

// A function that the library exports; null where it has none of that name.
template <typename Function> Function function(HMODULE library, const char *name) {
    // By way of void *, which every function pointer of Windows converts to.
    return reinterpret_cast<Function>(reinterpret_cast<void *>(GetProcAddress(library, name)));
}

// The version in the library's resources, `10.0.22621.2428`.
std::string file_version(HMODULE library);
