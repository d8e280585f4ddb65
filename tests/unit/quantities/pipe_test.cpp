#include "roofline/quantities/pipe.hpp"

#include <gtest/gtest.h>

namespace roofline {
namespace {

struct MatmulRow {
  const char* name;
  DType a, b;
  std::string pipe;
};
// The wider operand decides; plain fp32 has no tensor rate (design: facts on datapaths).
const MatmulRow kMatmuls[] = {
    {"bf16", DType::bf16, DType::bf16, "tensor:bf16"},
    {"fp32_is_vector_work", DType::fp32, DType::fp32, "vector:fp32"},
    {"tf32_is_tensor_work", DType::tf32, DType::tf32, "tensor:tf32"},
    {"fp64", DType::fp64, DType::fp64, "tensor:fp64"},
    {"int4_weights", DType::bf16, DType::int4, "tensor:bf16"},
    {"int4_weights_first", DType::int4, DType::bf16, "tensor:bf16"},
    {"fp8", DType::fp8_e4m3, DType::fp8_e5m2, "tensor:fp8"},
    {"fp4", DType::fp4_e2m1, DType::fp4_e2m1, "tensor:fp4"},
    {"fp8_with_fp4", DType::fp8_e4m3, DType::fp4_e2m1, "tensor:fp8"},
    {"int8", DType::int8, DType::int8, "tensor:int8"},
    {"complex64", DType::complex64, DType::complex64, "vector:fp32"},
    {"complex128", DType::complex128, DType::complex128, "tensor:fp64"},
    {"int32_has_none", DType::int32, DType::int32, "none"},
};
class Matmul : public testing::TestWithParam<MatmulRow> {};
TEST_P(Matmul, Datapath) {
  EXPECT_EQ(pipe_name(matmul_pipe(GetParam().a, GetParam().b)), GetParam().pipe);
}
INSTANTIATE_TEST_SUITE_P(Rows, Matmul, testing::ValuesIn(kMatmuls),
                         [](const auto& i) { return i.param.name; });

TEST(VectorPipe, DoubleOrSingle) {
  EXPECT_EQ(pipe_name(vector_pipe(DType::fp64)), "vector:fp64");
  EXPECT_EQ(pipe_name(vector_pipe(DType::complex128)), "vector:fp64");
  for (const auto dtype : {DType::fp32, DType::bf16, DType::fp8_e4m3, DType::int8})
    EXPECT_EQ(pipe_name(vector_pipe(dtype)), "vector:fp32");
}

TEST(PipeNames, EveryNameIsFoundAgain) {
  for (int kind = 0; kind <= static_cast<int>(PipeKind::link); ++kind)
    for (int type = 0; type < kRateTypes; ++type) {
      const auto pipe_kind = static_cast<PipeKind>(kind);
      const bool rated = pipe_kind == PipeKind::tensor || pipe_kind == PipeKind::vector;
      if (rated != (type != 0)) continue;
      const Pipe pipe{pipe_kind, static_cast<RateType>(type)};
      EXPECT_EQ(find_pipe(pipe_name(pipe)), pipe) << pipe_name(pipe);
      EXPECT_FALSE(pipe_title(pipe).empty());
    }
  for (int type = 1; type < kRateTypes; ++type)
    EXPECT_EQ(find_rate(rate_name(static_cast<RateType>(type))), static_cast<RateType>(type));
}

TEST(PipeNames, OtherSpellings) {
  EXPECT_EQ(find_pipe("cuda:fp32"), find_pipe("vector:fp32"));
  EXPECT_EQ(find_pipe("cuda:int"), find_pipe("int"));
  for (const auto* unknown :
       {"", "tensor", "tensor:", ":bf16", "tensor:bf61", "matmul:bf16", "tensor:none"})
    EXPECT_EQ(find_pipe(unknown), std::nullopt) << unknown;
}

TEST(PipeNames, Titles) {
  EXPECT_EQ(pipe_title({PipeKind::tensor, RateType::bf16}), "BF16 tensor");
  EXPECT_EQ(pipe_title({PipeKind::vector, RateType::fp32}), "FP32 vector");
  EXPECT_EQ(pipe_title({PipeKind::sfu, RateType::none}), "special function");
}

}  // namespace
}  // namespace roofline
