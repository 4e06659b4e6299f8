; ModuleID = 'probe.hlsl'
source_filename = "probe.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-unknown-shadermodel6.6-compute"

%__cblayout_B = type <{ float, <3 x float>, <{ [2 x <{ float, target("dx.Padding", 12) }>], float }>, target("dx.Padding", 12), %Pair, target("dx.Padding", 8), [6 x float], i32, target("dx.Padding", 4), double }>
%Pair = type <{ float, <2 x half> }>
%"class.hlsl::StructuredBuffer" = type { target("dx.RawBuffer", %struct.Light, 0, 0) }
%struct.Light = type { <3 x float>, [4 x i8], float }
%"class.hlsl::StructuredBuffer.0" = type { target("dx.RawBuffer", i32, 0, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("dx.RawBuffer", i32, 1, 0), target("dx.RawBuffer", i32, 1, 0) }

@B.cb = global target("dx.CBuffer", %__cblayout_B) poison
@x = external hidden addrspace(2) global float, align 4
@v = external hidden addrspace(2) global <3 x float>, align 16
@arr = external hidden addrspace(2) global <{ [2 x <{ float, target("dx.Padding", 12) }>], float }>, align 4
@p = external hidden addrspace(2) global %Pair, align 1
@m = external hidden addrspace(2) global [6 x float], align 4
@on = external hidden addrspace(2) global i32, align 4
@d = external hidden addrspace(2) global double, align 8
@B.str = private unnamed_addr constant [2 x i8] c"B\00", align 1
@_ZL6lights = internal global %"class.hlsl::StructuredBuffer" poison, align 4
@.str = private unnamed_addr constant [7 x i8] c"lights\00", align 1
@_ZL5given = internal global %"class.hlsl::StructuredBuffer.0" poison, align 4
@.str.2 = private unnamed_addr constant [6 x i8] c"given\00", align 1
@_ZL4told = internal global %"class.hlsl::RWStructuredBuffer" poison, align 4
@.str.4 = private unnamed_addr constant [5 x i8] c"told\00", align 1

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef i16 @_Z8asuint16Dh(half noundef nofpclass(nan inf) %0) #0 {
  %2 = alloca half, align 2
  store half %0, ptr %2, align 2
  %3 = load i16, ptr %2, align 2
  ret i16 %3
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef nofpclass(nan inf) half @_Z9asfloat16t(i16 noundef %0) #0 {
  %2 = alloca i16, align 2
  store i16 %0, ptr %2, align 2
  %3 = load half, ptr %2, align 2
  ret half %3
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %0) #0 {
  %2 = alloca float, align 4
  store float %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  ret i32 %3
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden void @_Z6asuintdRjS_(double noundef nofpclass(nan inf) %0, ptr noalias noundef nonnull align 4 dereferenceable(4) %1, ptr noalias noundef nonnull align 4 dereferenceable(4) %2) #0 {
  %4 = alloca double, align 8
  %5 = alloca ptr, align 4
  %6 = alloca ptr, align 4
  %7 = alloca i64, align 8
  store double %0, ptr %4, align 8
  store ptr %1, ptr %5, align 4
  store ptr %2, ptr %6, align 4
  %8 = load i64, ptr %4, align 8
  store i64 %8, ptr %7, align 8
  %9 = load i64, ptr %7, align 8
  %10 = trunc i64 %9 to i32
  %11 = load ptr, ptr %5, align 4, !nonnull !6, !align !7
  store i32 %10, ptr %11, align 4
  %12 = load i64, ptr %7, align 8
  %13 = lshr i64 %12, 32
  %14 = trunc i64 %13 to i32
  %15 = load ptr, ptr %6, align 4, !nonnull !6, !align !7
  store i32 %14, ptr %15, align 4
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef nofpclass(nan inf) float @_Z7asfloatj(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load float, ptr %2, align 4
  ret float %3
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef nofpclass(nan inf) double @_Z8asdoublejj(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i64, align 8
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %6 = load i32, ptr %3, align 4
  %7 = zext i32 %6 to i64
  %8 = load i32, ptr %4, align 4
  %9 = zext i32 %8 to i64
  %10 = shl i64 %9, 32
  %11 = or i64 %7, %10
  store i64 %11, ptr %5, align 8
  %12 = load double, ptr %5, align 8
  ret double %12
}

; Function Attrs: alwaysinline
define internal void @_init_buffer_B.cb() #1 {
  %1 = call target("dx.CBuffer", %__cblayout_B) @llvm.dx.resource.handlefrombinding.tdx.CBuffer_s___cblayout_Bst(i32 2, i32 3, i32 1, i32 0, ptr @B.str)
  store target("dx.CBuffer", %__cblayout_B) %1, ptr @B.cb, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.CBuffer", %__cblayout_B) @llvm.dx.resource.handlefrombinding.tdx.CBuffer_s___cblayout_Bst(i32, i32, i32, i32, ptr) #2

; Function Attrs: alwaysinline convergent nounwind
define internal void @__cxx_global_var_init() #3 {
  call void @_ZN4hlsl16StructuredBufferI5LightE19__createFromBindingEjjijPKc(ptr dead_on_unwind writable sret(%"class.hlsl::StructuredBuffer") align 4 @_ZL6lights, i32 noundef 4, i32 noundef 0, i32 noundef 1, i32 noundef 0, ptr noundef @.str) #6
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferI5LightE19__createFromBindingEjjijPKc(ptr dead_on_unwind noalias writable sret(%"class.hlsl::StructuredBuffer") align 4 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5) #0 align 2 {
  %7 = alloca ptr, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca ptr, align 4
  %13 = alloca %"class.hlsl::StructuredBuffer", align 4
  store ptr %0, ptr %7, align 4
  store i32 %1, ptr %8, align 4
  store i32 %2, ptr %9, align 4
  store i32 %3, ptr %10, align 4
  store i32 %4, ptr %11, align 4
  store ptr %5, ptr %12, align 4
  call void @_ZN4hlsl16StructuredBufferI5LightEC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %13) #6
  %14 = load i32, ptr %8, align 4
  %15 = load i32, ptr %9, align 4
  %16 = load i32, ptr %10, align 4
  %17 = load i32, ptr %11, align 4
  %18 = load ptr, ptr %12, align 4
  %19 = call target("dx.RawBuffer", %struct.Light, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_s_struct.Lights_0_0t(i32 %15, i32 %14, i32 %16, i32 %17, ptr %18)
  %20 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %13, i32 0, i32 0
  store target("dx.RawBuffer", %struct.Light, 0, 0) %19, ptr %20, align 4
  call void @_ZN4hlsl16StructuredBufferI5LightEC2ERKS2_(ptr noundef nonnull align 4 dereferenceable(4) %0, ptr noundef nonnull align 4 dereferenceable(4) %13) #6
  ret void
}

