// DXC: IDxcCompiler3 of dxcompiler.dll.
//
// The interfaces are declared here as far as they are called, since MinGW has no dxcapi.h; methods that are not called
// keep their place. Source: dxcapi.h of DirectXShaderCompiler.

#include "compiler.h"

#include <cstdio>

#include <unknwn.h>

namespace {

const GUID CLSID_DXC_COMPILER = {0x73e22d93, 0xe6ce, 0x47f3, {0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0}};
const GUID CLSID_DXC_UTILS = {0x6245d6af, 0x66e0, 0x48fd, {0x80, 0xb4, 0x4d, 0x27, 0x17, 0x96, 0x74, 0x8c}};
const GUID IID_DXC_UTILS = {0x4605c4cb, 0x2019, 0x492a, {0xad, 0xa4, 0x65, 0xf2, 0x0b, 0xb7, 0xd6, 0x7f}};
const GUID IID_DXC_COMPILER3 = {0x228b4687, 0x5a6a, 0x4730, {0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54}};
const GUID IID_DXC_RESULT = {0x58346cda, 0xdde7, 0x4497, {0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59}};
const GUID IID_DXC_BLOB = {0x8ba5fb08, 0x5195, 0x40e2, {0xac, 0x58, 0x0d, 0x98, 0x9c, 0x3a, 0x01, 0x02}};
const GUID IID_DXC_VERSION_INFO2 = {0xfb6904c4, 0x42f0, 0x4b62, {0x9c, 0x46, 0x98, 0x3a, 0xf7, 0xda, 0x7c, 0x83}};

const UINT32 UTF8 = 65001;

enum OutputKind : UINT32 { OBJECT = 1, ERRORS = 2, DISASSEMBLY = 5 };

struct DxcBuffer {
    const void *bytes;
    SIZE_T size;
    UINT encoding;
};

struct IDxcBlob : IUnknown {
    virtual void *STDMETHODCALLTYPE GetBufferPointer() = 0;
    virtual SIZE_T STDMETHODCALLTYPE GetBufferSize() = 0;
};

struct IDxcResult : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE GetStatus(HRESULT *status) = 0;
    virtual HRESULT STDMETHODCALLTYPE GetResult(IDxcBlob **) = 0;
    virtual HRESULT STDMETHODCALLTYPE GetErrorBuffer(IDxcBlob **) = 0;
    virtual BOOL STDMETHODCALLTYPE HasOutput(OutputKind) = 0;
    virtual HRESULT STDMETHODCALLTYPE GetOutput(OutputKind, REFIID, void **blob, IDxcBlob **name) = 0;
};

struct IDxcCompiler3 : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE Compile(const DxcBuffer *, LPCWSTR *, UINT32, IUnknown *, REFIID, void **) = 0;
    virtual HRESULT STDMETHODCALLTYPE Disassemble(const DxcBuffer *, REFIID, void **) = 0;
};

struct IDxcUtils : IUnknown {
    virtual void STDMETHODCALLTYPE CreateBlobFromBlob() = 0;
    virtual void STDMETHODCALLTYPE CreateBlobFromPinned() = 0;
    virtual void STDMETHODCALLTYPE MoveToBlob() = 0;
    virtual void STDMETHODCALLTYPE CreateBlob() = 0;
    virtual void STDMETHODCALLTYPE LoadFile() = 0;
    virtual void STDMETHODCALLTYPE CreateReadOnlyStreamFromBlob() = 0;
    virtual HRESULT STDMETHODCALLTYPE CreateDefaultIncludeHandler(IUnknown **) = 0;
};

struct IDxcVersionInfo2 : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE GetVersion(UINT32 *, UINT32 *) = 0;
    virtual HRESULT STDMETHODCALLTYPE GetFlags(UINT32 *) = 0;
    virtual HRESULT STDMETHODCALLTYPE GetCommitInfo(UINT32 *count, char **hash) = 0;
};

std::wstring wide(const std::string &text) {
    const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
    std::wstring result(size, L'\0');
    MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), &result[0], size);
    return result;
}

std::string output(IDxcResult *result, OutputKind kind) {
    IDxcBlob *blob = nullptr;
    if (!result->HasOutput(kind) ||
        FAILED(result->GetOutput(kind, IID_DXC_BLOB, reinterpret_cast<void **>(&blob), nullptr)) || !blob)
        return {};
    std::string bytes(static_cast<const char *>(blob->GetBufferPointer()), blob->GetBufferSize());
    blob->Release();
    return bytes;
}

