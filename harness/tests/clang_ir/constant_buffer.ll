; ModuleID = 'constant_buffer.hlsl'
source_filename = "constant_buffer.hlsl"
target datalayout = "e-m:e-ve-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64"
target triple = "dxilv1.6-unknown-shadermodel6.6-compute"

%"class.hlsl::ConstantBuffer" = type { target("dx.CBuffer", %Frame) }
%Frame = type <{ float, target("dx.Padding", 12), <{ [1 x <{ %Inner, target("dx.Padding", 4) }>], %Inner }>, target("dx.Padding", 4), <3 x float> }>
%Inner = type <{ float, <2 x float> }>
%"class.hlsl::StructuredBuffer" = type { target("dx.RawBuffer", i32, 0, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("dx.RawBuffer", i32, 1, 0), target("dx.RawBuffer", i32, 1, 0) }
%struct.Frame = type { float, [2 x %struct.Inner], <3 x float> }
%struct.Inner = type { float, <2 x float> }

@_ZL5frame = internal global %"class.hlsl::ConstantBuffer" poison, align 4
@.str = private unnamed_addr constant [6 x i8] c"frame\00", align 1
@_ZL5given = internal global %"class.hlsl::StructuredBuffer" poison, align 4
@.str.2 = private unnamed_addr constant [6 x i8] c"given\00", align 1
@_ZL4told = internal global %"class.hlsl::RWStructuredBuffer" poison, align 4
@.str.4 = private unnamed_addr constant [5 x i8] c"told\00", align 1

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef i16 @_Z8asuint16Dh(half noundef nofpclass(nan inf) %0) #0 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca half, align 2
  store half %0, ptr %3, align 2
  %4 = load i16, ptr %3, align 2
  ret i16 %4
}

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #1

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef nofpclass(nan inf) half @_Z9asfloat16t(i16 noundef %0) #0 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca i16, align 2
  store i16 %0, ptr %3, align 2
  %4 = load half, ptr %3, align 2
  ret half %4
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %0) #0 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca float, align 4
  store float %0, ptr %3, align 4
  %4 = load i32, ptr %3, align 4
  ret i32 %4
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden void @_Z6asuintdRjS_(double noundef nofpclass(nan inf) %0, ptr noalias noundef nonnull align 4 dereferenceable(4) %1, ptr noalias noundef nonnull align 4 dereferenceable(4) %2) #0 {
  %4 = call token @llvm.experimental.convergence.entry()
  %5 = alloca double, align 8
  %6 = alloca ptr, align 4
  %7 = alloca ptr, align 4
  %8 = alloca i64, align 8
  store double %0, ptr %5, align 8
  store ptr %1, ptr %6, align 4
  store ptr %2, ptr %7, align 4
  %9 = load i64, ptr %5, align 8
  store i64 %9, ptr %8, align 8
  %10 = load i64, ptr %8, align 8
  %11 = trunc i64 %10 to i32
  %12 = load ptr, ptr %6, align 4, !nonnull !5, !align !6
  store i32 %11, ptr %12, align 4
  %13 = load i64, ptr %8, align 8
  %14 = lshr i64 %13, 32
  %15 = trunc i64 %14 to i32
  %16 = load ptr, ptr %7, align 4, !nonnull !5, !align !6
  store i32 %15, ptr %16, align 4
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef nofpclass(nan inf) float @_Z7asfloatj(i32 noundef %0) #0 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  %4 = load float, ptr %3, align 4
  ret float %4
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden noundef nofpclass(nan inf) double @_Z8asdoublejj(i32 noundef %0, i32 noundef %1) #0 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i64, align 8
  store i32 %0, ptr %4, align 4
  store i32 %1, ptr %5, align 4
  %7 = load i32, ptr %4, align 4
  %8 = zext i32 %7 to i64
  %9 = load i32, ptr %5, align 4
  %10 = zext i32 %9 to i64
  %11 = shl i64 %10, 32
  %12 = or i64 %8, %11
  store i64 %12, ptr %6, align 8
  %13 = load double, ptr %6, align 8
  ret double %13
}

