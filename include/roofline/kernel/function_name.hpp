#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// A mangled name (Itanium C++ ABI, as nvcc writes it) as C++; every other name as it is. Names of
/// more than about a kilobyte, as CUTLASS makes them, are more than the C++ runtime takes: they
/// stay mangled.
std::string demangle(std::string_view name);

/// What a function is called in its source: "at::native::vectorized_elementwise_kernel". Return
/// type, template and parameter lists, unnamed namespaces, ABI tags and the compiler's suffixes are
/// taken away; `name` may be mangled or not, whole or cut off. Names that are not C++
/// ("triton_poi_fused_add_0", "[CUDA memcpy HtoD]") stay as they are.
std::string canonical_name(std::string_view name);

/// canonical_name() with the template argument that says what an instance of a general kernel does,
/// where one does: "at::native::vectorized_elementwise_kernel<CUDAFunctor_add<float>>",
/// "cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4>". Numbers and types of
/// elements say nothing of the kind; of a lambda the function is named that it stands in.
std::string instance_name(std::string_view name);

}  // namespace roofline