; Function Attrs: alwaysinline convergent nounwind
define internal void @__cxx_global_var_init.1() #3 {
  call void @_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc(ptr dead_on_unwind writable sret(%"class.hlsl::StructuredBuffer.0") align 4 @_ZL5given, i32 noundef 7, i32 noundef 0, i32 noundef 1, i32 noundef 0, ptr noundef @.str.2) #6
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc(ptr dead_on_unwind noalias writable sret(%"class.hlsl::StructuredBuffer.0") align 4 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5) #0 align 2 {
  %7 = alloca ptr, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca ptr, align 4
  %13 = alloca %"class.hlsl::StructuredBuffer.0", align 4
  store ptr %0, ptr %7, align 4
  store i32 %1, ptr %8, align 4
  store i32 %2, ptr %9, align 4
  store i32 %3, ptr %10, align 4
  store i32 %4, ptr %11, align 4
  store ptr %5, ptr %12, align 4
  call void @_ZN4hlsl16StructuredBufferIjEC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %13) #6
  %14 = load i32, ptr %8, align 4
  %15 = load i32, ptr %9, align 4
  %16 = load i32, ptr %10, align 4
  %17 = load i32, ptr %11, align 4
  %18 = load ptr, ptr %12, align 4
  %19 = call target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32 %15, i32 %14, i32 %16, i32 %17, ptr %18)
  %20 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %13, i32 0, i32 0
  store target("dx.RawBuffer", i32, 0, 0) %19, ptr %20, align 4
  call void @_ZN4hlsl16StructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 4 dereferenceable(4) %0, ptr noundef nonnull align 4 dereferenceable(4) %13) #6
  ret void
}

