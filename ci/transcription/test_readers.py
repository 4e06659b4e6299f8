"""Tests of the readers, on texts that need no compiler: `python3 -m unittest discover -s ci -t ci`.

The listing comes from DXC 1.7.2308 for the declarations next to it.
"""

import struct
import unittest

from transcription import named_views
from transcription.case_file import layout_lines
from transcription.declarations import Reader, Unsupported, first_leaf, places
from transcription.dxc import listed_block, loaded_offset
from transcription.placement import Placed, bind_lines, listed, multiplied, text
from transcription.spirv import Layout, Module
from transcription.views import without_other_loads

LISTING = """
; cbuffer S
; {
;
;   struct hostlayout.S
;   {
;
;       float a;                                      ; Offset:    0
;       struct hostlayout.struct.In
;       {
;
;           float x;                                  ; Offset:   16
;           column_major float2x2 m;                  ; Offset:   32
;       
;       } i[2];;                                      ; Offset:   16
;
;       uint ;                                        ; Offset:   88
;   
;   } S;                                              ; Offset:    0 Size:    92
;
; }
;
"""
CBUFFER_LOAD = (
    "%11 = call %dx.types.CBufRet.{} @dx.op.cbufferLoadLegacy.f32(i32 59, %dx.types.Handle %9, i32 5)\n"
    "%12 = extractvalue %dx.types.CBufRet.{} %11, 3\n"
)


def paths(text, indexed=False):
    """Path and expression of every member of the first block."""
    return [(p.path, p.expression) for p in places(Reader(text).read()[0], indexed)]


class Declarations(unittest.TestCase):
    def test_members_of_array_elements_follow_the_array(self):
        text = "struct L { float x; };\ncbuffer S : register(b0) { float2 a, b; L l[2][3]; row_major float2x3 m; };"
        expected = ["S.a", "S.b", "S.l", "S.l[][].x", "S.m"]
        self.assertEqual([path for path, _ in paths(text)], expected)

    def test_base_members_come_first_and_resources_not_at_all(self):
        text = "struct B { float p; };\nstruct D : B { Texture2D t; float q; };\nStructuredBuffer<D> S;"
        self.assertEqual(paths(text, indexed=True), [("S.p", "S[0].p"), ("S.q", "S[0].q")])

    def test_an_entry_point_is_a_block_of_its_uniform_parameters(self):
        head = '[shader("compute")] [numthreads(1, 1, 1)] '
        text = head + "void main(uint3 id : SV_DispatchThreadID, Texture2D t, uniform float3 v[2], int n) { { } }"
        self.assertEqual(paths(text), [("$Entry.main.v", "v"), ("$Entry.main.n", "n")])
        reader = Reader(text)
        self.assertEqual(reader.read()[0].kind, "entry-uniforms")
        self.assertTrue(reader.using("use(n);").endswith("int n) { use(n); }"))

    def test_a_generic_struct_is_read_once_per_argument(self):
        text = "struct G<T> { int a; T b; }\nConstantBuffer<G<float3>> S;"
        block = Reader(text).read()[0]
        self.assertEqual([m.type.rows for m in block.type.members], [0, 3])

    def test_static_members_and_annotations_are_passed_over(self):
        text = "cbuffer S { static float s = 1; float a : packoffset(c1.y); uint f : 3; };"
        members = Reader(text).read()[0].type.members
        self.assertEqual([(m.name, m.bits) for m in members], [("a", None), ("f", 3)])

    def test_an_unknown_type_is_refused(self):
        with self.assertRaisesRegex(Unsupported, "type `Unknown`"):
            Reader("cbuffer S { Unknown u; };").read()

    def test_the_first_leaf_of_a_struct_with_an_empty_member(self):
        text = "struct E { };\nstruct P { E e; float2x2 m[2]; };\ncbuffer S { P p; };"
        self.assertEqual(first_leaf(Reader(text).read()[0].type.members[0].type, "p"), "p.m[0][0][0]")


    def test_memory_without_a_declared_block(self):
        text = (
            "struct P { float a; };\nstruct A { float2 uv; };\nstruct L { uint k; };\nByteAddressBuffer bytes;\n"
            "static StructuredBuffer<L> heap = ResourceDescriptorHeap[3];\nfloat read() { return bytes.Load<L>(0).k; }\n"
            '[shader("closesthit")] void hit(inout P p, in A a) {}\n[shader("miss")] void miss(inout P p) {}\n'
            '[shader("callable")] void call(inout L l) {}\n[numthreads(1, 1, 1)] void mesh(in payload P p, out vertices A v[3]) {}'
        )
        found = [(block.name, block.kind, block.form) for block in Reader(text).read()]
        expected = [
            ("heap", "descriptor-heap", "structured-element"),
            ("P", "stage-data", "ray-payload"),
            ("A", "stage-data", "hit-attributes"),
            ("L", "stage-data", "callable-data"),
            ("P", "stage-data", "mesh-payload"),
            ("L", "raw-access", ""),
        ]
        self.assertEqual(found, expected)


