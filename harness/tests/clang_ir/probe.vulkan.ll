; ModuleID = 'probe.hlsl'
source_filename = "probe.hlsl"
target datalayout = "e-ve-i64:64-n8:16:32:64-G10"
target triple = "spirv1.6-unknown-vulkan1.3-compute"

%__cblayout_B = type <{ float, <3 x float>, <{ [2 x <{ float, target("spirv.Padding", 12) }>], float }>, target("spirv.Padding", 12), %Pair, target("spirv.Padding", 8), <{ [1 x <{ <3 x float>, target("spirv.Padding", 4) }>], <3 x float> }>, i32, double }>
%Pair = type <{ float, <2 x half> }>
%"class.hlsl::StructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0) }
%struct.Light = type { <3 x float>, float }
%"class.hlsl::StructuredBuffer.0" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 0) }
%"class.hlsl::RWStructuredBuffer" = type { target("spirv.VulkanBuffer", [0 x i32], 12, 1), target("spirv.VulkanBuffer", i32, 12, 1) }

$_ZN4hlsl16StructuredBufferI5LightE19__createFromBindingEjjijPKc = comdat any

$_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc = comdat any

$_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj = comdat any

$_ZNK4hlsl18RWStructuredBufferIjEixEj = comdat any

$_ZNK4hlsl16StructuredBufferIjEixEj = comdat any

$_ZNK4hlsl16StructuredBufferI5LightEixEj = comdat any

$_ZN4hlsl16StructuredBufferI5LightEC2Ev = comdat any

$_ZN4hlsl16StructuredBufferI5LightEC2ERKS2_ = comdat any

$_ZN4hlsl16StructuredBufferIjEC2Ev = comdat any

$_ZN4hlsl16StructuredBufferIjEC2ERKS1_ = comdat any

$_ZN4hlsl18RWStructuredBufferIjEC2Ev = comdat any

$_ZN4hlsl18RWStructuredBufferIjEC2ERKS1_ = comdat any

@B.cb = internal global target("spirv.VulkanBuffer", %__cblayout_B, 2, 0) poison
@llvm.compiler.used = appending addrspace(10) global [1 x ptr] [ptr @B.cb], section "llvm.metadata"
@x = external hidden addrspace(12) global float, align 4
@v = external hidden addrspace(12) global <3 x float>, align 4
@arr = external hidden addrspace(12) global <{ [2 x <{ float, target("spirv.Padding", 12) }>], float }>, align 4
@p = external hidden addrspace(12) global %Pair, align 1
@m = external hidden addrspace(12) global <{ [1 x <{ <3 x float>, target("spirv.Padding", 4) }>], <3 x float> }>, align 4
@on = external hidden addrspace(12) global i32, align 4
@d = external hidden addrspace(12) global double, align 8
@B.str = private unnamed_addr constant [2 x i8] c"B\00", align 1
@_ZL6lights = internal global %"class.hlsl::StructuredBuffer" poison, align 8
@.str = private unnamed_addr constant [7 x i8] c"lights\00", align 1
@_ZL5given = internal global %"class.hlsl::StructuredBuffer.0" poison, align 8
@.str.2 = private unnamed_addr constant [6 x i8] c"given\00", align 1
@_ZL4told = internal global %"class.hlsl::RWStructuredBuffer" poison, align 8
@.str.4 = private unnamed_addr constant [5 x i8] c"told\00", align 1

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden spir_func noundef i16 @_Z8asuint16Dh(half noundef nofpclass(nan inf) %0) #0 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca half, align 2
  store half %0, ptr %3, align 2
  %4 = load i16, ptr %3, align 2
  ret i16 %4
}

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #1

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden spir_func noundef nofpclass(nan inf) half @_Z9asfloat16t(i16 noundef %0) #0 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca i16, align 2
  store i16 %0, ptr %3, align 2
  %4 = load half, ptr %3, align 2
  ret half %4
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden spir_func noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %0) #0 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca float, align 4
  store float %0, ptr %3, align 4
  %4 = load i32, ptr %3, align 4
  ret i32 %4
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden spir_func void @_Z6asuintdRjS_(double noundef nofpclass(nan inf) %0, ptr noalias noundef nonnull align 4 dereferenceable(4) %1, ptr noalias noundef nonnull align 4 dereferenceable(4) %2) #0 {
  %4 = call token @llvm.experimental.convergence.entry()
  %5 = alloca double, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i64, align 8
  store double %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  %9 = load i64, ptr %5, align 8
  store i64 %9, ptr %8, align 8
  %10 = load i64, ptr %8, align 8
  %11 = trunc i64 %10 to i32
  %12 = load ptr, ptr %6, align 8, !nonnull !5, !align !6
  store i32 %11, ptr %12, align 4
  %13 = load i64, ptr %8, align 8
  %14 = lshr i64 %13, 32
  %15 = trunc i64 %14 to i32
  %16 = load ptr, ptr %7, align 8, !nonnull !5, !align !6
  store i32 %15, ptr %16, align 4
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden spir_func noundef nofpclass(nan inf) float @_Z7asfloatj(i32 noundef %0) #0 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  %4 = load float, ptr %3, align 4
  ret float %4
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define hidden spir_func noundef nofpclass(nan inf) double @_Z8asdoublejj(i32 noundef %0, i32 noundef %1) #0 {
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

