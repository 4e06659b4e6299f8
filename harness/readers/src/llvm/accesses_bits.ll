; Shortened from the listing of DXC 1.7.2308, `-T cs_6_6 -E main -Zi -Qembed_debug`, of this text:
;
; ByteAddressBuffer vb : register(t0);
; RWByteAddressBuffer wb : register(u1);
; RWStructuredBuffer<uint> o : register(u0);
; cbuffer C { uint n; };
; [numthreads(64,1,1)] void main(uint3 id:SV_DispatchThreadID) {
;   uint a = vb.Load(id.x*8+6);
;   uint b = vb.Load(id.x*24+2);
;   uint c = vb.Load2(8*(id.x&3)+2).x;
;   uint d = vb.Load(id.x*6+1);
;   uint e = vb.Load(n*8+2);
;   uint f = vb.Load(n*8+4);
;   uint g = vb.Load((id.x*8)^3);
;   uint h = vb.Load((id.x*8+7)&~1);
;   uint k = vb.Load((id.x*8+7)&~3);
;   uint l = vb.Load((n*16)|0x103);
;   uint s = 0;
;   for (uint i = 2; i < n; i += 4) s += vb.Load(i);
;   for (uint j = 0; j < n; j += 4) s += vb.Load(j);
;   wb.Store(id.x * 16 + 10, s);
;   o[id.x] = a+b+c+d+e+f+g+h+k+l+s;
; }
;
; Buffer Definitions:
;
; cbuffer C
; {
;
;   struct C
;   {
;
;       uint n;                                       ; Offset:    0
;   
;   } C;                                              ; Offset:    0 Size:     4
;
; }
;
; Resource bind info for o
; {
;
;   uint $Element;                                    ; Offset:    0 Size:     4
;
; }
;
;
; Resource Bindings:
;
; Name                                 Type  Format         Dim      ID      HLSL Bind  Count
; ------------------------------ ---------- ------- ----------- ------- -------------- ------
; C                                 cbuffer      NA          NA     CB0            cb0     1
; vb                                texture    byte         r/o      T0             t0     1
; wb                                    UAV    byte         r/w      U0             u1     1
; o                                     UAV  struct         r/w      U1             u0     1
;
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"

%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.i32 = type { i32, i32, i32, i32, i32 }
%dx.types.CBufRet.i32 = type { i32, i32, i32, i32 }
%struct.ByteAddressBuffer = type { i32 }
%struct.RWByteAddressBuffer = type { i32 }
%"class.RWStructuredBuffer<unsigned int>" = type { i32 }
%C = type { i32 }

define void @main() {
  %o_UAV_structbuf = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false), !dbg !61
  %wb_UAV_rawbuf = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 1, i32 1, i32 0, i8 1 }, i32 1, i1 false), !dbg !61
  %vb_texture_rawbuf = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind zeroinitializer, i32 0, i1 false), !dbg !61
  %C_cbuffer = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 2 }, i32 0, i1 false), !dbg !61
  %1 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %C_cbuffer, %dx.types.ResourceProperties { i32 13, i32 4 })
  %2 = call i32 @dx.op.threadId.i32(i32 93, i32 0)
  %3 = shl i32 %2, 3, !dbg !65
  %4 = or i32 %3, 6, !dbg !66
  %5 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %vb_texture_rawbuf, %dx.types.ResourceProperties { i32 11, i32 0 }), !dbg !67
  %RawBufferLoad = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %4, i32 undef, i8 1, i32 4), !dbg !67
  %6 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad, 0, !dbg !67
  %7 = mul i32 %2, 24, !dbg !71
  %8 = or i32 %7, 2, !dbg !72
  %RawBufferLoad4 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %8, i32 undef, i8 1, i32 4), !dbg !73
  %9 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad4, 0, !dbg !73
  %10 = and i32 %3, 24, !dbg !76
  %11 = or i32 %10, 2, !dbg !77
  %RawBufferLoad14 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %11, i32 undef, i8 3, i32 4), !dbg !61
  %12 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad14, 0, !dbg !61
  %13 = mul i32 %2, 6, !dbg !80
  %14 = or i32 %13, 1, !dbg !81
  %RawBufferLoad5 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %14, i32 undef, i8 1, i32 4), !dbg !82
  %15 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad5, 0, !dbg !82
  %16 = call %dx.types.CBufRet.i32 @dx.op.cbufferLoadLegacy.i32(i32 59, %dx.types.Handle %1, i32 0), !dbg !85
  %17 = extractvalue %dx.types.CBufRet.i32 %16, 0, !dbg !85
  %18 = shl i32 %17, 3, !dbg !86
  %19 = or i32 %18, 2, !dbg !87
  %RawBufferLoad6 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %19, i32 undef, i8 1, i32 4), !dbg !88
  %20 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad6, 0, !dbg !88
  %21 = or i32 %18, 4, !dbg !91
  %RawBufferLoad7 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %21, i32 undef, i8 1, i32 4), !dbg !92
  %22 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad7, 0, !dbg !92
  %23 = or i32 %3, 3, !dbg !95
  %RawBufferLoad8 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %23, i32 undef, i8 1, i32 4), !dbg !96
  %24 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad8, 0, !dbg !96
  %25 = or i32 %3, 4, !dbg !101
  %RawBufferLoad10 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %25, i32 undef, i8 1, i32 4), !dbg !102
  %26 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad10, 0, !dbg !102
  %27 = shl i32 %17, 4, !dbg !105
  %28 = or i32 %27, 259, !dbg !106
  %RawBufferLoad11 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %5, i32 %28, i32 undef, i8 1, i32 4), !dbg !107
  %29 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad11, 0, !dbg !107
  %30 = icmp ugt i32 %17, 2, !dbg !115
  br i1 %30, label %.lr.ph2.preheader, label %._crit_edge.3, !dbg !117

