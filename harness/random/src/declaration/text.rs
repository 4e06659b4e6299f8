//! Random declarations as HLSL, which Slang reads too, and as the module that they declare.

use std::fmt::Write;

use layoutproof_layout::Span;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::MatrixOrder;

use super::shape::{BlockForm, ExplicitOffset, MemberType, RandomDeclaration, RandomMember, RandomStruct};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;

impl RandomDeclaration {
    /// Writes the declarations: enums `E0` and on, structs `T0` and on, and the block `B` (of the
    /// struct `S` if it needs one). Members are `m0` and on; a derived struct continues the numbers
    /// of its base.
    pub fn text(&self) -> String {
        let mut writer = DeclarationWriter::default();
        let own = writer.body(&self.content, self.block.is_direct());
        let block = match self.block {
            BlockForm::Cbuffer => format!("cbuffer B {own}"),
            BlockForm::Tbuffer => format!("tbuffer B {own}"),
            BlockForm::ConstantBuffer => format!("struct S{own}\nConstantBuffer<S> B;"),
            BlockForm::StructuredBuffer => format!("struct S{own}\nStructuredBuffer<S> B;"),
            BlockForm::PushConstant => format!("struct S{own}\n[[vk::push_constant]] ConstantBuffer<S> B;"),
            BlockForm::StructuredElement => {
                let element = self.content.members.first().map_or_else(String::new, |member| writer.ty(&member.ty));
                format!("StructuredBuffer<{element}> B;")
            }
        };

        writer.text + &block + "\n"
    }

    /// Parses the text into a module.
    ///
    /// # Errors
    ///
    /// The parser's problems, with places in [`RandomDeclaration::text`].
    ///
    /// # Panics
    ///
    /// If the text has 2^32 bytes.
    pub fn module(&self) -> Result<Module, Vec<Diagnostic>> {
        let text = self.text();
        let mut sources = SourceMap::default();
        let end = u32::try_from(text.len()).expect("a declaration is far shorter than 2^32 bytes");
        let file = sources.add("random.hlsl", text);
        declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default())
    }
}

/// The types that are already written. Equal types are written once.
#[derive(Default)]
struct DeclarationWriter<'a> {
    text: String,
    structs: Vec<&'a RandomStruct>,
    enums: Vec<Option<Scalar>>,
}

impl<'a> DeclarationWriter<'a> {
    /// Writes ` : T0 { ... };` after the types that it needs. The struct of a buffer's direct
    /// members has no base.
    fn body(&mut self, content: &'a RandomStruct, direct: bool) -> String {
        let base = content.base.as_deref().map(|base| format!(" : T{}", self.structure(base)));
        let first = content.width() - content.members.len();
        let members: Vec<String> =
            content.members.iter().enumerate().map(|(index, member)| self.member(member, first + index)).collect();
        let lead = if direct { "" } else { " " };
        let base = base.unwrap_or_default();
        format!("{}{lead}{{\n{}}};", base, members.concat())
    }

    /// Returns the number of a struct, and writes it first if necessary.
    fn structure(&mut self, structure: &'a RandomStruct) -> usize {
        if let Some(number) = self.structs.iter().position(|written| *written == structure) {
            return number;
        }
        let body = self.body(structure, false);
        self.structs.push(structure);
        let number = self.structs.len() - 1;
        writeln!(self.text, "struct T{number}{body}").expect("a String takes every write");
        number
    }

    fn enumeration(&mut self, underlying: Option<Scalar>) -> usize {
        if let Some(number) = self.enums.iter().position(|written| *written == underlying) {
            return number;
        }
        self.enums.push(underlying);
        let number = self.enums.len() - 1;
        let ty = underlying.map(|scalar| format!(" : {}", scalar.spelling())).unwrap_or_default();
        writeln!(self.text, "enum E{number}{ty} {{ E{number}A }};").expect("a String takes every write");
        number
    }

