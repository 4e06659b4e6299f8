; Shortened from the listing of DXC 1.7.2308, `-T cs_6_6 -Zi -Qembed_debug`, of a shader that begins
; struct Particle { float3 place; float mass; uint kind; };
; cbuffer Params { float3 step; float scale[2]; };
; Buffer Definitions:
;
; cbuffer Params
; {
;
;   struct Params
;   {
;
;       float3 step;                                  ; Offset:    0
;       float scale[2];                               ; Offset:   16
;
;   } Params;                                         ; Offset:    0 Size:    36
;
; }
;
; Resource bind info for particles
; {
;
;   struct struct.Particle
;   {
;
;       float3 place;                                 ; Offset:    0
;       float mass;                                   ; Offset:   12
;       uint kind;                                    ; Offset:   16
;
;   } $Element;                                       ; Offset:    0 Size:    20
;
; }
;
;
; Resource Bindings:
;
; Name                                 Type  Format         Dim      ID      HLSL Bind  Count
; ------------------------------ ---------- ------- ----------- ------- -------------- ------
; Params                            cbuffer      NA          NA     CB0            cb0     1
; raw                               texture    byte         r/o      T0             t0     1
; particles                             UAV  struct         r/w      U0             u0     1
;
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.CBufRet.f32 = type { float, float, float, float }
%dx.types.ResRet.f32 = type { float, float, float, float, i32 }
%dx.types.ResRet.i32 = type { i32, i32, i32, i32, i32 }
%struct.ByteAddressBuffer = type { i32 }
%"class.RWStructuredBuffer<Particle>" = type { %struct.Particle }
%struct.Particle = type { <3 x float>, float, i32 }
%Params = type { <3 x float>, [2 x float] }

define void @main() {
  %particles_UAV_structbuf = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false), !dbg !83
  %raw_texture_rawbuf = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind zeroinitializer, i32 0, i1 false), !dbg !83
  %Params_cbuffer = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 2 }, i32 0, i1 false), !dbg !83
  %1 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %Params_cbuffer, %dx.types.ResourceProperties { i32 13, i32 36 })
  %2 = call i32 @dx.op.threadId.i32(i32 93, i32 0)
  %3 = call %dx.types.CBufRet.f32 @dx.op.cbufferLoadLegacy.f32(i32 59, %dx.types.Handle %1, i32 0), !dbg !87
  %4 = extractvalue %dx.types.CBufRet.f32 %3, 0, !dbg !87
  %5 = extractvalue %dx.types.CBufRet.f32 %3, 1, !dbg !87
  %6 = extractvalue %dx.types.CBufRet.f32 %3, 2, !dbg !87
  %7 = call %dx.types.CBufRet.f32 @dx.op.cbufferLoadLegacy.f32(i32 59, %dx.types.Handle %1, i32 2), !dbg !88
  %8 = extractvalue %dx.types.CBufRet.f32 %7, 0, !dbg !88
  %.i0 = fmul fast float %8, %4, !dbg !89
  %.i1 = fmul fast float %8, %5, !dbg !89
  %.i2 = fmul fast float %8, %6, !dbg !89
  %9 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %particles_UAV_structbuf, %dx.types.ResourceProperties { i32 4620, i32 20 }), !dbg !90
  %RawBufferLoad = call %dx.types.ResRet.f32 @dx.op.rawBufferLoad.f32(i32 139, %dx.types.Handle %9, i32 %2, i32 0, i8 7, i32 4), !dbg !91
  %10 = extractvalue %dx.types.ResRet.f32 %RawBufferLoad, 0, !dbg !91
  %11 = extractvalue %dx.types.ResRet.f32 %RawBufferLoad, 1, !dbg !91
  %12 = extractvalue %dx.types.ResRet.f32 %RawBufferLoad, 2, !dbg !91
  %.i02 = fadd fast float %10, %.i0, !dbg !91
  %.i13 = fadd fast float %11, %.i1, !dbg !91
  %.i24 = fadd fast float %12, %.i2, !dbg !91
  call void @dx.op.rawBufferStore.f32(i32 140, %dx.types.Handle %9, i32 %2, i32 0, float %.i02, float %.i13, float %.i24, float undef, i8 7, i32 4), !dbg !91
  %13 = shl i32 %2, 2, !dbg !92
  %14 = add i32 %13, 8, !dbg !93
  %15 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %raw_texture_rawbuf, %dx.types.ResourceProperties { i32 11, i32 0 }), !dbg !83
  %RawBufferLoad1 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %15, i32 %14, i32 undef, i8 1, i32 4), !dbg !83
  %16 = extractvalue %dx.types.ResRet.i32 %RawBufferLoad1, 0, !dbg !83
  %17 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %particles_UAV_structbuf, %dx.types.ResourceProperties { i32 4620, i32 20 }), !dbg !94
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %17, i32 %2, i32 16, i32 %16, i32 undef, i32 undef, i32 undef, i8 1, i32 4), !dbg !95
  ret void, !dbg !96
}

!1 = !DIFile(filename: "a.hlsl", directory: "")
!4 = !DISubprogram(name: "main", scope: !1, file: !1, line: 5)
!83 = !DILocation(line: 7, column: 28, scope: !4)
!87 = !DILocation(line: 6, column: 30, scope: !4)
!88 = !DILocation(line: 6, column: 37, scope: !4)
!89 = !DILocation(line: 6, column: 35, scope: !4)
!90 = !DILocation(line: 6, column: 5, scope: !4)
!91 = !DILocation(line: 6, column: 27, scope: !4)
!92 = !DILocation(line: 7, column: 39, scope: !4)
!93 = !DILocation(line: 7, column: 46, scope: !4)
!94 = !DILocation(line: 7, column: 5, scope: !4)
!95 = !DILocation(line: 7, column: 26, scope: !4)
!96 = !DILocation(line: 8, column: 1, scope: !4)
