; ModuleID = 'probe.hlsl'
source_filename = "probe.hlsl"
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64"
target triple = "dxilv1.6-unknown-shadermodel6.6-compute"

%__cblayout_B = type <{ float, <3 x float>, <{ [2 x <{ float, target("dx.Padding", 12) }>], float }>, target("dx.Padding", 12), %Pair, target("dx.Padding", 8), [6 x float], i32, target("dx.Padding", 4), double }>
%Pair = type <{ float, <2 x half> }>
%struct.Light = type { <3 x float>, [4 x i8], float }

@B.cb = local_unnamed_addr global target("dx.CBuffer", %__cblayout_B) poison
@v = external hidden local_unnamed_addr addrspace(2) global <3 x float>, align 16
@arr = external hidden local_unnamed_addr addrspace(2) global <{ [2 x <{ float, target("dx.Padding", 12) }>], float }>, align 4
@p = external hidden local_unnamed_addr addrspace(2) global %Pair, align 1
@m = external hidden local_unnamed_addr addrspace(2) global [6 x float], align 4
@on = external hidden local_unnamed_addr addrspace(2) global i32, align 4
@d = external hidden local_unnamed_addr addrspace(2) global double, align 8
@B.str = private unnamed_addr constant [2 x i8] c"B\00", align 1
@.str = private unnamed_addr constant [7 x i8] c"lights\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"given\00", align 1
@.str.4 = private unnamed_addr constant [5 x i8] c"told\00", align 1

; Function Attrs: alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define hidden noundef i16 @_Z8asuint16Dh(half noundef nofpclass(nan inf) %0) local_unnamed_addr #0 {
  %2 = bitcast half %0 to i16
  ret i16 %2
}

; Function Attrs: alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define hidden noundef nofpclass(nan inf) half @_Z9asfloat16t(i16 noundef %0) local_unnamed_addr #0 {
  %2 = bitcast i16 %0 to half
  ret half %2
}

; Function Attrs: alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define hidden noundef i32 @_Z6asuintf(float noundef nofpclass(nan inf) %0) local_unnamed_addr #0 {
  %2 = bitcast float %0 to i32
  ret i32 %2
}

; Function Attrs: alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write)
define hidden void @_Z6asuintdRjS_(double noundef nofpclass(nan inf) %0, ptr noalias noundef nonnull writeonly align 4 captures(none) dereferenceable(4) initializes((0, 4)) %1, ptr noalias noundef nonnull writeonly align 4 captures(none) dereferenceable(4) initializes((0, 4)) %2) local_unnamed_addr #1 {
  %4 = bitcast double %0 to i64
  %5 = trunc i64 %4 to i32
  store i32 %5, ptr %1, align 4, !tbaa !6
  %6 = lshr i64 %4, 32
  %7 = trunc nuw i64 %6 to i32
  store i32 %7, ptr %2, align 4, !tbaa !6
  ret void
}

; Function Attrs: alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define hidden noundef nofpclass(nan inf) float @_Z7asfloatj(i32 noundef %0) local_unnamed_addr #0 {
  %2 = bitcast i32 %0 to float
  ret float %2
}