// Text in a blob ends with a zero.
std::string text_output(IDxcResult *result, OutputKind kind) {
    const std::string text = output(result, kind);
    return text.substr(0, text.find('\0'));
}

// What the library calls failed, without diagnostics.
std::string failed(const char *call, HRESULT status) {
    char number[16];
    std::snprintf(number, sizeof number, "0x%08lx", static_cast<unsigned long>(status));
    return std::string(call) + " failed with " + number;
}

class Dxc : public Compiler {
  public:
    Dxc(HMODULE library, IDxcCompiler3 *compiler, IUnknown *includes)
        : library(library), compiler(compiler), includes(includes) {}

    std::string version() const override {
        IDxcVersionInfo2 *info = nullptr;
        UINT32 commits = 0;
        char *hash = nullptr;
        std::string text = "DXC " + file_version(library);
        if (FAILED(compiler->QueryInterface(IID_DXC_VERSION_INFO2, reinterpret_cast<void **>(&info))))
            return text;
        if (SUCCEEDED(info->GetCommitInfo(&commits, &hash)) && hash)
            text += std::string(" (") + hash + ')';
        CoTaskMemFree(hash);
        info->Release();
        return text;
    }

    Compilation compile(const Source &source) override {
        std::vector<std::wstring> texts = {wide(source.name), L"-T", wide(source.profile), L"-E", wide(source.entry)};
        for (const std::string &option : source.options)
            texts.push_back(wide(option));
        std::vector<LPCWSTR> arguments;
        for (const std::wstring &text : texts)
            arguments.push_back(text.c_str());
        const DxcBuffer buffer = {source.text.data(), source.text.size(), UTF8};
        IDxcResult *result = nullptr;
        Compilation made;
        HRESULT status = compiler->Compile(&buffer, arguments.data(), static_cast<UINT32>(arguments.size()), includes,
                                           IID_DXC_RESULT, reinterpret_cast<void **>(&result));
        if (FAILED(status)) {
            made.problem = failed("IDxcCompiler3::Compile", status);
            return made;
        }
        result->GetStatus(&status);
        made.succeeded = SUCCEEDED(status);
        made.diagnostics = text_output(result, ERRORS);
        made.object = output(result, OBJECT);
        result->Release();

        // A container of DXIL begins with these letters; SPIR-V has no listing.
        if (made.succeeded && made.object.compare(0, 4, "DXBC") == 0)
            disassemble(made);
        return made;
    }

  private:
    void disassemble(Compilation &made) {
        const DxcBuffer buffer = {made.object.data(), made.object.size(), 0};
        IDxcResult *result = nullptr;
        const HRESULT status =
            compiler->Disassemble(&buffer, IID_DXC_RESULT, reinterpret_cast<void **>(&result));
        if (FAILED(status)) {
            made.problem = failed("IDxcCompiler3::Disassemble", status);
            return;
        }
        made.listing = text_output(result, DISASSEMBLY);
        result->Release();
    }

    HMODULE library;
    IDxcCompiler3 *compiler;
    IUnknown *includes;
};

} // namespace

std::unique_ptr<Compiler> open_dxc(std::string &problem) {
    const HMODULE library = open_library("dxcompiler.dll", problem);
    if (!library)
        return nullptr;
    using Create = HRESULT(WINAPI *)(REFCLSID, REFIID, void **);
    const auto create = function<Create>(library, "DxcCreateInstance");
    IDxcCompiler3 *compiler = nullptr;
    IDxcUtils *utils = nullptr;
    IUnknown *includes = nullptr;
    if (create && SUCCEEDED(create(CLSID_DXC_COMPILER, IID_DXC_COMPILER3, reinterpret_cast<void **>(&compiler))) &&
        SUCCEEDED(create(CLSID_DXC_UTILS, IID_DXC_UTILS, reinterpret_cast<void **>(&utils))) &&
        SUCCEEDED(utils->CreateDefaultIncludeHandler(&includes)))
        return std::make_unique<Dxc>(library, compiler, includes);
    problem = "dxcompiler.dll makes no IDxcCompiler3 or no IDxcUtils";
    return nullptr;
}
