// Structs of the kinds that engines have. No header is included, so that it compiles for every target.
using u8 = unsigned char;
using u32 = unsigned int;

namespace engine {

struct Vec3 {
    float x, y, z;
};

template <class T, int N> struct Array {
    T items[N];
    T &at(int index) { return items[index]; }
};

struct Base {
    virtual ~Base();
    int id;
};

struct Second {
    double weight;
};

struct alignas(16) PerFrame {
    float view[4][4];
    Vec3 sun;
    float time;
    u32 flags;
    union {
        int whole;
        float fraction;
    };
    Array<float, 3> factors;
    static int count;
    bool enabled;
    double exposure;
    void *user;
    struct Undefined *undefined;
};

struct Derived : Base, Second {
    int extra;
    Array<Vec3, 2> lights;
};

struct Bits {
    u32 low : 3;
    u32 middle : 7;
    u32 : 0;
    u32 high : 20;
    u8 tail;
};

enum class Mode : u8 { Off, On };

struct Outer {
    struct Inner {
        short a;
        char b;
    };
    Inner inner[3];
    Mode mode;
    int Vec3::*pointer_to_member;
    Vec3 &reference;
    u8 rest[];
};

typedef struct {
    int number;
    float value;
} Unnamed;

namespace {
struct Hidden {
    char c;
    long long l;
};
} // namespace

struct DeclaredOnly;

typedef float Wide __attribute__((vector_size(16)));
struct WithVector {
    char c;
    Wide wide;
};

Base::~Base() {}
int PerFrame::count = 0;

} // namespace engine

engine::PerFrame frame;
engine::Derived derived;
engine::Bits bits;
engine::Unnamed unnamed;
engine::Hidden hidden;
engine::DeclaredOnly *declared_only;
engine::WithVector with_vector;
engine::Outer *outer;
int use(engine::Outer *value) { return value->inner[0].a; }
extern "C" void operator_delete_stub(void *) {}
void operator delete(void *, decltype(sizeof(0))) noexcept {}
int main() { return use(outer) + hidden.c; }
