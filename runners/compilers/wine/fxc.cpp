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
    std::string text = taken(blob);
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
        UINT flags = 0;
        for (const std::string &option : source.options) {
            const auto flag = FLAGS.find(option);
            if (flag == FLAGS.end()) {
                made.diagnostics = "error: layoutproof-d3d does not know the option " + option + "\n";
                return made;
            }
            flags |= flag->second;
        }
        // FXC puts the working directory before a name that it is given otherwise.
        const std::string text = "#line 1 \"" + source.name + "\"\n" + source.text;
        ID3DBlob *object = nullptr, *messages = nullptr, *listing = nullptr;
        made.succeeded = SUCCEEDED(compile_source(text.data(), text.size(), nullptr, nullptr, nullptr,
                                                  source.entry.c_str(), source.profile.c_str(), flags, 0,
                                                  &object, &messages));
        made.diagnostics = taken_text(messages);
        made.object = taken(object);
        if (made.succeeded)
            made.succeeded = SUCCEEDED(disassemble(made.object.data(), made.object.size(), 0, nullptr, &listing));
        made.listing = taken_text(listing);
        return made;
    }

  private:
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