; Function Attrs: alwaysinline convergent nounwind
define internal void @__cxx_global_var_init() #2 {
  %1 = call token @llvm.experimental.convergence.entry()
  call void @_ZN4hlsl14ConstantBufferI5FrameE19__createFromBindingEjjijPKc(ptr dead_on_unwind writable sret(%"class.hlsl::ConstantBuffer") align 4 @_ZL5frame, i32 noundef 3, i32 noundef 2, i32 noundef 1, i32 noundef 0, ptr noundef @.str) #5 [ "convergencectrl"(token %1) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl14ConstantBufferI5FrameE19__createFromBindingEjjijPKc(ptr dead_on_unwind noalias writable sret(%"class.hlsl::ConstantBuffer") align 4 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5) #0 align 2 {
  %7 = call token @llvm.experimental.convergence.entry()
  %8 = alloca ptr, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca ptr, align 4
  %14 = alloca %"class.hlsl::ConstantBuffer", align 4
  store ptr %0, ptr %8, align 4
  store i32 %1, ptr %9, align 4
  store i32 %2, ptr %10, align 4
  store i32 %3, ptr %11, align 4
  store i32 %4, ptr %12, align 4
  store ptr %5, ptr %13, align 4
  call void @_ZN4hlsl14ConstantBufferI5FrameEC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %14) #5 [ "convergencectrl"(token %7) ]
  %15 = load i32, ptr %9, align 4
  %16 = load i32, ptr %10, align 4
  %17 = load i32, ptr %11, align 4
  %18 = load i32, ptr %12, align 4
  %19 = load ptr, ptr %13, align 4
  %20 = call target("dx.CBuffer", %Frame) @llvm.dx.resource.handlefrombinding.tdx.CBuffer_s_Framest(i32 %16, i32 %15, i32 %17, i32 %18, ptr %19)
  %21 = getelementptr inbounds nuw %"class.hlsl::ConstantBuffer", ptr %14, i32 0, i32 0
  store target("dx.CBuffer", %Frame) %20, ptr %21, align 4
  call void @_ZN4hlsl14ConstantBufferI5FrameEC2ERKS2_(ptr noundef nonnull align 4 dereferenceable(4) %0, ptr noundef nonnull align 4 dereferenceable(4) %14) #5 [ "convergencectrl"(token %7) ]
  ret void
}

; Function Attrs: alwaysinline convergent nounwind
define internal void @__cxx_global_var_init.1() #2 {
  %1 = call token @llvm.experimental.convergence.entry()
  call void @_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc(ptr dead_on_unwind writable sret(%"class.hlsl::StructuredBuffer") align 4 @_ZL5given, i32 noundef 7, i32 noundef 0, i32 noundef 1, i32 noundef 0, ptr noundef @.str.2) #5 [ "convergencectrl"(token %1) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc(ptr dead_on_unwind noalias writable sret(%"class.hlsl::StructuredBuffer") align 4 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5) #0 align 2 {
  %7 = call token @llvm.experimental.convergence.entry()
  %8 = alloca ptr, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca ptr, align 4
  %14 = alloca %"class.hlsl::StructuredBuffer", align 4
  store ptr %0, ptr %8, align 4
  store i32 %1, ptr %9, align 4
  store i32 %2, ptr %10, align 4
  store i32 %3, ptr %11, align 4
  store i32 %4, ptr %12, align 4
  store ptr %5, ptr %13, align 4
  call void @_ZN4hlsl16StructuredBufferIjEC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %14) #5 [ "convergencectrl"(token %7) ]
  %15 = load i32, ptr %9, align 4
  %16 = load i32, ptr %10, align 4
  %17 = load i32, ptr %11, align 4
  %18 = load i32, ptr %12, align 4
  %19 = load ptr, ptr %13, align 4
  %20 = call target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32 %16, i32 %15, i32 %17, i32 %18, ptr %19)
  %21 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %14, i32 0, i32 0
  store target("dx.RawBuffer", i32, 0, 0) %20, ptr %21, align 4
  call void @_ZN4hlsl16StructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 4 dereferenceable(4) %0, ptr noundef nonnull align 4 dereferenceable(4) %14) #5 [ "convergencectrl"(token %7) ]
  ret void
}