; Function Attrs: alwaysinline convergent nounwind
define internal void @__cxx_global_var_init.3() #3 {
  call void @_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj(ptr dead_on_unwind writable sret(%"class.hlsl::RWStructuredBuffer") align 4 @_ZL4told, i32 noundef 1, i32 noundef 0, i32 noundef 1, i32 noundef 0, ptr noundef @.str.4, i32 noundef 0) #6
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj(ptr dead_on_unwind noalias writable sret(%"class.hlsl::RWStructuredBuffer") align 4 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5, i32 noundef %6) #0 align 2 {
  %8 = alloca ptr, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca ptr, align 4
  %14 = alloca i32, align 4
  %15 = alloca %"class.hlsl::RWStructuredBuffer", align 4
  store ptr %0, ptr %8, align 4
  store i32 %1, ptr %9, align 4
  store i32 %2, ptr %10, align 4
  store i32 %3, ptr %11, align 4
  store i32 %4, ptr %12, align 4
  store ptr %5, ptr %13, align 4
  store i32 %6, ptr %14, align 4
  call void @_ZN4hlsl18RWStructuredBufferIjEC2Ev(ptr noundef nonnull align 4 dereferenceable(8) %15) #6
  %16 = load i32, ptr %9, align 4
  %17 = load i32, ptr %10, align 4
  %18 = load i32, ptr %11, align 4
  %19 = load i32, ptr %12, align 4
  %20 = load ptr, ptr %13, align 4
  %21 = call target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32 %17, i32 %16, i32 %18, i32 %19, ptr %20)
  %22 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %15, i32 0, i32 0
  store target("dx.RawBuffer", i32, 1, 0) %21, ptr %22, align 4
  %23 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %15, i32 0, i32 0
  %24 = load target("dx.RawBuffer", i32, 1, 0), ptr %23, align 4
  %25 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %15, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %24, ptr %25, align 4
  call void @_ZN4hlsl18RWStructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 4 dereferenceable(8) %0, ptr noundef nonnull align 4 dereferenceable(8) %15) #6
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define internal void @_Z5probev() #0 {
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca %struct.Light, align 1
  %6 = load <3 x float>, ptr addrspace(2) @v, align 16
  %7 = extractelement <3 x float> %6, i32 2
  %8 = call noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %7) #6
  %9 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 0) #6
  store i32 %8, ptr %9, align 4
  %10 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(4) @_ZL5given, i32 noundef 1) #6
  %11 = load i32, ptr %10, align 4
  %12 = getelementptr <{ float, target("dx.Padding", 12) }>, ptr addrspace(2) @arr, i32 %11, i32 0
  %13 = load float, ptr addrspace(2) %12, align 16
  %14 = call noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %13) #6
  %15 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 1) #6
  store i32 %14, ptr %15, align 4
  %16 = load <2 x half>, ptr addrspace(2) getelementptr inbounds nuw (%Pair, ptr addrspace(2) @p, i32 0, i32 1), align 4
  %17 = extractelement <2 x half> %16, i32 1
  %18 = call noundef i16 @_Z8asuint16Dh(half noundef nofpclass(nan inf) %17) #6
  %19 = zext i16 %18 to i32
  %20 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 2) #6
  store i32 %19, ptr %20, align 4
  %21 = load <6 x float>, ptr addrspace(2) @m, align 4
  %22 = extractelement <6 x float> %21, i32 5
  %23 = call noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %22) #6
  %24 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 3) #6
  store i32 %23, ptr %24, align 4
  %25 = load i32, ptr addrspace(2) @on, align 4
  %26 = trunc i32 %25 to i1
  %27 = zext i1 %26 to i64
  %28 = select i1 %26, i32 1, i32 0
  %29 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 4) #6
  store i32 %28, ptr %29, align 4
  %30 = load double, ptr addrspace(2) @d, align 8
  call void @_Z6asuintdRjS_(double noundef nofpclass(nan inf) %30, ptr noalias noundef nonnull align 4 dereferenceable(4) %3, ptr noalias noundef nonnull align 4 dereferenceable(4) %4) #6
  %31 = load i32, ptr %3, align 4
  store i32 %31, ptr %1, align 4
  %32 = load i32, ptr %4, align 4
  store i32 %32, ptr %2, align 4
  %33 = load i32, ptr %2, align 4
  %34 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 5) #6
  store i32 %33, ptr %34, align 4
  %35 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(4) @_ZL5given, i32 noundef 1) #6
  %36 = load i32, ptr %35, align 4
  %37 = call noundef nonnull align 1 dereferenceable(20) ptr @_ZNK4hlsl16StructuredBufferI5LightEixEj(ptr noundef nonnull align 4 dereferenceable(4) @_ZL6lights, i32 noundef %36) #6
  %38 = getelementptr inbounds nuw %struct.Light, ptr %37, i32 0, i32 2
  %39 = load float, ptr %38, align 1
  %40 = call noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %39) #6
  %41 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 6) #6
  store i32 %40, ptr %41, align 4
  %42 = call noundef nonnull align 1 dereferenceable(20) ptr @_ZNK4hlsl16StructuredBufferI5LightEixEj(ptr noundef nonnull align 4 dereferenceable(4) @_ZL6lights, i32 noundef 1) #6
  call void @llvm.memcpy.p0.p0.i32(ptr align 1 %5, ptr align 1 %42, i32 20, i1 false)
  %43 = getelementptr inbounds nuw %struct.Light, ptr %5, i32 0, i32 0
  %44 = load <3 x float>, ptr %43, align 1
  %45 = extractelement <3 x float> %44, i32 1
  %46 = call noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %45) #6
  %47 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 7) #6
  store i32 %46, ptr %47, align 4
  %48 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(4) @_ZL5given, i32 noundef 0) #6
  %49 = load i32, ptr %48, align 4
  %50 = icmp eq i32 %49, 0
  br i1 %50, label %51, label %53