; Function Attrs: alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define hidden noundef nofpclass(nan inf) double @_Z8asdoublejj(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = zext i32 %0 to i64
  %4 = zext i32 %1 to i64
  %5 = shl nuw i64 %4, 32
  %6 = or disjoint i64 %5, %3
  %7 = bitcast i64 %6 to double
  ret double %7
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.CBuffer", %__cblayout_B) @llvm.dx.resource.handlefrombinding.tdx.CBuffer_s___cblayout_Bst(i32, i32, i32, i32, ptr) #2

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define void @probe() local_unnamed_addr #3 {
  %1 = tail call target("dx.CBuffer", %__cblayout_B) @llvm.dx.resource.handlefrombinding.tdx.CBuffer_s___cblayout_Bst(i32 2, i32 3, i32 1, i32 0, ptr nonnull @B.str)
  store target("dx.CBuffer", %__cblayout_B) %1, ptr @B.cb, align 4
  %2 = tail call target("dx.RawBuffer", %struct.Light, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_s_struct.Lights_0_0t(i32 0, i32 4, i32 1, i32 0, ptr nonnull @.str)
  %3 = tail call target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32 0, i32 7, i32 1, i32 0, ptr nonnull @.str.2)
  %4 = tail call target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32 0, i32 1, i32 1, i32 0, ptr nonnull @.str.4)
  %5 = load i32, ptr addrspace(2) getelementptr inbounds nuw (i8, ptr addrspace(2) @v, i32 8), align 8
  %6 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 0)
  store i32 %5, ptr %6, align 4, !tbaa !6
  %7 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0) %3, i32 1)
  %8 = load i32, ptr %7, align 4, !tbaa !6
  %9 = getelementptr <{ float, target("dx.Padding", 12) }>, ptr addrspace(2) @arr, i32 %8
  %10 = load i32, ptr addrspace(2) %9, align 16, !tbaa !10
  %11 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 1)
  store i32 %10, ptr %11, align 4, !tbaa !6
  %12 = load i16, ptr addrspace(2) getelementptr inbounds nuw (i8, ptr addrspace(2) @p, i32 6), align 2
  %13 = zext i16 %12 to i32
  %14 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 2)
  store i32 %13, ptr %14, align 4, !tbaa !6
  %15 = load i32, ptr addrspace(2) getelementptr inbounds nuw (i8, ptr addrspace(2) @m, i32 20), align 4, !tbaa !12
  %16 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 3)
  store i32 %15, ptr %16, align 4, !tbaa !6
  %17 = load i32, ptr addrspace(2) @on, align 4, !tbaa !13, !range !15, !noundef !16
  %18 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 4)
  store i32 %17, ptr %18, align 4, !tbaa !6
  %19 = load i64, ptr addrspace(2) @d, align 8, !tbaa !17
  %20 = lshr i64 %19, 32
  %21 = trunc nuw i64 %20 to i32
  %22 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 5)
  store i32 %21, ptr %22, align 4, !tbaa !6
  %23 = load i32, ptr %7, align 4, !tbaa !6
  %24 = tail call noundef nonnull align 1 dereferenceable(20) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_s_struct.Lights_0_0t(target("dx.RawBuffer", %struct.Light, 0, 0) %2, i32 %23)
  %25 = getelementptr inbounds nuw i8, ptr %24, i32 16
  %26 = load i32, ptr %25, align 1, !tbaa !19
  %27 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 6)
  store i32 %26, ptr %27, align 4, !tbaa !6
  %28 = tail call noundef nonnull align 1 dereferenceable(20) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_s_struct.Lights_0_0t(target("dx.RawBuffer", %struct.Light, 0, 0) %2, i32 1)
  %29 = getelementptr inbounds nuw i8, ptr %28, i32 4
  %30 = load i32, ptr %29, align 1
  %31 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 7)
  store i32 %30, ptr %31, align 4, !tbaa !6
  %32 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0) %3, i32 0)
  %33 = load i32, ptr %32, align 4, !tbaa !6
  %34 = icmp eq i32 %33, 0
  %35 = tail call noundef nonnull align 4 dereferenceable(4) ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0) %4, i32 8)
  %36 = select i1 %34, i32 7, i32 9
  store i32 %36, ptr %35, align 4, !tbaa !6
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", %struct.Light, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_s_struct.Lights_0_0t(i32, i32, i32, i32, ptr) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 0, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_0_0t(i32, i32, i32, i32, ptr) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare target("dx.RawBuffer", i32, 1, 0) @llvm.dx.resource.handlefrombinding.tdx.RawBuffer_i32_1_0t(i32, i32, i32, i32, ptr) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t(target("dx.RawBuffer", i32, 1, 0), i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_0_0t(target("dx.RawBuffer", i32, 0, 0), i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare ptr @llvm.dx.resource.getpointer.p0.tdx.RawBuffer_s_struct.Lights_0_0t(target("dx.RawBuffer", %struct.Light, 0, 0), i32) #2

attributes #0 = { alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { alwaysinline mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) "frame-pointer"="all" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #3 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "frame-pointer"="all" "hlsl.numthreads"="1,1,1" "hlsl.shader"="compute" "no-infs-fp-math"="false" "no-nans-fp-math"="false" "no-signed-zeros-fp-math"="false" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }

!hlsl.cbs = !{!0}
!llvm.module.flags = !{!1, !2, !3}
!dx.valver = !{!4}
!llvm.ident = !{!5}
!llvm.errno.tbaa = !{!6}

!0 = distinct !{ptr @B.cb, null, ptr addrspace(2) @v, ptr addrspace(2) @arr, ptr addrspace(2) @p, ptr addrspace(2) @m, ptr addrspace(2) @on, ptr addrspace(2) @d}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 1, !"dx.nativelowprec", i32 1}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 1, i32 8}
!5 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{!11, !11, i64 0}
!11 = !{!"float", !8, i64 0}
!12 = !{!8, !8, i64 0}
!13 = !{!14, !14, i64 0}
!14 = !{!"bool", !8, i64 0}
!15 = !{i32 0, i32 2}
!16 = !{}
!17 = !{!18, !18, i64 0}
!18 = !{!"double", !8, i64 0}
!19 = !{!20, !11, i64 16}
!20 = !{!"_ZTS5Light", !8, i64 0, !11, i64 16}