; Function Attrs: alwaysinline
define internal void @_init_buffer_B.cb() #2 {
  %1 = call target("spirv.VulkanBuffer", %__cblayout_B, 2, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_s___cblayout_Bs_2_0t(i32 2, i32 3, i32 1, i32 0, ptr @B.str)
  store target("spirv.VulkanBuffer", %__cblayout_B, 2, 0) %1, ptr @B.cb, align 8
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", %__cblayout_B, 2, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_s___cblayout_Bs_2_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: alwaysinline convergent nounwind
define internal spir_func void @__cxx_global_var_init() #4 {
  %1 = call token @llvm.experimental.convergence.entry()
  call void @_ZN4hlsl16StructuredBufferI5LightE19__createFromBindingEjjijPKc(ptr dead_on_unwind writable sret(%"class.hlsl::StructuredBuffer") align 8 @_ZL6lights, i32 noundef 4, i32 noundef 0, i32 noundef 1, i32 noundef 0, ptr noundef @.str) #7 [ "convergencectrl"(token %1) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferI5LightE19__createFromBindingEjjijPKc(ptr dead_on_unwind noalias writable sret(%"class.hlsl::StructuredBuffer") align 8 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5) #0 comdat align 2 {
  %7 = call token @llvm.experimental.convergence.entry()
  %8 = alloca ptr, align 8
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca ptr, align 8
  %14 = alloca %"class.hlsl::StructuredBuffer", align 8
  store ptr %0, ptr %8, align 8
  store i32 %1, ptr %9, align 4
  store i32 %2, ptr %10, align 4
  store i32 %3, ptr %11, align 4
  store i32 %4, ptr %12, align 4
  store ptr %5, ptr %13, align 8
  call void @_ZN4hlsl16StructuredBufferI5LightEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %14) #7 [ "convergencectrl"(token %7) ]
  %15 = load i32, ptr %9, align 4
  %16 = load i32, ptr %10, align 4
  %17 = load i32, ptr %11, align 4
  %18 = load i32, ptr %12, align 4
  %19 = load ptr, ptr %13, align 8
  %20 = call target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0s_struct.Lights_12_0t(i32 %16, i32 %15, i32 %17, i32 %18, ptr %19)
  %21 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %14, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0) %20, ptr %21, align 8
  call void @_ZN4hlsl16StructuredBufferI5LightEC2ERKS2_(ptr noundef nonnull align 8 dereferenceable(8) %0, ptr noundef nonnull align 8 dereferenceable(8) %14) #7 [ "convergencectrl"(token %7) ]
  ret void
}