51:                                               ; preds = %0
  %52 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 8) #6
  store i32 7, ptr %52, align 4
  br label %55

53:                                               ; preds = %0
  %54 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 8) #6
  store i32 9, ptr %54, align 4
  br label %55

55:                                               ; preds = %53, %51
  ret void
}

; Function Attrs: convergent noinline norecurse optnone
define void @probe() #4 {
  call void @_GLOBAL__sub_I_probe.hlsl()
  call void @_Z5probev()
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef nonnull align 4 dereferenceable(4) ptr @_ZN4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) %0, i32 noundef %1) #0 align 2 {
  %3 = alloca ptr, align 4
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 4
  %6 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %5, i32 0, i32 0
  %7 = load target("dx.RawBuffer", i32, 1, 0), ptr %6, align 4
  %8 = load i32, ptr %4, align 4
  %9 = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %7, i32 %8)
  ret ptr %9
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(4) %0, i32 noundef %1) #0 align 2 {
  %3 = alloca ptr, align 4
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 4
  %6 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %5, i32 0, i32 0
  %7 = load target("dx.RawBuffer", i32, 0, 0), ptr %6, align 4
  %8 = load i32, ptr %4, align 4
  %9 = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0) %7, i32 %8)
  ret ptr %9
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef nonnull align 1 dereferenceable(20) ptr @_ZNK4hlsl16StructuredBufferI5LightEixEj(ptr noundef nonnull align 4 dereferenceable(4) %0, i32 noundef %1) #0 align 2 {
  %3 = alloca ptr, align 4
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 4
  %6 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %5, i32 0, i32 0
  %7 = load target("dx.RawBuffer", %struct.Light, 0, 0), ptr %6, align 4
  %8 = load i32, ptr %4, align 4
  %9 = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_s_struct.Lights_0_0t(target("dx.RawBuffer", %struct.Light, 0, 0) %7, i32 %8)
  ret ptr %9
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i32(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i32, i1 immarg) #5

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferI5LightEC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %0) unnamed_addr #0 align 2 {
  %2 = alloca ptr, align 4
  store ptr %0, ptr %2, align 4
  %3 = load ptr, ptr %2, align 4
  %4 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %3, i32 0, i32 0
  store target("dx.RawBuffer", %struct.Light, 0, 0) poison, ptr %4, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", %struct.Light, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_s_struct.Lights_0_0t(i32, i32, i32, i32, ptr) #2

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferI5LightEC2ERKS2_(ptr noundef nonnull align 4 dereferenceable(4) %0, ptr noundef nonnull align 4 dereferenceable(4) %1) unnamed_addr #0 align 2 {
  %3 = alloca ptr, align 4
  %4 = alloca ptr, align 4
  store ptr %0, ptr %3, align 4
  store ptr %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 4
  %6 = load ptr, ptr %4, align 4, !nonnull !6, !align !7
  %7 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %6, i32 0, i32 0
  %8 = load target("dx.RawBuffer", %struct.Light, 0, 0), ptr %7, align 4
  %9 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %5, i32 0, i32 0
  store target("dx.RawBuffer", %struct.Light, 0, 0) %8, ptr %9, align 4
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjEC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %0) unnamed_addr #0 align 2 {
  %2 = alloca ptr, align 4
  store ptr %0, ptr %2, align 4
  %3 = load ptr, ptr %2, align 4
  %4 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %3, i32 0, i32 0
  store target("dx.RawBuffer", i32, 0, 0) poison, ptr %4, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32, i32, i32, i32, ptr) #2

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 4 dereferenceable(4) %0, ptr noundef nonnull align 4 dereferenceable(4) %1) unnamed_addr #0 align 2 {
  %3 = alloca ptr, align 4
  %4 = alloca ptr, align 4
  store ptr %0, ptr %3, align 4
  store ptr %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 4
  %6 = load ptr, ptr %4, align 4, !nonnull !6, !align !7
  %7 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %6, i32 0, i32 0
  %8 = load target("dx.RawBuffer", i32, 0, 0), ptr %7, align 4
  %9 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %5, i32 0, i32 0
  store target("dx.RawBuffer", i32, 0, 0) %8, ptr %9, align 4
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjEC2Ev(ptr noundef nonnull align 4 dereferenceable(8) %0) unnamed_addr #0 align 2 {
  %2 = alloca ptr, align 4
  store ptr %0, ptr %2, align 4
  %3 = load ptr, ptr %2, align 4
  %4 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %3, i32 0, i32 0
  store target("dx.RawBuffer", i32, 1, 0) poison, ptr %4, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #2

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 4 dereferenceable(8) %0, ptr noundef nonnull align 4 dereferenceable(8) %1) unnamed_addr #0 align 2 {
  %3 = alloca ptr, align 4
  %4 = alloca ptr, align 4
  store ptr %0, ptr %3, align 4
  store ptr %1, ptr %4, align 4
  %5 = load ptr, ptr %3, align 4
  %6 = load ptr, ptr %4, align 4, !nonnull !6, !align !7
  %7 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %6, i32 0, i32 0
  %8 = load target("dx.RawBuffer", i32, 1, 0), ptr %7, align 4
  %9 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %5, i32 0, i32 0
  store target("dx.RawBuffer", i32, 1, 0) %8, ptr %9, align 4
  %10 = load ptr, ptr %4, align 4, !nonnull !6, !align !7
  %11 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %10, i32 0, i32 1
  %12 = load target("dx.RawBuffer", i32, 1, 0), ptr %11, align 4
  %13 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %5, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %12, ptr %13, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0), i32) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0), i32) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_s_struct.Lights_0_0t(target("dx.RawBuffer", %struct.Light, 0, 0), i32) #2

; Function Attrs: alwaysinline convergent nounwind
define internal void @_GLOBAL__sub_I_probe.hlsl() #3 {
  call void @_init_buffer_B.cb()
  call void @__cxx_global_var_init()
  call void @__cxx_global_var_init.1()
  call void @__cxx_global_var_init.3()
  ret void
}

attributes #0 = { alwaysinline convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { alwaysinline }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { alwaysinline convergent nounwind "frame-pointer"="all" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #4 = { convergent noinline norecurse optnone "frame-pointer"="all" "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #5 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #6 = { convergent }

!hlsl.cbs = !{!0}
!llvm.module.flags = !{!1, !2, !3}
!dx.valver = !{!4}
!llvm.ident = !{!5}

!0 = !{ptr @B.cb, ptr addrspace(2) @x, ptr addrspace(2) @v, ptr addrspace(2) @arr, ptr addrspace(2) @p, ptr addrspace(2) @m, ptr addrspace(2) @on, ptr addrspace(2) @d}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 1, !"dx.nativelowprec", i32 1}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 1, i32 8}
!5 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!6 = !{}
!7 = !{i64 4}