.lr.ph2.preheader:                                ; preds = %0
  br label %.lr.ph2, !dbg !114

._crit_edge.3.loopexit:                           ; preds = %.lr.ph2
  br label %._crit_edge.3, !dbg !111

._crit_edge.3:                                    ; preds = %._crit_edge.3.loopexit, %0
  %s.0 = phi i32 [ 0, %0 ], [ %36, %._crit_edge.3.loopexit ]
  %31 = call %dx.types.CBufRet.i32 @dx.op.cbufferLoadLegacy.i32(i32 59, %dx.types.Handle %1, i32 0), !dbg !121
  %32 = extractvalue %dx.types.CBufRet.i32 %31, 0, !dbg !121
  %33 = icmp eq i32 %32, 0, !dbg !123
  br i1 %33, label %._crit_edge, label %.lr.ph.preheader, !dbg !124

.lr.ph.preheader:                                 ; preds = %._crit_edge.3
  br label %.lr.ph, !dbg !120

.lr.ph2:                                          ; preds = %.lr.ph2, %.lr.ph2.preheader
  %s.1 = phi i32 [ %36, %.lr.ph2 ], [ 0, %.lr.ph2.preheader ]
  %i.0 = phi i32 [ %37, %.lr.ph2 ], [ 2, %.lr.ph2.preheader ]
  %34 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %vb_texture_rawbuf, %dx.types.ResourceProperties { i32 11, i32 0 }), !dbg !125
  %RawBufferLoad12 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %34, i32 %i.0, i32 undef, i8 1, i32 4), !dbg !125
  %35 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad12, 0, !dbg !125
  %36 = add i32 %35, %s.1, !dbg !126
  %37 = add i32 %i.0, 4, !dbg !127
  %38 = call %dx.types.CBufRet.i32 @dx.op.cbufferLoadLegacy.i32(i32 59, %dx.types.Handle %1, i32 0), !dbg !128
  %39 = extractvalue %dx.types.CBufRet.i32 %38, 0, !dbg !128
  %40 = icmp ult i32 %37, %39, !dbg !115
  br i1 %40, label %.lr.ph2, label %._crit_edge.3.loopexit, !dbg !117

._crit_edge.loopexit:                             ; preds = %.lr.ph
  br label %._crit_edge, !dbg !111

._crit_edge:                                      ; preds = %._crit_edge.loopexit, %._crit_edge.3
  %s.2 = phi i32 [ %s.0, %._crit_edge.3 ], [ %57, %._crit_edge.loopexit ]
  %41 = shl i32 %2, 4, !dbg !129
  %42 = or i32 %41, 10, !dbg !130
  %43 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %wb_UAV_rawbuf, %dx.types.ResourceProperties { i32 4107, i32 0 }), !dbg !131
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %43, i32 %42, i32 undef, i32 %s.2, i32 undef, i32 undef, i32 undef, i8 1, i32 4), !dbg !131
  %44 = add i32 %9, %6, !dbg !132
  %45 = add i32 %44, %12, !dbg !133
  %46 = add i32 %45, %15, !dbg !134
  %47 = add i32 %46, %20, !dbg !135
  %48 = add i32 %47, %22, !dbg !136
  %49 = add i32 %48, %24, !dbg !137
  %50 = add i32 %49, %6, !dbg !138
  %51 = add i32 %50, %26, !dbg !139
  %52 = add i32 %51, %29, !dbg !140
  %53 = add i32 %52, %s.2, !dbg !141
  %54 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %o_UAV_structbuf, %dx.types.ResourceProperties { i32 4108, i32 4 }), !dbg !142
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %54, i32 %2, i32 0, i32 %53, i32 undef, i32 undef, i32 undef, i8 1, i32 4), !dbg !143
  ret void, !dbg !144