; Function Attrs: alwaysinline convergent nounwind
define internal void @__cxx_global_var_init.3() #2 {
  %1 = call token @llvm.experimental.convergence.entry()
  call void @_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj(ptr dead_on_unwind writable sret(%"class.hlsl::RWStructuredBuffer") align 4 @_ZL4told, i32 noundef 1, i32 noundef 0, i32 noundef 1, i32 noundef 0, ptr noundef @.str.4, i32 noundef 0) #5 [ "convergencectrl"(token %1) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj(ptr dead_on_unwind noalias writable sret(%"class.hlsl::RWStructuredBuffer") align 4 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5, i32 noundef %6) #0 align 2 {
  %8 = call token @llvm.experimental.convergence.entry()
  %9 = alloca ptr, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca ptr, align 4
  %15 = alloca i32, align 4
  %16 = alloca %"class.hlsl::RWStructuredBuffer", align 4
  store ptr %0, ptr %9, align 4
  store i32 %1, ptr %10, align 4
  store i32 %2, ptr %11, align 4
  store i32 %3, ptr %12, align 4
  store i32 %4, ptr %13, align 4
  store ptr %5, ptr %14, align 4
  store i32 %6, ptr %15, align 4
  call void @_ZN4hlsl18RWStructuredBufferIjEC2Ev(ptr noundef nonnull align 4 dereferenceable(8) %16) #5 [ "convergencectrl"(token %8) ]
  %17 = load i32, ptr %10, align 4
  %18 = load i32, ptr %11, align 4
  %19 = load i32, ptr %12, align 4
  %20 = load i32, ptr %13, align 4
  %21 = load ptr, ptr %14, align 4
  %22 = call target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32 %18, i32 %17, i32 %19, i32 %20, ptr %21)
  %23 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %16, i32 0, i32 0
  store target("dx.RawBuffer", i32, 1, 0) %22, ptr %23, align 4
  %24 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %16, i32 0, i32 0
  %25 = load target("dx.RawBuffer", i32, 1, 0), ptr %24, align 4
  %26 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %16, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %25, ptr %26, align 4
  call void @_ZN4hlsl18RWStructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 4 dereferenceable(8) %0, ptr noundef nonnull align 4 dereferenceable(8) %16) #5 [ "convergencectrl"(token %8) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define internal void @_Z5probev() #0 {
  %1 = call token @llvm.experimental.convergence.entry()
  %2 = alloca %struct.Frame, align 1
  %3 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(4) @_ZL5given, i32 noundef 1) #5 [ "convergencectrl"(token %1) ]
  %4 = load i32, ptr %3, align 4
  %5 = call noundef align 1 dereferenceable(40) ptr addrspace(2) @_ZNK4hlsl14ConstantBufferI5FrameEcvRU3AS2KS1_Ev(ptr noundef nonnull align 4 dereferenceable(4) @_ZL5frame) #5 [ "convergencectrl"(token %1) ]
  %6 = getelementptr inbounds nuw %Frame, ptr addrspace(2) %5, i32 0, i32 2
  %7 = getelementptr inbounds [2 x %struct.Inner], ptr addrspace(2) %6, i32 0, i32 0
  %8 = getelementptr <{ %Inner, target("dx.Padding", 4) }>, ptr addrspace(2) %7, i32 %4, i32 0
  %9 = getelementptr inbounds nuw %Inner, ptr addrspace(2) %8, i32 0, i32 1
  %10 = load <2 x float>, ptr addrspace(2) %9, align 4
  %11 = extractelement <2 x float> %10, i32 1
  %12 = call noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %11) #5 [ "convergencectrl"(token %1) ]
  %13 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 0) #5 [ "convergencectrl"(token %1) ]
  store i32 %12, ptr %13, align 4
  %14 = call noundef align 1 dereferenceable(40) ptr addrspace(2) @_ZNK4hlsl14ConstantBufferI5FrameEcvRU3AS2KS1_Ev(ptr noundef nonnull align 4 dereferenceable(4) @_ZL5frame) #5 [ "convergencectrl"(token %1) ]
  %15 = getelementptr inbounds nuw %Frame, ptr addrspace(2) %14, i32 0, i32 4
  %16 = load <3 x float>, ptr addrspace(2) %15, align 4
  %17 = extractelement <3 x float> %16, i32 2
  %18 = call noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %17) #5 [ "convergencectrl"(token %1) ]
  %19 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 1) #5 [ "convergencectrl"(token %1) ]
  store i32 %18, ptr %19, align 4
  %20 = call noundef align 1 dereferenceable(40) ptr addrspace(2) @_ZNK4hlsl14ConstantBufferI5FrameEcvRU3AS2KS1_Ev(ptr noundef nonnull align 4 dereferenceable(4) @_ZL5frame) #5 [ "convergencectrl"(token %1) ]
  %21 = getelementptr inbounds %Frame, ptr addrspace(2) %20, i32 0, i32 0
  %22 = getelementptr inbounds %struct.Frame, ptr %2, i32 0, i32 0
  %23 = load float, ptr addrspace(2) %21, align 4
  store float %23, ptr %22, align 4
  %24 = getelementptr inbounds %Frame, ptr addrspace(2) %20, i32 0, i32 2
  %25 = getelementptr inbounds %struct.Frame, ptr %2, i32 0, i32 1
  %26 = getelementptr inbounds <{ [1 x <{ %Inner, target("dx.Padding", 4) }>], %Inner }>, ptr addrspace(2) %24, i32 0, i32 0, i32 0, i32 0
  %27 = getelementptr inbounds [2 x %struct.Inner], ptr %25, i32 0, i32 0
  %28 = getelementptr inbounds %Inner, ptr addrspace(2) %26, i32 0, i32 0
  %29 = getelementptr inbounds %struct.Inner, ptr %27, i32 0, i32 0
  %30 = load float, ptr addrspace(2) %28, align 4
  store float %30, ptr %29, align 4
  %31 = getelementptr inbounds %Inner, ptr addrspace(2) %26, i32 0, i32 1
  %32 = getelementptr inbounds %struct.Inner, ptr %27, i32 0, i32 1
  %33 = load <2 x float>, ptr addrspace(2) %31, align 4
  store <2 x float> %33, ptr %32, align 4
  %34 = getelementptr inbounds <{ [1 x <{ %Inner, target("dx.Padding", 4) }>], %Inner }>, ptr addrspace(2) %24, i32 0, i32 1
  %35 = getelementptr inbounds [2 x %struct.Inner], ptr %25, i32 0, i32 1
  %36 = getelementptr inbounds %Inner, ptr addrspace(2) %34, i32 0, i32 0
  %37 = getelementptr inbounds %struct.Inner, ptr %35, i32 0, i32 0
  %38 = load float, ptr addrspace(2) %36, align 4
  store float %38, ptr %37, align 4
  %39 = getelementptr inbounds %Inner, ptr addrspace(2) %34, i32 0, i32 1
  %40 = getelementptr inbounds %struct.Inner, ptr %35, i32 0, i32 1
  %41 = load <2 x float>, ptr addrspace(2) %39, align 4
  store <2 x float> %41, ptr %40, align 4
  %42 = getelementptr inbounds %Frame, ptr addrspace(2) %20, i32 0, i32 4
  %43 = getelementptr inbounds %struct.Frame, ptr %2, i32 0, i32 2
  %44 = load <3 x float>, ptr addrspace(2) %42, align 4
  store <3 x float> %44, ptr %43, align 4
  %45 = getelementptr inbounds nuw %struct.Frame, ptr %2, i32 0, i32 1
  %46 = getelementptr inbounds [2 x %struct.Inner], ptr %45, i32 0, i32 0
  %47 = getelementptr inbounds nuw %struct.Inner, ptr %46, i32 0, i32 0
  %48 = load float, ptr %47, align 1
  %49 = call noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %48) #5 [ "convergencectrl"(token %1) ]
  %50 = call noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) @_ZL4told, i32 noundef 2) #5 [ "convergencectrl"(token %1) ]
  store i32 %49, ptr %50, align 4
  ret void
}

