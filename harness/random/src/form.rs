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

/// A struct whose method gives the value.
const OBJECT: &str = "struct M# { float4 x; float4 get() { return VALUE; } };";

/// The same, with a method that also reads a member.
const READER: &str = "struct M# { float4 x; float4 get() { return x + VALUE; } };";

impl UseForm {
    /// Appends declarations that wrap `value` to `text`, with names that end in `suffix`. Returns
    /// the expression that gets the value.
    pub(super) fn wrap(self, value: &str, suffix: &str, text: &mut String) -> String {
        let (declared, expression) = self.templates();
        let declared = declared.replace("OBJECT", OBJECT).replace("READER", READER);
        let declared = declared.replace('#', suffix).replace("VALUE", value);
        writeln!(text, "{declared}").expect("a String takes every write");
        expression.replace('#', suffix)
    }

    /// The declarations and the expression. `#` stands for the suffix, `VALUE` for the value.
    fn templates(self) -> (&'static str, &'static str) {
        match self {
            Self::Function => ("float4 f#() { return VALUE; }", "f#()"),
            Self::Namespace => ("namespace N# { float4 f() { return VALUE; } }", "N#::f()"),
            Self::Method => ("OBJECT static M# o#;", "o#.get()"),
            Self::Element => ("OBJECT static M# o#[2];", "o#[1].get()"),
            Self::Member => ("OBJECT struct H# { M# m; }; static H# o#;", "o#.m.get()"),
            Self::This => (
                "struct M# { float4 x; float4 own() { return VALUE; } float4 get() { return this.own(); } }; \
                 static M# o#;",
                "o#.get()",
            ),
            Self::Returned => ("OBJECT M# make#() { M# made; made.x = 0; return made; }", "make#().get()"),
            Self::Parameter => ("OBJECT static M# o#; float4 f#(M# m) { return m.get(); }", "f#(o#)"),
            Self::Inherited => ("OBJECT struct D# : M# { float4 y; }; static D# o#;", "o#.get()"),
            Self::Hidden => {
                ("OBJECT struct D# : M# { float4 y; float4 get() { return 1; } }; static D# o#;", "o#.get()")
            }
            Self::BufferElement => ("OBJECT StructuredBuffer<M#> o#;", "o#[0].get()"),
            Self::ReadBufferElement => ("READER StructuredBuffer<M#> o#;", "o#[0].get()"),
            Self::Constant => ("OBJECT ConstantBuffer<M#> o#;", "o#.get()"),
            Self::ReadConstant => ("READER ConstantBuffer<M#> o#;", "o#.get()"),
            Self::Index => {
                ("struct M# { float4 x; float4 operator[](int i) { return VALUE; } }; static M# o#;", "o#[0]")
            }
            Self::Call => {
                ("struct M# { float4 x; float4 operator()(int i) { return VALUE; } }; static M# o#;", "o#(0)")
            }
            Self::Operator => (
                "struct M# { float4 x; M# operator+(M# other) { M# made; made.x = VALUE; return made; } \
                 float4 operator*(float by) { return x * by; } }; static M# o#;",
                "((o# + o#) * 2.0)",
            ),
            Self::Default => ("float4 f#(float4 x = VALUE) { return x; }", "f#()"),
            Self::GivenDefault => ("float4 f#(float4 x = VALUE) { return x; }", "f#(float4(1, 1, 1, 1))"),
            Self::Overload => {
                ("float4 f#(float2 x) { return x.xyxy; } float4 f#(float x) { return VALUE; }", "f#(float2(1, 1))")
            }
            Self::Generic => ("OBJECT static M# o#; template<typename T> float4 f#(T t) { return t.get(); }", "f#(o#)"),
            Self::GenericStruct => (
                "OBJECT template<typename T> struct W# { T t; float4 run() { return t.get(); } }; static W#<M#> o#;",
                "o#.run()",
            ),
            // DXC 1.7.2308 finds no methods of a `ConstantBuffer` inside a template.
            Self::GenericStatic => (
                "float4 f#() { return VALUE; } \
                 template<typename T> struct W# { static float4 get() { return f#(); } };",
                "W#<float>::get()",
            ),
            Self::Initialiser => ("static float4 s# = VALUE;", "s#"),
            Self::Sizeof => ("float4 f#() { return sizeof(VALUE); }", "f#()"),
            Self::Unread => ("float4 f#() { float4 x = VALUE; x *= 2; return 1; }", "f#()"),
            Self::Overwritten => ("float4 f#() { float4 x = VALUE; x = 1; return x; }", "f#()"),
            Self::UnreadMember => (
                "struct M# { float4 x; float4 y; }; M# make#() { M# made; made.x = VALUE; made.y = 1; return made; }",
                "make#().y",
            ),
            Self::ReadMember => (
                "struct M# { float4 x; float4 y; }; M# make#() { M# made; made.x = VALUE; made.y = 1; return made; }",
                "make#().x",
            ),
            Self::UnreadOutput => (
                "void g#(out float4 x, out float4 y) { x = VALUE; y = 1; } \
                 float4 f#() { float4 x, y; g#(x, y); return y; }",
                "f#()",
            ),
            Self::UnreadStatic => ("static float4 s#; float4 f#() { s# = VALUE; return 1; }", "f#()"),
            Self::ConstantArgument => ("float4 f#(bool b) { if (b) return VALUE; return 1; }", "f#(false)"),
            Self::TimesZero => ("float4 f#() { return VALUE; }", "(f#() * 0)"),
            Self::UnreadLoop => {
                ("float4 f#() { float4 x = 0; for (int i = 0; i < 3; i++) x += VALUE; return 1; }", "f#()")
            }
            Self::Condition => {
                ("float4 f#() { float4 x = 1; float4 y = VALUE; if (y.x > 3) x = 2; return x; }", "f#()")
            }
        }
    }
}
