; Buffer Definitions:
;
; cbuffer S
; {
;
;   struct S
;   {
;
;       float3 a;                                     ; Offset:    0
;       float b[4];                                   ; Offset:   16
;       uint n;                                       ; Offset:   68
;   
;   } S;                                              ; Offset:    0 Size:    72
;
; }
;
;
; Resource Bindings:
;
; Name                                 Type  Format         Dim      ID      HLSL Bind  Count
; ------------------------------ ---------- ------- ----------- ------- -------------- ------
; S                                 cbuffer      NA          NA     CB0     cb3,space2     1
; given                             texture    byte         r/o      T0             t7     1
; told                                  UAV    byte         r/w      U0             u1     1
;
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"

%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.i32 = type { i32, i32, i32, i32, i32 }
%dx.types.CBufRet.f32 = type { float, float, float, float }
%struct.ByteAddressBuffer = type { i32 }
%struct.RWByteAddressBuffer = type { i32 }
%S = type { <3 x float>, [4 x float], i32 }

define void @probe() {
  %1 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 1, i32 1, i32 0, i8 1 }, i32 1, i1 false)  ; CreateHandleFromBinding(bind,index,nonUniformIndex)
  %2 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 7, i32 7, i32 0, i8 0 }, i32 7, i1 false)  ; CreateHandleFromBinding(bind,index,nonUniformIndex)
  %3 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 3, i32 3, i32 2, i8 2 }, i32 3, i1 false)  ; CreateHandleFromBinding(bind,index,nonUniformIndex)
  %4 = alloca [2 x float], align 4
  %5 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %3, %dx.types.ResourceProperties { i32 13, i32 72 })  ; AnnotateHandle(res,props)  resource: CBuffer
  %6 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %2, %dx.types.ResourceProperties { i32 11, i32 0 })  ; AnnotateHandle(res,props)  resource: ByteAddressBuffer
  %7 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %6, i32 4, i32 undef, i8 1, i32 4)  ; RawBufferLoad(srv,index,elementOffset,mask,alignment)
  %8 = extractvalue %dx.types.ResRet.i32 %7, 0
  %9 = bitcast [2 x float]* %4 to i8*
  call void @llvm.lifetime.start(i64 8, i8* %9) #0
  %10 = getelementptr inbounds [2 x float], [2 x float]* %4, i32 0, i32 0
  %11 = call %dx.types.CBufRet.f32 @dx.op.cbufferLoadLegacy.f32(i32 59, %dx.types.Handle %5, i32 0)  ; CBufferLoadLegacy(handle,regIndex)
  %12 = extractvalue %dx.types.CBufRet.f32 %11, 1
  store float %12, float* %10, align 4, !tbaa !14
  %13 = getelementptr inbounds [2 x float], [2 x float]* %4, i32 0, i32 1
  %14 = add i32 %8, 1
  %15 = call %dx.types.CBufRet.f32 @dx.op.cbufferLoadLegacy.f32(i32 59, %dx.types.Handle %5, i32 %14)  ; CBufferLoadLegacy(handle,regIndex)
  %16 = extractvalue %dx.types.CBufRet.f32 %15, 0
  store float %16, float* %13, align 4, !tbaa !14
  %17 = icmp eq i32 %8, 0
  %18 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })  ; AnnotateHandle(res,props)  resource: RWByteAddressBuffer
  br i1 %17, label %21, label %19, !dx.controlflow.hints !18

; <label>:19                                      ; preds = %0
  %20 = bitcast float %16 to i32
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %18, i32 0, i32 undef, i32 %20, i32 undef, i32 undef, i32 undef, i8 1, i32 4)  ; RawBufferStore(uav,index,elementOffset,value0,value1,value2,value3,mask,alignment)
  br label %24

; <label>:21                                      ; preds = %0
  %22 = extractvalue %dx.types.CBufRet.f32 %11, 2
  %23 = bitcast float %22 to i32
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %18, i32 0, i32 undef, i32 %23, i32 undef, i32 undef, i32 undef, i8 1, i32 4)  ; RawBufferStore(uav,index,elementOffset,value0,value1,value2,value3,mask,alignment)
  br label %24