.lr.ph:                                           ; preds = %.lr.ph, %.lr.ph.preheader
  %s.3 = phi i32 [ %57, %.lr.ph ], [ %s.0, %.lr.ph.preheader ]
  %j.0 = phi i32 [ %58, %.lr.ph ], [ 0, %.lr.ph.preheader ]
  %55 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %vb_texture_rawbuf, %dx.types.ResourceProperties { i32 11, i32 0 }), !dbg !145
  %RawBufferLoad13 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %55, i32 %j.0, i32 undef, i8 1, i32 4), !dbg !145
  %56 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad13, 0, !dbg !145
  %57 = add i32 %56, %s.3, !dbg !146
  %58 = add i32 %j.0, 4, !dbg !147
  %59 = call %dx.types.CBufRet.i32 @dx.op.cbufferLoadLegacy.i32(i32 59, %dx.types.Handle %1, i32 0), !dbg !121
  %60 = extractvalue %dx.types.CBufRet.i32 %59, 0, !dbg !121
  %61 = icmp ult i32 %58, %60, !dbg !123
  br i1 %61, label %.lr.ph, label %._crit_edge.loopexit, !dbg !124
}

; Function Attrs: nounwind readnone

; Function Attrs: nounwind readnone
declare i32 @dx.op.threadId.i32(i32, i32) #0

; Function Attrs: nounwind readonly
declare %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32, %dx.types.Handle, i32, i32, i8, i32) #1

; Function Attrs: nounwind
declare void @dx.op.rawBufferStore.i32(i32, %dx.types.Handle, i32, i32, i32, i32, i32, i32, i8, i32) #2

; Function Attrs: nounwind readonly
declare %dx.types.CBufRet.i32 @dx.op.cbufferLoadLegacy.i32(i32, %dx.types.Handle, i32) #1

; Function Attrs: nounwind readnone
declare %dx.types.Handle @dx.op.annotateHandle(i32, %dx.types.Handle, %dx.types.ResourceProperties) #0

; Function Attrs: nounwind readnone
declare %dx.types.Handle @dx.op.createHandleFromBinding(i32, %dx.types.ResBind, i32, i1) #0

attributes #0 = { nounwind readnone }
attributes #1 = { nounwind readonly }
attributes #2 = { nounwind }