; Function Attrs: alwaysinline convergent nounwind
define internal spir_func void @__cxx_global_var_init.1() #4 {
  %1 = call token @llvm.experimental.convergence.entry()
  call void @_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc(ptr dead_on_unwind writable sret(%"class.hlsl::StructuredBuffer.0") align 8 @_ZL5given, i32 noundef 7, i32 noundef 0, i32 noundef 1, i32 noundef 0, ptr noundef @.str.2) #7 [ "convergencectrl"(token %1) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjE19__createFromBindingEjjijPKc(ptr dead_on_unwind noalias writable sret(%"class.hlsl::StructuredBuffer.0") align 8 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5) #0 comdat align 2 {
  %7 = call token @llvm.experimental.convergence.entry()
  %8 = alloca ptr, align 8
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca ptr, align 8
  %14 = alloca %"class.hlsl::StructuredBuffer.0", align 8
  store ptr %0, ptr %8, align 8
  store i32 %1, ptr %9, align 4
  store i32 %2, ptr %10, align 4
  store i32 %3, ptr %11, align 4
  store i32 %4, ptr %12, align 4
  store ptr %5, ptr %13, align 8
  call void @_ZN4hlsl16StructuredBufferIjEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %14) #7 [ "convergencectrl"(token %7) ]
  %15 = load i32, ptr %9, align 4
  %16 = load i32, ptr %10, align 4
  %17 = load i32, ptr %11, align 4
  %18 = load i32, ptr %12, align 4
  %19 = load ptr, ptr %13, align 8
  %20 = call target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32 %16, i32 %15, i32 %17, i32 %18, ptr %19)
  %21 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %14, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) %20, ptr %21, align 8
  call void @_ZN4hlsl16StructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 8 dereferenceable(8) %0, ptr noundef nonnull align 8 dereferenceable(8) %14) #7 [ "convergencectrl"(token %7) ]
  ret void
}

