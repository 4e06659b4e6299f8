//! The ways in which code gets a value: functions, methods, operators, default arguments, static
//! initialisers; and the ways in which it gets one without needing it.
//!
//! Each form wraps an expression of the type `float4` in new declarations and returns an expression
//! with its value.

use std::fmt::Write;

use proptest::prelude::*;
use strum::VariantArray;

use super::program::ProgramDialect;

/// A way in which code gets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum UseForm {
    Function,
    /// A function in a namespace.
    Namespace,
    /// A method of a `static` object.
    Method,
    /// A method of an element of an array of objects.
    Element,
    /// A method of a member of an object.
    Member,
    /// A method that another method calls through `this`.
    This,
    /// A method of a returned object.
    Returned,
    /// A method of a parameter.
    Parameter,
    /// A default argument.
    Default,
    /// A default argument that the call overrides.
    GivenDefault,
    /// A function that loses overload resolution.
    Overload,
    /// The initialiser of a `static` variable.
    Initialiser,
    // Forms that only HLSL 2021 has, or whose buffers Slang binds whether or not they are read.
    /// An inherited method.
    Inherited,
    /// A method that a derived struct hides.
    Hidden,
    /// A method of an element of a `StructuredBuffer` that does not read the element.
    BufferElement,
    /// A method of an element of a `StructuredBuffer` that reads the element.
    ReadBufferElement,
    /// A method of a `ConstantBuffer` that does not read the buffer.
    Constant,
    /// A method of a `ConstantBuffer` that reads the buffer.
    ReadConstant,
    /// `operator[]`.
    Index,
    /// `operator()`.
    Call,
    /// `operator+` of an operand of `operator*`.
    Operator,
    /// A method that a generic function calls.
    Generic,
    /// A method that a method of a generic struct calls.
    GenericStruct,
    /// A `static` method of a generic struct.
    GenericStatic,
    /// `sizeof`, which evaluates nothing.
    Sizeof,
    /// A local variable that is never read.
    Unread,
    /// A local variable that is overwritten before it is read.
    Overwritten,
    /// A member of a struct that is never read.
    UnreadMember,
    /// A member of a struct that is read.
    ReadMember,
    /// An output that is never read.
    UnreadOutput,
    /// A `static` variable that is written and never read.
    UnreadStatic,
    /// A branch that the only call's argument rules out.
    ConstantArgument,
    /// A factor of 0.
    TimesZero,
    /// A loop whose results are never read.
    UnreadLoop,
    /// A condition.
    Condition,
}

/// The number of forms that both compilers accept, which come first.
const COMMON: usize = 12;

/// Draws up to three forms, the innermost first. One value in three is used directly.
pub(super) fn forms(dialect: ProgramDialect) -> impl Strategy<Value = Vec<UseForm>> {
    let known = match dialect {
        ProgramDialect::Dxc => UseForm::VARIANTS,
        ProgramDialect::Slang => &UseForm::VARIANTS[..COMMON],
    };
    let form = prop::sample::select(known);
    prop_oneof![1 => Just(Vec::new()), 2 => prop::collection::vec(form, 1..4)]
}