; Function Attrs: convergent noinline norecurse
define void @probe() #3 {
  %1 = call token @llvm.experimental.convergence.entry()
  call void @_GLOBAL__sub_I_constant_buffer.hlsl() [ "convergencectrl"(token %1) ]
  call void @_Z5probev() [ "convergencectrl"(token %1) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(4) %0, i32 noundef %1) #0 align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 4
  %5 = alloca i32, align 4
  store ptr %0, ptr %4, align 4
  store i32 %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 4
  %7 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %6, i32 0, i32 0
  %8 = load target("dx.RawBuffer", i32, 0, 0), ptr %7, align 4
  %9 = load i32, ptr %5, align 4
  %10 = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t.i32(target("dx.RawBuffer", i32, 0, 0) %8, i32 %9) [ "convergencectrl"(token %3) ]
  ret ptr %10
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef align 1 dereferenceable(40) ptr addrspace(2) @_ZNK4hlsl14ConstantBufferI5FrameEcvRU3AS2KS1_Ev(ptr noundef nonnull align 4 dereferenceable(4) %0) #0 align 2 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca ptr, align 4
  store ptr %0, ptr %3, align 4
  %4 = load ptr, ptr %3, align 4
  %5 = getelementptr inbounds nuw %"class.hlsl::ConstantBuffer", ptr %4, i32 0, i32 0
  %6 = load target("dx.CBuffer", %Frame), ptr %5, align 4
  %7 = call ptr addrspace(2) @llvm.dx.resource.getbasepointer.p2.tdx.CBuffer_s_Framest(target("dx.CBuffer", %Frame) %6) [ "convergencectrl"(token %2) ]
  ret ptr addrspace(2) %7
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef nonnull align 4 dereferenceable(4) ptr @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 4 dereferenceable(8) %0, i32 noundef %1) #0 align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 4
  %5 = alloca i32, align 4
  store ptr %0, ptr %4, align 4
  store i32 %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 4
  %7 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %6, i32 0, i32 0
  %8 = load target("dx.RawBuffer", i32, 1, 0), ptr %7, align 4
  %9 = load i32, ptr %5, align 4
  %10 = call ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t.i32(target("dx.RawBuffer", i32, 1, 0) %8, i32 %9) [ "convergencectrl"(token %3) ]
  ret ptr %10
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl14ConstantBufferI5FrameEC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %0) unnamed_addr #0 align 2 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca ptr, align 4
  store ptr %0, ptr %3, align 4
  %4 = load ptr, ptr %3, align 4
  %5 = getelementptr inbounds nuw %"class.hlsl::ConstantBuffer", ptr %4, i32 0, i32 0
  store target("dx.CBuffer", %Frame) poison, ptr %5, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.CBuffer", %Frame) @llvm.dx.resource.handlefrombinding.tdx.CBuffer_s_Framest(i32, i32, i32, i32, ptr) #4

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl14ConstantBufferI5FrameEC2ERKS2_(ptr noundef nonnull align 4 dereferenceable(4) %0, ptr noundef nonnull align 4 dereferenceable(4) %1) unnamed_addr #0 align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 4
  %5 = alloca ptr, align 4
  store ptr %0, ptr %4, align 4
  store ptr %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 4
  %7 = load ptr, ptr %5, align 4, !nonnull !5, !align !6
  %8 = getelementptr inbounds nuw %"class.hlsl::ConstantBuffer", ptr %7, i32 0, i32 0
  %9 = load target("dx.CBuffer", %Frame), ptr %8, align 4
  %10 = getelementptr inbounds nuw %"class.hlsl::ConstantBuffer", ptr %6, i32 0, i32 0
  store target("dx.CBuffer", %Frame) %9, ptr %10, align 4
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjEC2Ev(ptr noundef nonnull align 4 dereferenceable(4) %0) unnamed_addr #0 align 2 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca ptr, align 4
  store ptr %0, ptr %3, align 4
  %4 = load ptr, ptr %3, align 4
  %5 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %4, i32 0, i32 0
  store target("dx.RawBuffer", i32, 0, 0) poison, ptr %5, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 4 dereferenceable(4) %0, ptr noundef nonnull align 4 dereferenceable(4) %1) unnamed_addr #0 align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 4
  %5 = alloca ptr, align 4
  store ptr %0, ptr %4, align 4
  store ptr %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 4
  %7 = load ptr, ptr %5, align 4, !nonnull !5, !align !6
  %8 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %7, i32 0, i32 0
  %9 = load target("dx.RawBuffer", i32, 0, 0), ptr %8, align 4
  %10 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %6, i32 0, i32 0
  store target("dx.RawBuffer", i32, 0, 0) %9, ptr %10, align 4
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjEC2Ev(ptr noundef nonnull align 4 dereferenceable(8) %0) unnamed_addr #0 align 2 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca ptr, align 4
  store ptr %0, ptr %3, align 4
  %4 = load ptr, ptr %3, align 4
  %5 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %4, i32 0, i32 0
  store target("dx.RawBuffer", i32, 1, 0) poison, ptr %5, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #4

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 4 dereferenceable(8) %0, ptr noundef nonnull align 4 dereferenceable(8) %1) unnamed_addr #0 align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 4
  %5 = alloca ptr, align 4
  store ptr %0, ptr %4, align 4
  store ptr %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 4
  %7 = load ptr, ptr %5, align 4, !nonnull !5, !align !6
  %8 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %7, i32 0, i32 0
  %9 = load target("dx.RawBuffer", i32, 1, 0), ptr %8, align 4
  %10 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %6, i32 0, i32 0
  store target("dx.RawBuffer", i32, 1, 0) %9, ptr %10, align 4
  %11 = load ptr, ptr %5, align 4, !nonnull !5, !align !6
  %12 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %11, i32 0, i32 1
  %13 = load target("dx.RawBuffer", i32, 1, 0), ptr %12, align 4
  %14 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %6, i32 0, i32 1
  store target("dx.RawBuffer", i32, 1, 0) %13, ptr %14, align 4
  ret void
}

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t.i32(target("dx.RawBuffer", i32, 1, 0), i32) #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(2) @llvm.dx.resource.getbasepointer.p2.tdx.CBuffer_s_Framest(target("dx.CBuffer", %Frame)) #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t.i32(target("dx.RawBuffer", i32, 0, 0), i32) #1

; Function Attrs: alwaysinline convergent nounwind
define internal void @_GLOBAL__sub_I_constant_buffer.hlsl() #2 {
  %1 = call token @llvm.experimental.convergence.entry()
  call void @__cxx_global_var_init() [ "convergencectrl"(token %1) ]
  call void @__cxx_global_var_init.1() [ "convergencectrl"(token %1) ]
  call void @__cxx_global_var_init.3() [ "convergencectrl"(token %1) ]
  ret void
}

attributes #0 = { alwaysinline convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #2 = { alwaysinline convergent nounwind "frame-pointer"="all" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #3 = { convergent noinline norecurse "frame-pointer"="all" "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { convergent }

!dx.valver = !{!0}
!llvm.module.flags = !{!1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, i32 8}
!1 = !{i32 4, !"dx.disable_optimizations", i32 1}
!2 = !{i32 1, !"dx.nativelowprec", i32 1}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 23.1.4 (2)"}
!5 = !{}
!6 = !{i64 4}