; Function Attrs: alwaysinline convergent nounwind
define internal spir_func void @__cxx_global_var_init.3() #4 {
  %1 = call token @llvm.experimental.convergence.entry()
  call void @_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj(ptr dead_on_unwind writable sret(%"class.hlsl::RWStructuredBuffer") align 8 @_ZL4told, i32 noundef 1, i32 noundef 0, i32 noundef 1, i32 noundef 0, ptr noundef @.str.4, i32 noundef 0) #7 [ "convergencectrl"(token %1) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjE38__createFromBindingWithImplicitCounterEjjijPKcj(ptr dead_on_unwind noalias writable sret(%"class.hlsl::RWStructuredBuffer") align 8 %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, ptr noundef %5, i32 noundef %6) #0 comdat align 2 {
  %8 = call token @llvm.experimental.convergence.entry()
  %9 = alloca ptr, align 8
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca ptr, align 8
  %15 = alloca i32, align 4
  %16 = alloca %"class.hlsl::RWStructuredBuffer", align 8
  store ptr %0, ptr %9, align 8
  store i32 %1, ptr %10, align 4
  store i32 %2, ptr %11, align 4
  store i32 %3, ptr %12, align 4
  store i32 %4, ptr %13, align 4
  store ptr %5, ptr %14, align 8
  store i32 %6, ptr %15, align 4
  call void @_ZN4hlsl18RWStructuredBufferIjEC2Ev(ptr noundef nonnull align 8 dereferenceable(16) %16) #7 [ "convergencectrl"(token %8) ]
  %17 = load i32, ptr %10, align 4
  %18 = load i32, ptr %11, align 4
  %19 = load i32, ptr %12, align 4
  %20 = load i32, ptr %13, align 4
  %21 = load ptr, ptr %14, align 8
  %22 = call target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32 %18, i32 %17, i32 %19, i32 %20, ptr %21)
  %23 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %16, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) %22, ptr %23, align 8
  %24 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %16, i32 0, i32 0
  %25 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %24, align 8
  %26 = load i32, ptr %15, align 4
  %27 = load i32, ptr %11, align 4
  %28 = call target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %25, i32 %26, i32 %27) [ "convergencectrl"(token %8) ]
  %29 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %16, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %28, ptr %29, align 8
  call void @_ZN4hlsl18RWStructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 8 dereferenceable(16) %0, ptr noundef nonnull align 8 dereferenceable(16) %16) #7 [ "convergencectrl"(token %8) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define internal spir_func void @_Z5probev() #0 {
  %1 = call token @llvm.experimental.convergence.entry()
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca [2 x <3 x float>], align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca %struct.Light, align 1
  %8 = load <3 x float>, ptr addrspace(12) @v, align 4
  %9 = extractelement <3 x float> %8, i64 2
  %10 = call spir_func noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %9) #7 [ "convergencectrl"(token %1) ]
  %11 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 0) #7 [ "convergencectrl"(token %1) ]
  store i32 %10, ptr addrspace(11) %11, align 4
  %12 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(8) @_ZL5given, i32 noundef 1) #7 [ "convergencectrl"(token %1) ]
  %13 = load i32, ptr addrspace(11) %12, align 4
  %14 = zext i32 %13 to i64
  %15 = getelementptr <{ float, target("spirv.Padding", 12) }>, ptr addrspace(12) @arr, i64 %14, i32 0
  %16 = load float, ptr addrspace(12) %15, align 16
  %17 = call spir_func noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %16) #7 [ "convergencectrl"(token %1) ]
  %18 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 1) #7 [ "convergencectrl"(token %1) ]
  store i32 %17, ptr addrspace(11) %18, align 4
  %19 = load <2 x half>, ptr addrspace(12) getelementptr inbounds nuw (i8, ptr addrspace(12) @p, i64 4), align 2
  %20 = extractelement <2 x half> %19, i64 1
  %21 = call spir_func noundef i16 @_Z8asuint16Dh(half noundef nofpclass(nan inf) %20) #7 [ "convergencectrl"(token %1) ]
  %22 = zext i16 %21 to i32
  %23 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 2) #7 [ "convergencectrl"(token %1) ]
  store i32 %22, ptr addrspace(11) %23, align 4
  %24 = getelementptr inbounds [2 x <3 x float>], ptr %4, i32 0, i32 0
  %25 = load <3 x float>, ptr addrspace(12) @m, align 4
  store <3 x float> %25, ptr %24, align 4
  %26 = getelementptr inbounds [2 x <3 x float>], ptr %4, i32 0, i32 1
  %27 = load <3 x float>, ptr addrspace(12) getelementptr inbounds nuw (i8, ptr addrspace(12) @m, i64 16), align 4
  store <3 x float> %27, ptr %26, align 4
  %28 = load <6 x float>, ptr %4, align 4
  %29 = extractelement <6 x float> %28, i64 5
  %30 = call spir_func noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %29) #7 [ "convergencectrl"(token %1) ]
  %31 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 3) #7 [ "convergencectrl"(token %1) ]
  store i32 %30, ptr addrspace(11) %31, align 4
  %32 = load i32, ptr addrspace(12) @on, align 4
  %33 = icmp ne i32 %32, 0
  %34 = zext i1 %33 to i64
  %35 = select i1 %33, i32 1, i32 0
  %36 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 4) #7 [ "convergencectrl"(token %1) ]
  store i32 %35, ptr addrspace(11) %36, align 4
  %37 = load double, ptr addrspace(12) @d, align 8
  call spir_func void @_Z6asuintdRjS_(double noundef nofpclass(nan inf) %37, ptr noalias noundef nonnull align 4 dereferenceable(4) %5, ptr noalias noundef nonnull align 4 dereferenceable(4) %6) #7 [ "convergencectrl"(token %1) ]
  %38 = load i32, ptr %5, align 4
  store i32 %38, ptr %2, align 4
  %39 = load i32, ptr %6, align 4
  store i32 %39, ptr %3, align 4
  %40 = load i32, ptr %3, align 4
  %41 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 5) #7 [ "convergencectrl"(token %1) ]
  store i32 %40, ptr addrspace(11) %41, align 4
  %42 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(8) @_ZL5given, i32 noundef 1) #7 [ "convergencectrl"(token %1) ]
  %43 = load i32, ptr addrspace(11) %42, align 4
  %44 = call noundef align 1 dereferenceable(16) ptr addrspace(11) @_ZNK4hlsl16StructuredBufferI5LightEixEj(ptr noundef nonnull align 8 dereferenceable(8) @_ZL6lights, i32 noundef %43) #7 [ "convergencectrl"(token %1) ]
  %45 = getelementptr inbounds nuw %struct.Light, ptr addrspace(11) %44, i32 0, i32 1
  %46 = load float, ptr addrspace(11) %45, align 1
  %47 = call spir_func noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %46) #7 [ "convergencectrl"(token %1) ]
  %48 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 6) #7 [ "convergencectrl"(token %1) ]
  store i32 %47, ptr addrspace(11) %48, align 4
  %49 = call noundef align 1 dereferenceable(16) ptr addrspace(11) @_ZNK4hlsl16StructuredBufferI5LightEixEj(ptr noundef nonnull align 8 dereferenceable(8) @_ZL6lights, i32 noundef 1) #7 [ "convergencectrl"(token %1) ]
  call void @llvm.memcpy.p0.p11.i64(ptr align 1 %7, ptr addrspace(11) align 1 %49, i64 16, i1 false)
  %50 = getelementptr inbounds nuw %struct.Light, ptr %7, i32 0, i32 0
  %51 = load <3 x float>, ptr %50, align 1
  %52 = extractelement <3 x float> %51, i64 1
  %53 = call spir_func noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %52) #7 [ "convergencectrl"(token %1) ]
  %54 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 7) #7 [ "convergencectrl"(token %1) ]
  store i32 %53, ptr addrspace(11) %54, align 4
  %55 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(8) @_ZL5given, i32 noundef 0) #7 [ "convergencectrl"(token %1) ]
  %56 = load i32, ptr addrspace(11) %55, align 4
  %57 = icmp eq i32 %56, 0
  br i1 %57, label %58, label %60

