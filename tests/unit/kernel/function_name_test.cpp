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
