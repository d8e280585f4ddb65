#include "kernel/ops/models.hpp"

namespace roofline {

// THE TABLE of operations, sorted by name. Everything about an op stands in its family's file
// (kernel/ops/); a new op is a function and an OpEntry there, and a line here.
std::span<const OpEntry> ops() {
  using namespace op_models;
  static const OpEntry kTable[] = {
      kActivation,   kAttention,    kBatchnorm,   kBlas1,     kCollective, kConv,      kCopy,
      kCrossEntropy, kElementwise,  kEmbedding,   kFft,       kFusedChain, kGather,    kGemm,
      kGemv,         kGeneric,      kGroupedGemm, kHistogram, kKvAppend,   kLayernorm, kMemcpyHd,
      kMlaDecode,    kMoe,          kMonteCarlo,  kNbody,     kOptimizer,  kPool,      kQgemm,
      kQuantize,     kRadixSort,    kReduction,   kRmsnorm,   kRope,       kScan,      kScatterAdd,
      kSoftmax,      kSparse24Gemm, kSpmvCsr,     kSsmScan,   kStencil,    kSyrk,
  };
  return kTable;
}

}  // namespace roofline