58:                                               ; preds = %0
  %59 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 8) #7 [ "convergencectrl"(token %1) ]
  store i32 7, ptr addrspace(11) %59, align 4
  br label %62

60:                                               ; preds = %0
  %61 = call noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) @_ZL4told, i32 noundef 8) #7 [ "convergencectrl"(token %1) ]
  store i32 9, ptr addrspace(11) %61, align 4
  br label %62

62:                                               ; preds = %60, %58
  ret void
}

; Function Attrs: convergent noinline norecurse
define void @probe() #5 {
  %1 = call token @llvm.experimental.convergence.entry()
  call spir_func void @_GLOBAL__sub_I_probe.hlsl() [ "convergencectrl"(token %1) ]
  call spir_func void @_Z5probev() [ "convergencectrl"(token %1) ]
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl18RWStructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(16) %0, i32 noundef %1) #0 comdat align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 8
  %7 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %6, i32 0, i32 0
  %8 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %7, align 8
  %9 = load i32, ptr %5, align 4
  %10 = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t.i32(target("spirv.VulkanBuffer", [0 x i32], 12, 1) %8, i32 %9) [ "convergencectrl"(token %3) ]
  ret ptr addrspace(11) %10
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef align 4 dereferenceable(4) ptr addrspace(11) @_ZNK4hlsl16StructuredBufferIjEixEj(ptr noundef nonnull align 8 dereferenceable(8) %0, i32 noundef %1) #0 comdat align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 8
  %7 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %6, i32 0, i32 0
  %8 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %7, align 8
  %9 = load i32, ptr %5, align 4
  %10 = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t.i32(target("spirv.VulkanBuffer", [0 x i32], 12, 0) %8, i32 %9) [ "convergencectrl"(token %3) ]
  ret ptr addrspace(11) %10
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden noundef align 1 dereferenceable(16) ptr addrspace(11) @_ZNK4hlsl16StructuredBufferI5LightEixEj(ptr noundef nonnull align 8 dereferenceable(8) %0, i32 noundef %1) #0 comdat align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  %6 = load ptr, ptr %4, align 8
  %7 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %6, i32 0, i32 0
  %8 = load target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0), ptr %7, align 8
  %9 = load i32, ptr %5, align 4
  %10 = call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0s_struct.Lights_12_0t.i32(target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0) %8, i32 %9) [ "convergencectrl"(token %3) ]
  ret ptr addrspace(11) %10
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p11.i64(ptr noalias writeonly captures(none), ptr addrspace(11) noalias readonly captures(none), i64, i1 immarg) #6

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferI5LightEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %0) unnamed_addr #0 comdat align 2 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %4, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0) poison, ptr %5, align 8
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0s_struct.Lights_12_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferI5LightEC2ERKS2_(ptr noundef nonnull align 8 dereferenceable(8) %0, ptr noundef nonnull align 8 dereferenceable(8) %1) unnamed_addr #0 comdat align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %6 = load ptr, ptr %4, align 8
  %7 = load ptr, ptr %5, align 8, !nonnull !5, !align !7
  %8 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %7, i32 0, i32 0
  %9 = load target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0), ptr %8, align 8
  %10 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer", ptr %6, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0) %9, ptr %10, align 8
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjEC2Ev(ptr noundef nonnull align 8 dereferenceable(8) %0) unnamed_addr #0 comdat align 2 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %4, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) poison, ptr %5, align 8
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 0) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_0t(i32, i32, i32, i32, ptr) #3

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl16StructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 8 dereferenceable(8) %0, ptr noundef nonnull align 8 dereferenceable(8) %1) unnamed_addr #0 comdat align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %6 = load ptr, ptr %4, align 8
  %7 = load ptr, ptr %5, align 8, !nonnull !5, !align !7
  %8 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %7, i32 0, i32 0
  %9 = load target("spirv.VulkanBuffer", [0 x i32], 12, 0), ptr %8, align 8
  %10 = getelementptr inbounds nuw %"class.hlsl::StructuredBuffer.0", ptr %6, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x i32], 12, 0) %9, ptr %10, align 8
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjEC2Ev(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #0 comdat align 2 {
  %2 = call token @llvm.experimental.convergence.entry()
  %3 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %4, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) poison, ptr %5, align 8
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", [0 x i32], 12, 1) @llvm.spv.resource.handlefrombinding.tspirv.VulkanBuffer_a0i32_12_1t(i32, i32, i32, i32, ptr) #3

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare target("spirv.VulkanBuffer", i32, 12, 1) @llvm.spv.resource.counterhandlefromimplicitbinding.tspirv.VulkanBuffer_i32_12_1t.tspirv.VulkanBuffer_a0i32_12_1t(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32, i32) #1

