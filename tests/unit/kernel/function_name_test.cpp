#include "roofline/kernel/function_name.hpp"

#include <gtest/gtest.h>

namespace roofline {
namespace {

struct Row {
  const char *name, *given, *canonical;
};
// What stands in the source, read from the mangled name by hand (Itanium C++ ABI).
const Row kRows[] = {
    {"plain", "rms_silu_gate_add", "rms_silu_gate_add"},
    {"triton", "triton_poi_fused_add_0d1d2", "triton_poi_fused_add_0d1d2"},
    {"memcpy_label", "[CUDA memcpy HtoD]", "[CUDA memcpy HtoD]"},
    {"mangled", "_Z5saxpyifPKfPf", "saxpy"},
    {"of_one_file", "_ZL3barPf", "bar"},
    {"pytorch",
     "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
     "addIfEESt5arrayIPcLm3EEEEviT0_T1_",
     "at::native::vectorized_elementwise_kernel"},
    {"demangled_with_return_type",
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> "
     ">(at::native::ReduceOp<float>)",
     "at::native::reduce_kernel"},
    {"two_word_return_type", "unsigned long count<int>(int*)", "count"},
    {"unnamed_namespace", "_ZN12_GLOBAL__N_13fooIfEEvPT_", "foo"},
    {"unnamed_namespace_inside", "void a::(anonymous namespace)::foo(int)", "a::foo"},
    {"member_template", "void a::b<int, (c)1>::run<float>(float)", "a::b::run"},
    {"cut_in_template_list", "void cutlass::Kernel2<cutlass_80_tensorop_s168", "cutlass::Kernel2"},
    {"cut_in_parameters", "void softmax<float>(float*, lo", "softmax"},
    {"comparison_in_template_list", "void f<(1)<(2)>()", "f"},
    {"greater_in_template_list", "void f<((1)>(2))>()", "f"},
    {"call_operator", "_ZN1AclEi", "A::operator()"},
    {"arrow_operator", "_ZN1AptEv", "A::operator->"},
    {"shift_operator", "_ZN1AlsEi", "A::operator<<"},
    {"greater_operator_template", "_ZN1AgtIiEEbT_", "A::operator>"},
    {"conversion_operator", "_ZN1AcvbEv", "A::operator bool"},
    {"word_that_ends_in_operator", "void my_operator<int>(int)", "my_operator"},
    {"lambda", "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()"},
    {"compiler_suffix", "_Z3fooi.isra.0", "foo"},
    {"abi_tag", "_Z3fooB5cxx11i", "foo"},
    {"returns_a_function", "_Z1fIiEPFivET_", "f"},
    {"takes_a_function", "_Z1fPFvPFiiEE", "f"},
    {"state_of_a_benchmark", "copy[Elements{io}=64 T=I8]", "copy[Elements{io}=64 T=I8]"},
    {"gcc_names_its_arguments", "void f(T*) [with T = float]", "f"},
    {"suffix_of_amd", "bodyForce(Body*, int) [clone .kd]", "bodyForce"},
    {"not_mangled_after_all", "_Zebra", "_Zebra"},
    {"empty", "", ""},
};
class CanonicalName : public testing::TestWithParam<Row> {};
TEST_P(CanonicalName, IsTheNameInTheSource) {
  EXPECT_EQ(canonical_name(GetParam().given), GetParam().canonical);
}
INSTANTIATE_TEST_SUITE_P(Rows, CanonicalName, testing::ValuesIn(kRows),
                         [](const auto& i) { return i.param.name; });

// What an instance of a general kernel does, read from its template arguments by hand.
const Row kInstances[] = {
    {"functor",
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
     "at::native::vectorized_elementwise_kernel<CUDAFunctor_add<float>>"},
    {"mangled_functor",
     "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
     "addIfEESt5arrayIPcLm3EEEEviT0_T1_",
     "at::native::vectorized_elementwise_kernel<CUDAFunctor_add<float>>"},
    {"functor_in_a_functor",
     "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
     "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float>"
     "> >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)",
     "at::native::elementwise_kernel<MulFunctor<float>>"},
    {"function_of_a_lambda",
     "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() "
     "const::{lambda(float)#1}, std::array<char*, 2ul>, 4>(int)",
     "at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>"},
    {"function_in_an_unnamed_namespace",
     "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
     "namespace)::where_kernel_impl(at::TensorIterator&)::{lambda(bool)#1}>(int)",
     "at::native::vectorized_elementwise_kernel<where_kernel_impl>"},
    {"call_operator_of_a_functor",
     "void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, "
     "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator "
     "()(at::TensorIterator &)::[lambda(float, float) (instance 1)]>, unsigned int, float, "
     "(int)4>>(T3)",
     "at::native::reduce_kernel<sum_functor>"},
    {"class_of_cutlass",
     "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4>("
     "cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4::Params)",
     "cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4>"},
    {"numbers_and_types_of_elements", "void gemm<float, (int)128, true, __half const*>(float*)",
     "gemm"},
    {"numbers_of_nvprof", "void scale<int=4, float>(float*)", "scale"},
    {"no_template", "axpy(int, float const*, float*)", "axpy"},
    {"cut_in_its_arguments", "void cutlass::Kernel2<cutlass_80_tensorop_s168",
     "cutlass::Kernel2<cutlass_80_tensorop_s168>"},
    {"of_another_language", "triton_poi_fused_add_0d1d2", "triton_poi_fused_add_0d1d2"},
    {"bfloat16_of_the_standard", "_Z4normIDF16bEvPT_", "norm"},
};
class InstanceName : public testing::TestWithParam<Row> {};
TEST_P(InstanceName, SaysWhatItDoes) {
  EXPECT_EQ(instance_name(GetParam().given), GetParam().canonical);
}
INSTANTIATE_TEST_SUITE_P(Rows, InstanceName, testing::ValuesIn(kInstances),
                         [](const auto& i) { return i.param.name; });

// Runtimes before GCC 13 leave it mangled.
TEST(Demangle, KnowsTheBfloat16OfTheStandard) {
  EXPECT_EQ(demangle("_Z4normIDF16bEvPT_"), "void norm<std::bfloat16_t>(std::bfloat16_t*)");
}

std::string repeated(const char* piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

// Names of more than a kilobyte, which the C++ runtime refuses.
TEST(LongName, IsReadWithoutItsTemplateLists) {
  const auto many = repeated("N4cute1CILi128EEE", 200);  // cute::C<128>
  EXPECT_EQ(canonical_name("_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIJ" + many +
                           "EEEEEvNT_6ParamsE"),
            "cutlass::device_kernel");
  EXPECT_EQ(canonical_name("_Z3fooILb1ELin5EXadL_Z3barvEEXltT_Li2EEA4_fPFviEJ" + many + "EEvv"),
            "foo");
  EXPECT_EQ(canonical_name("_ZN5outerI" + many + "E5innerILNS_4ModeE2EEEvv"), "outer::inner");
  EXPECT_EQ(canonical_name("_ZN12_GLOBAL__N_13fooIJ" + many + "EEEvv"), "foo");
}

TEST(LongName, CutOffOrMadeUpStaysAsItIs) {
  const auto cut = "_ZN3fooI" + repeated("3bar", 500);
  EXPECT_EQ(canonical_name(cut), cut);
  const auto long_length = "_ZN99999999999999999999999foo" + repeated("I", 2000);
  EXPECT_EQ(canonical_name(long_length), long_length);
}

TEST(Demangle, LeavesOtherNamesAlone) {
  EXPECT_EQ(demangle("_Z5saxpyifPKfPf"), "saxpy(int, float, float const*, float*)");
  EXPECT_EQ(demangle("saxpy"), "saxpy");
  EXPECT_EQ(demangle("_Zebra"), "_Zebra");
}

}  // namespace
}  // namespace roofline