!llvm.module.flags = !{!29, !30}
!llvm.ident = !{!31}
!dx.source.contents = !{!32}
!dx.source.defines = !{!2}
!dx.source.mainFileName = !{!33}
!dx.source.args = !{!34}
!dx.version = !{!35}
!dx.valver = !{!36}
!dx.shaderModel = !{!37}
!dx.resources = !{!38}
!dx.typeAnnotations = !{!47, !55}
!dx.entryPoints = !{!58}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "dxc(private) 1.7.0.4006 (69e54e290)", isOptimized: false, runtimeVersion: 0, emissionKind: 1, enums: !2, subprograms: !3, globals: !18)
!1 = !DIFile(filename: "hlsl.hlsl", directory: "")
!2 = !{}
!3 = !{!4}
!4 = !DISubprogram(name: "main", scope: !1, file: !1, line: 5)
!5 = !DISubroutineType(types: !6)
!6 = !{null, !7}
!7 = !DIDerivedType(tag: DW_TAG_typedef, name: "uint3", file: !1, line: 4, baseType: !8)
!8 = !DICompositeType(tag: DW_TAG_class_type, name: "vector<unsigned int, 3>", file: !1, line: 4, size: 96, align: 32, elements: !9, templateParams: !14)
!9 = !{!10, !12, !13}
!10 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !8, file: !1, line: 4, baseType: !11, size: 32, align: 32, flags: DIFlagPublic)
!11 = !DIBasicType(name: "unsigned int", size: 32, align: 32, encoding: DW_ATE_unsigned)
!12 = !DIDerivedType(tag: DW_TAG_member, name: "y", scope: !8, file: !1, line: 4, baseType: !11, size: 32, align: 32, offset: 32, flags: DIFlagPublic)
!13 = !DIDerivedType(tag: DW_TAG_member, name: "z", scope: !8, file: !1, line: 4, baseType: !11, size: 32, align: 32, offset: 64, flags: DIFlagPublic)
!14 = !{!15, !16}
!15 = !DITemplateTypeParameter(name: "element", type: !11)
!16 = !DITemplateValueParameter(name: "element_count", type: !17, value: i32 3)
!17 = !DIBasicType(name: "int", size: 32, align: 32, encoding: DW_ATE_signed)
!18 = !{!19, !22, !24, !26}
!19 = !DIGlobalVariable(name: "n", linkageName: "\01?n@C@@3IB", scope: !0, file: !1, line: 4, type: !20, isLocal: false, isDefinition: true)
!20 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !21)
!21 = !DIDerivedType(tag: DW_TAG_typedef, name: "uint", file: !1, line: 4, baseType: !11)
!22 = !DIGlobalVariable(name: "vb", linkageName: "\01?vb@@3UByteAddressBuffer@@A", scope: !0, file: !1, line: 1, type: !23, isLocal: false, isDefinition: true)
!23 = !DICompositeType(tag: DW_TAG_structure_type, name: "ByteAddressBuffer", file: !1, line: 1, size: 32, align: 32, elements: !2)
!24 = !DIGlobalVariable(name: "wb", linkageName: "\01?wb@@3URWByteAddressBuffer@@A", scope: !0, file: !1, line: 2, type: !25, isLocal: false, isDefinition: true)
!25 = !DICompositeType(tag: DW_TAG_structure_type, name: "RWByteAddressBuffer", file: !1, line: 2, size: 32, align: 32, elements: !2)
!26 = !DIGlobalVariable(name: "o", linkageName: "\01?o@@3V?$RWStructuredBuffer@I@@A", scope: !0, file: !1, line: 3, type: !27, isLocal: false, isDefinition: true)
!27 = !DICompositeType(tag: DW_TAG_class_type, name: "RWStructuredBuffer<unsigned int>", file: !1, line: 3, size: 32, align: 32, elements: !2, templateParams: !28)
!28 = !{!15}
!29 = !{i32 2, !"Dwarf Version", i32 4}
!30 = !{i32 2, !"Debug Info Version", i32 3}
!35 = !{i32 1, i32 6}
!36 = !{i32 1, i32 7}
!37 = !{!"cs", i32 6, i32 6}
!38 = !{!39, !41, !45, null}
!39 = !{!40}
!40 = !{i32 0, %struct.ByteAddressBuffer* undef, !"vb", i32 0, i32 0, i32 1, i32 11, i32 0, null}
!41 = !{!42, !43}
!42 = !{i32 0, %struct.RWByteAddressBuffer* undef, !"wb", i32 0, i32 1, i32 1, i32 11, i1 false, i1 false, i1 false, null}
!43 = !{i32 1, %"class.RWStructuredBuffer<unsigned int>"* undef, !"o", i32 0, i32 0, i32 1, i32 12, i1 false, i1 false, i1 false, !44}
!44 = !{i32 1, i32 4}
!45 = !{!46}
!46 = !{i32 0, %C* undef, !"C", i32 0, i32 0, i32 1, i32 4, null}
!47 = !{i32 0, %"class.RWStructuredBuffer<unsigned int>" undef, !48, %C undef, !53}
!48 = !{i32 4, !49, !50}
!49 = !{i32 6, !"h", i32 3, i32 0, i32 7, i32 5}
!50 = !{i32 0, !51}
!51 = !{!52}
!52 = !{i32 0, i32 undef}
!53 = !{i32 4, !54}
!54 = !{i32 6, !"n", i32 3, i32 0, i32 7, i32 5}
!55 = !{i32 1, void ()* @main, !56}
!56 = !{!57}
!57 = !{i32 0, !2, !2}
!59 = !{i32 0, i64 16, i32 4, !60}
!60 = !{i32 64, i32 1, i32 1}
!61 = !DILocation(line: 8, column: 12, scope: !4)
!63 = !DIExpression(DW_OP_bit_piece, 0, 32)
!64 = !DILocation(line: 5, column: 38, scope: !4)
!65 = !DILocation(line: 6, column: 24, scope: !4)
!66 = !DILocation(line: 6, column: 26, scope: !4)
!67 = !DILocation(line: 6, column: 12, scope: !4)
!69 = !DIExpression()
!70 = !DILocation(line: 6, column: 8, scope: !4)
!71 = !DILocation(line: 7, column: 24, scope: !4)
!72 = !DILocation(line: 7, column: 27, scope: !4)
!73 = !DILocation(line: 7, column: 12, scope: !4)
!75 = !DILocation(line: 7, column: 8, scope: !4)
!76 = !DILocation(line: 8, column: 22, scope: !4)
!77 = !DILocation(line: 8, column: 31, scope: !4)
!79 = !DILocation(line: 8, column: 8, scope: !4)
!80 = !DILocation(line: 9, column: 24, scope: !4)
!81 = !DILocation(line: 9, column: 26, scope: !4)
!82 = !DILocation(line: 9, column: 12, scope: !4)
!84 = !DILocation(line: 9, column: 8, scope: !4)
!85 = !DILocation(line: 10, column: 20, scope: !4)
!86 = !DILocation(line: 10, column: 21, scope: !4)
!87 = !DILocation(line: 10, column: 23, scope: !4)
!88 = !DILocation(line: 10, column: 12, scope: !4)
!90 = !DILocation(line: 10, column: 8, scope: !4)
!91 = !DILocation(line: 11, column: 23, scope: !4)
!92 = !DILocation(line: 11, column: 12, scope: !4)
!94 = !DILocation(line: 11, column: 8, scope: !4)
!95 = !DILocation(line: 12, column: 28, scope: !4)
!96 = !DILocation(line: 12, column: 12, scope: !4)
!98 = !DILocation(line: 12, column: 8, scope: !4)
!100 = !DILocation(line: 13, column: 8, scope: !4)
!101 = !DILocation(line: 14, column: 30, scope: !4)
!102 = !DILocation(line: 14, column: 12, scope: !4)
!104 = !DILocation(line: 14, column: 8, scope: !4)
!105 = !DILocation(line: 15, column: 22, scope: !4)
!106 = !DILocation(line: 15, column: 26, scope: !4)
!107 = !DILocation(line: 15, column: 12, scope: !4)
!109 = !DILocation(line: 15, column: 8, scope: !4)
!111 = !DILocation(line: 16, column: 8, scope: !4)
!113 = distinct !DILexicalBlock(scope: !4, file: !1, line: 17, column: 3)
!114 = !DILocation(line: 17, column: 13, scope: !113)
!115 = !DILocation(line: 17, column: 22, scope: !116)
!116 = distinct !DILexicalBlock(scope: !113, file: !1, line: 17, column: 3)
!117 = !DILocation(line: 17, column: 3, scope: !113)
!119 = distinct !DILexicalBlock(scope: !4, file: !1, line: 18, column: 3)
!120 = !DILocation(line: 18, column: 13, scope: !119)
!121 = !DILocation(line: 18, column: 24, scope: !122)
!122 = distinct !DILexicalBlock(scope: !119, file: !1, line: 18, column: 3)
!123 = !DILocation(line: 18, column: 22, scope: !122)
!124 = !DILocation(line: 18, column: 3, scope: !119)
!125 = !DILocation(line: 17, column: 40, scope: !116)
!126 = !DILocation(line: 17, column: 37, scope: !116)
!127 = !DILocation(line: 17, column: 29, scope: !116)
!128 = !DILocation(line: 17, column: 24, scope: !116)
!129 = !DILocation(line: 19, column: 17, scope: !4)
!130 = !DILocation(line: 19, column: 22, scope: !4)
!131 = !DILocation(line: 19, column: 3, scope: !4)
!132 = !DILocation(line: 20, column: 14, scope: !4)
!133 = !DILocation(line: 20, column: 16, scope: !4)
!134 = !DILocation(line: 20, column: 18, scope: !4)
!135 = !DILocation(line: 20, column: 20, scope: !4)
!136 = !DILocation(line: 20, column: 22, scope: !4)
!137 = !DILocation(line: 20, column: 24, scope: !4)
!138 = !DILocation(line: 20, column: 26, scope: !4)
!139 = !DILocation(line: 20, column: 28, scope: !4)
!140 = !DILocation(line: 20, column: 30, scope: !4)
!141 = !DILocation(line: 20, column: 32, scope: !4)
!142 = !DILocation(line: 20, column: 3, scope: !4)
!143 = !DILocation(line: 20, column: 11, scope: !4)
!144 = !DILocation(line: 21, column: 1, scope: !4)
!145 = !DILocation(line: 18, column: 40, scope: !122)
!146 = !DILocation(line: 18, column: 37, scope: !122)
!147 = !DILocation(line: 18, column: 29, scope: !122)
