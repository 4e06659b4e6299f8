// Microsoft's HLSL compilers as a command: `layoutproof-d3d.exe fxc|dxc [ARGUMENTS]`, for Windows or Wine.
//
// `fxc` is d3dcompiler_47.dll, which makes DXBC for shader models up to 5.1; `dxc` is dxcompiler.dll, which makes DXIL and
// SPIR-V. The libraries are loaded from the folder of this program.
//
// With arguments it compiles one source: `-T PROFILE -E ENTRY [-Fo OBJECT] [-Fc LISTING] [-Fe DIAGNOSTICS] [OPTION...]
// SOURCE`, as fxc.exe and dxc.exe have them; the listing goes to stdout and the diagnostics to stderr where no file is
// named. SPIR-V has no listing. Exit status 0: compiled; 1: refused; 2: could not be asked. `-Cd FOLDER` compiles in that
// folder. `--version` prints the library's version.
//
// Without arguments every line of stdin is such a list of arguments, separated by tabs, so none can contain one. Its
// status is printed as one line as soon as its files are written, with the reason behind a 2: whoever waits for it knows
// which source killed this process. Starting a process takes far longer than compiling a probe.

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
    std::string folder, object, listing, diagnostics;
};

Command parse(const std::vector<std::string> &arguments) {
    Command command;
    // The source comes last, since options of DXC may have values of their own.
    const size_t last = arguments.empty() ? 0 : arguments.size() - 1;
    for (size_t at = 0; at < last; ++at) {
        const std::string &argument = arguments[at];
        std::string *value = argument == "-T"    ? &command.source.profile
                             : argument == "-E"  ? &command.source.entry
                             : argument == "-Cd" ? &command.folder
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

// What became of a source; `problem` says why it could not be asked.
struct Answer {
    Status status;
    std::string problem;
};

Answer compile(Compiler &compiler, const std::vector<std::string> &arguments) {
    Command command = parse(arguments);
    if (!command.folder.empty() && !SetCurrentDirectoryA(full_path(command.folder).c_str()))
        return {NOT_ASKED, "cannot work in " + command.folder};
    if (!read_file(command.source.name, command.source.text))
        return {NOT_ASKED, "cannot read " + command.source.name};

    const Compilation made = compiler.compile(command.source);
    if (!made.problem.empty())
        return {NOT_ASKED, made.problem};
    if (!write(command.diagnostics, made.diagnostics, std::cerr))
        return {NOT_ASKED, "cannot write the diagnostics"};
    if (!made.succeeded)
        return {REFUSED, ""};

    if (!write(command.listing, made.listing, std::cout))
        return {NOT_ASKED, "cannot write the listing"};
    if (!command.object.empty() && !write(command.object, made.object, std::cout))
        return {NOT_ASKED, "cannot write " + command.object};
    return {COMPILED, ""};
}

void serve(Compiler &compiler) {
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<std::string> arguments;
        std::istringstream rest(line);
        for (std::string argument; std::getline(rest, argument, '\t');)
            arguments.push_back(argument);
        const Answer answer = compile(compiler, arguments);
        std::cout << answer.status;
        if (!answer.problem.empty())
            std::cout << ' ' << answer.problem;
        std::cout << std::endl;
    }
}

Status tell(const Answer &answer) {
    if (!answer.problem.empty())
        std::cerr << "layoutproof-d3d: error: " << answer.problem << std::endl;
    return answer.status;
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
        return tell({NOT_ASKED, problem});
    Status status = COMPILED;
    if (arguments.size() == 1)
        serve(*compiler);
    else if (arguments[1] == "--version")
        std::cout << compiler->version() << std::endl;
    else
        status = tell(compile(*compiler, {arguments.begin() + 1, arguments.end()}));
    // The libraries' own clean-up has nothing to add, and may crash.
    TerminateProcess(GetCurrentProcess(), status);
}