; <label>:24                                      ; preds = %21, %19
  %25 = icmp eq i32 %8, -3
  br i1 %25, label %28, label %26

; <label>:26                                      ; preds = %24
  br label %31

; <label>:27                                      ; preds = %31
  br label %28

; <label>:28                                      ; preds = %27, %24
  %29 = phi i32 [ 0, %24 ], [ %39, %27 ]
  %30 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })  ; AnnotateHandle(res,props)  resource: RWByteAddressBuffer
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %30, i32 4, i32 undef, i32 %29, i32 undef, i32 undef, i32 undef, i8 1, i32 4)  ; RawBufferStore(uav,index,elementOffset,value0,value1,value2,value3,mask,alignment)
  switch i32 %8, label %53 [
    i32 0, label %43
    i32 1, label %48
  ]

; <label>:31                                      ; preds = %31, %26
  %32 = phi i32 [ %39, %31 ], [ 0, %26 ]
  %33 = phi i32 [ %40, %31 ], [ 0, %26 ]
  %34 = and i32 %33, 3
  %35 = add nuw nsw i32 %34, 1
  %36 = call %dx.types.CBufRet.f32 @dx.op.cbufferLoadLegacy.f32(i32 59, %dx.types.Handle %5, i32 %35)  ; CBufferLoadLegacy(handle,regIndex)
  %37 = extractvalue %dx.types.CBufRet.f32 %36, 0
  %38 = bitcast float %37 to i32
  %39 = add i32 %38, %32
  %40 = add nuw i32 %33, 1
  %41 = add nsw i32 %8, 2
  %42 = icmp eq i32 %33, %41
  br i1 %42, label %27, label %31, !llvm.loop !19

; <label>:43                                      ; preds = %28
  %44 = call %dx.types.CBufRet.f32 @dx.op.cbufferLoadLegacy.f32(i32 59, %dx.types.Handle %5, i32 0)  ; CBufferLoadLegacy(handle,regIndex)
  %45 = extractvalue %dx.types.CBufRet.f32 %44, 0
  %46 = bitcast float %45 to i32
  %47 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })  ; AnnotateHandle(res,props)  resource: RWByteAddressBuffer
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %47, i32 8, i32 undef, i32 %46, i32 undef, i32 undef, i32 undef, i8 1, i32 4)  ; RawBufferStore(uav,index,elementOffset,value0,value1,value2,value3,mask,alignment)
  br label %55

; <label>:48                                      ; preds = %28
  %49 = call %dx.types.CBufRet.f32 @dx.op.cbufferLoadLegacy.f32(i32 59, %dx.types.Handle %5, i32 2)  ; CBufferLoadLegacy(handle,regIndex)
  %50 = extractvalue %dx.types.CBufRet.f32 %49, 0
  %51 = bitcast float %50 to i32
  %52 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })  ; AnnotateHandle(res,props)  resource: RWByteAddressBuffer
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %52, i32 8, i32 undef, i32 %51, i32 undef, i32 undef, i32 undef, i8 1, i32 4)  ; RawBufferStore(uav,index,elementOffset,value0,value1,value2,value3,mask,alignment)
  br label %55

; <label>:53                                      ; preds = %28
  %54 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })  ; AnnotateHandle(res,props)  resource: RWByteAddressBuffer
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %54, i32 8, i32 undef, i32 7, i32 undef, i32 undef, i32 undef, i8 1, i32 4)  ; RawBufferStore(uav,index,elementOffset,value0,value1,value2,value3,mask,alignment)
  br label %55

; <label>:55                                      ; preds = %53, %48, %43
  %56 = getelementptr inbounds [2 x float], [2 x float]* %4, i32 0, i32 %8
  %57 = load float, float* %56, align 4, !tbaa !14
  %58 = bitcast float %57 to i32
  %59 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })  ; AnnotateHandle(res,props)  resource: RWByteAddressBuffer
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %59, i32 12, i32 undef, i32 %58, i32 undef, i32 undef, i32 undef, i8 1, i32 4)  ; RawBufferStore(uav,index,elementOffset,value0,value1,value2,value3,mask,alignment)
  call void @llvm.lifetime.end(i64 8, i8* %9) #0
  ret void
}
