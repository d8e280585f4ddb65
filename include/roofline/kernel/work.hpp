#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/quantities/count.hpp"
#include "roofline/quantities/pipe.hpp"

namespace roofline {

/// Compulsory DRAM bytes of one operand (conventions: docs/model.md).
struct Traffic {
  std::string operand;
  Count read, written;
};

/// An amount of work on one datapath. `contraction` tells matrix-product FLOPs from elementwise ones, also where both
/// run on the same pipe (an fp32 GEMM).
struct Term {
  Pipe pipe;
  bool contraction = false;
  Count amount;  ///< FLOP; operations for sfu and integer; bytes per direction for a link
};

/// A fact outside the headline: practical traffic, visible pairs, dense-equivalent FLOPs.
struct Fact {
  std::string name, value;
};

/// What a kernel is asked to do, exactly: work per datapath and compulsory bytes per operand.
class Work {
 public:
  enum class Headline { matmul, vector };  ///< vector counts vector FLOPs and special functions

  Work() = default;
  /// `pipe`: datapath of the headline work (kind none where the op computes nothing).
  Work(Headline headline, Pipe pipe) : headline_(headline), pipe_(pipe) {}

  Work& read(std::string_view operand, Count bytes);   ///< adds to what the operand reads
  Work& write(std::string_view operand, Count bytes);
  Work& matmul(Count flops) { return add({pipe_, true, flops}); }  ///< on the headline pipe
  Work& matmul(Pipe pipe, Count flops) { return add({pipe, true, flops}); }
  Work& vector(Count flops);  ///< on the headline pipe when that is a vector pipe, else fp32
  Work& vector(RateType type, Count flops) { return add({{PipeKind::vector, type}, false, flops}); }
  Work& sfu(Count operations) { return add({{PipeKind::sfu, RateType::none}, false, operations}); }
  Work& integer(Count operations) { return add({{PipeKind::integer, RateType::none}, false, operations}); }
  Work& link(Count bytes) { return add({{PipeKind::link, RateType::none}, false, bytes}); }
  Work& fact(std::string_view name, std::string value);
  Work& fact(std::string_view name, Count value) { return fact(name, value.to_string()); }

  Headline headline() const { return headline_; }
  Pipe pipe() const { return pipe_; }
  const std::vector<Term>& terms() const { return terms_; }
  const std::vector<Traffic>& operands() const { return operands_; }
  const std::vector<Fact>& facts() const { return facts_; }

  Count matmul_flops() const;
  Count vector_flops() const;
  Count sfu_ops() const;
  Count int_ops() const;
  Count link_bytes() const;
  Count flops() const;  ///< headline FLOPs: matmul for contractions, else vector + special function
  Count bytes_read() const;
  Count bytes_written() const;
  Count bytes() const { return bytes_read() + bytes_written(); }
  bool overflowed() const;  ///< some count passed 2^127

 private:
  Work& add(Term term);
  Traffic& operand(std::string_view name);

  Headline headline_ = Headline::vector;
  Pipe pipe_;
  std::vector<Term> terms_;
  std::vector<Traffic> operands_;
  std::vector<Fact> facts_;
};

}  // namespace roofline
