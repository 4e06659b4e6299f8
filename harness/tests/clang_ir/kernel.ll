; ModuleID = 'kernel.metal'
source_filename = "kernel.metal"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

%struct.B = type { float, [2 x %struct.I], %"struct.metal::packed_vector", float }
%struct.I = type { float, <3 x float> }
%"struct.metal::packed_vector" = type { [3 x float] }
%struct.O = type { [1 x i32] }

$_ZN5metal7as_typeIjfEET_T0_ = comdat any

@.str = private unnamed_addr constant [9 x i8] c"buffer:2\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [13 x i8] c"kernel.metal\00", section "llvm.metadata"
@.str.2 = private unnamed_addr constant [9 x i8] c"buffer:1\00", section "llvm.metadata"

; Function Attrs: mustprogress noinline optnone
define dso_local spir_func void @read_x(ptr noundef nonnull align 16 dereferenceable(96) %0, ptr noundef nonnull align 4 dereferenceable(4) %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  call void @llvm.var.annotation.p0.p0(ptr %3, ptr @.str, ptr @.str.1, i32 6, ptr null)
  store ptr %1, ptr %4, align 8
  call void @llvm.var.annotation.p0.p0(ptr %4, ptr @.str.2, ptr @.str.1, i32 6, ptr null)
  %5 = load ptr, ptr %3, align 8, !nonnull !3, !align !4
  %6 = getelementptr inbounds nuw %struct.B, ptr %5, i32 0, i32 1
  %7 = getelementptr inbounds [2 x %struct.I], ptr %6, i64 0, i64 1
  %8 = getelementptr inbounds nuw %struct.I, ptr %7, i32 0, i32 1
  %9 = load <3 x float>, ptr %8, align 16
  %10 = extractelement <3 x float> %9, i64 1
  %11 = call spir_func noundef i32 @_ZN5metal7as_typeIjfEET_T0_(float noundef %10)
  %12 = load ptr, ptr %4, align 8, !nonnull !3, !align !5
  %13 = getelementptr inbounds nuw %struct.O, ptr %12, i32 0, i32 0
  %14 = getelementptr inbounds [1 x i32], ptr %13, i64 0, i64 0
  store i32 %11, ptr %14, align 4
  %15 = load ptr, ptr %3, align 8, !nonnull !3, !align !4
  %16 = getelementptr inbounds nuw %struct.B, ptr %15, i32 0, i32 3
  %17 = load float, ptr %16, align 4
  %18 = call spir_func noundef i32 @_ZN5metal7as_typeIjfEET_T0_(float noundef %17)
  %19 = load ptr, ptr %4, align 8, !nonnull !3, !align !5
  %20 = getelementptr inbounds nuw %struct.O, ptr %19, i32 0, i32 0
  %21 = getelementptr inbounds [1 x i32], ptr %20, i64 0, i64 1
  store i32 %18, ptr %21, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr) #1

; Function Attrs: mustprogress noinline nounwind optnone
define linkonce_odr dso_local spir_func noundef i32 @_ZN5metal7as_typeIjfEET_T0_(float noundef %0) #2 comdat {
  %2 = alloca float, align 4
  store float %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  ret i32 %3
}

attributes #0 = { mustprogress noinline optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #2 = { mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!3 = !{}
!4 = !{i64 16}
!5 = !{i64 4}