    fn member(&mut self, member: &'a RandomMember, number: usize) -> String {
        let (attribute, packoffset) = match member.place {
            None => (String::new(), String::new()),
            Some(ExplicitOffset::VkOffset(offset)) => (format!("[[vk::offset({offset})]] "), String::new()),
            Some(ExplicitOffset::PackOffset { register, component }) => {
                let component = component.and_then(|component| ["x", "y", "z", "w"].get(component as usize));
                let dot = component.map(|component| format!(".{component}")).unwrap_or_default();
                (String::new(), format!(" : packoffset(c{register}{dot})"))
            }
        };

        let width = member.bit_width.map(|width| format!(" : {width}")).unwrap_or_default();
        let dimensions: Vec<String> = member.dimensions.iter().map(|count| format!("[{count}]")).collect();
        let dimensions = dimensions.concat();
        let ty = self.ty(&member.ty);
        format!("    {attribute}{ty} m{number}{dimensions}{width}{packoffset};\n")
    }

    fn ty(&mut self, ty: &'a MemberType) -> String {
        match ty {
            MemberType::Scalar(scalar) => scalar.spelling().to_owned(),
            MemberType::Vector { scalar, length } => format!("{}{length}", scalar.spelling()),
            MemberType::Matrix { scalar, rows, columns, order } => {
                let order = match order {
                    None => "",
                    Some(MatrixOrder::Row) => "row_major ",
                    Some(MatrixOrder::Column) => "column_major ",
                };
                format!("{order}{}{rows}x{columns}", scalar.spelling())
            }
            MemberType::Enum(underlying) => format!("E{}", self.enumeration(*underlying)),
            MemberType::Struct(structure) => format!("T{}", self.structure(structure)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::LayoutOptions;

    fn float() -> RandomMember {
        RandomMember::plain(MemberType::FLOAT)
    }

    fn written(block: BlockForm, content: RandomStruct) -> String {
        RandomDeclaration { options: LayoutOptions::default(), block, content }.text()
    }

    #[test]
    fn types_come_before_their_use_and_equal_ones_once() {
        let base = RandomStruct { base: None, members: vec![float()] };
        let matrix = MemberType::Matrix { scalar: Scalar::Half, rows: 2, columns: 3, order: Some(MatrixOrder::Row) };
        let enumeration = RandomMember::plain(MemberType::Enum(Some(Scalar::Uint16)));
        let inner = RandomStruct {
            base: Some(Box::new(base)),
            members: vec![RandomMember::plain(matrix).array(2), enumeration.clone()],
        };
        let field = RandomMember { bit_width: Some(3), ..RandomMember::plain(MemberType::Scalar(Scalar::Uint32)) };
        let held = RandomMember::plain(MemberType::Struct(Box::new(inner)));
        let content = RandomStruct { base: None, members: vec![held.clone(), field, held.array(3), enumeration] };
        let text = "\
struct T0 {
    float m0;
};
enum E0 : uint16_t { E0A };
struct T1 : T0 {
    row_major half2x3 m1[2];
    E0 m2;
};
struct S {
    T1 m0;
    uint m1 : 3;
    T1 m2[3];
    E0 m3;
};
StructuredBuffer<S> B;
";
        assert_eq!(written(BlockForm::StructuredBuffer, content), text);
    }

    #[test]
    fn places_stand_where_the_languages_want_them() {
        let place = |place| RandomMember { place: Some(place), ..float() };
        let packed = ExplicitOffset::PackOffset { register: 2, component: Some(1) };
        let register = ExplicitOffset::PackOffset { register: 3, component: None };
        let content = RandomStruct { base: None, members: vec![place(packed), place(register).array(2)] };
        let text = "cbuffer B {\n    float m0 : packoffset(c2.y);\n    float m1[2] : packoffset(c3);\n};\n";
        assert_eq!(written(BlockForm::Cbuffer, content), text);
        let content = RandomStruct { base: None, members: vec![place(ExplicitOffset::VkOffset(32))] };
        let text = "struct S {\n    [[vk::offset(32)]] float m0;\n};\n[[vk::push_constant]] ConstantBuffer<S> B;\n";
        assert_eq!(written(BlockForm::PushConstant, content), text);
    }

    #[test]
    fn an_element_needs_no_struct() {
        let vector = MemberType::Vector { scalar: Scalar::Float64, length: 3 };
        let content = RandomStruct { base: None, members: vec![RandomMember::plain(vector)] };
        assert_eq!(written(BlockForm::StructuredElement, content), "StructuredBuffer<double3> B;\n");
    }
}
