// Microsoft's HLSL compilers as a command: `layoutproof-d3d.exe fxc|dxc [ARGUMENTS]`, for Windows or Wine.
//
// `fxc` is d3dcompiler_47.dll, which makes DXBC for shader models up to 5.1; `dxc` is dxcompiler.dll, which makes DXIL.
// The libraries are loaded from the folder of this program.
//
// With arguments it compiles one source: `-T PROFILE -E ENTRY [-Fo OBJECT] [-Fc LISTING] [-Fe DIAGNOSTICS] [OPTION...]
// SOURCE`, as fxc.exe and dxc.exe have them; the listing goes to stdout and the diagnostics to stderr where no file is
// named. Exit status 0: compiled; 1: refused; 2: could not be asked. `--version` prints the library's version.
//
// Without arguments every line of stdin is such a list of arguments, separated by tabs, so none can contain one. Its
// status is printed as one line as soon as its files are written: whoever waits for it knows which source killed this
// process. Starting a process takes far longer than compiling a probe.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <io.h>

#include "compiler.h"

namespace {

enum Status { COMPILED = 0, REFUSED = 1, NOT_ASKED = 2 };

// One list of arguments, taken apart.
struct Command {
    Source source;
    std::string object, listing, diagnostics;
};

Command parse(const std::vector<std::string> &arguments) {
    Command command;
    // The source comes last, since options of DXC may have values of their own.
    const size_t last = arguments.empty() ? 0 : arguments.size() - 1;
    for (size_t at = 0; at < last; ++at) {
        const std::string &argument = arguments[at];
        std::string *value = argument == "-T"    ? &command.source.profile
                             : argument == "-E"  ? &command.source.entry
                             : argument == "-Fo" ? &command.object
                             : argument == "-Fc" ? &command.listing
                             : argument == "-Fe" ? &command.diagnostics
                                                 : nullptr;
        if (value) {
            *value = arguments[++at];
            continue;
        }
        command.source.options.push_back(argument);
        if (argument == "-I" && at + 1 < last)
            command.source.options.push_back(full_path(arguments[++at]));
    }
    if (!arguments.empty())
        command.source.name = arguments[last];
    return command;
}

bool write(const std::string &path, const std::string &bytes, std::ostream &otherwise) {
    if (path.empty())
        return static_cast<bool>(otherwise.write(bytes.data(), bytes.size()).flush());
    std::ofstream file(path, std::ios::binary);
    return static_cast<bool>(file.write(bytes.data(), bytes.size()).flush());
}

Status fail(const std::string &problem) {
    std::cerr << "layoutproof-d3d: error: " << problem << std::endl;
    return NOT_ASKED;
}

Status compile(Compiler &compiler, const std::vector<std::string> &arguments) {
    Command command = parse(arguments);
    if (!read_file(command.source.name, command.source.text))
        return fail("cannot read " + command.source.name);
    const Compilation made = compiler.compile(command.source);
    if (!write(command.diagnostics, made.diagnostics, std::cerr))
        return fail("cannot write the diagnostics");
    if (!made.succeeded)
        return REFUSED;
    if (!write(command.listing, made.listing, std::cout))
        return fail("cannot write the listing");
    if (!command.object.empty() && !write(command.object, made.object, std::cout))
        return fail("cannot write " + command.object);
    return COMPILED;
}

void serve(Compiler &compiler) {
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<std::string> arguments;
        std::istringstream rest(line);
        for (std::string argument; std::getline(rest, argument, '\t');)
            arguments.push_back(argument);
        std::cout << compile(compiler, arguments) << std::endl;
    }
}

// Wine would start its debugger, which prints to stdout.
LONG WINAPI die(EXCEPTION_POINTERS *) {
    TerminateProcess(GetCurrentProcess(), NOT_ASKED);
    return EXCEPTION_EXECUTE_HANDLER;
}

} // namespace

int main(int count, char **values) {
    SetUnhandledExceptionFilter(die);
    // Lines end as they do where Wine runs.
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    const std::vector<std::string> arguments(values + 1, values + count);
    const std::string name = arguments.empty() ? "" : arguments[0];
    std::string problem = "the first argument takes fxc or dxc";
    std::unique_ptr<Compiler> compiler;
    if (name == "fxc")
        compiler = open_fxc(problem);
    else if (name == "dxc")
        compiler = open_dxc(problem);
    if (!compiler)
        return fail(problem);
    Status status = COMPILED;
    if (arguments.size() == 1)
        serve(*compiler);
    else if (arguments[1] == "--version")
        std::cout << compiler->version() << std::endl;
    else
        status = compile(*compiler, {arguments.begin() + 1, arguments.end()});
    // The libraries' own clean-up has nothing to add, and may crash.
    TerminateProcess(GetCurrentProcess(), status);
}