; Function Attrs: alwaysinline convergent mustprogress norecurse nounwind
define linkonce_odr hidden void @_ZN4hlsl18RWStructuredBufferIjEC2ERKS1_(ptr noundef nonnull align 8 dereferenceable(16) %0, ptr noundef nonnull align 8 dereferenceable(16) %1) unnamed_addr #0 comdat align 2 {
  %3 = call token @llvm.experimental.convergence.entry()
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %6 = load ptr, ptr %4, align 8
  %7 = load ptr, ptr %5, align 8, !nonnull !5, !align !7
  %8 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %7, i32 0, i32 0
  %9 = load target("spirv.VulkanBuffer", [0 x i32], 12, 1), ptr %8, align 8
  %10 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %6, i32 0, i32 0
  store target("spirv.VulkanBuffer", [0 x i32], 12, 1) %9, ptr %10, align 8
  %11 = load ptr, ptr %5, align 8, !nonnull !5, !align !7
  %12 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %11, i32 0, i32 1
  %13 = load target("spirv.VulkanBuffer", i32, 12, 1), ptr %12, align 8
  %14 = getelementptr inbounds nuw %"class.hlsl::RWStructuredBuffer", ptr %6, i32 0, i32 1
  store target("spirv.VulkanBuffer", i32, 12, 1) %13, ptr %14, align 8
  ret void
}

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t.i32(target("spirv.VulkanBuffer", [0 x i32], 12, 1), i32) #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_0t.i32(target("spirv.VulkanBuffer", [0 x i32], 12, 0), i32) #1

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(11) @llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0s_struct.Lights_12_0t.i32(target("spirv.VulkanBuffer", [0 x %struct.Light], 12, 0), i32) #1

; Function Attrs: alwaysinline convergent nounwind
define internal spir_func void @_GLOBAL__sub_I_probe.hlsl() #4 {
  %1 = call token @llvm.experimental.convergence.entry()
  call spir_func void @_init_buffer_B.cb()
  call spir_func void @__cxx_global_var_init() [ "convergencectrl"(token %1) ]
  call spir_func void @__cxx_global_var_init.1() [ "convergencectrl"(token %1) ]
  call spir_func void @__cxx_global_var_init.3() [ "convergencectrl"(token %1) ]
  ret void
}

attributes #0 = { alwaysinline convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
attributes #2 = { alwaysinline }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { alwaysinline convergent nounwind "frame-pointer"="all" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #5 = { convergent noinline norecurse "frame-pointer"="all" "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #6 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #7 = { convergent }

!hlsl.cbs = !{!0}
!llvm.module.flags = !{!1, !2, !3}
!llvm.ident = !{!4}

!0 = !{ptr @B.cb, ptr addrspace(12) @x, ptr addrspace(12) @v, ptr addrspace(12) @arr, ptr addrspace(12) @p, ptr addrspace(12) @m, ptr addrspace(12) @on, ptr addrspace(12) @d}
!1 = !{i32 4, !"dx.disable_optimizations", i32 1}
!2 = !{i32 1, !"dx.nativelowprec", i32 1}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 23.1.4 (2)"}
!5 = !{}
!6 = !{i64 4}
!7 = !{i64 8}