impl UseForm {
    /// Appends declarations that wrap `value` to `text`, with names that end in `suffix`. Returns
    /// the expression that gets the value.
    pub(super) fn wrap(self, value: &str, suffix: &str, text: &mut String) -> String {
        let n = suffix;
        let object = format!("struct M{n} {{ float4 x; float4 get() {{ return {value}; }} }};");
        let reader = format!("struct M{n} {{ float4 x; float4 get() {{ return x + {value}; }} }};");
        let (declared, expression) = match self {
            Self::Function => (format!("float4 f{n}() {{ return {value}; }}"), format!("f{n}()")),
            Self::Namespace => (format!("namespace N{n} {{ float4 f() {{ return {value}; }} }}"), format!("N{n}::f()")),
            Self::Method => (format!("{object} static M{n} o{n};"), format!("o{n}.get()")),
            Self::Element => (format!("{object} static M{n} o{n}[2];"), format!("o{n}[1].get()")),
            Self::Member => (format!("{object} struct H{n} {{ M{n} m; }}; static H{n} o{n};"), format!("o{n}.m.get()")),
            Self::This => {
                let own = format!("float4 own() {{ return {value}; }} float4 get() {{ return this.own(); }}");
                (format!("struct M{n} {{ float4 x; {own} }}; static M{n} o{n};"), format!("o{n}.get()"))
            }
            Self::Returned => {
                let make = format!("M{n} make{n}() {{ M{n} made; made.x = 0; return made; }}");
                (format!("{object} {make}"), format!("make{n}().get()"))
            }
            Self::Parameter => {
                let f = format!("float4 f{n}(M{n} m) {{ return m.get(); }}");
                (format!("{object} static M{n} o{n}; {f}"), format!("f{n}(o{n})"))
            }
            Self::Inherited => {
                let derived = format!("struct D{n} : M{n} {{ float4 y; }}; static D{n} o{n};");
                (format!("{object} {derived}"), format!("o{n}.get()"))
            }
            Self::Hidden => {
                let derived = format!("struct D{n} : M{n} {{ float4 y; float4 get() {{ return 1; }} }};");
                (format!("{object} {derived} static D{n} o{n};"), format!("o{n}.get()"))
            }
            Self::BufferElement => (format!("{object} StructuredBuffer<M{n}> o{n};"), format!("o{n}[0].get()")),
            Self::ReadBufferElement => (format!("{reader} StructuredBuffer<M{n}> o{n};"), format!("o{n}[0].get()")),
            Self::Constant => (format!("{object} ConstantBuffer<M{n}> o{n};"), format!("o{n}.get()")),
            Self::ReadConstant => (format!("{reader} ConstantBuffer<M{n}> o{n};"), format!("o{n}.get()")),
            Self::Index => {
                let index = format!("float4 operator[](int i) {{ return {value}; }}");
                (format!("struct M{n} {{ float4 x; {index} }}; static M{n} o{n};"), format!("o{n}[0]"))
            }
            Self::Call => {
                let call = format!("float4 operator()(int i) {{ return {value}; }}");
                (format!("struct M{n} {{ float4 x; {call} }}; static M{n} o{n};"), format!("o{n}(0)"))
            }
            Self::Operator => {
                let add = format!("M{n} operator+(M{n} other) {{ M{n} made; made.x = {value}; return made; }}");
                let multiply = "float4 operator*(float by) { return x * by; }";
                let object = format!("struct M{n} {{ float4 x; {add} {multiply} }}; static M{n} o{n};");
                (object, format!("((o{n} + o{n}) * 2.0)"))
            }
            Self::Default => (format!("float4 f{n}(float4 x = {value}) {{ return x; }}"), format!("f{n}()")),
            Self::GivenDefault => {
                (format!("float4 f{n}(float4 x = {value}) {{ return x; }}"), format!("f{n}(float4(1, 1, 1, 1))"))
            }
            Self::Overload => {
                let other = format!("float4 f{n}(float2 x) {{ return x.xyxy; }}");
                (format!("{other} float4 f{n}(float x) {{ return {value}; }}"), format!("f{n}(float2(1, 1))"))
            }
            Self::Generic => {
                let f = format!("template<typename T> float4 f{n}(T t) {{ return t.get(); }}");
                (format!("{object} static M{n} o{n}; {f}"), format!("f{n}(o{n})"))
            }
            Self::GenericStruct => {
                let outer = format!("template<typename T> struct W{n} {{ T t; float4 run() {{ return t.get(); }} }};");
                (format!("{object} {outer} static W{n}<M{n}> o{n};"), format!("o{n}.run()"))
            }
            // DXC 1.7.2308 finds no methods of a `ConstantBuffer` inside a template.
            Self::GenericStatic => {
                let f = format!("float4 f{n}() {{ return {value}; }}");
                let outer = format!("template<typename T> struct W{n} {{ static float4 get() {{ return f{n}(); }} }};");
                (format!("{f} {outer}"), format!("W{n}<float>::get()"))
            }
            Self::Initialiser => (format!("static float4 s{n} = {value};"), format!("s{n}")),
            Self::Sizeof => (format!("float4 f{n}() {{ return sizeof({value}); }}"), format!("f{n}()")),
            Self::Unread => (format!("float4 f{n}() {{ float4 x = {value}; x *= 2; return 1; }}"), format!("f{n}()")),
            Self::Overwritten => {
                (format!("float4 f{n}() {{ float4 x = {value}; x = 1; return x; }}"), format!("f{n}()"))
            }
            Self::UnreadMember | Self::ReadMember => {
                let made = format!("M{n} make{n}() {{ M{n} made; made.x = {value}; made.y = 1; return made; }}");
                let member = if self == Self::ReadMember { "x" } else { "y" };
                (format!("struct M{n} {{ float4 x; float4 y; }}; {made}"), format!("make{n}().{member}"))
            }
            Self::UnreadOutput => {
                let inner = format!("void g{n}(out float4 x, out float4 y) {{ x = {value}; y = 1; }}");
                (format!("{inner} float4 f{n}() {{ float4 x, y; g{n}(x, y); return y; }}"), format!("f{n}()"))
            }
            Self::UnreadStatic => {
                (format!("static float4 s{n}; float4 f{n}() {{ s{n} = {value}; return 1; }}"), format!("f{n}()"))
            }
            Self::ConstantArgument => {
                (format!("float4 f{n}(bool b) {{ if (b) return {value}; return 1; }}"), format!("f{n}(false)"))
            }
            Self::TimesZero => (format!("float4 f{n}() {{ return {value}; }}"), format!("(f{n}() * 0)")),
            Self::UnreadLoop => {
                let inner = format!("float4 x = 0; for (int i = 0; i < 3; i++) x += {value};");
                (format!("float4 f{n}() {{ {inner} return 1; }}"), format!("f{n}()"))
            }
            Self::Condition => {
                let inner = format!("float4 x = 1; float4 y = {value}; if (y.x > 3) x = 2;");
                (format!("float4 f{n}() {{ {inner} return x; }}"), format!("f{n}()"))
            }
        };

        writeln!(text, "{declared}").expect("a String takes every write");
        expression
    }
}
