// The libraries: where they are, and the version that their makers wrote into them; and the sources.

#include "compiler.h"

#include <fstream>
#include <iterator>

namespace {

std::string file_name(HMODULE module) {
    char name[MAX_PATH];
    return std::string(name, GetModuleFileNameA(module, name, MAX_PATH));
}

} // namespace

std::string full_path(const std::string &path) {
    char full[MAX_PATH];
    const DWORD size = GetFullPathNameA(path.c_str(), MAX_PATH, full, nullptr);
    return size > 0 && size < MAX_PATH ? std::string(full, size) : path;
}

bool read_file(const std::string &path, std::string &text) {
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    return file.is_open();
}

HMODULE open_library(const char *name, std::string &problem) {
    const std::string program = file_name(nullptr);
    const std::string path = program.substr(0, program.find_last_of('\\') + 1) + name;
    const HMODULE library = LoadLibraryA(path.c_str());
    if (!library)
        problem = "cannot load " + path + ": error " + std::to_string(GetLastError());
    return library;
}

std::string file_version(HMODULE library) {
    const std::string path = file_name(library);
    std::vector<char> block(GetFileVersionInfoSizeA(path.c_str(), nullptr));
    VS_FIXEDFILEINFO *info = nullptr;
    UINT size = 0;
    if (block.empty() || !GetFileVersionInfoA(path.c_str(), 0, static_cast<DWORD>(block.size()), block.data()) ||
        !VerQueryValueA(block.data(), "\\", reinterpret_cast<void **>(&info), &size))
        return "unknown";
    const auto part = [](DWORD word) { return std::to_string(word); };
    return part(HIWORD(info->dwFileVersionMS)) + '.' + part(LOWORD(info->dwFileVersionMS)) + '.' +
           part(HIWORD(info->dwFileVersionLS)) + '.' + part(LOWORD(info->dwFileVersionLS));
}
