// FXC: D3DCompile of d3dcompiler_47.dll.

#include <map>

#include "compiler.h"

#include <d3dcompiler.h>

namespace {

// Options as fxc.exe spells them.
const std::map<std::string, UINT> FLAGS = {
    {"-Zpr", D3DCOMPILE_PACK_MATRIX_ROW_MAJOR},
    {"-Zpc", D3DCOMPILE_PACK_MATRIX_COLUMN_MAJOR},
    {"-Gec", D3DCOMPILE_ENABLE_BACKWARDS_COMPATIBILITY},
    {"-Ges", D3DCOMPILE_ENABLE_STRICTNESS},
    {"-Od", D3DCOMPILE_SKIP_OPTIMIZATION},
    {"-Vd", D3DCOMPILE_SKIP_VALIDATION},
    {"-WX", D3DCOMPILE_WARNINGS_ARE_ERRORS},
    {"-enable_unbounded_descriptor_tables", D3DCOMPILE_ENABLE_UNBOUNDED_DESCRIPTOR_TABLES},
    {"-all_resources_bound", D3DCOMPILE_ALL_RESOURCES_BOUND},
};

// The options of one source.
struct Options {
    UINT flags = 0;
    // Names and values.
    std::vector<std::pair<std::string, std::string>> defines;
    std::vector<std::string> folders;
    std::string unknown;
};

// `-DNAME=VALUE`, `-I FOLDER`, and what is in FLAGS.
Options parse(const std::vector<std::string> &words) {
    Options options;
    for (size_t at = 0; at < words.size(); ++at) {
        const std::string &word = words[at];
        const auto flag = FLAGS.find(word);
        const size_t equals = word.find('=');
        if (flag != FLAGS.end())
            options.flags |= flag->second;
        else if (word == "-I" && at + 1 < words.size())
            options.folders.push_back(words[++at]);
        else if (word.rfind("-D", 0) == 0 && equals != std::string::npos)
            options.defines.emplace_back(word.substr(2, equals - 2), word.substr(equals + 1));
        else
            options.unknown = word;
    }
    return options;
}

// Included files: beside the file that includes, then in the folders of the command line.
class Includes : public ID3DInclude {
  public:
    explicit Includes(const std::vector<std::string> &folders) : folders(folders) {}

    HRESULT STDMETHODCALLTYPE Open(D3D_INCLUDE_TYPE type, LPCSTR name, LPCVOID parent, LPCVOID *bytes,
                                   UINT *size) override {
        const auto from = open.find(parent);
        std::vector<std::string> candidates;
        if (type == D3D_INCLUDE_LOCAL)
            candidates.push_back((from == open.end() ? "" : from->second.folder) + name);
        for (const std::string &folder : folders)
            candidates.push_back(folder + '/' + name);
        for (const std::string &path : candidates) {
            auto text = std::make_unique<std::string>();
            if (!read_file(path, *text))
                continue;
            *bytes = text->data();
            *size = static_cast<UINT>(text->size());
            open[*bytes] = {path.substr(0, path.find_last_of("/\\") + 1), std::move(text)};
            return S_OK;
        }
        return E_FAIL;
    }

    HRESULT STDMETHODCALLTYPE Close(LPCVOID bytes) override {
        open.erase(bytes);
        return S_OK;
    }

  private:
    struct File {
        // Ends with a slash, or is empty for the working directory.
        std::string folder;
        std::unique_ptr<std::string> text;
    };

    const std::vector<std::string> &folders;
    // By the address of their text, which is all that FXC says of a file that includes another.
    std::map<LPCVOID, File> open;
};

// Takes the blob's bytes and releases it.
std::string taken(ID3DBlob *blob) {
    if (!blob)
        return {};
    std::string bytes(static_cast<const char *>(blob->GetBufferPointer()), blob->GetBufferSize());
    blob->Release();
    return bytes;
}

// Text in a blob ends with a zero.
std::string taken_text(ID3DBlob *blob) {
    const std::string text = taken(blob);
    return text.substr(0, text.find('\0'));
}

class Fxc : public Compiler {
  public:
    explicit Fxc(HMODULE library)
        : library(library), compile_source(function<pD3DCompile>(library, "D3DCompile")),
          disassemble(function<pD3DDisassemble>(library, "D3DDisassemble")) {}

    bool complete() const { return compile_source && disassemble; }

    std::string version() const override { return "FXC " + file_version(library); }

    Compilation compile(const Source &source) override {
        Compilation made;
        const Options options = parse(source.options);
        if (!options.unknown.empty()) {
            made.diagnostics = "error: layoutproof-d3d does not know the option " + options.unknown + "\n";
            return made;
        }
        std::vector<D3D_SHADER_MACRO> macros;
        for (const auto &[name, value] : options.defines)
            macros.push_back({name.c_str(), value.c_str()});
        macros.push_back({nullptr, nullptr});
        Includes includes(options.folders);
        // FXC puts the working directory before a name that it is given otherwise.
        const std::string text = "#line 1 \"" + source.name + "\"\n" + source.text;
        ID3DBlob *object = nullptr, *messages = nullptr;
        made.succeeded =
            SUCCEEDED(compile_source(text.data(), text.size(), nullptr, macros.data(), &includes, source.entry.c_str(),
                                     source.profile.c_str(), options.flags, 0, &object, &messages));
        made.diagnostics = taken_text(messages);
        made.object = taken(object);
        made.succeeded = made.succeeded && list(made);
        return made;
    }

  private:
    bool list(Compilation &made) const {
        ID3DBlob *listing = nullptr;
        const bool listed = SUCCEEDED(disassemble(made.object.data(), made.object.size(), 0, nullptr, &listing));
        made.listing = taken_text(listing);
        return listed;
    }

    HMODULE library;
    pD3DCompile compile_source;
    pD3DDisassemble disassemble;
};

} // namespace

std::unique_ptr<Compiler> open_fxc(std::string &problem) {
    const HMODULE library = open_library("d3dcompiler_47.dll", problem);
    if (!library)
        return nullptr;
    auto fxc = std::make_unique<Fxc>(library);
    if (fxc->complete())
        return fxc;
    problem = "d3dcompiler_47.dll lacks D3DCompile or D3DDisassemble";
    return nullptr;
}