class Listings(unittest.TestCase):
    def test_members_and_size_of_a_buffer(self):
        block = Reader("struct In { float x; float2x2 m; };\ncbuffer S { float a; In i[2]; };").read()[0]
        inner = [("x", 16, []), ("m", 32, [])]
        expected = ("S", 92, [("a", 0, []), ("i", 16, inner), ("", 88, [])])
        self.assertEqual(listed_block(LISTING, block), expected)

    def test_a_load_counts_registers_and_components(self):
        for kind, offset in (("f32", 5 * 16 + 12), ("f16.8", 5 * 16 + 6), ("f64", 5 * 16 + 24)):
            self.assertEqual(loaded_offset(CBUFFER_LOAD.format(kind, kind)), offset)

    def test_the_load_of_a_descriptors_number_is_none_of_its_buffer(self):
        handle = "%{} = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %{}, %dx.types.ResourceProperties {{}})"
        load = "%{} = call %dx.types.CBufRet.i32 @dx.op.cbufferLoadLegacy.i32(i32 59, %dx.types.Handle %{}, i32 {})"
        of_number = [handle.format(2, 1), load.format(3, 2, 0)]
        heap = "%5 = call %dx.types.Handle @dx.op.createHandleFromHeap(i32 218, i32 %4, i1 false, i1 true)"
        of_buffer = [heap, handle.format(6, 5), load.format(7, 6, 4)]
        kept = without_other_loads("\n".join([*of_number, *of_buffer])).split("\n")
        self.assertEqual(kept, [of_number[0], *of_buffer])

    def test_no_load_is_no_offset(self):
        with self.assertRaises(Unsupported):
            loaded_offset("ret void")


class Spirv(unittest.TestCase):
    def test_names_and_decorations_of_a_member(self):
        def instruction(opcode, *operands):
            return [(len(operands) + 1) << 16 | opcode, *operands]

        name = struct.unpack("<I", b"b_1\0")[0]
        words = [0x07230203, 0x10000, 0, 9, 0]
        words += instruction(6, 2, 0, name) + instruction(72, 2, 0, 35, 16)
        words += instruction(22, 1, 32) + instruction(30, 2, 1)
        module = Module(struct.pack(f"<{len(words)}I", *words))
        self.assertEqual(module.member(2, "b", 0), 0)
        self.assertEqual(module.member_decorations[2, 0, 35], 16)
        with self.assertRaises(Unsupported):
            module.member(2, "c", 1)


BINDINGS = """
; Name                                 Type  Format         Dim      ID      HLSL Bind  Count
; ------------------------------ ---------- ------- ----------- ------- -------------- ------
; $Globals                          cbuffer      NA          NA     CB0            cb0     1
; s.E.2                             texture     f32          2d      T0      t1,space2     4
; s.P.own                               UAV     f32         buf      U0u0,space4294967295     1
; un                                    UAV     f32         buf      U2      u6,space3unbounded
"""


class Places(unittest.TestCase):
    def test_a_listing_with_columns_that_touch(self):
        class Case:
            declare = "struct P { RWBuffer<float> own; }; struct S : P { Texture2D E[3]; };"

        placed = Placed({})
        listed(Case, BINDINGS, placed)
        expected = {"$Globals": ["b0"], "s.E[2]": ["t1[4] space2"], "s.own": ["u0 space4294967295"]}
        self.assertEqual(placed.places, {**expected, "un": ["u6[] space3"]})

    def test_places_are_written_as_cases_have_them(self):
        self.assertEqual(text("binding", 2, 1), "set 1 binding 2")
        self.assertEqual(text("binding", 2, count=2), "set 0 binding 2[2]")
        self.assertEqual(text("location-in", 3, count=4), "location-in 3[4]")
        lines = list(bind_lines({"a": ["t0", "s0"], "s.B[3]": ["u1"]}))
        self.assertEqual(lines, ['a = ["t0", "s0"]', '"s.B[3]" = "u1"'])

    def test_an_unbounded_factor_makes_a_product_unbounded(self):
        self.assertEqual([multiplied(2, 3), multiplied(None, 3), multiplied(2, None)], [6, None, None])


class Views(unittest.TestCase):
    def test_views_of_an_answer(self):
        answer = (
            "StructuredBuffer<uint> counts (descriptor heap)  size  offset\nMatrix<float, 2, 2> (raw load or store)  size  offset\n"
            "float4 payload (ray payload)  size  offset\n"
            "8 of 9 blocks laid out; float2x2 (raw load or store, line 62): DXC loads a matrix row by row; T (descriptor heap): open"
        )
        expected = {
            (named_views.HEAP, "uint"),
            (named_views.RAW, "Matrix<float,2,2>"),
            (named_views.PAYLOAD, "payload"),
            (named_views.RAW, "float2x2"),
            (named_views.HEAP, "T"),
        }
        self.assertEqual(named_views.shown(answer), expected)

    def test_a_view_with_any_name_needs_one_of_its_kind(self):
        own = {(named_views.PAYLOAD, "payload")}
        anonymous = {(kind, named_views.ANY) for kind in (named_views.PAYLOAD, named_views.CALLABLE)}
        self.assertEqual(named_views.missing(anonymous, own), [(named_views.CALLABLE, named_views.ANY)])

    def test_names_of_types(self):
        names = {"struct.Tint": "Tint", "unsigned long long": "uint64_t", "vector<float, 3>": "float3", "matrix.half.2.3": "half2x3"}
        self.assertEqual({name: named_views.spelled(name) for name in names}, names)


class Tables(unittest.TestCase):
    def test_long_tables_take_a_line_for_each_number(self):
        short = Layout(offsets={"S.a": 0})
        self.assertEqual(layout_lines(short), ['offsets = { "S.a" = 0 }'])
        long = Layout(sizes={f"S.member_with_a_long_name_{n}": n for n in range(6)})
        self.assertEqual(layout_lines(long)[0], 'sizes."S.member_with_a_long_name_0" = 0')


if __name__ == "__main__":
    unittest.main()
